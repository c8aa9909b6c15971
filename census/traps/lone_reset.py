"""One counter that starts anew while its siblings go on was reset by hand, not restarted.

Why it fools: it looks like a restart in this counter and like none in the others; a boot edge drawn from it
would cut every other series for nothing.

How it is found: the counter falls and stays low; more siblings than fell show a process that went on.

What is done: no boot edge; what the counter shows after the fall is counted, and no rate crosses it.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.traps.evidence import Evidence, fact_time

ID = "trap/lone-reset"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of counters that alone started anew."""
    resets = evidence.timeline.facts.lone_resets
    if not resets:
        return ()
    roles = sorted({str(one["role"]) for one in resets})
    return (
        Caveat(
            id=ID,
            severity="warning",
            summary=(
                f"{', '.join(roles)} started anew at {fact_time(resets[0], 'at_ms')} while the process "
                "went on: "
                "its increase is a lower bound"
            ),
            evidence={
                "resets": len(resets),
                "roles": ", ".join(roles),
                "first": fact_time(resets[0], "at_ms"),
            },
            touches=("step_phases", "protection_meter"),
        ),
    )

"""A counter that climbs past its old value after a restart hides the restart.

Why it fools: nothing falls, so ``resets()`` says 0 and ``increase()`` takes the difference of two processes
for work.

How it is found: the process start time (or uptime) changed. Without either it cannot be found at all, only
guessed at, and the report says so.

What is done: a boot begins at the process start; what it counted until its first scrape goes to its totals,
never to a rate.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.traps.counter_reset import naive_increase
from census.traps.evidence import Evidence, fact_time

ID = "trap/hidden-reset"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of restarts that no counter shows, or that such cannot be excluded."""
    facts = evidence.timeline.facts
    hidden = [one for one in facts.resets if not one["counters"]]
    if hidden:
        numbers = naive_increase(evidence)
        told = (
            f"; {numbers['metric']}: increase() says {numbers['promql_increase']:.0f}, "
            f"with the restart it is {numbers['increase']:.0f}"
            if numbers
            else ""
        )
        where = ", ".join(fact_time(one, "before_ms") for one in hidden)
        return (
            Caveat(
                id=ID,
                severity="warning",
                summary=f"{len(hidden)} restart(s) before {where} that no counter shows{told}",
                evidence={"hidden_resets": len(hidden), "before": where, **numbers},
                touches=("step_phases", "decode_under_prefill", "protection_meter", "preemptions"),
            ),
        )
    if facts.hidden_resets == "excluded":
        return ()
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                "hidden resets cannot be excluded: this engine exports no process start time, so a restart "
                "after which every counter climbed past its old value between two scrapes would not be seen"
            ),
            evidence={"hidden_resets": None, "longest_blind_s": _longest_interval(evidence)},
            touches=("protection_meter",),
        ),
    )


def _longest_interval(evidence: Evidence) -> float | None:
    """Return the longest time between two scrapes of what is taken for one boot."""
    frame = evidence.timeline.frame
    return float(frame["seconds"].max()) if len(frame) else None

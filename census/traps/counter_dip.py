"""A counter that dips by one or two was not restarted.

Why it fools: two replicas merged into one series, or float noise, let a counter fall a little;
``increase()`` adds its whole value again for a fall of one.

How it is found: a fall to more than half, with siblings that do not fall along.

What is done: the counter is held at its running maximum until it is passed, and the dips are counted.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.traps.evidence import Evidence, fact_number

ID = "trap/counter-dip"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of dips, with what a reset-aware sum makes of them."""
    dips = evidence.timeline.facts.dips
    if not dips:
        return ()
    depths = [fact_number(one, "from_value") - fact_number(one, "to_value") for one in dips]
    invented = sum(fact_number(one, "from_value") for one in dips)
    roles = sorted({str(one["role"]) for one in dips})
    return (
        Caveat(
            id=ID,
            severity="warning",
            summary=(
                f"{len(dips)} dip(s) of at most {max(depths):g} in {', '.join(roles)} held at the running "
                f"maximum; increase() would take them for restarts and add {invented:.0f}"
            ),
            evidence={
                "dips": len(dips),
                "deepest": max(depths),
                "roles": ", ".join(roles),
                "invented_by_increase": invented,
            },
            touches=("step_phases", "protection_meter"),
        ),
    )

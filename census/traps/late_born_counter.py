"""A counter that is born in the middle of a boot hides its first count.

Why it fools: many clients export a counter only once it has counted. Its first sample already holds what
happened, and ``increase()`` over the birth says 0.

How it is found: the series begins while its siblings were already scraped in the same boot.

What is done: it counts from 0 within the boot, so its first value enters the totals (not a rate). Where the
process start is not known, the truth lies between the increase without and with that value, and a gate
passes only on the lower one.
"""

from __future__ import annotations

from collections.abc import Mapping

from census.model.caveat import Caveat
from census.traps.evidence import Evidence, fact_number, fact_time

ID = "trap/late-born-counter"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of counters born late, with both bounds; one that starts at 0 hides nothing."""
    births = evidence.timeline.facts.late_born
    return tuple(_caveat(evidence, birth) for birth in births if fact_number(birth, "first_value") > 0)


def _caveat(evidence: Evidence, birth: Mapping[str, object]) -> Caveat:
    role, first, at = str(birth["role"]), fact_number(birth, "first_value"), fact_time(birth, "at_ms")
    total = evidence.timeline.total(role) if role in evidence.timeline.totals.columns else first
    return Caveat(
        id=ID,
        severity="warning",
        summary=(
            f"{evidence.timeline.metrics.get(role, role)} appears only at {at}, with {first:g} on it: "
            f"increase() says {total - first:g}, since boot it is {total:g}"
        ),
        evidence={
            "role": role,
            "born": at,
            "first_value": first,
            "increase_without": total - first,
            "increase_with": total,
        },
        touches=("protection_meter",) if role == "held_steps" else ("step_phases",),
    )

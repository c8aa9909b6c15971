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
    return tuple(
        _caveat(evidence, birth)
        for birth in births
        if fact_number(birth, "first_value") > 0 and str(birth["role"]) in evidence.timeline.totals.columns
    )


def _caveat(evidence: Evidence, birth: Mapping[str, object]) -> Caveat:
    role, first, at = str(birth["role"]), fact_number(birth, "first_value"), fact_time(birth, "at_ms")
    total, counted = evidence.timeline.total(role), bool(birth["counted"])
    without, with_first = (total - first, total) if counted else (total, total + first)
    metric = evidence.timeline.metrics.get(role, role)
    doubtful = evidence.timeline.facts.hidden_resets != "excluded"
    told = (
        f"increase() says {without:g}, since boot it is {with_first:g}"
        if counted
        else f"too much to be counted since the scrape before, so it is left out of {without:g}"
    )
    return Caveat(
        id=ID,
        severity="warning" if doubtful and counted else "info",
        summary=f"{metric} appears only at {at}, with {first:g} on it: {told}",
        evidence={
            "role": role,
            "born": at,
            "first_value": first,
            "increase_without": without,
            "increase_with": with_first,
            "first_value_counted": counted,
            "process_start_known": not doubtful,
        },
        touches=("protection_meter",) if role == "held_steps" else ("step_phases",),
    )

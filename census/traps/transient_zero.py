"""A single zero between two large values of a counter is a bad sample, not a restart.

Why it fools: ``increase()`` takes the zero for a reset and adds the whole old value again: one bad scrape
books everything since boot a second time.

How it is found: the sample after the zero is at or above the one before it.

What is done: the zero goes, and is counted here.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.model.window import rfc3339
from census.traps.evidence import Evidence, fact_number

ID = "trap/transient-zero"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of zero samples that were dropped."""
    dropped = evidence.timeline.facts.bad_samples
    if not dropped:
        return ()
    roles = sorted({str(one["role"]) for one in dropped})
    times = sorted({int(fact_number(one, "at_ms")) for one in dropped})
    numbers = _booked_twice(evidence, str(dropped[0]["role"]), times)
    told = f"; increase() would book {numbers['booked_again']:.0f} of {roles[0]} again" if numbers else ""
    return (
        Caveat(
            id=ID,
            severity="warning",
            summary=(
                f"{len(dropped)} zero sample(s) between larger values dropped, "
                f"the first at {rfc3339(times[0])}{told}"
            ),
            evidence={"samples": len(dropped), "scrapes": len(times), "roles": ", ".join(roles), **numbers},
            touches=("step_phases", "protection_meter"),
        ),
    )


def _booked_twice(evidence: Evidence, role: str, times_ms: list[int]) -> dict[str, float]:
    """Return what a reset-aware sum adds at the zeros."""
    again = 0.0
    for one in evidence.raw(role):
        places = [place for place, time in enumerate(one.times_ms.tolist()) if time in set(times_ms)]
        again += sum(float(one.values[place - 1]) for place in places if place and one.values[place] == 0)
    return {"booked_again": again} if again else {}

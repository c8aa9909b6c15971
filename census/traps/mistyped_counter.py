"""A counter that is exported as a gauge is still a counter, and ``_created`` is a time, not a quantity.

Why it fools: tools that go by the exported type average a running total, or refuse to take its rate; and a
``_created`` series, which clients export as a gauge, looks like a huge value that never moves.

How it is found: a role that accumulates is answered by a name without ``_total``; a process start is
answered by a ``_created`` series.

What is done: the profile declares the true kind, and it is read as that. ``_created`` is evidence of boots
alone.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.traps.evidence import Evidence

ID = "trap/mistyped-counter"

COUNTER_ENDINGS = ("_total", "_count", "_sum", "_bucket")


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of counters whose name says gauge, and of boot evidence that looks like a quantity."""
    counters = {
        binding.metric: binding.role
        for binding in reversed(evidence.entry.roles)
        if binding.kind == "counter" and not binding.metric.endswith(COUNTER_ENDINGS)
    }
    return tuple(_read_as_counter(evidence, role) for role in reversed(counters.values())) + _created(
        evidence
    )


def _created(evidence: Evidence) -> tuple[Caveat, ...]:
    binding = evidence.entry.binding("process_start")
    if binding is None or not binding.metric.endswith("_created"):
        return ()
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=f"{binding.metric} is typed gauge; it is read as boot evidence, never as a quantity",
            evidence={"metric": binding.metric, "read_as": "boot evidence"},
            touches=("fitness",),
        ),
    )


def _read_as_counter(evidence: Evidence, role: str) -> Caveat:
    binding = evidence.entry.binding(role)
    raw = evidence.raw(role)
    metric = binding.metric if binding else role
    naive = float(raw[0].values.mean()) if raw else None
    total = evidence.timeline.total(role) if role in evidence.timeline.totals.columns else None
    told = (
        "" if naive is None or total is None else f": its mean is {naive:.6g}, what it counted is {total:.6g}"
    )
    return Caveat(
        id=ID,
        severity="info",
        summary=(
            f"{metric} carries no _total, so it may be typed gauge; it is read as the counter that it "
            f"is{told}"
        ),
        evidence={"metric": metric, "role": role, "naive_gauge_mean": naive, "increase": total},
        touches=("fitness",),
    )

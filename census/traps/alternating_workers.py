"""One target that several workers answer in turn shows several counters as one.

Why it fools: each scrape reaches another process, so the counter jumps between two or more levels;
``increase()`` adds a full value at every jump down and reports work that nobody did.

How it is found: a counter that falls again and again while siblings or the process start do not say
"restart".

What is done: the counter is unusable: whatever rests on it is absent, and a gate on it is inconclusive.
Scrape each worker by itself, or use the server's multi-process mode.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.stats.naive import last_minus_first, promql_increase
from census.traps.evidence import Evidence

ID = "trap/alternating-workers"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of counters that were removed because they alternate."""
    removed = evidence.timeline.facts.unusable
    if not removed:
        return ()
    roles = sorted({str(one["role"]) for one in removed})
    numbers = next((found for role in roles if (found := _naive(evidence, role))), {})
    told = f"; increase() would say {numbers['promql_increase']:.0f}" if numbers else ""
    return (
        Caveat(
            id=ID,
            severity="error",
            summary=(
                f"{len(roles)} counter(s) cannot be used ({', '.join(roles[:4])}): "
                f"{removed[0]['reason']}{told}"
            ),
            evidence={"roles": ", ".join(roles), "reason": str(removed[0]["reason"]), **numbers},
            touches=("step_phases", "decode_under_prefill", "lag_structure", "protection_meter"),
        ),
    )


def _naive(evidence: Evidence, role: str) -> dict[str, float]:
    """Return what the plain ways say of the counter."""
    raw = evidence.raw(role)
    if len(raw) != 1 or raw[0].times_ms.size < 2:
        return {}
    times, values = raw[0].times_ms, raw[0].values
    span_ms = int(times[-1] - times[0])
    return {
        "last_minus_first": last_minus_first(values),
        "promql_increase": float(promql_increase(times, values, at_ms=times[-1:], range_ms=span_ms)[0]),
    }

"""A restart sets every counter back to zero, and a difference over it is a lie.

Why it fools: last minus first goes negative or, worse, small and plausible. ``rate()`` and ``increase()``
notice a fall and go on, but what was counted between the last scrape and the restart is gone for both, and a
rate over the edge mixes two processes.

How it is found: boot edges of the timeline (counters that fall together, a changed process start).

What is done: increases are added boot by boot, totals are called a lower bound, the interval with the edge
gives no rate.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.stats.naive import last_minus_first, promql_increase
from census.traps.evidence import Evidence, fact_time

ID = "trap/counter-reset"

WITNESSES = ("decode_tokens", "generation_tokens", "steps", "decode_steps", "prefill_tokens", "prompt_tokens")


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of restarts at which counters fell, with what a plain difference would have said."""
    falls = [one for one in evidence.timeline.facts.resets if one["counters"]]
    if not falls:
        return ()
    edges = ", ".join(f"({fact_time(one, 'after_ms')}, {fact_time(one, 'before_ms')}]" for one in falls)
    numbers = naive_increase(evidence)
    told = ""
    if numbers:
        told = (
            f"; {numbers['metric']}: last minus first says {numbers['last_minus_first']:.0f}, "
            f"boot by boot it is {numbers['increase']:.0f} at least"
        )
    count = "1 restart" if len(falls) == 1 else f"{len(falls)} restarts"
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=f"{count} inside the window, in {edges}{told}",
            evidence={
                "resets": len(falls),
                "boots": len(evidence.timeline.boots),
                "edges": edges,
                "lower_bound": True,
                **numbers,
            },
            touches=("step_phases", "protection_meter", "preemptions"),
        ),
    )


def naive_increase(evidence: Evidence) -> dict[str, str | float]:
    """Return what the plain ways say of the first plain counter, beside the increase by boots."""
    for role in WITNESSES:
        raw = evidence.raw(role)
        if len(raw) != 1 or role not in evidence.timeline.totals.columns or raw[0].times_ms.size < 2:
            continue
        times, values = raw[0].times_ms, raw[0].values
        span_ms = int(times[-1] - times[0])
        return {
            "metric": evidence.timeline.metrics[role],
            "last_minus_first": last_minus_first(values),
            "promql_increase": float(promql_increase(times, values, at_ms=times[-1:], range_ms=span_ms)[0]),
            "increase": evidence.timeline.total(role),
        }
    return {}

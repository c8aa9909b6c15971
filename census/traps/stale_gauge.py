"""A throughput gauge that is only written while work runs keeps its last value for ever.

Why it fools: an idle night reads like a busy one, and a mean over the day counts the last burst for hours.

How it is found: nothing runs at the scrape, and the gauge repeats itself, above zero.

What is done: the gauge is not used; the counter is.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.traps.evidence import Evidence
from census.traps.gauge_readings import GaugeReading, measure_gauges

ID = "trap/stale-gauge"


def is_stale(reading: GaugeReading) -> bool:
    """Tell whether a gauge stands still through most of the idle scrapes."""
    seen = reading.agreement
    return seen.stale >= 3 and seen.stale >= 0.5 * seen.idle


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of gauges that are stuck when idle."""
    return tuple(_caveat(evidence, one) for one in measure_gauges(evidence) if is_stale(one))


def _caveat(evidence: Evidence, reading: GaugeReading) -> Caveat:
    seen = reading.agreement
    metric = evidence.timeline.metrics[reading.role]
    return Caveat(
        id=ID,
        severity="info",
        summary=(
            f"{metric} is stale in {seen.stale} of {seen.scrapes} scrapes (nothing runs, it repeats itself): "
            f"its mean is {seen.gauge_mean:.4g} tok/s, the counter's {seen.counter_mean:.4g}; rejected"
        ),
        evidence={
            "metric": metric,
            "stale_scrapes": seen.stale,
            "idle_scrapes": seen.idle,
            "scrapes": seen.scrapes,
            "gauge_mean_tok_s": seen.gauge_mean,
            "true_mean_tok_s": seen.counter_mean,
            "ratio": seen.ratio,
        },
        touches=("decode_under_prefill",),
    )

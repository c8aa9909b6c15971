"""A gauge that averages since the previous scrape is read by whoever scrapes last.

Why it fools: each scrape, by anyone, starts the average anew. A second Prometheus, a curl, a dashboard, and
the value is that of the few seconds since: often 0, beside a server at work.

How it is found: the profile declares it, or the gauge is exactly 0 at scrapes amid work, and about right in
between.

What is done: the counter pair is used (tokens and seconds); the gauge is not.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.traps.evidence import Evidence
from census.traps.gauge_readings import GaugeReading, measure_gauges
from census.traps.stale_gauge import is_stale

ID = "trap/scrape-averaged-gauge"

ABOUT_RIGHT = 0.25


def is_scrape_averaged(reading: GaugeReading) -> bool:
    """Tell whether a gauge behaves like an average since the last scrape."""
    seen = reading.agreement
    if seen.accepted or is_stale(reading):
        return False
    if reading.clock == "scrape":
        return True
    often = seen.zero_while_moving >= 2 and seen.zero_while_moving >= 0.2 * seen.intervals
    return often and seen.nonzero_error is not None and seen.nonzero_error <= ABOUT_RIGHT


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of gauges that another scraper empties."""
    return tuple(_caveat(evidence, one) for one in measure_gauges(evidence) if is_scrape_averaged(one))


def _caveat(evidence: Evidence, reading: GaugeReading) -> Caveat:
    seen = reading.agreement
    metric = evidence.timeline.metrics[reading.role]
    return Caveat(
        id=ID,
        severity="info",
        summary=(
            f"{metric} averages since the last scrape by anyone: 0 at {seen.zero_while_moving} scrapes amid "
            f"work, mean {seen.gauge_mean:.4g} tok/s where its counter says {seen.counter_mean:.4g}"
        ),
        evidence={
            "metric": metric,
            "zero_while_moving": seen.zero_while_moving,
            "gauge_mean_tok_s": seen.gauge_mean,
            "true_mean_tok_s": seen.counter_mean,
            "ratio": seen.ratio,
            "correlation": seen.correlation,
        },
        touches=("decode_under_prefill",),
    )

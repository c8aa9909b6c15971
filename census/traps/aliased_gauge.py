"""A one-second average that is read every fifteen seconds sees a fifteenth of the time.

Why it fools: each reading is true for its second. Where work comes in bursts, what a series of readings says
depends on the phase of the scrapes: a burst of 2 s at 5000 tok/s every 15 s reads 0.03 or 4323, and 666.7 is
true.

How it is found: the gauge's mean against the counter's, and their correlation. A gauge is accepted only with
a ratio of 0.8 to 1.25 and r of at least 0.9.

What is done: the counter is used; the report says what the gauge would have said.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.traps.evidence import Evidence
from census.traps.gauge_readings import GaugeReading, measure_gauges
from census.traps.scrape_averaged_gauge import is_scrape_averaged
from census.traps.stale_gauge import is_stale

ID = "trap/aliased-gauge"

FEWEST_INTERVALS = 10


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of gauges that do not say what their counter says."""
    return tuple(
        _caveat(evidence, one)
        for one in measure_gauges(evidence)
        if not one.agreement.accepted
        and one.agreement.intervals >= FEWEST_INTERVALS
        and one.agreement.counter_mean > 0
        and not is_stale(one)
        and not is_scrape_averaged(one)
    )


def _caveat(evidence: Evidence, reading: GaugeReading) -> Caveat:
    seen = reading.agreement
    metric = evidence.timeline.metrics[reading.role]
    correlation = "undefined" if seen.correlation is None else f"{seen.correlation:.2f}"
    loaded = (
        ""
        if reading.loaded_gauge is None
        else f"; under prefill {reading.loaded_gauge:.4g} against {reading.loaded_counter:.4g}"
    )
    return Caveat(
        id=ID,
        severity="info",
        summary=(
            f"had you used the gauge {metric}: {seen.gauge_mean:.4g} tok/s; true: {seen.counter_mean:.4g} "
            f"(correlation {correlation}){loaded}"
        ),
        evidence={
            "metric": metric,
            "gauge_mean_tok_s": seen.gauge_mean,
            "true_mean_tok_s": seen.counter_mean,
            "ratio": seen.ratio,
            "correlation": seen.correlation,
            "gauge_loaded_tok_s": reading.loaded_gauge,
            "true_loaded_tok_s": reading.loaded_counter,
        },
        touches=("decode_under_prefill",),
    )

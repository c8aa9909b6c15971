"""Each rate gauge beside its counter: what the three gauge traps and the gauge audit share.

Method: gauges at the scrapes against increases between them (``stats.gauge_agreement``), boots kept apart,
gaps left out; and the means of both over the loaded half, where a reader would look for the damage.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.stats.gauge_agreement import GaugeAgreement, compare_gauge
from census.timeline.timeline import Timeline
from census.traps.evidence import Evidence

FloatArray = NDArray[np.float64]

PAIRS = (
    ("decode_rate_gauge", ("decode_tokens",)),
    ("prefill_rate_gauge", ("prefill_tokens", "prompt_tokens")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaugeReading:
    """One gauge against its counter; loaded means are over the intervals above the median prefill rate."""

    role: str
    counter_role: str
    clock: str
    agreement: GaugeAgreement
    loaded_gauge: float | None
    loaded_counter: float | None


def measure_gauges(evidence: Evidence) -> tuple[GaugeReading, ...]:
    """Return every rate gauge that has a live counter to be judged by."""
    timeline = evidence.timeline
    found = []
    for gauge, counters in PAIRS:
        live = [role for role in counters if timeline.has(role) and timeline.clocks[role] != "request"]
        if timeline.has(gauge) and live and len(timeline.frame):
            found.append(_compare(evidence, gauge, live[0]))
    return tuple(found)


def _compare(evidence: Evidence, gauge: str, counter: str) -> GaugeReading:
    timeline = evidence.timeline
    increase, seconds = _between_scrapes(timeline, counter)
    loaded_gauge, loaded_counter = _loaded_means(evidence, gauge, counter)
    return GaugeReading(
        role=gauge,
        counter_role=counter,
        clock=timeline.clocks[gauge],
        agreement=compare_gauge(
            _at_scrapes(timeline, gauge),
            increase,
            seconds,
            running=_at_scrapes(timeline, "running") if timeline.has("running") else None,
        ),
        loaded_gauge=loaded_gauge,
        loaded_counter=loaded_counter,
    )


def _run_starts(timeline: Timeline) -> NDArray[np.intp]:
    """Return the rows, the first left out, whose start is not the end of the row before."""
    starts, ends = timeline.frame["start_ms"].to_numpy(), timeline.frame["end_ms"].to_numpy()
    return np.flatnonzero(starts[1:] != ends[:-1]) + 1


def _at_scrapes(timeline: Timeline, gauge: str) -> FloatArray:
    """Return the gauge at every scrape, boots one after another."""
    starts = timeline.frame[f"{gauge}:start"].to_numpy(dtype=np.float64)
    ends = timeline.frame[f"{gauge}:end"].to_numpy(dtype=np.float64)
    breaks = _run_starts(timeline)
    return np.insert(np.concatenate((starts[:1], ends)), breaks + 1, starts[breaks])


def _between_scrapes(timeline: Timeline, counter: str) -> tuple[FloatArray, FloatArray]:
    """Return increases and lengths between those scrapes; NaN across boots and gaps."""
    increase = timeline.frame[counter].to_numpy(dtype=np.float64).copy()
    increase[timeline.frame["gap"].to_numpy(dtype=bool)] = np.nan
    breaks = _run_starts(timeline)
    seconds = timeline.frame["seconds"].to_numpy(dtype=np.float64)
    return np.insert(increase, breaks, np.nan), np.insert(seconds, breaks, 1.0)


def _loaded_means(evidence: Evidence, gauge: str, counter: str) -> tuple[float | None, float | None]:
    """Return the means of gauge and counter where prefill runs above its median."""
    prefill = evidence.prefill_increase()
    if prefill is None:
        return None, None
    seconds = evidence.seconds()
    rates = prefill / seconds
    read, moved = evidence.ends(gauge)[1], evidence.increase(counter)
    known = np.isfinite(rates) & np.isfinite(read) & np.isfinite(moved)
    above = rates[known & (rates > 0)]
    if above.size < evidence.settings.min_loaded_intervals:
        return None, None
    loaded = known & (rates >= np.median(above))
    return float(read[loaded].mean()), float(moved[loaded].sum() / seconds[loaded].sum())

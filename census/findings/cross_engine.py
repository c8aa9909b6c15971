"""Does one engine's decode slow down under another engine's prefill?

Method: engines of one data-parallel group may wait for one another, so a chunk on one stalls all. The
decode-only step and the per-stream rate of one engine are regressed on its own prefill at several lags and
rows, and on the other engine's prefill in the same time (averaged over each interval, whatever the phases of
the two scrapes). A stall shared by the group shows as an effect of the other's prefill, at lag 0.

Misleads: engines behind one balancer are loaded together; own prefill and rows are held for that reason.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.findings.interval_arrays import read_arrays
from census.findings.interval_rates import IntervalRates
from census.findings.lag_response import fit_response
from census.model.estimate import Absent, Estimate, Reading
from census.model.settings import Settings
from census.stats.lag_pairs import Intervals
from census.stats.weighted import weighted_quantile
from census.timeline.timeline import Timeline

NEEDS = ("prefill_tokens", "decode_tokens")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossEngine:
    """Response of one engine's per-stream rate to another's prefill, at its typical loaded rate.

    ``mean_effect`` is the same at the mean rate: the share of stream rate that the other costs. Shares of the
    mean per-stream rate; negative = slower.
    """

    effect: Reading
    mean_effect: Reading
    n: int


def measure_across(
    own: tuple[Timeline, IntervalRates], other: tuple[Timeline, IntervalRates], settings: Settings
) -> CrossEngine | Absent:
    """Return how the first engine's streams respond to the second's prefill, or why that is not told."""
    mine, theirs = read_arrays(*own), read_arrays(*other)
    rate = average_inside(theirs.prefill_tok_s, theirs.intervals, mine.intervals)
    loaded = np.nan_to_num(rate) > 0
    if loaded.sum() < settings.min_loaded_intervals:
        return Absent(f"the other engine had prefill in {int(loaded.sum())} intervals")
    known = np.isfinite(mine.rows_per_step).any()
    rows = mine.rows_per_step if known else np.zeros(mine.intervals.size)
    response = fit_response(
        mine,
        mine.stream_tok_s,
        at_zero=mine.met_tok_s,
        covariates=np.column_stack([rate, rows]),
        weights=mine.row_seconds,
        settings=settings,
    )
    if isinstance(response, str):
        return Absent(response)
    used = response.used
    if np.ptp(rate[used]) <= 1e-9:
        return Absent("the other engine's prefill does not vary")
    mean_rate = float(np.average(mine.stream_tok_s[used], weights=mine.row_seconds[used]))
    if mean_rate <= 0:
        return Absent("streams hardly ever got a token")
    mix = np.zeros(response.fit.coefficients.size)
    mix[1 + len(response.bins)] = 1.0 / mean_rate
    readings: list[Reading] = []
    typical = weighted_quantile(rate[loaded], rate[loaded] * mine.intervals.seconds[loaded], 0.5)
    for scale in (typical, float(np.average(rate[used], weights=mine.row_seconds[used]))):
        value, half = response.fit.combine(scale * mix)
        readings.append(
            Estimate(
                value=value,
                low=value - half,
                high=value + half,
                level=settings.level,
                n=response.fit.n,
                unit="1",
                method="estimated: regression on the other engine's prefill; own prefill and rows held, HAC",
            )
        )
    return CrossEngine(effect=readings[0], mean_effect=readings[1], n=response.fit.n)


def average_inside(rate: Floats, of: Intervals, inside: Intervals) -> Floats:
    """Return the mean of a rate over other intervals; NaN where they leave its segments.

    Parameters
    ----------
    rate : shape (m,), on intervals ``of``. inside : n intervals on the same clock.
    """
    means = np.full(inside.size, np.nan)
    for start, stop in of.bounds():
        clock = np.append(of.start_s[start:stop], of.end_s[stop - 1])
        total = np.append(0.0, np.cumsum(np.nan_to_num(rate[start:stop]) * of.seconds[start:stop]))
        here = (inside.start_s >= clock[0]) & (inside.end_s <= clock[-1])
        amount = np.interp(inside.end_s[here], clock, total) - np.interp(inside.start_s[here], clock, total)
        means[here] = amount / inside.seconds[here]
    return means

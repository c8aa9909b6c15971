"""How does an outcome respond to prefill now, before and after, each net of the others?

Method: a distributed-lag regression. The outcome of an interval is regressed on prefill in the interval
itself (lag 0), on the mean prefill rate over stretches of time before it (one spacing, one, one, two, four
... up to the longest lag) and after it (which should find nothing), and on the decode rows a step has,
because each prefill leaves one more row. A response may level off: of three shapes (straight; straight at
lag 0 and levelling before it; levelling) the one with the smallest squares is taken, scaled so that at the
typical loaded rate all are the same. Drift is taken off both sides by a running mean over four times the
longest lag, and what autocorrelation is left in the errors by filtering all columns with it (generalised
least squares). Rows are weighted by the seconds of steps that had decode rows; errors are HAC.

Misleads: a stretch of one spacing next to the interval also catches what a scrape's edge cut in two, so it
is never called lingering. Effects longer than the drift window are drift.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.findings.interval_arrays import IntervalArrays
from census.model.settings import Settings
from census.stats.detrend import subtract_running_mean
from census.stats.lag_bins import LagBin, average_over_bins, choose_bins
from census.stats.prewhiten import filter_table
from census.stats.regression import Fit, NotIdentifiedError, fit_hac
from census.stats.weighted import weighted_quantile

Floats = NDArray[np.float64]

LEAD_SPACINGS = 3
"""How far the regression looks ahead, in spacings: a check that must find nothing."""

FEWEST_IN_WINDOW = 40
"""The drift window holds at least this many spacings, so that its mean is not the interval itself."""


SHAPES = ((False, False), (False, True), (True, True))
"""Whether the response levels off at lag 0, and whether it does before it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Response:
    """A fitted response; coefficients are outcome per (token/s of prefill) at the typical loaded rate.

    Attributes
    ----------
    bins : stretches in the order of their lag, those after the interval first.
    fit : coefficients in the order lag 0, bins, covariates.
    used : rows that took part. longest_s : longest lag.
    middle : rate at which a levelling response is half way up; None where lag 0 responds in a straight line.
    """

    bins: tuple[LagBin, ...]
    fit: Fit
    used: NDArray[np.bool_]
    longest_s: float
    middle: float | None

    def rate_at_zero(self, rate: float) -> float:
        """Return what to multiply the response at lag 0 with, for this prefill rate."""
        return rate if self.middle is None else float(level_off(np.array([rate]), self.middle)[0])

    def at_zero(self) -> Floats:
        """Return the mix of coefficients that is the response in the interval itself."""
        mix = np.zeros(self.fit.coefficients.size)
        mix[0] = 1.0
        return mix

    def lingering(self) -> Floats:
        """Return the mix that is the summed response over positive lags of two intervals and more."""
        straddle = min(bin_.far_s for bin_ in self.bins if bin_.sign > 0)
        return self._sum_of([bin_.sign > 0 and bin_.near_s >= 0.99 * straddle for bin_ in self.bins])

    def later(self) -> Floats:
        """Return the mix that is the summed response over all positive lags."""
        return self._sum_of([bin_.sign > 0 for bin_ in self.bins])

    def in_bin(self, wanted: LagBin) -> Floats:
        """Return the mix that is the response over one stretch."""
        return self._sum_of([bin_ == wanted for bin_ in self.bins])

    def _sum_of(self, chosen: list[bool]) -> Floats:
        mix = np.zeros(self.fit.coefficients.size)
        mix[1 : 1 + len(self.bins)] = chosen
        return mix


def fit_response(
    arrays: IntervalArrays,
    outcome: Floats,
    *,
    at_zero: Floats,
    covariates: Floats,
    weights: Floats,
    settings: Settings,
) -> Response | str:
    """Return the response of an outcome to prefill, or in words why the data do not determine it.

    Parameters
    ----------
    outcome, at_zero, weights : shape (n,); prefill in the interval itself is ``at_zero``.
    covariates : shape (n, c), measured in the interval itself; may have no column.
    """
    lead_s = LEAD_SPACINGS * arrays.spacing_s
    least_s = 4 * arrays.spacing_s
    longest_s = max(settings.max_lag_s, least_s)
    there = np.isfinite(outcome) & np.isfinite(at_zero) & np.isfinite(covariates).all(axis=1) & (weights > 0)
    if not there.any():
        return "no interval has both decode work and a known prefill rate"
    while True:
        bins = choose_bins(spacing_s=arrays.spacing_s, longest_s=longest_s, lead_s=lead_s)
        around = average_over_bins(arrays.prefill_tok_s, arrays.intervals, bins)
        used = there & np.isfinite(around).all(axis=1)
        if used.sum() >= 0.5 * there.sum() or longest_s <= least_s:
            break
        longest_s = max(longest_s / 2, least_s)
    middle = typical_rate(arrays)
    rest = _varying(covariates, used)
    row_weights = np.where(used, weights, 0.0)
    window_s = max(settings.detrend_factor * longest_s, FEWEST_IN_WINDOW * arrays.spacing_s)
    tables = [
        subtract_running_mean(
            np.where(
                used[:, None],
                np.column_stack(
                    [
                        outcome,
                        level_off(at_zero, middle) if now else at_zero,
                        level_off(around, middle) if before else around,
                        rest,
                    ]
                ),
                0.0,
            ),
            row_weights,
            arrays.intervals,
            window_s=window_s,
        )
        for now, before in SHAPES
    ]
    leftovers = [leave(table, row_weights) for table in tables]
    chosen = int(np.argmin([float((row_weights * np.square(one)).sum()) for one in leftovers]))
    table, row_weights = filter_table(
        tables[chosen], row_weights, arrays.intervals, leftover=leftovers[chosen]
    )
    try:
        fit = fit_hac(table[:, 0], table[:, 1:], arrays.intervals, weights=row_weights, level=settings.level)
    except NotIdentifiedError as problem:
        return f"the regression on prefill at several lags is not determined: {problem}"
    return Response(
        bins=bins, fit=fit, used=used, longest_s=longest_s, middle=middle if SHAPES[chosen][0] else None
    )


def level_off(rate: Floats, middle: float) -> Floats:
    """Return a rate that levels off: itself at ``middle``, twice that at most."""
    levelled: Floats = 2.0 * middle * rate / (rate + middle)
    return levelled


def typical_rate(arrays: IntervalArrays) -> float:
    """Return the prefill rate of the interval in which the median prefill token was computed.

    A plain median of loaded intervals would be that of the trickle that cached prompts leave between bursts.
    """
    loaded = arrays.prefill_tok_s[arrays.loaded]
    if not loaded.size:
        return 1.0
    tokens = loaded * arrays.intervals.seconds[arrays.loaded]
    return weighted_quantile(loaded, tokens, 0.5)


def leave(table: Floats, weights: Floats) -> Floats:
    """Return what weighted least squares of the first column on the others leaves, 0 in rows of weight 0."""
    root = np.sqrt(weights)[:, None]
    first, *_ = np.linalg.lstsq(table[:, 1:] * root, table[:, 0] * root[:, 0], rcond=None)
    leftover: Floats = np.where(weights > 0, table[:, 0] - table[:, 1:] @ first, 0.0)
    return leftover


def _varying(covariates: Floats, used: NDArray[np.bool_]) -> Floats:
    """Leave out covariates that stand still: they are part of the mean."""
    inside = covariates[used]
    if not inside.size:
        return covariates
    return covariates[:, np.ptp(inside, axis=0) > 1e-9]

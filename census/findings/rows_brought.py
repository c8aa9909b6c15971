"""How many decode rows does prefill bring to a step?

Method: rows per step are regressed on prefill in the interval and over stretches of time before it. Rows
persist by themselves, so both sides are first filtered with the autoregression of the residuals (generalised
least squares, Cochrane & Orcutt): the response stays the same and its error shrinks. How far back prefill is
looked at is chosen by Schwarz's criterion; errors are HAC.

Misleads: a row that decodes for longer than the longest lag brings part of its time only. Load that comes
with prefill by another cause, within that time, is taken for what prefill brought.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.findings.interval_arrays import IntervalArrays
from census.findings.lag_response import LEAD_SPACINGS, leave
from census.model.settings import Settings
from census.stats.detrend import subtract_running_mean
from census.stats.lag_bins import average_over_bins, choose_bins
from census.stats.lag_pairs import Intervals
from census.stats.prewhiten import filter_table
from census.stats.regression import Fit, NotIdentifiedError, fit_hac

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowsBrought:
    """Rows that prefill brings.

    Attributes
    ----------
    mean, half : mean over row time, and the half-width of its interval; 0, 0 where not determined.
    each : shape (n,), of each interval; all 0 where the mean is not surely above 0.
    """

    mean: float
    half: float
    each: Floats


def measure_rows_brought(arrays: IntervalArrays, settings: Settings) -> RowsBrought:
    """Return the rows that prefill brought to the steps of each interval."""
    intervals = arrays.intervals
    nothing = RowsBrought(mean=0.0, half=0.0, each=np.zeros(intervals.size))
    longest_s = max(settings.max_lag_s, 4 * arrays.spacing_s)
    bins = tuple(
        bin_
        for bin_ in choose_bins(
            spacing_s=arrays.spacing_s, longest_s=longest_s, lead_s=LEAD_SPACINGS * arrays.spacing_s
        )
        if bin_.sign > 0
    )
    columns = np.column_stack(
        [arrays.rows_per_step, arrays.prefill_tok_s, average_over_bins(arrays.prefill_tok_s, intervals, bins)]
    )
    flat = _without_drift(columns, arrays, settings)
    if flat is None:
        return nothing
    found = _fit_best(*_whiten(flat, intervals), intervals, level=settings.level)
    if found is None:
        return nothing
    weights = np.where(np.isfinite(arrays.prefill_tok_s), arrays.row_seconds, 0.0)
    if weights.sum() <= 0:
        return nothing
    mean_rate = float(np.average(np.nan_to_num(arrays.prefill_tok_s), weights=weights))
    value, half = found.combine(np.full(found.coefficients.size, mean_rate))
    around = np.nan_to_num(columns[:, 1 : 1 + found.coefficients.size])
    each = np.maximum(around @ found.coefficients, 0.0) if value - half > 0 else nothing.each
    return RowsBrought(mean=value, half=half, each=each)


def _without_drift(columns: Floats, arrays: IntervalArrays, settings: Settings) -> Floats | None:
    """Return the columns less their running mean, NaN where a row cannot be used; None if too few can."""
    used = np.asarray(np.isfinite(columns).all(axis=1))
    if used.sum() < settings.min_loaded_intervals:
        return None
    window_s = max(settings.detrend_factor * settings.max_lag_s, 40 * arrays.spacing_s)
    flat = subtract_running_mean(
        np.where(used[:, None], columns, 0.0), used.astype(float), arrays.intervals, window_s=window_s
    )
    return np.where(used[:, None], flat, np.nan)


def _whiten(flat: Floats, intervals: Intervals) -> tuple[Floats, Floats]:
    """Filter all columns with the autoregression of what a first fit leaves; weights are 0 or 1."""
    weights = np.asarray(np.isfinite(flat).all(axis=1)).astype(np.float64)
    table = np.where(weights[:, None] > 0, flat, 0.0)
    return filter_table(table, weights, intervals, leftover=leave(table, weights))


def _fit_best(table: Floats, weights: Floats, intervals: Intervals, *, level: float) -> Fit | None:
    """Return the fit whose number of stretches back in time has the best Schwarz criterion."""
    known = weights > 0
    n = int(known.sum())
    scores = []
    for count in range(2, table.shape[1] + 1):
        inside = table[known]
        coefficients, *_ = np.linalg.lstsq(inside[:, 1:count], inside[:, 0], rcond=None)
        squares = float(np.square(inside[:, 0] - inside[:, 1:count] @ coefficients).sum())
        scores.append(n * np.log(max(squares, 1e-300) / max(n, 1)) + count * np.log(max(n, 2)))
    chosen = 2 + int(np.argmin(scores))
    try:
        return fit_hac(table[:, 0], table[:, 1:chosen], intervals, weights=weights, level=level)
    except NotIdentifiedError:
        return None

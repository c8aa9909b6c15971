"""How tightly do prefill and decode go together at each lag, raw and with the drift taken off?

Method: r of the prefill rate with a decode rate, paired by time inside boots, no gap between; positive lag =
prefill leads. Drift is a running median over four times the longest lag, or four times a long prefill where
that is longer. The interval and the null band rest on the effective n of both autocorrelations. The
family-wise p is that of both series without drift, filtered, under shifts in a circle.

Misleads: r at the neighbours of a strong lag is mostly the persistence of prefill itself. The response
(``lag_response``) is net of it; these rows are not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from census.findings.interval_arrays import IntervalArrays
from census.model.findings import LagRow, LagTable
from census.model.settings import Settings
from census.stats.circular_shift import family_p
from census.stats.correlation import Correlation, correlate_at_lags
from census.stats.detrend import subtract_running_median
from census.stats.lag_pairs import choose_lags

Floats = NDArray[np.float64]


def tabulate_lags(
    arrays: IntervalArrays, settings: Settings, rng: np.random.Generator
) -> tuple[tuple[LagRow, ...], LagTable, LagTable]:
    """Return the per-stream rate's raw rows and detrended table, and the visible rate's raw table."""
    intervals = arrays.intervals
    lags_s = choose_lags(intervals, longest_s=settings.max_lag_s)
    x, y = arrays.prefill_tok_s, arrays.stream_tok_s
    longest_s = max(settings.max_lag_s, float(lags_s.max()), _long_run_s(x, arrays))
    window_s = settings.detrend_factor * longest_s
    flat_x, flat_y = (subtract_running_median(side, intervals, window_s=window_s) for side in (x, y))
    spacing_s = float(np.median(intervals.seconds))
    distances = tuple(int(lag) for lag in np.rint(lags_s / spacing_s))
    family = family_p(flat_x, flat_y, intervals, lags=distances, draws=settings.shifts, rng=rng)
    visible_p: tuple[float | None, ...] = (None,) * lags_s.size
    return (
        _rows(correlate_at_lags(x, y, intervals, lags_s=lags_s, level=settings.level), family),
        LagTable(
            rows=_rows(
                correlate_at_lags(flat_x, flat_y, intervals, lags_s=lags_s, level=settings.level), family
            )
        ),
        LagTable(
            rows=_rows(
                correlate_at_lags(x, arrays.visible_tok_s, intervals, lags_s=lags_s, level=settings.level),
                visible_p,
            )
        ),
    )


def _long_run_s(x: Floats, arrays: IntervalArrays) -> float:
    """Return how long a long stretch of more prefill than the mean lasts: one in twenty is longer.

    A running median follows whatever fills more than half of its window, so drift must be slower than this.
    """
    high = np.nan_to_num(x) > np.nanmean(x) if np.isfinite(x).any() else np.zeros(x.shape, dtype=bool)
    intervals = arrays.intervals
    begins = high.copy()
    begins[1:] &= ~(high[:-1] & (intervals.segment[1:] == intervals.segment[:-1]))
    if not begins.any():
        return 0.0
    stretch = np.cumsum(begins)[high] - 1
    lengths = np.bincount(stretch, weights=intervals.seconds[high])
    return float(np.quantile(lengths, 0.95))


def _rows(correlations: tuple[Correlation, ...], family: tuple[float | None, ...]) -> tuple[LagRow, ...]:
    return tuple(
        LagRow(
            lag_s=row.lag_s,
            r=row.r,
            low=row.low,
            high=row.high,
            spearman=row.spearman,
            band=row.band,
            n=row.n,
            n_eff=row.n_eff,
            p_family=p,
        )
        for row, p in zip(correlations, family, strict=True)
    )

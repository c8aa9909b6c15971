"""What is left of a series when its slow drift is taken off?

Method: two ways over one window of time. The running median (robust: a burst shorter than half the window
leaves no trace in it) for tables of correlation; the running mean, weighted, for regressions, because it is
linear: taken off both sides of a linear relation it leaves the coefficients as they are.

Misleads: whatever lasts longer than the window is drift to it, effects included. Windows never reach across
a segment's edge, so near one they lean to the side that exists.
"""

from __future__ import annotations

import numpy as np

from census.stats.lag_pairs import Floats, Intervals


def subtract_running_median(values: Floats, intervals: Intervals, *, window_s: float) -> Floats:
    """Return values less the median of the known values within half a window each side, inside the segment.

    Parameters
    ----------
    values : float64, shape (n,); NaN where unknown.
    intervals : n intervals.
    window_s : full window, seconds.

    Returns
    -------
    float64, shape (n,); NaN where the value is unknown.

    References
    ----------
    Tukey (1977), Exploratory Data Analysis, ch. 7.

    Examples
    --------
    >>> import numpy as np
    >>> start = np.arange(5) * 15.0
    >>> intervals = Intervals(start_s=start, end_s=start + 15.0, segment=np.zeros(5, dtype=np.int64))
    >>> subtract_running_median(np.array([1.0, 1.0, 9.0, 1.0, 1.0]), intervals, window_s=60.0).tolist()
    [0.0, 0.0, 8.0, 0.0, 0.0]
    """
    import pandas as pd

    left = np.full(values.shape, np.nan)
    middle = (intervals.start_s + intervals.end_s) / 2
    for start, stop in intervals.bounds():
        clock = pd.to_datetime(np.rint(middle[start:stop] * 1e6).astype(np.int64), unit="us")
        series = pd.Series(values[start:stop], index=clock)
        window = pd.Timedelta(window_s, unit="s")
        drift = series.rolling(window, center=True, closed="both", min_periods=1).median()
        left[start:stop] = values[start:stop] - drift.to_numpy(dtype=np.float64)
    return left


def subtract_running_mean(
    columns: Floats, weights: Floats, intervals: Intervals, *, window_s: float
) -> Floats:
    """Return columns less their weighted mean within half a window each side, inside the segment.

    Parameters
    ----------
    columns : float64, shape (n, p), finite.
    weights : float64, shape (n,), >= 0; rows of weight 0 take no part and come back as 0.
    intervals : n intervals.
    window_s : full window, seconds.

    Returns
    -------
    float64, shape (n, p).

    Notes
    -----
    The same rows and weights serve every column, so y = X b + drift + e becomes y' = X' b + e', same b.
    Under feedback from e to later x it biases b by the order of 1 / rows in the window.

    References
    ----------
    Baxter & King (1999), Rev. Econ. Stat. 81:575 (moving averages as linear high-pass filters).

    Examples
    --------
    >>> import numpy as np
    >>> start = np.arange(3) * 15.0
    >>> intervals = Intervals(start_s=start, end_s=start + 15.0, segment=np.zeros(3, dtype=np.int64))
    >>> subtract_running_mean(np.array([[1.0], [2.0], [6.0]]), np.ones(3), intervals, window_s=90.0).tolist()
    [[-2.0], [-1.0], [3.0]]
    """
    left = np.zeros(columns.shape)
    middle = (intervals.start_s + intervals.end_s) / 2
    for start, stop in intervals.bounds():
        at = middle[start:stop]
        first = np.searchsorted(at, at - window_s / 2, side="left")
        last = np.searchsorted(at, at + window_s / 2, side="right")
        block, w = columns[start:stop], weights[start:stop, None]
        base = block.mean(axis=0)
        sums = _from_zero(np.cumsum(w * (block - base), axis=0))
        total = _from_zero(np.cumsum(w, axis=0))
        share = total[last] - total[first]
        mean = np.divide(sums[last] - sums[first], share, out=np.zeros(block.shape), where=share > 0)
        left[start:stop] = np.where(w > 0, block - base - mean, 0.0)
    return left


def _from_zero(cumulative: Floats) -> Floats:
    return np.concatenate([np.zeros((1, cumulative.shape[1])), cumulative])

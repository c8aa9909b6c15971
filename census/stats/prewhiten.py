"""What is new in each value of a series, once its own past has been allowed for?

Method: an autoregression of x (order by Schwarz's criterion, least squares on rows whose whole past is known
inside the segment) is a filter; the same filter is applied to x and to y (Box & Jenkins), which leaves the
shape of the response between them and takes away what x's persistence smears over its neighbours.

Misleads: rows whose past is not known are lost; near gaps and idle times that is many.
"""

from __future__ import annotations

import numpy as np

from census.stats.lag_pairs import Floats, Intervals

FILTER_ORDER = 3

ENOUGH_KEPT = 0.7
"""Filtering costs the first rows of each stretch; below this share of rows kept it is not worth it."""


def fit_autoregression(x: Floats, intervals: Intervals, *, highest_order: int) -> Floats:
    """Return the autoregressive coefficients of x (shape (order,)), order 0 .. ``highest_order`` by BIC.

    Parameters
    ----------
    x : float64, shape (n,); NaN where unknown; its mean over known rows is taken off.
    intervals : n intervals.
    highest_order : >= 0.

    References
    ----------
    Schwarz (1978), Annals of Statistics 6:461. Box, Jenkins & Reinsel, Time Series Analysis, ch. 12.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(5)
    >>> start = np.arange(2000) * 15.0
    >>> intervals = Intervals(start_s=start, end_s=start + 15.0, segment=np.zeros(2000, dtype=np.int64))
    >>> x = np.zeros(2000)
    >>> for t in range(1, 2000):
    ...     x[t] = 0.8 * x[t - 1] + rng.normal()
    >>> fit_autoregression(x, intervals, highest_order=4).round(1).tolist()
    [0.8]
    """
    known = np.isfinite(x)
    if not known.any():
        return np.empty(0)
    past = lagged(x - x[known].mean(), intervals, order=highest_order)
    rows = past[np.all(np.isfinite(past), axis=1)]
    n = rows.shape[0]
    best: Floats = np.empty(0)
    best_score = np.inf
    for order in range(highest_order + 1):
        if n < 10 * (order + 1):
            break
        coefficients, *_ = np.linalg.lstsq(rows[:, 1 : order + 1], rows[:, 0], rcond=None)
        error = float(np.square(rows[:, 0] - rows[:, 1 : order + 1] @ coefficients).mean())
        if error <= 0:
            break
        score = n * np.log(error) + order * np.log(n)
        if score < best_score:
            best, best_score = np.asarray(coefficients, dtype=np.float64), score
    return best


def apply_filter(values: Floats, intervals: Intervals, coefficients: Floats) -> Floats:
    """Return values less what the filter foretells from their past; NaN where that past is not known.

    Examples
    --------
    >>> import numpy as np
    >>> start = np.arange(3) * 15.0
    >>> intervals = Intervals(start_s=start, end_s=start + 15.0, segment=np.zeros(3, dtype=np.int64))
    >>> apply_filter(np.array([2.0, 1.0, 3.0]), intervals, np.array([0.5])).tolist()
    [nan, 0.0, 2.5]
    """
    past = lagged(values, intervals, order=coefficients.size)
    return past[:, 0] - past[:, 1:] @ coefficients


def filter_table(
    table: Floats, weights: Floats, intervals: Intervals, *, leftover: Floats
) -> tuple[Floats, Floats]:
    """Filter all columns of a regression with the autoregression of what a first fit leaves.

    Parameters
    ----------
    table : float64, shape (n, p): outcome and regressors. weights : float64, shape (n,), 0 = not used.
    leftover : float64, shape (n,), residuals of a first fit; rows of weight 0 do not count.

    Returns
    -------
    table, weights : of the same shapes; rows without a known past get weight 0. Unchanged where the leftover
        has no memory, or where fewer than seven tenths of the rows would be kept.

    Notes
    -----
    Generalised least squares: coefficients stay the same, their error shrinks. Regressors must not answer to
    past errors.

    References
    ----------
    Cochrane & Orcutt (1949), J. Am. Stat. Assoc. 44:32.

    Examples
    --------
    >>> import numpy as np
    >>> start = np.arange(3) * 15.0
    >>> intervals = Intervals(start_s=start, end_s=start + 15.0, segment=np.zeros(3, dtype=np.int64))
    >>> table, weights = filter_table(np.eye(3), np.ones(3), intervals, leftover=np.array([1.0, -1.0, 1.0]))
    >>> bool(np.all(table == np.eye(3)))
    True
    """
    used = weights > 0
    memory = fit_autoregression(np.where(used, leftover, np.nan), intervals, highest_order=FILTER_ORDER)
    if not memory.size:
        return table, weights
    known = np.where(used[:, None], table, np.nan)
    white = np.column_stack([apply_filter(column, intervals, memory) for column in known.T])
    kept = np.asarray(np.isfinite(white).all(axis=1))
    if kept.sum() < ENOUGH_KEPT * used.sum():
        return table, weights
    return np.where(kept[:, None], white, 0.0), np.where(kept, weights, 0.0)


def lagged(values: Floats, intervals: Intervals, *, order: int) -> Floats:
    """Return columns v(t), v(t - 1) .. v(t - order) in rows, NaN where that leaves the segment."""
    columns = np.full((values.size, order + 1), np.nan)
    columns[:, 0] = values
    for back in range(1, order + 1):
        same = intervals.segment[back:] == intervals.segment[:-back]
        columns[back:, back] = np.where(same, values[:-back], np.nan)
    return columns

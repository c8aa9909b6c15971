"""How does y respond to several things at once, and how sure is that when errors persist in time?

Method: weighted least squares. The covariance allows for heteroskedastic and autocorrelated errors (Newey &
West's Bartlett kernel over row distance, products inside segments only; the bandwidth is the larger of a
fixed rule and Andrews' plug-in), residuals are enlarged for the leverage of their row, and intervals take
fixed-b critical values, which allow for the bandwidth being a sizeable part of the data.

Misleads: a coefficient is no cause. Rows of high leverage (three bursts in two days) make any error estimate
too small; ask for enough of them first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from census.stats.lag_pairs import Floats, Intervals


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """A fitted linear relation.

    Attributes
    ----------
    coefficients : float64, shape (p,). covariance : float64, shape (p, p), HAC.
    residuals : float64, shape (n,); 0 in rows of weight 0.
    n : rows used. bandwidth : rows. critical : fixed-b critical value at ``level``.
    level : coverage of intervals.
    """

    coefficients: Floats
    covariance: Floats
    residuals: Floats
    n: int
    bandwidth: int
    critical: float
    level: float

    def combine(self, mix: Floats) -> tuple[float, float]:
        """Return value and half-width of the interval of a linear combination of the coefficients."""
        value = float(mix @ self.coefficients)
        variance = max(float(mix @ self.covariance @ mix), 0.0)
        return value, self.critical * float(np.sqrt(variance))


class NotIdentifiedError(ValueError):
    """The columns do not determine the coefficients: too few rows, or one column follows from the others."""


def fit_hac(
    y: Floats,
    columns: Floats,
    intervals: Intervals,
    *,
    weights: Floats,
    level: float,
    bandwidth: int | None = None,
) -> Fit:
    """Return the weighted least-squares fit of y on columns with HAC covariance.

    Parameters
    ----------
    y : float64, shape (n,). columns : float64, shape (n, p); no intercept is added.
    intervals : n intervals: row distance and segments.
    weights : float64, shape (n,), >= 0; rows of weight 0 (unknown y, for instance) keep their place in time.
    level : coverage of intervals.
    bandwidth : rows; by default max(1.3 sqrt(n), Andrews' AR(1) plug-in), at most half the rows.

    Returns
    -------
    ``Fit``.

    Raises
    ------
    NotIdentifiedError : fewer rows than three a column, or collinear columns.

    Notes
    -----
    Residuals are divided by 1 - leverage (as HC3), which makes the interval safe where few rows carry a
    column. Kernel weights are 1 - k / (bandwidth + 1); they are positive definite, so the covariance is too,
    with missing rows and segments as well.

    References
    ----------
    Newey & West (1987), Econometrica 55:703. Andrews (1991), Econometrica 59:817. Kiefer & Vogelsang
    (2005), Econometric Theory 21:1130 (fixed-b). Lazarus, Lewis, Stock & Watson (2018), J. Bus. Econ. Stat.
    36:541 (bandwidth rule). Datta & Du (2012), "Nonparametric HAC estimation for time series data with
    missing observations". MacKinnon & White (1985), J. Econometrics 29:305 (HC3).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(5)
    >>> start = np.arange(500) * 15.0
    >>> intervals = Intervals(start_s=start, end_s=start + 15.0, segment=np.zeros(500, dtype=np.int64))
    >>> x = rng.normal(size=500)
    >>> design = np.column_stack([np.ones(500), x])
    >>> fit = fit_hac(2.0 - x + rng.normal(size=500), design, intervals, weights=np.ones(500), level=0.95)
    >>> slope, half = fit.combine(np.array([0.0, 1.0]))
    >>> abs(slope + 1.0) < half < 0.2
    True
    """
    used = weights > 0
    n, p = int(used.sum()), columns.shape[1]
    if n < 3 * p + 3:
        raise NotIdentifiedError(f"{n} rows for {p} coefficients")
    root = np.sqrt(np.where(used, weights, 0.0) / weights[used].mean())
    target = np.where(used, y, 0.0) * root
    design = np.where(used[:, None], columns, 0.0) * root[:, None]
    scale = np.sqrt(np.square(design).sum(axis=0))
    if np.any(scale <= 0):
        raise NotIdentifiedError("a column does not vary")
    q, r = np.linalg.qr(design / scale)
    if np.abs(np.diag(r)).min() < 1e-6:
        raise NotIdentifiedError("a column follows from the others")
    inverse = np.linalg.inv(r) / scale[:, None]
    coefficients = inverse @ (q.T @ target)
    errors = target - design @ coefficients
    leverage = np.minimum(np.square(q).sum(axis=1), 0.99)
    scores = q * (errors / (1.0 - leverage))[:, None]
    chosen = _choose_bandwidth(scores, intervals, n) if bandwidth is None else bandwidth
    meat = long_run_sum(scores, intervals, bandwidth=chosen)
    residuals = np.divide(errors, root, out=np.zeros(y.shape), where=root > 0)
    return Fit(
        coefficients=coefficients,
        covariance=inverse @ meat @ inverse.T,
        residuals=residuals,
        n=n,
        bandwidth=chosen,
        critical=fixed_b_critical(chosen / n, level=level),
        level=level,
    )


def long_run_sum(scores: Floats, intervals: Intervals, *, bandwidth: int) -> Floats:
    """Return sum over row pairs of one segment of (1 - distance / (bandwidth + 1)) s_i s_j'.

    Parameters
    ----------
    scores : float64, shape (n, p). intervals : n intervals. bandwidth : rows, >= 0.

    Returns
    -------
    float64, shape (p, p), positive semi-definite.

    Notes
    -----
    That is the mean square of the sums over all stretches of bandwidth + 1 rows, zeros beyond the ends, which
    running sums give at once.
    """
    size = bandwidth + 1
    padding = np.zeros((bandwidth, scores.shape[1]))
    total = np.zeros((scores.shape[1], scores.shape[1]))
    for start, stop in intervals.bounds():
        running = np.cumsum(np.concatenate([padding, scores[start:stop], padding]), axis=0)
        running = np.concatenate([np.zeros((1, scores.shape[1])), running])
        stretches = running[size:] - running[:-size]
        total += stretches.T @ stretches
    return total / size


def _choose_bandwidth(scores: Floats, intervals: Intervals, n: int) -> int:
    """Return the larger of the fixed-b rule and Andrews' AR(1) plug-in, in rows, at most half of them."""
    together = intervals.segment[1:] == intervals.segment[:-1]
    before, after = scores[:-1][together], scores[1:][together]
    power = np.square(before).sum(axis=0)
    rho = np.divide((before * after).sum(axis=0), power, out=np.zeros(power.shape), where=power > 0)
    rho = np.clip(rho, -0.97, 0.97)
    alpha = np.max(4 * rho**2 / ((1 - rho) ** 2 * (1 + rho) ** 2))
    plug_in = 1.1447 * (alpha * n) ** (1 / 3)
    return int(min(max(np.ceil(1.3 * np.sqrt(n)), np.ceil(plug_in)), n // 2))


def fixed_b_critical(b: float, *, level: float) -> float:
    """Return the two-sided critical value of t under the Bartlett kernel with bandwidth share ``b``.

    Parameters
    ----------
    b : bandwidth over rows, 0 .. 1. level : tabulated from 0.8 to 0.98; beyond, the nearest widening is used.

    Notes
    -----
    Cubic response surfaces of Kiefer & Vogelsang (2005), table 1; b = 0 gives the normal quantile.

    Examples
    --------
    >>> round(fixed_b_critical(0.0, level=0.95), 2), round(fixed_b_critical(0.1, level=0.95), 2)
    (1.96, 2.26)
    """
    from scipy.special import ndtri

    tails = (0.90, 0.95, 0.975, 0.99)
    surfaces = (
        (1.2816, 1.3040, 0.5135, -0.3386),
        (1.6449, 2.1859, 0.3142, -0.3427),
        (1.9600, 2.9694, 0.4160, -0.5324),
        (2.3263, 4.1618, 0.5368, -0.9060),
    )
    normal = ndtri(np.asarray(tails))
    wider = [sum(c * b**power for power, c in enumerate(surface)) for surface in surfaces] / normal
    quantile = float(ndtri(0.5 + level / 2))
    return quantile * float(np.interp(quantile, normal, wider))

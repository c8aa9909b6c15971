"""How strongly do two series move together at a lag, and how far could unrelated ones have come by chance?

Method: Pearson's r over the pairs at that lag; its interval is Fisher's z with the effective n (Bartlett) in
place of n; the null band is where r of two unrelated series with these autocorrelations lies at the level.
Spearman's is Pearson's of the ranks, taken once over each series.

Misleads: a common cause gives a strong r at many lags, and so does the persistence of x itself. r says how
tight a relation is, not how large: read it beside the response.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from census.stats.autocorrelation import variance_inflation
from census.stats.lag_pairs import Floats, Intervals, pair_at_lag


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """r at one lag. Where r cannot be given (too few pairs, no variance) everything but lag and n is None.

    Attributes
    ----------
    lag_s : seconds; positive means that x leads.
    r, low, high : Pearson's r and its interval.
    spearman : rank correlation.
    band : half-width of the null band.
    n : pairs. n_eff : independent pairs that they are worth.
    """

    lag_s: float
    r: float | None
    low: float | None
    high: float | None
    spearman: float | None
    band: float | None
    n: int
    n_eff: float | None


def correlate_at_lags(
    x: Floats, y: Floats, intervals: Intervals, *, lags_s: Floats, level: float
) -> tuple[Correlation, ...]:
    """Return the correlation of x (earlier by the lag) with y at each lag.

    Parameters
    ----------
    x, y : float64, shape (n,); NaN where unknown.
    intervals : n intervals; pairs stay inside their segments.
    lags_s : float64, seconds, both signs.
    level : coverage of interval and band, 0..1.

    Returns
    -------
    One ``Correlation`` a lag, in the order of ``lags_s``.

    Notes
    -----
    The interval assumes near-normal scatter around one straight line. Bartlett's factor is that of unrelated
    series; for strongly related ones it is a little wide.

    References
    ----------
    Bartlett (1935), J. Roy. Stat. Soc. 98:536. Fisher (1921), Metron 1:3.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(3)
    >>> start = np.arange(300) * 15.0
    >>> intervals = Intervals(start_s=start, end_s=start + 15.0, segment=np.zeros(300, dtype=np.int64))
    >>> x = rng.normal(size=300)
    >>> y = -np.roll(x, 2) + rng.normal(size=300)
    >>> row = correlate_at_lags(x, y, intervals, lags_s=np.array([30.0]), level=0.95)[0]
    >>> row.n, row.high < -row.band
    (298, True)
    """
    inflation = variance_inflation(x, y, intervals)
    rank_x, rank_y = _ranks(x), _ranks(y)
    rows = []
    for lag_s in lags_s.tolist():
        i, j = pair_at_lag(intervals, lag_s)
        known = np.isfinite(x[i]) & np.isfinite(y[j])
        i, j = i[known], j[known]
        r = _pearson(x[i], y[j])
        n_eff = i.size / min(inflation, float(max(i.size, 1)))
        if r is None or n_eff < 4:
            rows.append(_absent(lag_s, i.size, n_eff))
            continue
        low, high = fisher_interval(r, n_eff=n_eff, level=level)
        rows.append(
            Correlation(
                lag_s=lag_s,
                r=r,
                low=low,
                high=high,
                spearman=_pearson(rank_x[i], rank_y[j]),
                band=null_band(n_eff, level=level),
                n=int(i.size),
                n_eff=n_eff,
            )
        )
    return tuple(rows)


def null_band(n_eff: float, *, level: float) -> float:
    """Return the half-width of the band that holds r of unrelated series with probability ``level``.

    Examples
    --------
    >>> round(null_band(21.0, level=0.95), 2)
    0.43
    """
    from scipy.special import stdtrit

    t = float(stdtrit(n_eff - 2.0, 0.5 + level / 2))
    return t / float(np.sqrt(n_eff - 2.0 + t * t))


def fisher_interval(r: float, *, n_eff: float, level: float) -> tuple[float, float]:
    """Return Fisher's interval of a correlation that rests on ``n_eff`` > 3 independent pairs."""
    from scipy.special import ndtri

    half = float(ndtri(0.5 + level / 2)) / np.sqrt(n_eff - 3.0)
    z = np.arctanh(np.clip(r, -0.999999999, 0.999999999))
    return float(min(r, np.tanh(z - half))), float(max(r, np.tanh(z + half)))


def _absent(lag_s: float, pairs: int, n_eff: float) -> Correlation:
    worth = n_eff if pairs >= 3 else None
    return Correlation(
        lag_s=lag_s, r=None, low=None, high=None, spearman=None, band=None, n=int(pairs), n_eff=worth
    )


def _pearson(x: Floats, y: Floats) -> float | None:
    """Return r, None where there are fewer than 3 pairs or one side does not vary."""
    if x.size < 3:
        return None
    centred_x, centred_y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt(np.square(centred_x).sum() * np.square(centred_y).sum()))
    still = np.ptp(x) <= 1e-12 * np.abs(x).max() or np.ptp(y) <= 1e-12 * np.abs(y).max()
    if still or scale <= 0:
        return None
    return float(np.clip(np.dot(centred_x, centred_y) / scale, -1.0, 1.0))


def _ranks(values: Floats) -> Floats:
    """Return mid-ranks of the known values, NaN elsewhere."""
    known = np.isfinite(values)
    ranks = np.full(values.shape, np.nan)
    _, place, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    ranks[known] = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks

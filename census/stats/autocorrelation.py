"""How strongly does a series follow itself, and how many independent pairs are two such series worth?

Method: autocorrelations from pairs inside segments only (missing values allowed), by FFT. Two unrelated
autocorrelated series have Var(r) = 1/n x (1 + 2 sum (1 - k/n) rho_x(k) rho_y(k)) (Bartlett), so n pairs are
worth n over that factor. Sample autocorrelations are too small, because the mean is estimated from the same
rows; the sum gives that back to first order.

Misleads: with a trend or daily cycle in both series the effective n is a handful, and rightly so. Below an
effective n of about 10 every interval built on it is rough.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from census.stats.lag_pairs import Floats, Intervals


def autocorrelations(values: Floats, intervals: Intervals, *, longest: int) -> Floats:
    """Return the autocorrelation of one series at row distances 0 .. ``longest``, pairs inside segments only.

    Parameters
    ----------
    values : float64, shape (n,); NaN where unknown.
    intervals : n intervals; only their segments matter here.
    longest : longest row distance, >= 0.

    Returns
    -------
    float64, shape (longest + 1,): 1 at distance 0; 0 where no pair exists or the series does not vary.

    Notes
    -----
    Divided by the variance over all known rows and by the pairs at each distance, so that missing rows do not
    shrink it. Row distance stands for time: within a segment of uneven spacing it is an average.

    References
    ----------
    Parzen (1963), "On spectral analysis with missing observations and amplitude modulation", Sankhya A 25.

    Examples
    --------
    >>> import numpy as np
    >>> start = np.arange(6) * 15.0
    >>> intervals = Intervals(start_s=start, end_s=start + 15.0, segment=np.zeros(6, dtype=np.int64))
    >>> autocorrelations(np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0]), intervals, longest=1).tolist()
    [1.0, -1.0]
    """
    known = np.isfinite(values)
    result = np.zeros(longest + 1)
    result[0] = 1.0
    if known.sum() < 2:
        return result
    centred = np.where(known, values - values[known].mean(), 0.0)
    variance = float(np.square(centred).sum() / known.sum())
    if variance <= 0:
        return result
    at = intervals_on_axis(intervals, apart=longest + 1)
    products = correlate_on_axis(centred, at, longest)
    pairs = np.rint(correlate_on_axis(known.astype(np.float64), at, longest))
    return np.divide(products, pairs * variance, out=result, where=pairs > 0)


def intervals_on_axis(intervals: Intervals, *, apart: int) -> NDArray[np.int64]:
    """Return a place for each row on one axis, with ``apart`` empty places between segments."""
    order = np.zeros(intervals.size, dtype=np.int64)
    order[1:] = np.cumsum(np.diff(intervals.segment) != 0)
    return np.arange(intervals.size, dtype=np.int64) + order * apart


def correlate_on_axis(values: Floats, places: NDArray[np.int64], longest: int) -> Floats:
    """Return sum over t of v(t) v(t + k) for k = 0 .. longest, by FFT."""
    length = 1 << int(places[-1] + longest + 1).bit_length()
    line = np.zeros(length)
    line[places] = values
    spectrum = np.fft.rfft(line)
    return np.fft.irfft(spectrum * spectrum.conj(), length)[: longest + 1]


def effective_pairs(x: Floats, y: Floats, intervals: Intervals, *, pairs: int | None = None) -> float:
    """Return how many independent pairs the pairs of two autocorrelated series are worth (Bartlett).

    Parameters
    ----------
    x, y : float64, shape (n,); NaN where unknown.
    intervals : n intervals.
    pairs : how many pairs are used; by default the rows where both are known.

    Returns
    -------
    float between 1 and ``pairs``; 0.0 where fewer than 3 pairs exist.

    Notes
    -----
    The sum runs over a fifth of the rows (at most the longest segment). Products of pure noise cancel in it,
    so it needs no cut-off; it is never taken below the independent case.

    References
    ----------
    Bartlett (1935), J. Roy. Stat. Soc. 98:536; Pyper & Peterman (1998), Can. J. Fish. Aquat. Sci. 55:2127.

    Examples
    --------
    >>> import numpy as np
    >>> start = np.arange(400) * 15.0
    >>> intervals = Intervals(start_s=start, end_s=start + 15.0, segment=np.zeros(400, dtype=np.int64))
    >>> walk = np.cumsum(np.random.default_rng(1).normal(size=400))
    >>> effective_pairs(walk, walk[::-1].copy(), intervals) < 40
    True
    """
    count = int((np.isfinite(x) & np.isfinite(y)).sum()) if pairs is None else pairs
    if count < 3:
        return 0.0
    return count / min(variance_inflation(x, y, intervals), float(count))


def variance_inflation(x: Floats, y: Floats, intervals: Intervals) -> float:
    """Return 1 + 2 sum (1 - k/n) rho_x(k) rho_y(k): how much wider r scatters than for independent rows."""
    longest_segment = max((stop - start for start, stop in intervals.bounds()), default=0)
    n = min(int(np.isfinite(x).sum()), int(np.isfinite(y).sum()))
    longest = min(longest_segment - 1, intervals.size // 5)
    if longest < 1 or n < 3:
        return 1.0
    weights = 1.0 - np.arange(1, longest + 1) / intervals.size
    rho_x = _unbias(autocorrelations(x, intervals, longest=longest), n)
    rho_y = _unbias(autocorrelations(y, intervals, longest=longest), n)
    inflation = 1.0 + 2.0 * float(np.sum(weights * rho_x[1:] * rho_y[1:]))
    return float(np.clip(inflation, 1.0, n))


def _unbias(rho: Floats, n: int) -> Floats:
    """Give back what the estimated mean took from the autocorrelations before the first that is not positive.

    With v = 1 + 2 sum rho, the mean scatters with v/n of the variance: E[rho_hat] = rho - (v/n) (1 - rho).
    """
    turn = np.flatnonzero(rho <= 0)
    cut = int(turn[0]) if turn.size else rho.size
    share = min((1.0 + 2.0 * float(rho[1:cut].sum())) / n, 0.5)
    return np.where(np.arange(rho.size) < cut, rho + share * (1.0 - rho), rho)

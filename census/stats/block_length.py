"""How long must a block be, so that what depends on its neighbours stays together?

Method: the automatic rule of Politis and White (2004) with the constants of Patton, Politis and White
(2009), on autocovariances that pair values inside one segment only.

Misleads: a slow drift below the noise is not seen; the intervals of this package therefore rest on a separate
low-frequency variance (``long_run``), and the block shapes them only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """How a series depends on its own past.

    Attributes
    ----------
    block : block length for the circular (moving) block bootstrap, in intervals, at least 1.
    correlation_length : |sum |k| gamma_k| / sum gamma_k over all lags, in intervals; rho = 0.9 gives 9.5,
        white noise about 0.
    """

    block: int
    correlation_length: float


def segment_autocovariances(series: Floats, segments: Ints, *, max_lag: int) -> Floats:
    """Return autocovariances of a demeaned series, pairing only values inside one segment.

    Parameters
    ----------
    series : shape (n,), any unit u.
    segments : shape (n,), ids of gap-free runs, equal ids adjoining.
    max_lag : longest lag, in intervals.

    Returns
    -------
    Shape (max_lag + 1,), unit u squared; the divisor is n at every lag, as the rule wants.

    Notes
    -----
    Each segment is followed by ``max_lag`` zeros before one Fourier transform, so no pair crosses an edge.

    Examples
    --------
    >>> segment_autocovariances(np.array([1.0, -1.0, 1.0, -1.0]), np.array([0, 0, 1, 1]), max_lag=1)
    array([ 1. , -0.5])
    """
    centred = series - series.mean()
    new_segment = np.concatenate(([0], np.diff(segments) != 0)).astype(np.int64)
    padded = np.zeros(series.size + max_lag * (int(new_segment.sum()) + 1))
    padded[np.arange(series.size) + max_lag * np.cumsum(new_segment)] = centred
    size = 1 << (padded.size - 1).bit_length()
    spectrum = np.fft.rfft(padded, size)
    covariances: Floats = np.fft.irfft(spectrum * spectrum.conj(), size)[: max_lag + 1] / series.size
    return covariances


def measure_dependence(series: Floats, segments: Ints) -> Dependence:
    """Return the block length and the correlation length of a series.

    Parameters
    ----------
    series : shape (n,), n >= 2.
    segments : shape (n,), ids of gap-free runs.

    Notes
    -----
    The flat-top window ends at twice the first lag after which ``max(5, sqrt(log10 n))`` autocorrelations
    in a row are below ``2 sqrt(log10 n / n)``. Where the windowed spectrum at 0 is not positive, the
    variance stands in.

    References
    ----------
    Politis, D. N. and White, H. (2004), Automatic block-length selection for the dependent bootstrap,
    Econometric Reviews 23(1). Patton, A., Politis, D. N. and White, H. (2009), Correction, Econometric
    Reviews 28(4).

    Examples
    --------
    >>> measure_dependence(np.tile([1.0, 2.0], 50), np.zeros(100, dtype=np.int64)).block >= 1
    True
    """
    n = series.size
    run = max(5, math.ceil(math.sqrt(math.log10(n))))
    longest = min(math.ceil(math.sqrt(n)) + run, n - 1)
    covariances = segment_autocovariances(series, segments, max_lag=min(longest + run, n - 1))
    if covariances[0] <= 0:
        return Dependence(block=1, correlation_length=0.0)
    window = _window(covariances / covariances[0], n=n, run=run, longest=longest)
    lags = np.arange(1, window + 1)
    weighted = np.minimum(1.0, 2 * (1 - lags / window)) * covariances[1 : window + 1]
    slope = 2 * float(np.sum(lags * weighted))
    at_zero = float(covariances[0]) + 2 * float(np.sum(weighted))
    if at_zero <= 0:
        at_zero = float(covariances[0])
    best = (1.5 * (slope / at_zero) ** 2 * n) ** (1 / 3)
    most = math.ceil(min(3 * math.sqrt(n), n / 3))
    return Dependence(block=min(max(1, math.ceil(best)), most), correlation_length=abs(slope) / at_zero)


def _window(correlations: Floats, *, n: int, run: int, longest: int) -> int:
    """Return twice the lag after which correlations stay in the noise."""
    small = np.abs(correlations[1:]) < 2 * math.sqrt(math.log10(n) / n)
    for lag in range(longest):
        if bool(small[lag : lag + run].all()):
            return max(1, min(2 * lag, longest))
    return longest

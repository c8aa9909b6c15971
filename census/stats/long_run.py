"""What is the variance of a mean whose terms depend on one another, and how well is it known?

Method: the equal-weighted cosine estimator. The lowest cosine frequencies of the series each estimate the
long-run variance once; their mean square is it, and the mean over its root is t distributed with as many
degrees of freedom as there are frequencies. How many: few enough that the spectrum is flat over them.

Misleads: a change of level half way is a low frequency too, and widens the interval: rightly, since another
window could have had another level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from census.stats.block_length import measure_dependence

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FLATNESS = 18.0
"""Frequencies end at pi / (this x correlation length): low by 2 % for AR(1), room for a short reading."""
MOST_FREQUENCIES = 24
"""More gain 3 % of width and lose the slow drift that no autocorrelation shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LongRun:
    """The long-run variance of a series.

    Attributes
    ----------
    variance : n times the variance of the series' mean, unit of the series squared.
    error_of_sum : standard error of the series' sum, unit of the series.
    degrees : degrees of freedom of its t distribution; 0 where the series is too short for one.
    n_effective : how many independent values would give the same error of the mean.
    block : block length for the bootstrap, in intervals.
    """

    variance: float
    error_of_sum: float
    degrees: int
    n_effective: float
    block: int


def measure_long_run(series: Floats, segments: Ints) -> LongRun:
    """Return the long-run variance of the mean of a series.

    Parameters
    ----------
    series : shape (n,); centred or not.
    segments : shape (n,), ids of gap-free runs. They bear on the correlation length; the cosines run over the
        values as if gaps were closed, which leaves the lowest frequencies as they are.

    Notes
    -----
    Degrees of freedom are ``n / (18 correlation lengths)``, at most 24 and at most ``0.41 n^(2/3)``. A 95 % t
    interval then covers the mean of AR(1) series in 93 to 95 % from rho = 0 to 0.9 where the effective n is
    50 or more.

    References
    ----------
    Lazarus, E., Lewis, D. J., Stock, J. H. and Watson, M. W. (2018), HAR inference: recommendations for
    practice, Journal of Business and Economic Statistics 36(4). Müller, U. K. (2007), A theory of robust
    long-run variance estimation, Journal of Econometrics 141(2).

    Examples
    --------
    >>> noise = np.random.default_rng(1).normal(size=4000)
    >>> found = measure_long_run(noise, np.zeros(4000, dtype=np.int64))
    >>> found.degrees, 0.5 < found.variance < 2
    (24, True)
    """
    n = series.size
    if n < 2:
        return LongRun(variance=0.0, error_of_sum=0.0, degrees=0, n_effective=float(n), block=1)
    centred = series - series.mean()
    spread = float(np.mean(centred**2))
    if spread <= (1e-12 * float(np.max(np.abs(series)))) ** 2:
        return LongRun(variance=0.0, error_of_sum=0.0, degrees=max(n - 1, 0), n_effective=float(n), block=1)
    dependence = measure_dependence(series, segments)
    flat = n / (FLATNESS * max(dependence.correlation_length, 1e-9))
    degrees = int(min(MOST_FREQUENCIES, 0.41 * n ** (2 / 3), flat, n - 1))
    variance = _cosine_variance(centred, frequencies=max(degrees, 1))
    n_effective = n * spread / variance if variance > 0 else float(n)
    return LongRun(
        variance=variance,
        error_of_sum=math.sqrt(n * variance),
        degrees=degrees,
        n_effective=min(n_effective, float(n)),
        block=dependence.block,
    )


def _cosine_variance(centred: Floats, *, frequencies: int) -> float:
    waves = _cosines(centred.size)[:frequencies] @ centred
    return float(np.mean(waves**2)) * 2 / centred.size


@lru_cache(maxsize=4)
def _cosines(n: int) -> Floats:
    """Return the lowest cosines over n values, shape (MOST_FREQUENCIES, n); the same n is asked for often."""
    phases = (np.arange(n) + 0.5) * (np.pi / n)
    return np.cos(np.arange(1, MOST_FREQUENCIES + 1)[:, None] * phases)

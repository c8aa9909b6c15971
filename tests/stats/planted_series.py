"""Series with planted dependence, for tests of correlation and regression."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from census.stats.lag_pairs import Intervals

Floats = NDArray[np.float64]


def even_intervals(n: int, *, spacing_s: float = 15.0, segments: int = 1) -> Intervals:
    """Return n intervals without a gap, cut into segments of nearly one length."""
    start = np.arange(n) * spacing_s
    segment = (np.arange(n) * segments // n).astype(np.int64)
    start = start + segment * 1000.0
    return Intervals(start_s=start, end_s=start + spacing_s, segment=segment)


def autoregressive(n: int, rho: float, rng: np.random.Generator) -> Floats:
    """Return a stationary AR(1) series of variance 1."""
    noise = rng.normal(size=n) * np.sqrt(1 - rho**2)
    values = np.empty(n)
    values[0] = rng.normal()
    for t in range(1, n):
        values[t] = rho * values[t - 1] + noise[t]
    return values

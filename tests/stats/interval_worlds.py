"""Generators with a known long-run value, for coverage tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from census.stats.block_bootstrap import draw_blocks
from census.stats.block_length import measure_dependence
from census.stats.bounds import OfQuantile, OfSums, bound_all, ratio
from census.stats.interval import Interval


def ar1(rho: float, n: int, rng: np.random.Generator) -> np.ndarray:
    """An AR(1) series of unit variance."""
    return lfilter([1], [1, -rho], rng.normal(size=n + 500))[500:] * np.sqrt(1 - rho**2)


def on_off(n: int, rng: np.random.Generator, *, on: float, off: float) -> np.ndarray:
    """Regimes with geometric lengths of these means."""
    state, runs, total = rng.random() < on / (on + off), [], 0
    while total < n:
        length = rng.geometric(1 / (on if state else off))
        runs.append(np.full(length, float(state)))
        total, state = total + length, not state
    return np.concatenate(runs)[:n]


@dataclass(frozen=True, kw_only=True)
class World:
    """Draws columns (n, 2) for a ratio of sums, or values (n,) for a median; truth is the long-run value."""

    draw: Callable[[int, np.random.Generator], np.ndarray]
    truth: float
    n: int


def _ratio(rho: float) -> Callable[[int, np.random.Generator], np.ndarray]:
    def draw(n: int, rng: np.random.Generator) -> np.ndarray:
        load = np.exp(0.7 * ar1(rho, n, rng))
        return np.column_stack([load * np.exp(0.5 * ar1(rho, n, rng)), load])

    return draw


def _chunk_mean(n: int, rng: np.random.Generator) -> np.ndarray:
    steps = rng.poisson(on_off(n, rng, on=20, off=47) * 50).astype(float)
    return np.column_stack([steps * 0.166 * np.exp(0.3 * ar1(0.8, n, rng) - 0.045), steps])


def _chunk_share(n: int, rng: np.random.Generator) -> np.ndarray:
    chunk_seconds = rng.poisson(on_off(n, rng, on=20, off=47) * 30) * 0.166
    return np.column_stack([chunk_seconds, 15 + rng.normal(size=n) * 0.1])


def _median(rho: float) -> Callable[[int, np.random.Generator], np.ndarray]:
    return lambda n, rng: np.exp(ar1(rho, n, rng))


def _bucket_median(n: int, rng: np.random.Generator) -> np.ndarray:
    loaded = on_off(n, rng, on=6, off=40) > 0
    return np.where(loaded, 50 * np.exp(0.3 * ar1(0.8, n, rng)), np.nan)


WORLDS = {
    "ratio of sums, independent": World(draw=_ratio(0.0), truth=float(np.exp(0.125)), n=200),
    "ratio of sums, rho 0.5": World(draw=_ratio(0.5), truth=float(np.exp(0.125)), n=300),
    "ratio of sums, rho 0.9": World(draw=_ratio(0.9), truth=float(np.exp(0.125)), n=1200),
    "chunk seconds, bursty": World(draw=_chunk_mean, truth=0.166, n=1500),
    "chunk share of time, bursty": World(draw=_chunk_share, truth=30 * 0.166 * 20 / 67 / 15, n=1500),
    "median, independent": World(draw=_median(0.0), truth=1.0, n=200),
    "median, rho 0.9": World(draw=_median(0.9), truth=1.0, n=1200),
    "median of a bucket that comes and goes": World(draw=_bucket_median, truth=50.0, n=1500),
}


def bound(data: np.ndarray, rng: np.random.Generator, *, segment: int = 700) -> Interval:
    """Return the 95 % interval of a world's data, cut into gap-free runs of ``segment`` intervals."""
    n = len(data)
    segments = np.arange(n) // segment
    if data.ndim == 2:
        numerator, denominator = data.sum(axis=0)
        influence = data[:, 0] - data[:, 1] * numerator / denominator
        blocks = draw_blocks(
            segments, length=measure_dependence(influence, segments).block, resamples=300, rng=rng
        )
        return bound_all([OfSums(columns=data, statistic=ratio)], blocks=blocks, level=0.95)[0]
    member = np.isfinite(data)
    below = np.where(member, (data <= np.nanmedian(data)) - 0.5, 0.0)
    blocks = draw_blocks(segments, length=measure_dependence(below, segments).block, resamples=300, rng=rng)
    return bound_all([OfQuantile(values=data, weights=np.ones(n), share=0.5)], blocks=blocks, level=0.95)[0]


def coverage(world: World, *, runs: int, seed: int) -> tuple[int, int, float]:
    """Return how many intervals covered, how many there were, and the median effective n."""
    rng = np.random.default_rng(seed)
    found = [bound(world.draw(world.n, rng), rng) for _ in range(runs)]
    given = [interval for interval in found if interval.low is not None and interval.high is not None]
    covered = sum(interval.low <= world.truth <= interval.high for interval in given)
    return covered, len(given), float(np.median([interval.n_effective for interval in found]))

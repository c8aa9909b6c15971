"""Which sums would another window of the same process have shown?

Method: the circular block bootstrap inside segments. A resample strings together blocks that start at random
intervals; a block that runs over the end of its segment goes on at the segment's start, so no block spans a
boot or a gap, and every interval is as likely as any other. Only sums over blocks are needed: one matrix
product gives the resampled sums of all columns.

Misleads: a segment shorter than a block stands as one block, so many short segments break up the dependence;
``interval`` takes the spread from the long-run variance, and from here the shape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CHUNK = 100
"""Resamples a matrix product; bounds the memory."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Blocks:
    """Drawn blocks, ready to sum any columns over the same intervals.

    Attributes
    ----------
    segments : shape (n,), ids of gap-free runs.
    length : block length, in intervals.
    counts : shape (resamples, n): how often a block starts at each interval.
    """

    segments: Ints
    length: int
    counts: NDArray[np.uint16]


def draw_blocks(segments: Ints, *, length: int, resamples: int, rng: np.random.Generator) -> Blocks:
    """Draw block starts for every resample.

    Parameters
    ----------
    segments : shape (n,), ids of gap-free runs, equal ids adjoining; n >= 1.
    length : block length in intervals, at least 1.
    resamples : how many.

    References
    ----------
    Politis, D. N. and Romano, J. P. (1992), A circular block-resampling procedure for stationary data.
    Künsch, H. R. (1989), The jackknife and the bootstrap for general stationary observations, Annals of
    Statistics 17(3).

    Examples
    --------
    >>> drawn = draw_blocks(np.zeros(10, dtype=np.int64), length=5, resamples=3, rng=np.random.default_rng(0))
    >>> drawn.counts.sum(axis=1)
    array([2, 2, 2], dtype=uint64)
    """
    n = segments.size
    first, end = _segment_bounds(segments)
    mean_length = float(np.minimum(length, end - first).mean())
    blocks = max(1, round(n / mean_length))
    counts = np.empty((resamples, n), dtype=np.uint16)
    for low in range(0, resamples, CHUNK):
        high = min(low + CHUNK, resamples)
        starts = rng.integers(0, n, size=(high - low, blocks))
        flat = (starts + np.arange(high - low)[:, None] * n).ravel()
        counts[low:high] = np.bincount(flat, minlength=(high - low) * n).reshape(high - low, n)
    return Blocks(segments=segments, length=length, counts=counts)


def resample_sums(blocks: Blocks, columns: Floats) -> Floats:
    """Return the sums of columns in every resample.

    Parameters
    ----------
    columns : shape (n, m), no NaN.

    Returns
    -------
    Shape (resamples, m), scaled to n intervals.

    Examples
    --------
    >>> drawn = draw_blocks(np.zeros(6, dtype=np.int64), length=2, resamples=2, rng=np.random.default_rng(0))
    >>> resample_sums(drawn, np.ones((6, 1)))
    array([[6.],
           [6.]])
    """
    with_count = np.column_stack([columns, np.ones(len(columns))])
    block_sums = _block_sums(blocks, with_count)
    sums = np.empty((len(blocks.counts), with_count.shape[1]))
    for low in range(0, len(sums), CHUNK):
        sums[low : low + CHUNK] = blocks.counts[low : low + CHUNK].astype(np.float64) @ block_sums
    return sums[:, :-1] * (len(columns) / sums[:, -1:])


def _block_sums(blocks: Blocks, columns: Floats) -> Floats:
    """Return, for every start, the column sums of the block that begins there, wrapped in its segment."""
    n = len(columns)
    first, end = _segment_bounds(blocks.segments)
    length = np.minimum(blocks.length, end - first)
    running = np.vstack([np.zeros(columns.shape[1]), np.cumsum(columns, axis=0)])
    stop = np.arange(n) + length
    over = np.maximum(stop - end, 0)
    straight = running[np.minimum(stop, end)] - running[:n]
    wrapped: Floats = straight + running[first + over] - running[first]
    return wrapped


def _segment_bounds(segments: Ints) -> tuple[Ints, Ints]:
    """Return, for every interval, the first index of its segment and the index after its last."""
    edges = np.flatnonzero(np.concatenate(([True], np.diff(segments) != 0, [True])))
    sizes = np.diff(edges)
    return np.repeat(edges[:-1], sizes).astype(np.int64), np.repeat(edges[1:], sizes).astype(np.int64)

"""What do bucket counts say about a quantile, and about the share above a threshold?

Method: increments of windows are added bucket by bucket, then read once. A quantile is interpolated inside
its bucket as Prometheus' ``histogram_quantile`` does, and carries the bucket's edges as bounds. The share
over a threshold is exact on an edge, else a range.

Misleads: quantiles of windows must never be averaged. The first bucket says "at most its edge", the
overflow bucket "more than the last edge"; a number interpolated in either is made up, so only
``interpolate_quantile`` gives one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedQuantile:
    """A quantile and its bucket's edges. First bucket: value None, low 0. Overflow: value and high None."""

    value: float | None
    low: float
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharesOver:
    """The share above a threshold; low = high on a bucket edge."""

    low: float
    high: float


def interpolate_quantile(edges: Floats, counts: Floats, share: float) -> float:
    """Return what ``histogram_quantile`` returns, first and overflow bucket included.

    Parameters
    ----------
    edges : shape (b,), rising upper edges, the last infinite; all above 0.
    counts : shape (b,), observations in each bucket (not cumulative), at least one.
    share : 0..1.

    Returns
    -------
    A value in the unit of the edges; the last finite edge where the quantile lies above it.

    Notes
    -----
    Assumes observations spread evenly inside a bucket, and that the first bucket begins at 0.

    References
    ----------
    Prometheus, promql/quantile.go, bucketQuantile.

    Examples
    --------
    >>> round(interpolate_quantile(np.array([0.5, 5.0, 10.0, np.inf]), np.array([990.0, 0, 10, 0]), 0.9), 4)
    0.4545
    """
    index = _bucket_of(counts, share)
    if index == edges.size - 1:
        return float(edges[-2])
    low = float(edges[index - 1]) if index else 0.0
    inside = share * float(counts.sum()) - float(counts[:index].sum())
    return low + (float(edges[index]) - low) * inside / float(counts[index])


def bound_quantile(edges: Floats, counts: Floats, share: float) -> BoundedQuantile | None:
    """Return a quantile with the edges of its bucket, None where there are no observations.

    Parameters
    ----------
    edges, counts, share : as for ``interpolate_quantile``.

    Examples
    --------
    >>> bound_quantile(np.array([5.0, 10.0, 15.0, np.inf]), np.array([70.0, 14, 6, 10]), 0.99)
    BoundedQuantile(value=None, low=15.0, high=None)
    """
    if float(counts.sum()) <= 0:
        return None
    index = _bucket_of(counts, share)
    if index == edges.size - 1:
        return BoundedQuantile(value=None, low=float(edges[-2]) if edges.size > 1 else 0.0, high=None)
    high = float(edges[index])
    if index == 0:
        return BoundedQuantile(value=None, low=0.0, high=high)
    return BoundedQuantile(
        value=interpolate_quantile(edges, counts, share), low=float(edges[index - 1]), high=high
    )


def share_over(edges: Floats, counts: Floats, threshold: float) -> SharesOver | None:
    """Return the share of observations above a threshold, None where there are none.

    Examples
    --------
    >>> share_over(np.array([5.0, 10.0, 15.0, np.inf]), np.array([70.0, 14, 6, 10]), 12.0)
    SharesOver(low=0.1, high=0.16)
    """
    total = float(counts.sum())
    if total <= 0:
        return None
    lower_edges = np.concatenate(([0.0], edges[:-1]))
    surely = float(counts[(lower_edges >= threshold) | np.isclose(lower_edges, threshold, rtol=1e-9)].sum())
    perhaps = float(counts[(edges > threshold) & ~np.isclose(edges, threshold, rtol=1e-9)].sum())
    return SharesOver(low=surely / total, high=perhaps / total)


def _bucket_of(counts: Floats, share: float) -> int:
    """Return the first bucket whose cumulative count reaches the rank; never an empty one for share 0."""
    reached = np.cumsum(counts)
    index = int(np.searchsorted(reached, share * reached[-1], side="left"))
    return index if counts[index] > 0 else int(np.flatnonzero(counts > 0)[0])

"""Did events come close together?

Method: intervals with events that lie within a given distance of one another make one cluster (gap
clustering). The scan statistic is the most events in any window of a given length, over all windows.

Misleads: an event is known to lie in its interval, not where. Spans are therefore upper bounds, and the
scan counts only what lies in the window for sure; an interval longer than the window counts by its fullest
window at least.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Events close together: from the start of the first interval with events to the end of the last."""

    start_ms: int
    end_ms: int
    count: int


def cluster_events(starts_ms: Ints, ends_ms: Ints, counts: Floats, *, gap_ms: int) -> tuple[Cluster, ...]:
    """Return the clusters, in time order.

    Parameters
    ----------
    starts_ms, ends_ms : shape (n,), intervals in time order.
    counts : shape (n,), events in each, NaN where unknown.
    gap_ms : event intervals with less quiet between them than this belong together.

    Examples
    --------
    >>> at = np.arange(0, 75_000, 15_000)
    >>> cluster_events(at, at + 15_000, np.array([0.0, 3, 0, 2, 0]), gap_ms=60_000)
    (Cluster(start_ms=15000, end_ms=60000, count=5),)
    """
    busy = np.flatnonzero(np.nan_to_num(counts) > 0)
    if busy.size == 0:
        return ()
    splits = np.flatnonzero(starts_ms[busy[1:]] - ends_ms[busy[:-1]] > gap_ms) + 1
    return tuple(
        Cluster(
            start_ms=int(starts_ms[part[0]]),
            end_ms=int(ends_ms[part[-1]]),
            count=round(float(counts[part].sum())),
        )
        for part in np.split(busy, splits)
    )


def count_most_in_window(starts_ms: Ints, ends_ms: Ints, counts: Floats, *, window_ms: int) -> int:
    """Return the most events that surely fell into one window (scan statistic, two pointers).

    Parameters
    ----------
    starts_ms, ends_ms, counts : as for ``cluster_events``.
    window_ms : length of the window.

    References
    ----------
    Naus, J. I. (1965), The distribution of the size of the maximum cluster of points on a line, JASA 60.

    Examples
    --------
    >>> at = np.arange(0, 60_000, 15_000)
    >>> count_most_in_window(at, at + 15_000, np.array([0.0, 3, 4, 1]), window_ms=30_000)
    7
    """
    most, inside, first = 0.0, 0.0, 0
    known = np.nan_to_num(counts)
    for last in range(known.size):
        inside += known[last]
        while first <= last and ends_ms[last] - starts_ms[first] > window_ms:
            inside -= known[first]
            first += 1
        length = int(ends_ms[last] - starts_ms[last])
        spread = known[last] / math.ceil(length / window_ms) if length > window_ms else 0.0
        most = max(most, inside, math.ceil(spread))
    return round(most)

"""Which interval of x stands a given number of seconds before an interval of y?

Method: intervals carry their own start and end, so a lag is a time, not a count of rows: the partner of an
interval at lag L is the interval that holds (its middle - L), if that interval belongs to the same segment
(a run of adjoining intervals of one process without a gap). Spacing may change inside a segment.

Misleads: a lag shorter than the spacing finds the interval itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Intervals:
    """Intervals in time order.

    Attributes
    ----------
    start_s, end_s : float64, shape (n,), seconds on one clock.
    segment : int64, shape (n,): adjoining intervals without a gap between share a number; numbers never fall.
    """

    start_s: Floats
    end_s: Floats
    segment: Ints

    def __post_init__(self) -> None:
        """Refuse intervals that are out of order, empty, or overlap inside a segment."""
        if not self.start_s.shape == self.end_s.shape == self.segment.shape or self.start_s.ndim != 1:
            raise ValueError("start_s, end_s and segment must be vectors of one length")
        if np.any(self.end_s <= self.start_s):
            raise ValueError("an interval must end after it starts")
        if np.any(np.diff(self.segment) < 0):
            raise ValueError("segments must stand in time order")
        touching = np.diff(self.segment) == 0
        if np.any(self.start_s[1:][touching] - self.end_s[:-1][touching] < -1e-6):
            raise ValueError("intervals of a segment must not overlap")

    @property
    def size(self) -> int:
        """How many intervals there are."""
        return int(self.start_s.size)

    @property
    def seconds(self) -> Floats:
        """Length of each interval."""
        return self.end_s - self.start_s

    def bounds(self) -> list[tuple[int, int]]:
        """Return the half-open row range of each segment."""
        if self.size == 0:
            return []
        edges = np.flatnonzero(np.diff(self.segment)) + 1
        return list(zip([0, *edges.tolist()], [*edges.tolist(), self.size], strict=True))


def pair_at_lag(intervals: Intervals, lag_s: float) -> tuple[Ints, Ints]:
    """Return rows (earlier-by-lag, now): row ``i`` of x belongs ``lag_s`` seconds before row ``j`` of y.

    Parameters
    ----------
    intervals : n intervals.
    lag_s : seconds; positive means that x leads; negative that y leads.

    Returns
    -------
    i, j : int64, shape (pairs,) each, with ``segment[i] == segment[j]``.

    Notes
    -----
    Each j has at most one partner; under uneven spacing one i may serve several j.

    Examples
    --------
    >>> import numpy as np
    >>> start = np.array([0.0, 15.0, 30.0, 45.0])
    >>> intervals = Intervals(start_s=start, end_s=start + 15.0, segment=np.zeros(4, dtype=np.int64))
    >>> [rows.tolist() for rows in pair_at_lag(intervals, 30.0)]
    [[0, 1], [2, 3]]
    """
    wanted = (intervals.start_s + intervals.end_s) / 2 - lag_s
    partner = np.searchsorted(_starts_in_order(intervals), wanted, side="right") - 1
    inside = (partner >= 0) & (wanted < intervals.end_s[partner])
    inside &= intervals.segment[partner] == intervals.segment
    now = np.flatnonzero(inside)
    return partner[now].astype(np.int64), now.astype(np.int64)


def _starts_in_order(intervals: Intervals) -> Floats:
    if np.any(np.diff(intervals.start_s) < 0):
        raise ValueError("intervals must stand in time order")
    return intervals.start_s


def choose_lags(intervals: Intervals, *, longest_s: float, most: int = 41) -> Floats:
    """Return lags in seconds (to the millisecond), both signs, multiples of the median spacing.

    Parameters
    ----------
    intervals : n intervals, n >= 1.
    longest_s : no lag is longer than this, except that one spacing each way always stands.
    most : bound on the number of lags, odd. Four each side stand next to 0; beyond, the step is widened.

    Returns
    -------
    float64, rising, symmetric, 0 in the middle.

    Examples
    --------
    >>> import numpy as np
    >>> start = np.arange(4) * 60.0
    >>> intervals = Intervals(start_s=start, end_s=start + 60.0, segment=np.zeros(4, dtype=np.int64))
    >>> choose_lags(intervals, longest_s=120.0).tolist()
    [-120.0, -60.0, 0.0, 60.0, 120.0]
    """
    spacing = float(np.median(intervals.seconds))
    count = max(1, int(longest_s / spacing + 1e-9))
    side = (most - 1) // 2
    near = np.arange(1, min(count, 4) + 1)
    step = max(1, int(np.ceil((count - 4) / max(side - 4, 1))))
    far = np.arange(4 + step, count + 1, step)
    positive = np.concatenate([near, far]) * spacing
    return np.round(np.concatenate([-positive[::-1], [0.0], positive]), 3)

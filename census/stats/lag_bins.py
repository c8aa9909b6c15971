"""What was the mean of x over a stretch of time before, or after, each interval?

Method: x is a rate, constant inside its interval, so its running total is piecewise linear and its mean over
any stretch of time is exact, whatever the spacing. Stretches are counted back from the interval's start and
forward from its end; they never touch the interval itself, nor leave its segment.

Misleads: a stretch that is shorter than the spacing knows no more than the interval that it lies in.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from census.stats.lag_pairs import Floats, Intervals


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class LagBin:
    """A stretch of time beside an interval, seconds; ``0 <= near_s < far_s``.

    Attributes
    ----------
    sign : +1 the stretch lies before the interval (x leads), -1 after it (y leads).
    near_s, far_s : distance from the interval's start (sign +1) or end (sign -1).
    """

    sign: int
    near_s: float
    far_s: float

    @property
    def lag_s(self) -> float:
        """The middle of the stretch as a signed lag; positive means that x leads."""
        return round(self.sign * (self.near_s + self.far_s) / 2, 3)


def choose_bins(*, spacing_s: float, longest_s: float, lead_s: float) -> tuple[LagBin, ...]:
    """Return stretches of 1, 1, 1, 2, 4, 8 ... spacings back to ``longest_s``, and forward to ``lead_s``.

    Parameters
    ----------
    spacing_s : width of the first stretch: the spacing of the intervals.
    longest_s, lead_s : how far back and forward; at least two spacings back and one forward always stand.

    Returns
    -------
    Bins in the order of their lag, leads first.

    Notes
    -----
    Doubling widths keep the number of regressors near log2(longest / spacing) and resolve short lags best.

    References
    ----------
    Corsi (2009), J. Financial Econometrics 7:174 (the same idea: means over widening spans).

    Examples
    --------
    >>> [bin.lag_s for bin in choose_bins(spacing_s=10.0, longest_s=80.0, lead_s=20.0)]
    [-15.0, -5.0, 5.0, 15.0, 25.0, 40.0, 65.0]
    """
    back = _widening_edges(max(2, int(longest_s / spacing_s + 1e-9)))
    forward = _widening_edges(max(1, int(lead_s / spacing_s + 1e-9)))
    before = [LagBin(sign=1, near_s=a * spacing_s, far_s=b * spacing_s) for a, b in back]
    after = [LagBin(sign=-1, near_s=a * spacing_s, far_s=b * spacing_s) for a, b in forward]
    return (*reversed(after), *before)


def _widening_edges(count: int) -> list[tuple[int, int]]:
    edges, width = [0], 1
    while edges[-1] < count:
        edges.append(min(edges[-1] + width, count))
        if len(edges) > 3:
            width *= 2
    return list(pairwise(edges))


def average_over_bins(x: Floats, intervals: Intervals, bins: tuple[LagBin, ...]) -> Floats:
    """Return the mean of x over each stretch beside each interval.

    Parameters
    ----------
    x : float64, shape (n,), a rate; NaN where unknown.
    intervals : n intervals.
    bins : p stretches.

    Returns
    -------
    float64, shape (n, p); NaN where a stretch leaves the segment or touches an unknown x.

    Notes
    -----
    Scrapes jitter, so a stretch may end a hair inside the neighbour of the interval that it aims at; its mean
    then holds that hair's share of the neighbour.

    Examples
    --------
    >>> import numpy as np
    >>> start = np.arange(4) * 10.0
    >>> intervals = Intervals(start_s=start, end_s=start + 10.0, segment=np.zeros(4, dtype=np.int64))
    >>> before = LagBin(sign=1, near_s=0.0, far_s=20.0)
    >>> average_over_bins(np.array([1.0, 3.0, 5.0, 7.0]), intervals, (before,))[:, 0].tolist()
    [nan, nan, 2.0, 4.0]
    """
    means = np.full((intervals.size, len(bins)), np.nan)
    for start, stop in intervals.bounds():
        piece = slice(start, stop)
        clock = np.append(intervals.start_s[piece], intervals.end_s[stop - 1])
        seconds = intervals.seconds[piece]
        known = np.isfinite(x[piece])
        total = np.append(0.0, np.cumsum(np.where(known, x[piece], 0.0) * seconds))
        unknown = np.append(0.0, np.cumsum(np.where(known, 0.0, seconds)))
        for column, bin_ in enumerate(bins):
            low, high = _stretch(intervals, piece, bin_)
            inside = (low >= clock[0] - 1e-6) & (high <= clock[-1] + 1e-6)
            low, high = np.maximum(low, clock[0]), np.minimum(high, clock[-1])
            missed = np.interp(high, clock, unknown) - np.interp(low, clock, unknown)
            amount = np.interp(high, clock, total) - np.interp(low, clock, total)
            usable = inside & (missed < 1e-6)
            means[piece, column] = np.where(usable, amount / np.maximum(high - low, 1e-9), np.nan)
    return means


def _stretch(intervals: Intervals, piece: slice, bin_: LagBin) -> tuple[Floats, Floats]:
    if bin_.sign > 0:
        edge = intervals.start_s[piece]
        return edge - bin_.far_s, edge - bin_.near_s
    edge = intervals.end_s[piece]
    return edge + bin_.near_s, edge + bin_.far_s

"""When does a counter move: as the work is done, or only when a request ends?

Method: of the intervals in which work ran that must move the counter, how many left it flat; and, where
ended requests are counted, whether it ever moves in an interval in which none ended. A counter that is
booked at request end stands still through the work and then jumps.

Misleads where every interval holds the end of a request: then the two clocks look alike, and the answer is
None.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

FEWEST = 10
FLAT_SHARE = 0.05
SHARE_WITHOUT_END = 0.05
JUMP = 1.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Liveness:
    """How a counter moved.

    Attributes
    ----------
    intervals, moved : intervals in which it is known, and in which it rose.
    working : intervals in which work ran that must move it.
    flat : of these, how many left it where it was.
    jump : median increase right after a flat stretch of work over the mean of all working intervals; None if
        none.
    without_end : working intervals in which no request ended; None where ends are not counted.
    moved_without_end : of these, in how many it rose.
    at_request_end : True, False, or None where the data cannot tell.
    """

    intervals: int
    moved: int
    working: int
    flat: int
    jump: float | None
    without_end: int | None
    moved_without_end: int | None
    at_request_end: bool | None


def measure_liveness(
    increase: FloatArray, *, working: BoolArray, must_move: BoolArray, ended: FloatArray | None
) -> Liveness:
    """Tell from increments whether a counter moves with the work or at request end.

    Parameters
    ----------
    increase : float64, shape (n,), per interval in time order; NaN where unknown.
    working : bool, shape (n,), requests were at work through the interval.
    must_move : bool, shape (n,), the very work was done that the counter counts (all False: nothing tells).
    ended : float64, shape (n,), requests that ended in the interval; None where no metric says.

    Returns
    -------
    Liveness

    Examples
    --------
    >>> tokens = np.tile([0.0, 0, 0, 800], 20)
    >>> busy, ends = np.full(80, True), np.tile([0.0, 0, 0, 1], 20)
    >>> seen = measure_liveness(tokens, working=busy, must_move=busy, ended=ends)
    >>> seen.flat, seen.moved_without_end, seen.at_request_end
    (60, 0, True)
    """
    known = ~np.isnan(increase)
    work = working & known
    moved = known & (increase > 0)
    must = must_move & known
    flat = must & ~moved
    without = None if ended is None else work & (ended == 0)
    return Liveness(
        intervals=int(known.sum()),
        moved=int(moved.sum()),
        working=int(work.sum()),
        flat=int(flat.sum()),
        jump=_jump(increase, work=must, flat=flat),
        without_end=None if without is None else int(without.sum()),
        moved_without_end=None if without is None else int((without & moved).sum()),
        at_request_end=(
            _from_flats(increase, work=must, flat=flat)
            if without is None or ended is None or int(without.sum()) < FEWEST
            else _from_ends(moved, without=without, with_end=work & (ended > 0))
        ),
    )


def _after_flats(increase: FloatArray, *, flat: BoolArray) -> FloatArray:
    """Return the increases right after a flat stretch."""
    after = np.zeros_like(flat)
    after[1:] = flat[:-1] & (increase[1:] > 0)
    return increase[after]


def _jump(increase: FloatArray, *, work: BoolArray, flat: BoolArray) -> float | None:
    """Return the median increase after a flat stretch over the mean of working intervals."""
    after = _after_flats(increase, flat=flat)
    mean = float(increase[work].mean()) if work.any() else 0.0
    return float(np.median(after)) / mean if after.size and mean > 0 else None


def _from_ends(moved: BoolArray, *, without: BoolArray, with_end: BoolArray) -> bool | None:
    """Decide by the moves in intervals in which no request ended.

    Both shares must be small: of these intervals, how many moved (busy traffic leaves few of them), and of
    all moves, how many fell into them (short requests seldom straddle a scrape).
    """
    outside, inside = int((moved & without).sum()), int((moved & with_end).sum())
    if inside < FEWEST // 2:
        return None
    of_intervals = outside / int(without.sum())
    of_moves = outside / (outside + inside)
    usual = inside / int(with_end.sum())
    if of_intervals <= SHARE_WITHOUT_END * usual and of_moves <= SHARE_WITHOUT_END:
        return True
    return False if of_intervals >= 0.2 * usual else None


def _from_flats(increase: FloatArray, *, work: BoolArray, flat: BoolArray) -> bool | None:
    """Decide by work that left the counter flat, again and again, each time followed by a jump."""
    if work.sum() < FEWEST:
        return None
    share = float(flat.sum() / work.sum())
    if share < FLAT_SHARE / 5:
        return False
    jump = _jump(increase, work=work, flat=flat)
    often = _after_flats(increase, flat=flat).size >= FEWEST // 2
    return True if often and share >= FLAT_SHARE and jump is not None and jump >= JUMP else None

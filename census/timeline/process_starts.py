"""What do the process start time and the uptime say about restarts?

Method: a process start that changes by more than a second and a half is another process. An uptime that falls
is one too; so is an uptime shorter than the time since the last sample although a process was there before.
A start time that wobbles (a kernel's boot time moves with the clock's corrections) comes back to its earlier
value; then only changes beyond five seconds count. Samples of zero are bad.

When it misleads: process start of another process than the engine's (a front end that outlives its engine);
the counters then tell the engine's restarts alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from census.timeline.alternation import SAME_START_S, start_returns
from census.timeline.drops import find_falls
from census.timeline.samples import Counter, Samples

WOBBLE_S = 5.0
UPTIME_NOISE_S = 1.0
YOUNG_NOISE_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StartChange:
    """Another process answered between two samples. ``start_ms``: when it began."""

    before_ms: int
    at_ms: int
    start_ms: int
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessStarts:
    """When the process began, at each time that is known; and where it changed.

    Attributes
    ----------
    known : (time_ms, start_ms), rising times.
    returns : the start time comes back to an earlier value: several workers answer in turn.
    """

    known: tuple[tuple[int, int], ...]
    changes: tuple[StartChange, ...]
    returns: bool

    def same_process(self, *, before_ms: int, at_ms: int) -> bool:
        """Tell whether samples at or around both times show one and the same process."""
        if any(one.before_ms < at_ms and before_ms < one.at_ms for one in self.changes):
            return False
        return bool(self.known) and self.known[0][0] <= before_ms and at_ms <= self.known[-1][0]


def find_starts(process_start: Samples | None, *, uptime: Samples | None) -> ProcessStarts:
    """Return what start times and uptime tell of the process's beginning."""
    by_start = _from_start_times(process_start)
    by_uptime = _from_uptime(uptime)
    known = by_start.known or by_uptime.known
    extra = tuple(
        one
        for one in by_uptime.changes
        if not any(other.before_ms < one.at_ms and one.before_ms < other.at_ms for other in by_start.changes)
    )
    return ProcessStarts(
        known=known,
        changes=tuple(sorted(by_start.changes + extra, key=lambda one: one.at_ms)),
        returns=by_start.returns,
    )


def _from_start_times(process_start: Samples | None) -> ProcessStarts:
    if process_start is None:
        return ProcessStarts(known=(), changes=(), returns=False)
    pairs = [
        (time, value)
        for time, value in zip(process_start.times_ms, process_start.values, strict=True)
        if value > 0
    ]
    starts = [value for _, value in pairs]
    returns = start_returns(starts, apart_s=WOBBLE_S)
    smallest = WOBBLE_S if start_returns(starts, apart_s=SAME_START_S) else SAME_START_S
    changes = tuple(
        StartChange(
            before_ms=before,
            at_ms=time,
            start_ms=round(value * 1000),
            evidence="process start time changed",
        )
        for (before, earlier), (time, value) in pairwise(pairs)
        if abs(value - earlier) > smallest
    )
    known = tuple((time, round(value * 1000)) for time, value in pairs)
    return ProcessStarts(known=known, changes=() if returns else changes, returns=returns)


def _from_uptime(uptime: Samples | None) -> ProcessStarts:
    if uptime is None:
        return ProcessStarts(known=(), changes=(), returns=False)
    falls = find_falls(Counter(key="uptime", family="uptime", times_ms=uptime.times_ms, values=uptime.values))
    bad = set(falls.bad)
    pairs = [
        (time, value)
        for place, (time, value) in enumerate(zip(uptime.times_ms, uptime.values, strict=True))
        if place not in bad
    ]
    changes = tuple(
        StartChange(
            before_ms=before,
            at_ms=time,
            start_ms=time - round(value * 1000),
            evidence="uptime fell"
            if value < earlier
            else "uptime is shorter than the time between two scrapes",
        )
        for (before, earlier), (time, value) in pairwise(pairs)
        if _is_young(value, earlier=earlier, elapsed_s=(time - before) / 1000)
    )
    return ProcessStarts(
        known=tuple((time, time - round(value * 1000)) for time, value in pairs),
        changes=changes,
        returns=False,
    )


def _is_young(uptime_s: float, *, earlier: float, elapsed_s: float) -> bool:
    if uptime_s < earlier - UPTIME_NOISE_S:
        return True
    return uptime_s <= elapsed_s and earlier + elapsed_s - uptime_s > YOUNG_NOISE_S

"""When was the target scraped?

Method: the union of the times of all its series. Series of one scrape usually carry one time; where a
backend gives them slightly different ones, times closer than a fifth of the usual spacing (2 s at most) are
one scrape. A scrape never holds two samples of one series, however close they lie.

When it misleads: where the series of one engine come from two targets with an offset of more than that,
there are two scrapes in each spacing and every series misses every second one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import sub
from statistics import median

SAME_SCRAPE_SHARE = 0.2
SAME_SCRAPE_MS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrapes:
    """The scrapes of one target: scrape i holds the samples from ``times_ms[i]`` until the next scrape."""

    times_ms: Sequence[int]
    spacing_ms: float

    def index(self, time_ms: int) -> int:
        """Return the scrape that holds a sample of this time."""
        return bisect_right(self.times_ms, time_ms) - 1


def find_scrapes(series_times: Iterable[Sequence[int]]) -> Scrapes:
    """Return the scrapes behind these series (each a rising sequence of times)."""
    distinct: list[Sequence[int]] = []
    for times in series_times:
        if times and not any(times is other or times == other for other in distinct[-3:]):
            distinct.append(times)
    if not distinct:
        return Scrapes(times_ms=(), spacing_ms=0.0)
    usual = max((_median_spacing(times) for times in _longest(distinct)), default=0.0)
    union = distinct[0] if len(distinct) == 1 else sorted(set().union(*distinct))
    same = min(SAME_SCRAPE_MS, SAME_SCRAPE_SHARE * usual)
    if len(distinct) == 1 or min(map(sub, union[1:], union), default=same + 1) > same:
        return Scrapes(times_ms=union, spacing_ms=usual)
    return Scrapes(times_ms=_cluster(union, same=same, breaks=_breaks(distinct, same=same)), spacing_ms=usual)


def _longest(distinct: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    longest = max(len(times) for times in distinct)
    return [times for times in distinct if len(times) == longest]


def _median_spacing(times: Sequence[int]) -> float:
    return float(median(map(sub, times[1:], times))) if len(times) > 1 else 0.0


def _breaks(distinct: Sequence[Sequence[int]], *, same: float) -> set[int]:
    """Return the times at which a series has its next sample although the last one is that close."""
    return {time for times in distinct for before, time in pairwise(times) if time - before <= same}


def _cluster(union: Sequence[int], *, same: float, breaks: set[int]) -> list[int]:
    firsts = [union[0]]
    for time in union[1:]:
        if time - firsts[-1] > same or time in breaks:
            firsts.append(time)
    return firsts

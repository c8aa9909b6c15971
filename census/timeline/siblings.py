"""Do the other counters of the process say that it cannot have restarted?

Method: a sibling that did not fall is asked whether a new process could have counted up to its value since
the scrape before. It could not if the value is more than three times what the sibling ever counted in that
time. A sibling below ten says nothing.

When it misleads: a sibling that counts in rare, large jumps.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable
from itertools import pairwise

from census.timeline.samples import Counter

POSSIBLE_RATE = 3.0
TELLING_VALUE = 10.0


def count_excluders(counters: Iterable[Counter], *, fallen: Collection[str], at_ms: int) -> int:
    """Return how many families, beside the fallen ones, rule out a restart just before ``at_ms``."""
    families = {
        counter.family
        for counter in counters
        if counter.family not in fallen and _excludes_restart(counter, at_ms=at_ms)
    }
    return len(families)


def _excludes_restart(counter: Counter, *, at_ms: int) -> bool:
    place = bisect_left(counter.times_ms, at_ms)
    if not 0 < place < len(counter.values):
        return False
    before, after = counter.values[place - 1], counter.values[place]
    if after < max(before, TELLING_VALUE) or before == 0:
        return False
    elapsed_ms = counter.times_ms[place] - counter.times_ms[place - 1]
    return after > POSSIBLE_RATE * _largest_rate(counter) * elapsed_ms


def _largest_rate(counter: Counter) -> float:
    """Return the largest increase per millisecond between two samples."""
    samples = list(zip(counter.times_ms, counter.values, strict=True))
    return max((value - before) / (time - earlier) for (earlier, before), (time, value) in pairwise(samples))

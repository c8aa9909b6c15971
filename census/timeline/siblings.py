"""Do the counters of the process say that it cannot have restarted?

Method: each counter is asked whether a new process could have counted up to its value since the scrape
before. It could not if the value is more than three times what the counter ever counted in that time. A
counter below ten says nothing.

When it misleads: a counter that counts in rare, large jumps.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from census.timeline.samples import Counter

POSSIBLE_RATE = 3.0
TELLING_VALUE = 10.0


class Siblings:
    """The counters of one process; each one's largest rate is measured once, when it is first asked for."""

    def __init__(self, counters: Sequence[Counter]) -> None:
        self._counters = counters
        self._rates: dict[str, float] = {}

    def excluders(self, *, at_ms: int) -> set[str]:
        """Return the families that rule out a restart just before ``at_ms``."""
        return {one.family for one in self._counters if self._excludes_restart(one, at_ms=at_ms)}

    def _excludes_restart(self, counter: Counter, *, at_ms: int) -> bool:
        place = bisect_left(counter.times_ms, at_ms)
        if not 0 < place < len(counter.values):
            return False
        before, after = counter.values[place - 1], counter.values[place]
        if after < TELLING_VALUE or before == 0:
            return False
        elapsed_ms = counter.times_ms[place] - counter.times_ms[place - 1]
        return after > POSSIBLE_RATE * self._largest_rate(counter) * elapsed_ms

    def _largest_rate(self, counter: Counter) -> float:
        """Return the largest increase per millisecond between two samples."""
        if counter.key not in self._rates:
            samples = zip(counter.times_ms, counter.values, strict=True)
            self._rates[counter.key] = max(
                (value - before) / (time - earlier) for (earlier, before), (time, value) in pairwise(samples)
            )
        return self._rates[counter.key]

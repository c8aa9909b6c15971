"""Where does a counter fall, and which of its samples are bad?

Method: a fall is a sample below its predecessor. A zero sample whose successor is at or above its predecessor
is a bad sample: it goes, and there is no fall. A run of several zeros goes only if the rise after it is more
than twice any other rise of the counter between two scrapes: no process counts that much at once.

When it misleads: a counter that falls to zero at a restart and is past its old value one scrape later looks
like a bad sample; boots.py puts the zero back where siblings or the process start show the restart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, count
from operator import lt, sub

from census.timeline.samples import Counter

FLOAT_NOISE = 1e-9
SMALL_DIP = 2.0
IMPOSSIBLE_RISE = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """A fall of one counter between two successive samples.

    Attributes
    ----------
    place : index of the lower sample. before_ms, at_ms : times of the two samples. high, low : their values.
    """

    key: str
    family: str
    place: int
    before_ms: int
    at_ms: int
    high: float
    low: float

    @property
    def below_half(self) -> bool:
        """The counter lost more than half of its value."""
        return self.low < self.high / 2

    @property
    def is_float_noise(self) -> bool:
        """The fall is as small as adding the same numbers in another order makes."""
        return self.high - self.low <= FLOAT_NOISE * self.high

    @property
    def is_small(self) -> bool:
        """The fall is of one or two."""
        return self.high - self.low <= SMALL_DIP


@dataclass(frozen=True, slots=True, kw_only=True)
class Falls:
    """The falls of one counter and its bad zero samples, as places in its lists."""

    drops: tuple[Drop, ...]
    bad: tuple[int, ...]


def find_falls(counter: Counter) -> Falls:
    """Return where a counter falls and which zero samples are bad."""
    values = counter.values
    places = list(compress(count(1), map(lt, values[1:], values)))
    bad = [place for start in places if values[start] == 0 for place in _bad_run(values, start)]
    kept = set(places).difference(bad)
    return Falls(drops=tuple(_drop(counter, place) for place in sorted(kept)), bad=tuple(bad))


def _drop(counter: Counter, place: int) -> Drop:
    return Drop(
        key=counter.key,
        family=counter.family,
        place=place,
        before_ms=counter.times_ms[place - 1],
        at_ms=counter.times_ms[place],
        high=counter.values[place - 1],
        low=counter.values[place],
    )


def _bad_run(values: Sequence[float], start: int) -> range:
    """Return the places of the bad zeros in the run of zeros that begins at ``start``."""
    end = next((place for place in range(start, len(values)) if values[place] != 0), None)
    nothing = range(start, start)
    if end is None or values[end] < values[start - 1]:
        return nothing
    if end == start + 1:
        return range(start, end)
    rises = map(sub, values[1:], values)
    other = max((rise for place, rise in enumerate(rises, start=1) if place != end), default=0.0)
    return range(start, end) if values[end] > IMPOSSIBLE_RISE * other else nothing

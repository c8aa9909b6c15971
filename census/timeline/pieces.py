"""What did one counter count in each boot, and from where does it count?

Method: a counter is cut at the boot edges and where it alone started anew. Each piece is held at its running
maximum; its increase is last minus first. Its head, what was counted before its first sample, is the first
value where the piece starts from zero: a boot whose start was seen, a counter that started anew, and a
counter born late (it appears while its siblings were already scraped in that boot). Of a counter born late
where the process start is not known, head may as well have been counted earlier: ``head_low`` is then 0.

A first value too large to have been counted since the siblings' last scrape is no birth: the series was not
exported or not pulled before. Too large is more than 500 times (at the window's second scrape, where a series
may just have missed the first one: 20 times) the counter's largest later rise, out of at least 20 rises.

When it misleads: a counter that is born with a burst and hardly moves afterwards.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from census.timeline.boots import BootScan
from census.timeline.samples import Counter

TOO_LARGE = 500.0
TOO_LARGE_AT_EDGE = 20.0
ENOUGH_RISES = 20
LEAST_EDGE_VALUE = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One counter from one zero to the next: places [begin, end) of its good samples.

    Attributes
    ----------
    head, head_low : what was counted before the first sample, and what of it is certain.
    born_late : it appeared while siblings were already scraped. counted : its first value is head.
    born_ms, first_value : its first sample.
    """

    boot: int
    begin: int
    end: int
    head: float
    head_low: float
    born_late: bool
    counted: bool
    born_ms: int
    first_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCounter:
    """A counter without its bad samples, in pieces."""

    times_ms: Sequence[int]
    values: Sequence[float]
    pieces: tuple[Piece, ...]

    def held(self, piece: Piece) -> list[float]:
        """Return the values of a piece, held at the running maximum."""
        return list(accumulate(self.values[piece.begin : piece.end], max))


def cut_counter(counter: Counter, *, scan: BootScan) -> CutCounter:
    """Return the pieces of one counter of this scan."""
    bad = set(scan.bad.get(counter.key, ()))
    places = [place for place in range(len(counter.values)) if place not in bad] if bad else None
    times = [counter.times_ms[place] for place in places] if places else counter.times_ms
    values = [counter.values[place] for place in places] if places else counter.values
    anew = {drop.at_ms for drop in scan.lone_resets if drop.key == counter.key}
    begins = _begins(times, scan=scan, anew=anew)
    pieces = tuple(
        _piece(times, values, begin=begin, end=end, scan=scan, anew=times[begin] in anew)
        for begin, end in pairwise([*begins, len(times)])
    )
    return CutCounter(times_ms=times, values=values, pieces=pieces)


def _begins(times: Sequence[int], *, scan: BootScan, anew: set[int]) -> list[int]:
    """Return the places at which a piece begins."""
    if not times:
        return []
    cuts = sorted({scan.scrapes.times_ms[first] for first in scan.first_scrapes[1:]} | anew)
    return sorted({0} | {place for cut in cuts if 0 < (place := bisect_left(times, cut)) < len(times)})


def _piece(
    times: Sequence[int], values: Sequence[float], *, begin: int, end: int, scan: BootScan, anew: bool
) -> Piece:
    number = scan.boot_at(times[begin])
    seen = scan.boots[number].start_seen
    scrape = scan.scrapes.index(times[begin])
    late = not anew and scrape > scan.first_scrapes[number]
    counted = anew or seen or (late and not _is_too_large(times, values, begin=begin, end=end, scan=scan))
    certain = anew or (seen and not (late and scan.process_start_ms[number] is None))
    return Piece(
        boot=number,
        begin=begin,
        end=end,
        head=values[begin] if counted else 0.0,
        head_low=values[begin] if counted and certain else 0.0,
        born_late=late,
        counted=counted,
        born_ms=times[begin],
        first_value=values[begin],
    )


def _is_too_large(
    times: Sequence[int], values: Sequence[float], *, begin: int, end: int, scan: BootScan
) -> bool:
    """Tell whether the first value cannot have been counted since the scrape before it."""
    samples = zip(times[begin:end], values[begin:end], strict=True)
    rates = [
        (value - before) / (time - earlier)
        for (earlier, before), (time, value) in pairwise(samples)
        if value > before
    ]
    if len(rates) < ENOUGH_RISES:
        return False
    scrape = scan.scrapes.index(times[begin])
    possible = max(rates) * (times[begin] - scan.scrapes.times_ms[scrape - 1])
    at_edge = scrape == 1 and values[begin] >= LEAST_EDGE_VALUE
    return values[begin] > possible * (TOO_LARGE_AT_EDGE if at_edge else TOO_LARGE)

"""Where does one process end and the next begin?

Method (standard library only, so that a gate answers at once). A boot edge is, between two scrapes,

- a changed process start time or uptime, whatever the counters do (process_starts.py), or a new pid;
- a fall of counters of three metrics or more together, whatever its size. What two merged replicas make is
  none: no fall of more than two while any counter is too large for a new process, or scrapes less than a
  second apart. Nor is it one where nothing fell below half and the process start is known to be the same;
- a fall below half, or across missing scrapes, of one or two metrics, unless the process start is known to be
  the same or as many siblings rule a restart out (siblings.py).

Zero samples whose successor is at or above their predecessor are bad and go first (drops.py), unless the edge
they lie at is told by something else. A target answered in turn by several workers is told before all
(workers.py) and has no edges. A fall that is no edge is a dip, held at the running maximum; but if it is
below half or across missing scrapes and does not recover within five samples, it alone started anew.

When it misleads: without process start or uptime a restart is hidden if every counter climbs past its old
value between two scrapes; ``hidden_resets`` says so.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from census.model.boot import Boot
from census.timeline.drops import Drop, find_falls
from census.timeline.edges import Edge, Scene, find_edges
from census.timeline.process_starts import ProcessStarts, find_starts
from census.timeline.samples import Counter, Samples
from census.timeline.scrapes import Scrapes, find_scrapes
from census.timeline.siblings import Siblings
from census.timeline.workers import find_alternating

KNOWN_SHARE = 0.9
SKEW_MS = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """A boot edge: number of the new boot, the scrapes around it, how many metrics fell, how it was told."""

    boot: int
    after_ms: int
    before_ms: int
    counters: int
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BootScan:
    """The boots of one process and what was wrong with its counters.

    Attributes
    ----------
    first_scrapes : for each boot the index of its first scrape.
    process_start_ms : for each boot when its process began, None where that is not known.
    bad : places of bad zero samples, by counter key.
    dips, lone_resets : falls that are no boot edge.
    alternating : counter key -> reason why it cannot be read.
    """

    scrapes: Scrapes
    boots: tuple[Boot, ...]
    first_scrapes: tuple[int, ...]
    process_start_ms: tuple[int | None, ...]
    resets: tuple[Reset, ...]
    bad: Mapping[str, tuple[int, ...]]
    dips: tuple[Drop, ...]
    lone_resets: tuple[Drop, ...]
    alternating: Mapping[str, str]
    hidden_resets: str

    def boot_at(self, time_ms: int) -> int:
        """Return the boot that a sample of this time belongs to."""
        return bisect_right(self.first_scrapes, self.scrapes.index(time_ms)) - 1


def scan_boots(
    counters: Sequence[Counter],
    *,
    process_start: Samples | None = None,
    uptime: Samples | None = None,
    other_times: Iterable[Sequence[int]] = (),
    new_process_ms: Mapping[int, str] | None = None,
    window_start_ms: int,
) -> BootScan:
    """Return the boots of the process that these counters share.

    Parameters
    ----------
    process_start : unix seconds. uptime : seconds.
    other_times : times of gauges of the same target, which show scrapes too.
    new_process_ms : time of the first sample of a new process told by its labels (merge.py) -> evidence.
    """
    of_process = [one.times_ms for one in (process_start, uptime) if one is not None]
    scrapes = find_scrapes([*(one.times_ms for one in counters), *of_process, *other_times])
    starts = find_starts(process_start, uptime=uptime)
    scene = Scene(counters=counters, siblings=Siblings(counters), scrapes=scrapes, starts=starts)
    falls = {one.key: find_falls(one) for one in counters}
    alternating = find_alternating(counters, falls=falls, gap_ms=scene.gap_ms, starts_return=starts.returns)
    drops = [drop for key, one in falls.items() if key not in alternating for drop in one.drops]
    found = find_edges(scene, drops=drops, new_process_ms=new_process_ms or {})
    first_scrapes = (0, *(edge.place for edge in found.edges))
    process_start_ms = _process_starts(starts, scrapes=scrapes, first_scrapes=first_scrapes)
    return BootScan(
        scrapes=scrapes,
        boots=_boots(
            scrapes, edges=found.edges, process_start_ms=process_start_ms, window_start_ms=window_start_ms
        ),
        first_scrapes=first_scrapes,
        process_start_ms=process_start_ms,
        resets=tuple(
            Reset(
                boot=number,
                after_ms=scrapes.times_ms[edge.place - 1],
                before_ms=scrapes.times_ms[edge.place],
                counters=edge.fell,
                evidence=edge.evidence,
            )
            for number, edge in enumerate(found.edges, start=1)
        ),
        bad={
            one.key: kept
            for one in counters
            if (kept := _still_bad(falls[one.key].bad, counter=one, edges=found.edges, scrapes=scrapes))
        },
        dips=found.dips,
        lone_resets=found.lone_resets,
        alternating=alternating,
        hidden_resets=_hidden_resets(starts, scrapes=scrapes),
    )


def _boots(
    scrapes: Scrapes,
    *,
    edges: Sequence[Edge],
    process_start_ms: Sequence[int | None],
    window_start_ms: int,
) -> tuple[Boot, ...]:
    if not scrapes.times_ms:
        return ()
    firsts = (0, *(edge.place for edge in edges))
    ends = (*(edge.place for edge in edges), len(scrapes.times_ms))
    boots: list[Boot] = []
    for index, (first, end, begun_ms) in enumerate(zip(firsts, ends, process_start_ms, strict=True)):
        first_ms = scrapes.times_ms[first]
        earliest_ms = boots[-1].end_ms if boots else window_start_ms
        inside = begun_ms is not None and earliest_ms <= begun_ms <= first_ms + SKEW_MS
        told = edges[index - 1].evidence if index else "window start"
        boots.append(
            Boot(
                index=index,
                start_ms=min(begun_ms, first_ms) if inside and begun_ms is not None else first_ms,
                end_ms=scrapes.times_ms[end - 1],
                first_ms=first_ms,
                start_seen=index > 0 or inside,
                evidence="process start inside the window" if inside and not index else told,
            )
        )
    return tuple(boots)


def _process_starts(
    starts: ProcessStarts, *, scrapes: Scrapes, first_scrapes: Sequence[int]
) -> tuple[int | None, ...]:
    """Return the process start that was last known in each boot."""
    found: list[int | None] = [None] * len(first_scrapes)
    for time, start in starts.known:
        found[bisect_right(first_scrapes, scrapes.index(time)) - 1] = start
    return tuple(found)


def _still_bad(
    bad: Sequence[int], *, counter: Counter, edges: Sequence[Edge], scrapes: Scrapes
) -> tuple[int, ...]:
    """Return the bad zeros but for those at which a boot begins: there zero is the truth."""
    places = [edge.place for edge in edges]
    dropped = set(bad)
    kept: list[int] = []
    at_edge = False
    for place in bad:
        if place - 1 not in dropped:
            before = scrapes.index(counter.times_ms[place - 1])
            here = scrapes.index(counter.times_ms[place])
            at_edge = bisect_right(places, before) < bisect_right(places, here)
        if not at_edge:
            kept.append(place)
    return tuple(kept)


def _hidden_resets(starts: ProcessStarts, *, scrapes: Scrapes) -> str:
    """Say whether a restart could hide: only where the process start is not known at nearly every scrape."""
    known = len(starts.known) >= KNOWN_SHARE * len(scrapes.times_ms) and bool(starts.known)
    return "excluded" if known else "cannot be excluded"

"""Which falls are the edge of a boot, which are dips, and which are one counter's own restart?

Method: as boots.py says. Falls are together if they can lie between the same two scrapes; of the gaps that a
group could lie in, the last before its earliest sample is taken.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from census.timeline.drops import Drop
from census.timeline.process_starts import ProcessStarts
from census.timeline.samples import Counter
from census.timeline.scrapes import Scrapes
from census.timeline.siblings import Siblings

TOGETHER = 3
GAP_FACTOR = 2.5
TOO_FAST_MS = 1000
RECOVERY_SAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A boot edge before the scrape ``place``: how many metrics fell there, and how it was told."""

    place: int
    fell: int
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """The edges in time order, and the falls that are none."""

    edges: tuple[Edge, ...]
    dips: tuple[Drop, ...]
    lone_resets: tuple[Drop, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a group of falls is judged against."""

    counters: Sequence[Counter]
    siblings: Siblings
    scrapes: Scrapes
    starts: ProcessStarts

    @property
    def gap_ms(self) -> float:
        """Scrapes farther apart than this have missed some between them."""
        return GAP_FACTOR * self.scrapes.spacing_ms

    def crosses(self, drop: Drop, *, place: int) -> bool:
        """Tell whether this fall can lie just before that scrape."""
        return self.scrapes.index(drop.before_ms) < place <= self.scrapes.index(drop.at_ms)


def find_edges(scene: Scene, *, drops: Iterable[Drop], new_process_ms: Mapping[int, str]) -> Edges:
    """Return the boot edges of one process and the falls that are none."""
    told = _told_places(scene, new_process_ms=new_process_ms)
    at_told, rest = _claim(drops, scene=scene, places=list(told))
    edges = {
        place: Edge(place=place, fell=len(_families(at_told[place])), evidence=evidence)
        for place, evidence in told.items()
    }
    rejected: list[Drop] = []
    for place, group in _group(rest, scene=scene):
        evidence = _judge(group, place=place, scene=scene)
        if evidence:
            edges[place] = Edge(place=place, fell=len(_families(group)), evidence=evidence)
        else:
            rejected.extend(group)
    by_key = {one.key: one for one in scene.counters}
    anew = {drop: _starts_anew(drop, counter=by_key[drop.key], scene=scene) for drop in rejected}
    return Edges(
        edges=tuple(edges[place] for place in sorted(edges)),
        dips=tuple(drop for drop in rejected if not anew[drop]),
        lone_resets=tuple(drop for drop in rejected if anew[drop]),
    )


def _families(drops: Iterable[Drop]) -> set[str]:
    return {drop.family for drop in drops}


def _told_places(scene: Scene, *, new_process_ms: Mapping[int, str]) -> dict[int, str]:
    """Return the edges that need no counter: scrape -> evidence."""
    times = scene.scrapes.times_ms
    places = {scene.scrapes.index(time): evidence for time, evidence in new_process_ms.items()}
    for change in scene.starts.changes:
        first = scene.scrapes.index(change.before_ms) + 1
        last = scene.scrapes.index(change.at_ms)
        begun = bisect_left(times, change.start_ms - TOO_FAST_MS, first, last)
        places[begun] = change.evidence
    return {place: evidence for place, evidence in sorted(places.items()) if place > 0}


def _claim(
    drops: Iterable[Drop], *, scene: Scene, places: Sequence[int]
) -> tuple[dict[int, list[Drop]], list[Drop]]:
    """Return the falls that lie at each of these rising places, and the rest."""
    claimed: dict[int, list[Drop]] = {place: [] for place in places}
    rest: list[Drop] = []
    for drop in drops:
        at = bisect_right(places, scene.scrapes.index(drop.before_ms))
        if at < len(places) and places[at] <= scene.scrapes.index(drop.at_ms):
            claimed[places[at]].append(drop)
        else:
            rest.append(drop)
    return claimed, rest


def _group(drops: Iterable[Drop], *, scene: Scene) -> list[tuple[int, list[Drop]]]:
    """Return groups of falls that can lie between the same two scrapes, with the scrape after it."""
    groups: list[tuple[int, list[Drop]]] = []
    for drop in sorted(drops, key=lambda one: (one.at_ms, one.key)):
        if groups and scene.crosses(drop, place=groups[-1][0]):
            groups[-1][1].append(drop)
        else:
            groups.append((scene.scrapes.index(drop.at_ms), [drop]))
    return groups


def _judge(group: Sequence[Drop], *, place: int, scene: Scene) -> str:
    """Return the evidence that these falls are a boot edge, or nothing."""
    real = [drop for drop in group if not drop.is_float_noise]
    fallen = _families(real)
    before_ms, at_ms = scene.scrapes.times_ms[place - 1], scene.scrapes.times_ms[place]
    apart_ms = at_ms - before_ms
    half = any(drop.below_half for drop in real)
    same_process = scene.starts.same_process(before_ms=before_ms, at_ms=at_ms)
    excluders = scene.siblings.excluders(at_ms=at_ms)
    if apart_ms < min(TOO_FAST_MS, scene.scrapes.spacing_ms / 2):
        return ""
    if excluders and all(drop.is_small for drop in real):
        return ""
    if len(fallen) >= TOGETHER:
        return f"{len(fallen)} counters fell together" if half or not same_process else ""
    across = apart_ms > scene.gap_ms and any(not drop.is_small for drop in real)
    if same_process or not (half or across):
        return ""
    if len(excluders - fallen) >= len(fallen):
        return ""
    names = " and ".join(sorted(fallen))
    return f"{names} fell below half" if half else f"{names} fell across missing scrapes"


def _starts_anew(drop: Drop, *, counter: Counter, scene: Scene) -> bool:
    """Tell whether a fall that is no boot edge stays: the counter alone was set back."""
    across = drop.at_ms - drop.before_ms > scene.gap_ms
    if drop.is_small or not (drop.below_half or across):
        return False
    following = counter.values[drop.place : drop.place + RECOVERY_SAMPLES + 1]
    return max(following) < drop.high

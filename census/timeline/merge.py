"""Several series carry one quantity: which samples are the quantity?

Method. Series of a part are never added. In the order of rank (replicas.py), a series

- that overlaps nothing kept follows it, or comes before it: *stitched* (a metric renamed in the window, a new
  pid, a moved pod);
- that overlaps and agrees (both names for a while, a replica of an HA pair, a deprecated twin, ranks of one
  tensor-parallel group) gives the samples outside the kept ones and in their holes, so the overlap counts
  once. Where its scrapes are at other times than the kept ones it only fills holes of more than 2.5 spacings:
  a replica never changes the scrape grid;
- that differs and overlaps little (a tenth of the shorter one: a rolling restart) gives the samples outside
  the kept span, and a boot edge lies between;
- that overlaps and differs (workers of several pids) is dropped and listed.

A stitched series whose pid or pod differs from the one before it is a new process: its first sample is a boot
edge whatever its value. An identical replica changes nothing: it has no sample that is not there.

When it misleads: workers that count alike look like replicas; what is kept is then one worker's share.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Literal

from census.timeline.replicas import Name, Ranking, agree, label_change, rank_of, same_gauge
from census.timeline.samples import Samples

HOLE_FACTOR = 2.5
HANDOVER_SHARE = 0.1
PROCESS_LABELS = ("pid", "pod", "pod_name", "pod_uid", "container_id")

Relation = Literal["first", "follows", "agrees", "hands over", "differs"]

RULES: Mapping[Relation, str] = {
    "agrees": "the same quantity twice: counted once",
    "differs": "another process's quantity: one is kept, never added",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """A series that overlaps what is kept, and what became of it."""

    kept: Mapping[str, str]
    dropped: Mapping[str, str]
    rule: str
    agree: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Stitch:
    """Where one series follows another. ``edge``: the evidence that a new process begins there, or empty."""

    before: Mapping[str, str]
    after: Mapping[str, str]
    at_ms: int
    edge: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The samples of one quantity, and how they came together."""

    samples: Samples
    duplicates: tuple[Duplicate, ...]
    stitches: tuple[Stitch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What is kept so far, and which series each sample came from."""

    samples: Samples
    owners: Sequence[int]


def merge_series(series: Sequence[Samples], *, ranking: Ranking, is_counter: bool) -> Merged:
    """Return one quantity from the series that carry it; none of them is empty."""
    if len(series) == 1:
        return Merged(samples=series[0], duplicates=(), stitches=())
    ordered = sorted(series, key=lambda one: rank_of(one, among=series, ranking=ranking))
    kept = _Kept(samples=ordered[0], owners=[0] * len(ordered[0].times_ms))
    relations: list[Relation] = ["first"]
    for owner, one in enumerate(ordered[1:], start=1):
        relation = _relation(kept.samples, one, replicas=ranking.replicas, is_counter=is_counter)
        kept = _add(kept, one, owner=owner, places=_new_places(kept.samples, one, relation=relation))
        relations.append(relation)
    return Merged(
        samples=kept.samples,
        duplicates=_duplicates(ordered, relations=relations),
        stitches=_stitches(kept, ordered=ordered, relations=relations),
    )


def process_changes(merged: Iterable[Merged]) -> dict[int, str]:
    """Return where new processes begin that labels tell of: time of the first sample -> evidence.

    A quantity that the new process exports later than others is no process of its own: of one change of
    labels the earliest time counts.
    """
    first: dict[Name, tuple[int, str]] = {}
    for one in merged:
        for stitch in one.stitches:
            if stitch.edge:
                name = label_change(stitch.before, stitch.after)
                first[name] = min(first.get(name, (stitch.at_ms, stitch.edge)), (stitch.at_ms, stitch.edge))
    return dict(sorted(first.values()))


def _relation(kept: Samples, one: Samples, *, replicas: bool, is_counter: bool) -> Relation:
    first, last = one.times_ms[0], one.times_ms[-1]
    if bisect_left(kept.times_ms, first) == bisect_right(kept.times_ms, last):
        return "follows"
    same = agree if is_counter else same_gauge
    if same(kept, one, replicas=replicas):
        return "agrees"
    overlap_ms = min(last, kept.times_ms[-1]) - max(first, kept.times_ms[0])
    shorter_ms = min(last - first, kept.times_ms[-1] - kept.times_ms[0])
    outside = first < kept.times_ms[0] or last > kept.times_ms[-1]
    return "hands over" if outside and overlap_ms <= HANDOVER_SHARE * shorter_ms else "differs"


def _new_places(kept: Samples, one: Samples, *, relation: Relation) -> Sequence[int]:
    """Return the places of the samples that a series adds."""
    times = one.times_ms
    if relation == "follows":
        return range(len(times))
    if relation == "differs":
        return ()
    outside = [place for place, time in enumerate(times) if not kept.times_ms[0] <= time <= kept.times_ms[-1]]
    if relation == "hands over":
        return outside
    known = set(kept.times_ms)
    missing = [place for place, time in enumerate(times) if time not in known]
    inside = len(times) - len(outside)
    return missing if 2 * (len(times) - len(missing)) >= inside else _in_holes(kept.times_ms, times)


def _in_holes(kept: Sequence[int], times: Sequence[int]) -> list[int]:
    """Return the places of times that lie in long holes of ``kept`` or long before or after it."""
    usual = median(after - before for before, after in pairwise(kept)) if len(kept) > 1 else 0
    hole = HOLE_FACTOR * usual
    ends = [(before, after) for before, after in pairwise(kept) if after - before > hole]
    if kept[0] - times[0] > hole:
        ends.append((times[0] - 1, kept[0]))
    if times[-1] - kept[-1] > hole:
        ends.append((kept[-1], times[-1] + 1))
    return sorted(
        place
        for before, after in ends
        for place in range(bisect_right(times, before), bisect_left(times, after))
    )


def _add(kept: _Kept, one: Samples, *, owner: int, places: Sequence[int]) -> _Kept:
    if not places:
        return kept
    rows = sorted(
        [
            *zip(kept.samples.times_ms, kept.samples.values, kept.owners, strict=True),
            *((one.times_ms[place], one.values[place], owner) for place in places),
        ]
    )
    times, values, owners = zip(*rows, strict=True)
    samples = Samples(labels=kept.samples.labels, times_ms=list(times), values=list(values))
    return _Kept(samples=samples, owners=owners)


def _duplicates(ordered: Sequence[Samples], *, relations: Sequence[Relation]) -> tuple[Duplicate, ...]:
    return tuple(
        Duplicate(
            kept=ordered[0].labels,
            dropped=one.labels,
            rule=RULES[relation],
            agree=relation == "agrees",
        )
        for one, relation in zip(ordered, relations, strict=True)
        if relation in RULES
    )


def _stitches(
    kept: _Kept, *, ordered: Sequence[Samples], relations: Sequence[Relation]
) -> tuple[Stitch, ...]:
    stitches = []
    for place, (before, after) in enumerate(pairwise(kept.owners), start=1):
        if before == after or _is_filling(ordered[before], ordered[after], relations[max(before, after)]):
            continue
        stitches.append(
            Stitch(
                before=ordered[before].labels,
                after=ordered[after].labels,
                at_ms=kept.samples.times_ms[place],
                edge=_edge_evidence(ordered[before], ordered[after], relation=relations[max(before, after)]),
            )
        )
    return tuple(stitches)


def _is_filling(before: Samples, after: Samples, relation: Relation) -> bool:
    """Tell whether a replica of the same metric merely filled a hole."""
    return relation == "agrees" and before.name == after.name


def _edge_evidence(before: Samples, after: Samples, *, relation: Relation) -> str:
    if relation == "agrees":
        return ""
    changed = [label for label in PROCESS_LABELS if before.labels.get(label) != after.labels.get(label)]
    if changed:
        return f"{changed[0]} label changed"
    return "another series took over" if relation == "hands over" else ""

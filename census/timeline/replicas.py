"""Of several series that carry one quantity, which one is taken, and do they tell the same counter?

Method: a series is named by the labels in which it differs from its fellows (replica="b", pid="7"). Fellows
agree if the samples of one lie between those of the other: within two counts, and at equal times within a
quarter of what is counted around them. If all overlapping counters of the engine agree, they are replicas and
the name with most samples comes first; if not, they are workers, and the name that counts most in most of the
quantities comes first. Ties go by label order. The order holds for every quantity of the engine, so that
quantities of one report come from one replica or worker.

When it misleads: workers that count alike.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter as Tally
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from census.timeline.samples import Samples

Name = tuple[tuple[str, str], ...]

PROBES = 200
AGREE_SHARE = 0.95
CLOSE = 2.0
CLOSE_SHARE = 1e-6
GROWTH_SHARE = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The order of names, best first, and whether all fellows of the engine agree."""

    order: Mapping[Name, int]
    replicas: bool


def name_of(one: Samples, *, among: Sequence[Samples]) -> Name:
    """Return the labels in which a series differs from its fellows, metric name and bucket edge aside."""
    return tuple(sorted({pair for other in among for pair in label_change(other.labels, one.labels)}))


def label_change(before: Mapping[str, str], after: Mapping[str, str]) -> Name:
    """Return the labels of ``after`` that ``before`` has otherwise, metric name and bucket edge aside."""
    return tuple(
        sorted(
            (label, value)
            for label, value in after.items()
            if label not in ("__name__", "le") and before.get(label) != value
        )
    )


def rank_names(parts: Iterable[Sequence[Samples]]) -> Ranking:
    """Return the order of names over all counters of one engine (each part: the series of one quantity)."""
    samples: Tally[Name] = Tally()
    wins: Tally[Name] = Tally()
    replicas = True
    for part in parts:
        if len(part) < 2:
            continue
        names = [name_of(one, among=part) for one in part]
        increases = [increase_of(one) for one in part]
        for name, one, increase in zip(names, part, increases, strict=True):
            samples[name] += len(one.times_ms)
            wins[name] += increase > 0 and increase == max(increases)
        replicas = replicas and all(
            agree(one, other, replicas=True) for one, other in combinations(part, 2) if _overlap(one, other)
        )
    ordered = sorted(samples, key=lambda name: (0 if replicas else -wins[name], -samples[name], name))
    return Ranking(order={name: place for place, name in enumerate(ordered)}, replicas=replicas)


def rank_of(
    one: Samples, *, among: Sequence[Samples], ranking: Ranking
) -> tuple[int, int, int, list[tuple[str, str]]]:
    """Return the sort key of a series among its fellows; of one name the newest comes first."""
    order = ranking.order.get(name_of(one, among=among), len(ranking.order))
    return order, -one.times_ms[-1], -len(one.times_ms), sorted(one.labels.items())


def increase_of(one: Samples) -> float:
    """Return what a series counted, falls aside."""
    return sum(value - before for before, value in pairwise(one.values) if value > before)


def agree(kept: Samples, other: Samples, *, replicas: bool) -> bool:
    """Tell whether two series are one counter; ``replicas`` is the answer if nothing tells."""
    if kept.times_ms == other.times_ms and kept.values == other.values:
        return True
    begin = bisect_left(other.times_ms, kept.times_ms[0])
    end = bisect_left(other.times_ms, kept.times_ms[-1] + 1)
    step = max(1, (end - begin) // PROBES)
    answers = [
        answer
        for place in range(begin, end, step)
        if (answer := _lies_between(kept, time_ms=other.times_ms[place], value=other.values[place]))
        is not None
    ]
    return sum(answers) >= AGREE_SHARE * len(answers) if answers else replicas


def same_gauge(kept: Samples, other: Samples, *, replicas: bool) -> bool:
    """Tell whether two gauges show equal values at their common times; ``replicas`` if they have none."""
    known = dict(zip(kept.times_ms, kept.values, strict=True))
    answers = [
        known[time] == value
        for time, value in zip(other.times_ms, other.values, strict=True)
        if time in known
    ]
    return sum(answers) >= AGREE_SHARE * len(answers) if answers else replicas


def _overlap(one: Samples, other: Samples) -> bool:
    return one.times_ms[0] <= other.times_ms[-1] and other.times_ms[0] <= one.times_ms[-1]


def _lies_between(kept: Samples, *, time_ms: int, value: float) -> bool | None:
    """Tell whether a sample lies between its neighbours in ``kept``; None where a restart lies there."""
    place = bisect_left(kept.times_ms, time_ms)
    values = kept.values
    close = CLOSE + CLOSE_SHARE * abs(value)
    if kept.times_ms[place] == time_ms:
        around = values[max(0, place - 1) : place + 2]
        growth = max(0.0, around[-1] - around[0])
        return abs(value - values[place]) <= close + GROWTH_SHARE * growth
    if values[place - 1] > values[place]:
        return None
    return values[place - 1] - close <= value <= values[place] + close

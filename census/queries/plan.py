"""What will be asked, and how much will come? Batches of metric names, each in windows of a bounded sample
count.

A batch holds as many names as fit one question over the whole window, so most series come whole from one
answer; a name too big for that is asked for in equal windows, joined afterwards. The estimate is series
times samples a series, measured on the server beforehand; it bounds the server's work, it is no promise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from census.model.window import Window
from census.queries.promql import Matcher, selector

SAMPLES_PER_QUERY = 600_000
"""About 15 MB of JSON: well below a server's limits, and often enough an answer to show progress."""

JSON_BYTES_PER_SAMPLE = 25.0
DISK_BYTES_PER_SAMPLE = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Names that are asked for together: one selector, windows in time order, the samples expected in all."""

    names: tuple[str, ...]
    selector: str
    windows: tuple[Window, ...]
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that will be asked, in order."""

    window: Window
    batches: tuple[Batch, ...]
    series: int
    samples: int

    @property
    def json_bytes(self) -> int:
        """Bytes to expect on the wire."""
        return round(self.samples * JSON_BYTES_PER_SAMPLE)

    @property
    def disk_bytes(self) -> int:
        """Bytes to expect in the capture."""
        return round(self.samples * DISK_BYTES_PER_SAMPLE)


def plan_queries(
    expected: Iterable[tuple[str, int]],
    *,
    window: Window,
    matchers: Mapping[str, Sequence[Matcher]],
    samples_per_query: int = SAMPLES_PER_QUERY,
) -> Plan:
    """Return the plan for these series.

    Parameters
    ----------
    expected : (metric name, samples expected) of each series.
    matchers : the conditions that each metric name is asked for under; names under the same ones go together.
    """
    totals: dict[str, int] = {}
    series = 0
    for name, samples in expected:
        totals[name] = totals.get(name, 0) + samples
        series += 1
    batches: list[Batch] = []
    for conditions in sorted({tuple(matchers[name]) for name in totals}, key=str):
        names = sorted(name for name in totals if tuple(matchers[name]) == conditions)
        for group in _fill(names, totals, limit=samples_per_query):
            samples = sum(totals[name] for name in group)
            batches.append(
                Batch(
                    names=tuple(group),
                    selector=selector(group, conditions),
                    windows=split_window(window, pieces=max(1, math.ceil(samples / samples_per_query))),
                    samples=samples,
                )
            )
    return Plan(window=window, batches=tuple(batches), series=series, samples=sum(totals.values()))


def split_window(window: Window, *, pieces: int) -> tuple[Window, ...]:
    """Return the window in about equal half-open pieces that join without gap or overlap."""
    length = window.end_ms - window.start_ms
    count = max(1, min(pieces, length))
    cuts = [window.start_ms + length * number // count for number in range(count + 1)]
    return tuple(Window(start_ms=start, end_ms=end) for start, end in pairwise(cuts))


def _fill(names: Sequence[str], totals: Mapping[str, int], *, limit: int) -> list[list[str]]:
    groups: list[list[str]] = []
    held = 0
    for name in names:
        if groups and held + totals[name] <= limit:
            groups[-1].append(name)
            held += totals[name]
        else:
            groups.append([name])
            held = totals[name]
    return groups

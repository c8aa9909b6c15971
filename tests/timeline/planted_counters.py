"""Counters written by hand, and engines that carry them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from census.capture.manifest import AbsentRole, EngineEntry, Kind, Part, RoleBinding
from census.capture.series import Series
from census.model.settings import Settings
from census.model.window import Window
from census.timeline.boots import BootScan, scan_boots
from census.timeline.build import build_timeline
from census.timeline.samples import Counter, Samples
from census.timeline.timeline import Timeline

Points = Sequence[tuple[float, float]]


def counter(name: str, points: Points) -> Counter:
    """Return a counter from (seconds, value)."""
    one = samples(points)
    return Counter(key=name, family=name, times_ms=one.times_ms, values=one.values)


def samples(points: Points, **labels: str) -> Samples:
    """Return samples from (seconds, value)."""
    return Samples(
        labels=labels,
        times_ms=[round(time * 1000) for time, _ in points],
        values=[float(value) for _, value in points],
    )


def every(step: float, values: Sequence[float], *, start: float = 0.0) -> list[tuple[float, float]]:
    """Return values at even times."""
    return [(start + step * place, value) for place, value in enumerate(values)]


def scan(counters: Mapping[str, Points], *, window_start: float = 0.0, **extra: Points) -> BootScan:
    """Return the scan of counters by name; extra: process_start, uptime."""
    return scan_boots(
        [counter(name, points) for name, points in counters.items()],
        window_start_ms=round(window_start * 1000),
        **{name: samples(points) for name, points in extra.items()},
    )


def boot_spans(found: BootScan) -> list[tuple[float, float]]:
    """Return first and last scrape of each boot in seconds."""
    return [(boot.first_ms / 1000, boot.end_ms / 1000) for boot in found.boots]


class Engine:
    """An engine of series written by hand."""

    def __init__(self) -> None:
        self.roles: list[RoleBinding] = []
        self.series: list[Series] = []

    def add(
        self,
        role: str,
        *parts: Points | Sequence[tuple[Mapping[str, str], Points]],
        kind: Kind = "counter",
        metric: str | None = None,
    ) -> Engine:
        """Add a role; a part is points, or several series as (labels, points)."""
        metric = metric or f"planted:{role}"
        bound = []
        for place, part in enumerate(parts):
            several = part if part and isinstance(part[0][0], Mapping) else [({}, part)]
            ids = [self._series({"__name__": metric, **labels}, points) for labels, points in several]
            bound.append(Part(component="value", le=None, labels={"part": str(place)}, series=tuple(ids)))
        self.roles.append(_binding(role, metric=metric, kind=kind, parts=bound))
        return self

    def add_histogram(
        self,
        role: str,
        *,
        buckets: Mapping[float, Points],
        total: Points | None = None,
        count: Points | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Engine:
        """Add a histogram from cumulative buckets by edge."""
        metric = f"planted:{role}_seconds"
        rows = [("bucket", le, points) for le, points in buckets.items()]
        rows += [("sum", None, total)] if total is not None else []
        rows += [("count", None, count)] if count is not None else []
        parts = [
            Part(
                component=component,
                le=le,
                labels=dict(labels or {}),
                series=(self._series({"__name__": f"{metric}_{component}", "le": str(le)}, points),),
            )
            for component, le, points in rows
        ]
        self.roles.append(_binding(role, metric=metric, kind="histogram", parts=parts))
        return self

    def timeline(self, start: float = 0.0, end: float | None = None) -> Timeline:
        """Return the timeline over [start, end) seconds, by default over all samples."""
        last = max(int(one.times_ms[-1]) for one in self.series if one.times_ms.size)
        window = Window(start_ms=round(start * 1000), end_ms=last + 1 if end is None else round(end * 1000))
        return build_timeline(self.entry, dict(enumerate(self.series)), window=window, settings=Settings())

    @property
    def entry(self) -> EngineEntry:
        """The engine's entry."""
        return EngineEntry(
            key="planted",
            profile="planted",
            labels={},
            roles=tuple(self.roles),
            absent=(AbsentRole(role="held_steps", reason="not found"),),
        )

    def _series(self, labels: Mapping[str, str], points: Points) -> int:
        self.series.append(
            Series(
                labels=labels,
                times_ms=np.array([round(time * 1000) for time, _ in points], dtype=np.int64),
                values=np.array([value for _, value in points], dtype=np.float64),
            )
        )
        return len(self.series) - 1


def _binding(role: str, *, metric: str, kind: Kind, parts: Sequence[Part]) -> RoleBinding:
    return RoleBinding(
        role=role, metric=metric, kind=kind, clock="step", unit="steps", note="", parts=tuple(parts)
    )

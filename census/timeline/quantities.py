"""Which samples answer each role of this engine, inside the window?

Method: the series of each part are cut to the half-open window, samples that are no number go, and what is
left is merged (merge.py), with one order of replicas for all parts of the engine (replicas.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from census.capture.manifest import EngineEntry, Part, RoleBinding
from census.capture.series import Series
from census.model.window import Window
from census.timeline.merge import Merged, merge_series
from census.timeline.replicas import rank_names
from census.timeline.samples import Counter, Samples

SeriesById = Mapping[int, Series] | Callable[[int], Series]

PROCESS_ROLES = ("process_start", "uptime")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One part of one role with its samples. ``key`` is unique in the engine."""

    key: str
    binding: RoleBinding
    part: Part
    merged: Merged

    @property
    def is_counter(self) -> bool:
        """It counts since the process began."""
        return self.binding.kind != "gauge" and self.binding.role not in PROCESS_ROLES

    @property
    def counter(self) -> Counter:
        """The samples as one of the process's counters."""
        samples = self.merged.samples
        return Counter(
            key=self.key, family=self.binding.metric, times_ms=samples.times_ms, values=samples.values
        )


def find_quantities(entry: EngineEntry, series: SeriesById, *, window: Window) -> tuple[Quantity, ...]:
    """Return the quantities of an engine that have samples in the window, in the order of its roles."""
    get = series if callable(series) else series.__getitem__
    cut = _Cut(window)
    found = [
        (f"{binding.role}/{place}", binding, part, samples)
        for binding in entry.roles
        for place, part in enumerate(binding.parts)
        if (samples := [one for index in part.series if (one := cut(get(index))) is not None])
    ]
    ranking = rank_names(
        samples for _, binding, _, samples in found if binding.kind != "gauge" and len(samples) > 1
    )
    return tuple(
        Quantity(
            key=key,
            binding=binding,
            part=part,
            merged=merge_series(samples, ranking=ranking, is_counter=binding.kind != "gauge"),
        )
        for key, binding, part, samples in found
    )


class _Cut:
    """Cuts series to the window as views, not copies; series of one scrape share one view of their times."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._times: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._view: Sequence[int] = ()

    def __call__(self, series: Series) -> Samples | None:
        first, last = np.searchsorted(series.times_ms, (self._window.start_ms, self._window.end_ms))
        times, values = series.times_ms[first:last], series.values[first:last]
        finite = np.isfinite(values)
        if not finite.all():
            times, values = times[finite], values[finite]
        if not times.size:
            return None
        if not np.array_equal(times, self._times):
            self._times, self._view = times, _view(times)
        return Samples(labels=series.labels, times_ms=self._view, values=_view(values))


def _view(array: NDArray[Any]) -> Any:
    """Return the numbers as a sequence of the standard library, without a copy."""
    return np.ascontiguousarray(array).data

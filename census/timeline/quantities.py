"""Which samples answer each role of this engine, inside the window?

Method: the series of each part are cut to the half-open window, samples that are no number go, and what is
left is merged (merge.py), with one order of replicas for all parts of the engine (replicas.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

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
    found = [
        (f"{binding.role}/{place}", binding, part, samples)
        for binding in entry.roles
        for place, part in enumerate(binding.parts)
        if (samples := _samples([get(one) for one in part.series], window=window))
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


def _samples(series: Sequence[Series], *, window: Window) -> list[Samples]:
    cut = []
    for one in series:
        inside = (one.times_ms >= window.start_ms) & (one.times_ms < window.end_ms) & np.isfinite(one.values)
        if inside.any():
            times, values = one.times_ms[inside].tolist(), one.values[inside].tolist()
            cut.append(Samples(labels=one.labels, times_ms=times, values=values))
    return cut

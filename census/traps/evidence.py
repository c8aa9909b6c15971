"""What does a trap look at? The manifest, the intervals, the findings, and the raw samples on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.capture.manifest import EngineEntry, Manifest
from census.capture.series import Series
from census.model.findings import Findings
from census.model.settings import Settings
from census.model.window import rfc3339
from census.timeline.prefill import measure_prefill_tokens
from census.timeline.timeline import Timeline

FloatArray = NDArray[np.float64]

ReadSeries = Callable[[Sequence[int]], tuple[Series, ...]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """Everything that a trap may look at.

    Attributes
    ----------
    manifest, entry : the capture, and the engine of it that is judged.
    timeline, findings : what was made of its samples.
    read_series : raw samples by series id, as they were scraped.
    stats_page : the snapshot of the engine's own page, {"taken_ms", "page"}; None where it was not asked for.
    """

    manifest: Manifest
    entry: EngineEntry
    timeline: Timeline
    findings: Findings
    settings: Settings
    read_series: ReadSeries
    stats_page: Mapping[str, object] | None

    def increase(self, role: str) -> FloatArray:
        """Return the increase of a counter in each interval that is no gap, NaN where unknown."""
        return self.timeline.clean()[role].to_numpy(dtype=np.float64)

    def seconds(self) -> FloatArray:
        """Return the length of each interval that is no gap."""
        return self.timeline.clean()["seconds"].to_numpy(dtype=np.float64)

    def ends(self, role: str) -> tuple[FloatArray, FloatArray]:
        """Return a gauge at the start and at the end of each interval that is no gap."""
        clean = self.timeline.clean()
        return (
            clean[f"{role}:start"].to_numpy(dtype=np.float64),
            clean[f"{role}:end"].to_numpy(dtype=np.float64),
        )

    def raw(self, role: str) -> tuple[Series, ...]:
        """Return the preferred raw series of each part of a counter or gauge; empty where it is absent."""
        binding = self.entry.binding(role)
        if binding is None:
            return ()
        found = self.read_series([part.series[0] for part in binding.parts if part.component == "value"])
        return tuple(one for one in found if one.times_ms.size)

    def prefill_increase(self) -> FloatArray | None:
        """Return prefill tokens per clean interval, as the axis has them; None without a counter."""
        found = measure_prefill_tokens(self.timeline)
        return None if found is None else found.tokens


def fact_number(fact: Mapping[str, object], key: str) -> float:
    """Return a number that the timeline noted."""
    value = fact[key]
    if not isinstance(value, int | float):
        raise TypeError(f"{key} of {dict(fact)} is no number")
    return float(value)


def fact_time(fact: Mapping[str, object], key: str) -> str:
    """Return a moment that the timeline noted, as RFC 3339."""
    return rfc3339(int(fact_number(fact, key)))

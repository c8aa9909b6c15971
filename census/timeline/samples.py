"""What is one counter or gauge to the boot finder? Labels, times and values in plain lists.

Gates answer at once, so everything that they need (merge, boots, increases) runs on lists and the standard
library; arrays begin in intervals.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """Raw samples of one series: times rise strictly, values are finite."""

    labels: Mapping[str, str]
    times_ms: Sequence[int]
    values: Sequence[float]

    @property
    def name(self) -> str:
        """The metric name."""
        return self.labels.get("__name__", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """One counter of the process.

    Attributes
    ----------
    key : unique name of this counter among those judged together.
    family : metric that it belongs to; buckets and labelled series of one metric are one sibling, not many.
    """

    key: str
    family: str
    times_ms: Sequence[int]
    values: Sequence[float]


def inside(samples: Samples, *, start_ms: int, end_ms: int) -> Samples:
    """Return the finite samples inside the half-open window [start_ms, end_ms)."""
    kept = [
        (time, value)
        for time, value in zip(samples.times_ms, samples.values, strict=True)
        if start_ms <= time < end_ms and math.isfinite(value)
    ]
    return Samples(
        labels=samples.labels,
        times_ms=[time for time, _ in kept],
        values=[value for _, value in kept],
    )

"""How many observations fell in each bucket of a histogram, in each interval?

Method: each cumulative bucket is a counter of its own; labelled series of one edge are added. ``le`` is a
number, however it was written. An edge stands only if every boot that has the histogram has it, at nine of
ten scrapes, so that boots whose edges differ (an upgrade) meet on the edges that they share. A missing +Inf
bucket is the count. Buckets that do not add up (a smaller edge that counted more) are held at the running
maximum over the edges, and the intervals are counted.

When it misleads: after edges were merged the buckets are wide, and so are quantiles.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.timeline.intervals import Floats, Increases, add_increases
from census.timeline.timeline import HistogramIntervals

FULL_SHARE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistogramPart:
    """One component of a histogram: its edge, the labels of its group, what it counted."""

    component: str
    le: float | None
    group: tuple[tuple[str, str], ...]
    increases: Increases


def measure_histogram(
    parts: Sequence[HistogramPart], *, role: str, metric: str, clock: str
) -> tuple[HistogramIntervals, int] | str:
    """Return the histogram and the number of intervals that were clamped, or why there is none."""
    buckets = [part for part in parts if part.component == "bucket" and part.le is not None]
    counts = [part for part in parts if part.component == "count"]
    if not buckets:
        return f"{metric} has no buckets in the window"
    edges = _common_edges(buckets)
    by_edge = {edge: [part.increases for part in buckets if part.le == edge] for edge in edges}
    if math.inf not in by_edge:
        if not counts:
            return f"{metric} has neither a +Inf bucket nor a count, so its observations cannot be counted"
        by_edge[math.inf] = [part.increases for part in counts]
    cumulative = [add_increases(found) for found in by_edge.values()]
    intervals, clamped = _buckets(np.array([one.intervals for one in cumulative]).T)
    boot_counts, _ = _buckets(np.array([one.totals for one in cumulative]).T)
    sums = _sums([part.increases for part in parts if part.component == "sum"], like=cumulative[-1])
    histogram = HistogramIntervals(
        role=role,
        metric=metric,
        clock=clock,
        edges=np.array(list(by_edge)),
        counts=intervals,
        sums=sums.intervals,
        total_counts=np.nansum(boot_counts, axis=0),
        total_sum=float(np.nansum(sums.totals)) if np.isfinite(sums.totals).any() else math.nan,
        boot_counts=boot_counts,
        boot_sums=sums.totals,
    )
    return histogram, clamped


def _common_edges(buckets: Sequence[HistogramPart]) -> list[float]:
    """Return the edges that every group has in every boot in which it has any, rising."""
    edges = sorted({part.le for part in buckets if part.le is not None})
    missing: set[float] = set()
    for group in sorted({part.group for part in buckets}):
        samples = _samples_by_edge(buckets, group=group)
        boots = np.max(list(samples.values()), axis=0)
        missing |= {
            edge for edge in edges if edge not in samples or bool(np.any(samples[edge] < FULL_SHARE * boots))
        }
    return [edge for edge in edges if edge not in missing]


def _samples_by_edge(
    buckets: Sequence[HistogramPart], *, group: tuple[tuple[str, str], ...]
) -> Mapping[float, NDArray[np.int64]]:
    return {
        part.le: part.increases.samples for part in buckets if part.group == group and part.le is not None
    }


def _buckets(cumulative: Floats) -> tuple[Floats, int]:
    """Return counts per bucket from cumulative ones, shape (n, edges), and how many rows did not add up."""
    unknown = np.asarray(np.isnan(cumulative).any(axis=1))
    held: Floats = np.maximum.accumulate(np.where(unknown[:, None], 0.0, cumulative), axis=1)
    clamped = int(np.sum(np.any(held != cumulative, axis=1) & ~unknown))
    counts = np.diff(held, axis=1, prepend=0.0)
    counts[unknown] = np.nan
    return counts, clamped


def _sums(parts: Sequence[Increases], *, like: Increases) -> Increases:
    if parts:
        return add_increases(parts)
    return Increases(
        intervals=np.full_like(like.intervals, np.nan),
        totals=np.full_like(like.totals, np.nan),
        heads=np.full_like(like.heads, np.nan),
        exported=np.zeros_like(like.exported),
        samples=np.zeros_like(like.samples),
        pieces=(),
    )

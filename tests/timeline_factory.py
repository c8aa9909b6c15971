"""Timelines made by hand from arrays, for tests of findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from census.model.boot import Boot
from census.model.window import Window
from census.timeline.timeline import Facts, HistogramIntervals, Timeline

NO_FACTS = Facts(
    dips=(),
    bad_samples=(),
    resets=(),
    lone_resets=(),
    late_born=(),
    duplicates=(),
    stitched=(),
    clamped=(),
    unusable=(),
    hidden_resets="cannot be excluded",
)


def make_timeline(
    counters: Mapping[str, Sequence[float] | np.ndarray],
    *,
    gauges: Mapping[str, Sequence[float] | np.ndarray] | None = None,
    seconds: Sequence[float] | float = 15.0,
    boot: Sequence[int] | None = None,
    gap: Sequence[bool] | None = None,
    heads: Mapping[str, Sequence[float]] | None = None,
    histograms: Mapping[str, HistogramIntervals] | None = None,
    clocks: Mapping[str, str] | None = None,
    start_ms: int = 1_000_000,
) -> Timeline:
    """Return a timeline; gauges have one more value than there are intervals (values at the scrapes)."""
    gauges = gauges or {}
    sizes = {len(values) for values in counters.values()} | {len(values) - 1 for values in gauges.values()}
    assert len(sizes) == 1, sizes
    n = sizes.pop()
    lengths = np.full(n, seconds, dtype=float) if np.isscalar(seconds) else np.asarray(seconds, dtype=float)
    boots = np.zeros(n, dtype=int) if boot is None else np.asarray(boot)
    gaps = np.zeros(n, dtype=bool) if gap is None else np.asarray(gap, dtype=bool)
    between_boots = 20_000 * boots
    ends = start_ms + np.cumsum(np.round(lengths * 1000).astype(np.int64)) + between_boots
    starts = ends - np.round(lengths * 1000).astype(np.int64)
    frame = pd.DataFrame({"boot": boots, "start_ms": starts, "end_ms": ends, "seconds": lengths, "gap": gaps})
    for role, values in counters.items():
        frame[role] = np.asarray(values, dtype=float)
    for role, values in gauges.items():
        at = np.asarray(values, dtype=float)
        frame[f"{role}:start"], frame[f"{role}:end"] = at[:-1], at[1:]
    count = int(boots.max()) + 1 if n else 1
    head_frame = pd.DataFrame(
        {role: list((heads or {}).get(role, [0.0] * count)) for role in counters}, index=range(count)
    )
    totals = frame.groupby("boot")[list(counters)].sum(min_count=1).reindex(range(count)) + head_frame
    known = {**dict.fromkeys(counters, "step"), **dict.fromkeys(gauges, "step"), **(clocks or {})}
    return Timeline(
        window=Window(start_ms=int(starts[0]), end_ms=int(ends[-1]) + 1),
        boots=tuple(
            Boot(
                index=index,
                start_ms=int(starts[boots == index][0]),
                end_ms=int(ends[boots == index][-1]),
                first_ms=int(starts[boots == index][0]),
                start_seen=index > 0,
                evidence="planted",
            )
            for index in range(count)
        ),
        scrape_interval_s=float(np.median(lengths)),
        coverage=1.0,
        frame=frame,
        totals=totals,
        heads=head_frame,
        histograms=histograms or {},
        metrics={role: f"planted:{role}" for role in known},
        clocks=known,
        absent={},
        facts=NO_FACTS,
    )


def make_histogram(
    edges: Sequence[float],
    counts: Sequence[Sequence[float]],
    *,
    role: str = "ttft",
    clock: str = "request",
    sums: Sequence[float] | None = None,
) -> HistogramIntervals:
    """Return histogram increments; ``counts`` are per bucket (not cumulative), one row an interval."""
    table = np.asarray(counts, dtype=float)
    total = np.zeros(table.shape[0]) if sums is None else np.asarray(sums, dtype=float)
    return HistogramIntervals(
        role=role,
        metric=f"planted:{role}_seconds",
        clock=clock,
        edges=np.asarray(edges, dtype=float),
        counts=table,
        sums=total,
        total_counts=np.nansum(table, axis=0),
        total_sum=float(np.nansum(total)),
        boot_counts=np.nansum(table, axis=0)[None, :],
        boot_sums=np.array([np.nansum(total)]),
    )

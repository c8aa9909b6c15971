"""The mean time to first token can fall while more requests wait too long.

Why it fools: load brings many cheap requests with it. They pull the mean down, and the slow ones, more of
them every hour, vanish in it.

How it is found: stretches of ten minutes, the busiest third against the quietest: the mean falls, the slow
requests an hour rise.

What is done: the headline is shares and quantiles with their n; no mean of the time to first token is
printed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.model.caveat import Caveat
from census.timeline.timeline import HistogramIntervals
from census.traps.evidence import Evidence

ID = "trap/mean-ttft"

STRETCH_S = 600.0
FEWEST_REQUESTS = 100.0
FEWEST_SLOW = 10.0

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Load:
    mean_s: float
    slow_per_hour: float
    requests: float
    slow: float


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of a mean that falls while slow requests rise."""
    histogram = evidence.timeline.histograms.get("ttft")
    if histogram is None or not len(evidence.timeline.frame):
        return ()
    threshold = _threshold(histogram)
    if threshold is None:
        return ()
    thirds = _thirds(evidence, histogram, threshold)
    if thirds is None:
        return ()
    quiet, busy = thirds
    enough = min(quiet.requests, busy.requests) >= FEWEST_REQUESTS and busy.slow >= FEWEST_SLOW
    if not enough or busy.mean_s > 0.9 * quiet.mean_s or busy.slow_per_hour < 1.2 * quiet.slow_per_hour:
        return ()
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                f"the mean time to first token falls with load, {quiet.mean_s:.3g} to {busy.mean_s:.3g} "
                "s, while "
                f"requests over {threshold:g} s rise from {quiet.slow_per_hour:.3g} to "
                f"{busy.slow_per_hour:.3g} an hour"
            ),
            evidence={
                "mean_quiet_s": quiet.mean_s,
                "mean_busy_s": busy.mean_s,
                "threshold_s": threshold,
                "slow_per_hour_quiet": quiet.slow_per_hour,
                "slow_per_hour_busy": busy.slow_per_hour,
                "requests_quiet": quiet.requests,
                "requests_busy": busy.requests,
            },
            touches=("arrival_wait",),
        ),
    )


def _threshold(histogram: HistogramIntervals) -> float | None:
    """Return the highest finite edge that enough requests are above, None where none is."""
    above = histogram.total_counts.sum() - np.cumsum(histogram.total_counts)
    telling = [
        edge for edge, count in zip(histogram.edges[:-1], above[:-1], strict=True) if count >= 3 * FEWEST_SLOW
    ]
    return float(telling[-1]) if telling else None


def _thirds(
    evidence: Evidence, histogram: HistogramIntervals, threshold: float
) -> tuple[_Load, _Load] | None:
    """Return the quietest and the busiest third of the stretches, by requests a second."""
    clean = evidence.timeline.clean()
    rows = evidence.timeline.frame.index.get_indexer(clean.index)
    counts, sums, seconds = histogram.counts[rows], histogram.sums[rows], evidence.seconds()
    known = np.isfinite(sums) & np.isfinite(counts).all(axis=1)
    stretch = (clean["start_ms"].to_numpy()[known] // round(STRETCH_S * 1000)).astype(np.int64)
    if not stretch.size:
        return None
    stretch -= stretch[0]
    slow = counts[known][:, histogram.edges > threshold].sum(axis=1)
    columns = np.column_stack((seconds[known], counts[known].sum(axis=1), sums[known], slow))
    table: FloatArray = np.column_stack([np.bincount(stretch, weights=one) for one in columns.T]).astype(
        float
    )
    table = table[table[:, 0] >= STRETCH_S / 2]
    if len(table) < 9:
        return None
    table = table[np.argsort(table[:, 1] / table[:, 0], kind="stable")]
    third = len(table) // 3
    return _pool(table[:third]), _pool(table[-third:])


def _pool(table: FloatArray) -> _Load:
    seconds, requests, total, slow = (float(value) for value in table.sum(axis=0))
    return _Load(
        mean_s=total / requests if requests else 0.0,
        slow_per_hour=slow * 3600 / seconds,
        requests=requests,
        slow=slow,
    )

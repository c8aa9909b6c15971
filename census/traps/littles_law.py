"""Requests in the house = arrivals per second x time in the house; counters that break this law are wrong.

Why it fools: each of the three can be wrong alone (a gauge of another engine, a histogram of one front-end
among four, a counter of two replicas) and still look sane.

How it is found: the summed latencies that ended in the window, over its length, against the mean of running
+ waiting at the scrapes. Both are the mean number in the house; edges cost about one mean latency.

What is done: an alarm only: it says that one of them is wrong, not which.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from census.model.caveat import Caveat
from census.traps.evidence import Evidence

ID = "trap/littles-law"

FEWEST_REQUESTS = 100.0
LOWEST, HIGHEST = 0.6, 1.7


@dataclass(frozen=True, slots=True, kw_only=True)
class LittlesLaw:
    """The mean number of requests in the house, by gauge and by histogram."""

    by_gauge: float
    by_latency: float
    requests: float
    mean_latency_s: float

    @property
    def ratio(self) -> float:
        """By latency over by gauge."""
        return self.by_latency / self.by_gauge


def measure_littles_law(evidence: Evidence) -> LittlesLaw | None:
    """Return both means; None where a part is unknown, too few requests ended, or the window is too short."""
    timeline = evidence.timeline
    histogram = timeline.histograms.get("e2e")
    if histogram is None or not timeline.has("running") or not len(timeline.frame):
        return None
    rows = timeline.frame.index.get_indexer(timeline.clean().index)
    sums, counts = histogram.sums[rows], histogram.counts[rows].sum(axis=1)
    inside = _house(evidence)
    known = np.isfinite(sums) & np.isfinite(counts) & np.isfinite(inside)
    seconds = evidence.seconds()[known]
    requests = float(counts[known].sum())
    if requests < FEWEST_REQUESTS or not (inside[known] > 0).any():
        return None
    latency = float(sums[known].sum()) / requests
    if seconds.sum() < 20 * latency:
        return None
    return LittlesLaw(
        by_gauge=float(np.average(inside[known], weights=seconds)),
        by_latency=float(sums[known].sum() / seconds.sum()),
        requests=requests,
        mean_latency_s=latency,
    )


def _house(evidence: Evidence) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return running + waiting per clean interval, mean of both ends."""
    roles = [role for role in ("running", "waiting") if evidence.timeline.has(role)]
    ends = [evidence.ends(role) for role in roles]
    return np.asarray(sum((start + end) / 2 for start, end in ends))


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Sound the alarm where latency and gauges disagree."""
    law = measure_littles_law(evidence)
    if law is None or LOWEST <= law.ratio <= HIGHEST:
        return ()
    return (
        Caveat(
            id=ID,
            severity="warning",
            summary=(
                f"requests in the house are {law.by_gauge:.3g} by the gauges and {law.by_latency:.3g} by "
                "arrivals x "
                "latency: one of running, waiting and the latency histogram does not count what it says"
            ),
            evidence={
                "by_gauge": law.by_gauge,
                "by_latency": law.by_latency,
                "ratio": law.ratio,
                "requests": law.requests,
                "mean_latency_s": law.mean_latency_s,
            },
            touches=("arrival_wait", "decode_under_prefill"),
        ),
    )

"""How many preemptions, and did they come in bursts?

Method: increase of the counter, heads and gaps included; intervals with preemptions that lie close together
make one burst (from the start of its first interval to the end of its last); the most that surely fell into
any 120 s.

Misleads: the gauge of preempted requests reads 0 between bursts and cannot see them. A burst's span is
known to one scrape interval; a preemption inside a gap has no better time than the gap.
"""

from __future__ import annotations

import numpy as np

from census.model.estimate import Absent
from census.model.findings import Burst, Preemptions
from census.model.settings import Settings
from census.model.window import rfc3339
from census.stats.bursts import cluster_events, count_most_in_window
from census.timeline.timeline import Timeline

NEEDS = ("preemptions",)


def measure(timeline: Timeline, settings: Settings) -> Preemptions | Absent:
    """Return the total, the bursts of two or more, and the most in any window."""
    if not timeline.has("preemptions"):
        return Absent(timeline.why_absent("preemptions"))
    frame = timeline.frame
    starts, ends = frame["start_ms"].to_numpy(dtype=np.int64), frame["end_ms"].to_numpy(dtype=np.int64)
    counts = frame["preemptions"].to_numpy(dtype=np.float64)
    clusters = cluster_events(starts, ends, counts, gap_ms=round(settings.burst_gap_s * 1000))
    total = round(timeline.total("preemptions"))
    observed_s = float(frame["seconds"].sum())
    return Preemptions(
        total=total,
        bursts=tuple(
            Burst(
                start=rfc3339(cluster.start_ms),
                span_s=(cluster.end_ms - cluster.start_ms) / 1000,
                count=cluster.count,
            )
            for cluster in clusters
            if cluster.count > 1
        ),
        most_in_120_s=count_most_in_window(
            starts, ends, counts, window_ms=round(settings.burst_window_s * 1000)
        ),
        per_hour=total / observed_s * 3600 if observed_s > 0 else None,
    )

"""Does a step counter count steps, or the messages of several front-ends?

Method: a stream emits once a step, so the mean inter-token gap is the mean step interval, and counted steps
x mean gap is at most the wall clock, interval by interval. Where the median of (steps x gap / seconds) over
busy intervals is well above 1, each step was counted by several API servers.

Misleads where streams emit in part of the steps only: then gaps are longer than steps and the product is
above 1 with one front-end too, so a margin is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from census.timeline.timeline import Timeline

FEWEST_STEPS = 50.0
FEWEST_GAPS = 20.0
IMPOSSIBLE = 1.3


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCount:
    """Counted steps against those that the gaps leave room for, over the busy intervals.

    Attributes
    ----------
    intervals : busy intervals. per_step : median of counted steps x mean gap / seconds. counted : steps
        counted.
    room : steps that fit at the mean gap. mean_gap_s : mean inter-token gap.
    """

    intervals: int
    per_step: float
    counted: float
    room: float
    mean_gap_s: float

    @property
    def impossible(self) -> bool:
        """More steps were counted than the time holds."""
        return self.per_step > IMPOSSIBLE


def count_steps(timeline: Timeline) -> StepCount | None:
    """Return counted steps against the time; None where no live gaps or no step count tell."""
    gaps, iterations = (
        timeline.histograms.get(role) for role in ("inter_token_latency", "tokens_per_iteration")
    )
    if gaps is None or gaps.clock != "step" or timeline.has("step_seconds"):
        return None
    rows = timeline.frame.index.get_indexer(timeline.clean().index)
    steps: NDArray[np.float64]
    if iterations is not None:
        steps = iterations.counts[rows].sum(axis=1)
    elif timeline.has("steps"):
        steps = timeline.clean()["steps"].to_numpy(dtype=np.float64)
    else:
        return None
    seconds = timeline.clean()["seconds"].to_numpy(dtype=np.float64)
    count, total = gaps.counts[rows].sum(axis=1), gaps.sums[rows]
    busy = (steps >= FEWEST_STEPS) & (count >= FEWEST_GAPS) & (total > 0)
    if not busy.any():
        return None
    mean_gap = total[busy] / count[busy]
    return StepCount(
        intervals=int(busy.sum()),
        per_step=float(np.median(steps[busy] * mean_gap / seconds[busy])),
        counted=float(steps[busy].sum()),
        room=float((seconds[busy] / mean_gap).sum()),
        mean_gap_s=float(total[busy].sum() / count[busy].sum()),
    )


def refuse_front_end_steps(timeline: Timeline) -> Timeline:
    """Return the timeline without a step counter that counts more steps than the time holds."""
    seen = count_steps(timeline)
    if seen is None or not seen.impossible or not timeline.has("steps"):
        return timeline
    reason = (
        f"{timeline.metrics['steps']} counts {seen.counted:.0f} steps where {seen.room:.0f} fit at the "
        "inter-token "
        f"gap of {seen.mean_gap_s:.4g} s: several API servers count each step"
    )
    return replace(
        timeline,
        frame=timeline.frame.drop(columns="steps"),
        totals=timeline.totals.drop(columns="steps"),
        heads=timeline.heads.drop(columns="steps"),
        metrics={role: name for role, name in timeline.metrics.items() if role != "steps"},
        clocks={role: clock for role, clock in timeline.clocks.items() if role != "steps"},
        absent={**timeline.absent, "steps": reason},
    )

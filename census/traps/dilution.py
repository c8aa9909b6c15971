"""What does a mean over two or five minutes make of the chunk step?

Method: rate(step seconds) over rate(steps), exactly as PromQL computes them on the raw samples, at every
scrape; the highest and the median of it beside the two step classes that it mixes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from census.model.estimate import Estimate, Reading
from census.model.findings import StepPhases
from census.stats.naive import promql_increase
from census.traps.evidence import Evidence

RANGES_S = (120.0, 300.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dilution:
    """Means over one range: the highest, the median, and the classes that they mix; seconds a step."""

    range_s: float
    highest_s: float
    median_s: float
    all_steps_s: float
    chunk_s: float | None
    decode_s: float | None


def measure_dilution(evidence: Evidence) -> tuple[Dilution, ...]:
    """Return what each range makes of the steps; empty where step seconds are not counted."""
    steps, seconds = evidence.raw("steps"), evidence.raw("step_seconds")
    if len(steps) != 1 or len(seconds) != 1 or steps[0].times_ms.size < 2:
        return ()
    totals = evidence.timeline.totals
    if "steps" not in totals.columns or "step_seconds" not in totals.columns:
        return ()
    count = evidence.timeline.total("steps")
    found = []
    for range_s in RANGES_S:
        at, range_ms = steps[0].times_ms, round(range_s * 1000)
        done = promql_increase(steps[0].times_ms, steps[0].values, at_ms=at, range_ms=range_ms)
        spent = promql_increase(seconds[0].times_ms, seconds[0].values, at_ms=at, range_ms=range_ms)
        means = spent[done > 0] / done[done > 0]
        if means.size and count > 0:
            found.append(
                Dilution(
                    range_s=range_s,
                    highest_s=float(np.nanmax(means)),
                    median_s=float(np.nanmedian(means)),
                    all_steps_s=evidence.timeline.total("step_seconds") / count,
                    chunk_s=_mean_of(evidence, "chunk"),
                    decode_s=_mean_of(evidence, "decode"),
                )
            )
    return tuple(found)


def _mean_of(evidence: Evidence, name: str) -> float | None:
    phases = evidence.findings.step_phases
    if not isinstance(phases, StepPhases):
        return None
    reading: Reading = getattr(phases.classes, name).mean_s
    return reading.value if isinstance(reading, Estimate) else None

"""What does a mean over two or five minutes make of the chunk step?

Method: rate(step seconds) over rate(steps), exactly as PromQL computes them on the raw samples, at every
scrape: the highest, the median, and the mean of it weighted by the chunk steps in the range (what a
dashboard shows where a chunk step is), beside the two step classes that it mixes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.capture.series import Series
from census.model.estimate import Estimate, Reading
from census.model.findings import StepPhases
from census.stats.naive import promql_increase
from census.traps.evidence import Evidence

RANGES_S = (120.0, 300.0)

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dilution:
    """Means over one range, and the classes that they mix; seconds a step.

    Attributes
    ----------
    highest_s, median_s : of the mean over the range, at all scrapes.
    at_chunks_s : the same mean, weighted by the chunk steps in the range; None where these are not counted.
    all_steps_s : seconds over steps of the whole window. chunk_s, decode_s : the classes; None where unknown.
    """

    range_s: float
    highest_s: float
    median_s: float
    at_chunks_s: float | None
    all_steps_s: float
    chunk_s: float | None
    decode_s: float | None


def measure_dilution(evidence: Evidence) -> tuple[Dilution, ...]:
    """Return what each range makes of the steps; empty where step seconds are not counted."""
    totals = evidence.timeline.totals
    steps, seconds, decode = (_plain(evidence, role) for role in ("steps", "step_seconds", "decode_steps"))
    if steps is None or seconds is None or not {"steps", "step_seconds"} <= set(totals.columns):
        return ()
    count = evidence.timeline.total("steps")
    found = []
    for range_s in RANGES_S:
        done, spent = (_increase(one, steps.times_ms, range_s) for one in (steps, seconds))
        if not count > 0 or not (done > 0).any():
            continue
        means = np.divide(spent, done, out=np.full(done.shape, np.nan), where=done > 0)
        found.append(
            Dilution(
                range_s=range_s,
                highest_s=float(np.nanmax(means)),
                median_s=float(np.nanmedian(means)),
                at_chunks_s=(
                    None
                    if decode is None
                    else _at_chunks(means, done - _increase(decode, steps.times_ms, range_s))
                ),
                all_steps_s=evidence.timeline.total("step_seconds") / count,
                chunk_s=_mean_of(evidence, "chunk"),
                decode_s=_mean_of(evidence, "decode"),
            )
        )
    return tuple(found)


def _plain(evidence: Evidence, role: str) -> Series | None:
    """Return the raw counter; None where it is not one series of two samples at least."""
    raw = evidence.raw(role)
    return raw[0] if len(raw) == 1 and raw[0].times_ms.size > 1 else None


def _increase(one: Series, at_ms: NDArray[np.int64], range_s: float) -> FloatArray:
    return promql_increase(one.times_ms, one.values, at_ms=at_ms, range_ms=round(range_s * 1000))


def _at_chunks(means: FloatArray, chunks: FloatArray) -> float | None:
    """Return the mean of means weighted by chunk steps; None without chunks."""
    known = np.isfinite(means) & np.isfinite(chunks) & (chunks >= 0.5)
    return float(np.average(means[known], weights=chunks[known])) if known.any() else None


def _mean_of(evidence: Evidence, name: str) -> float | None:
    phases = evidence.findings.step_phases
    if not isinstance(phases, StepPhases):
        return None
    reading: Reading = getattr(phases.classes, name).mean_s
    return reading.value if isinstance(reading, Estimate) else None

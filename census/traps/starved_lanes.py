"""Lanes can starve with zero preemptions.

Why it fools: the preemption counter is taken for the measure of contention. But an older prompt that takes
the whole budget gives later decoders no row, and a full cache keeps requests waiting beside empty lanes;
neither preempts anyone.

How it is found: requests run at both ends of an interval, chunks run in it, and not one token is decoded; or
requests wait at both ends while fewer run than the engine was seen to run.

What is done: both are counted, beside the preemption counter that says 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from census.model.caveat import Caveat
from census.model.findings import Mechanism
from census.traps.evidence import Evidence

ID = "trap/starved-lanes"

Flags = NDArray[np.bool_]

FEWEST = 5
SHARE = 0.01
LASTING_S = 60.0


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of starved and of empty lanes that no preemption shows."""
    timeline = evidence.timeline
    if not timeline.has("running", "preemptions") or timeline.total("preemptions") > 0:
        return ()
    starved, working = _starved(evidence)
    empty = _lasting(_empty_beside_a_queue(evidence), evidence.seconds())
    seconds = evidence.seconds()
    if not any(int(flags.sum()) >= max(FEWEST, SHARE * working) for flags in (starved, empty)):
        return ()
    verdict = evidence.findings.mechanism
    told = isinstance(verdict, Mechanism) and verdict.verdict == "exclusive-prefill"
    return (
        Caveat(
            id=ID,
            severity="info" if told else "warning",
            summary=(
                f"lanes starve with zero preemptions: no token in {int(starved.sum())} interval(s) in "
                "which requests "
                f"ran and chunks were computed, and requests waited beside free lanes in {int(empty.sum())}"
            ),
            evidence={
                "preemptions": 0,
                "starved_intervals": int(starved.sum()),
                "starved_s": float(seconds[starved].sum()),
                "free_lane_intervals": int(empty.sum()),
                "free_lane_s": float(seconds[empty].sum()),
                "working_intervals": working,
            },
            touches=("mechanism", "decode_under_prefill", "arrival_wait"),
        ),
    )


def _lasting(flags: Flags, seconds: NDArray[np.float64]) -> Flags:
    """Return the flags of runs that last a minute at least; shorter waits are the scheduler at work."""
    run = np.concatenate(([0], np.cumsum(flags[1:] != flags[:-1]))) if flags.size else flags.astype(int)
    lengths = np.bincount(run, weights=seconds) if flags.size else seconds
    return flags & (lengths[run] >= LASTING_S)


def _starved(evidence: Evidence) -> tuple[Flags, int]:
    """Return the intervals without a token beside chunks and two running requests, and how many had work."""
    timeline = evidence.timeline
    start, end = evidence.ends("running")
    nowhere = np.zeros(start.shape, dtype=bool)
    working = int((np.minimum(start, end) >= 1).sum())
    prefill = evidence.prefill_increase()
    if prefill is None or not timeline.has("decode_tokens") or timeline.clocks["decode_tokens"] == "request":
        return nowhere, working
    return (np.minimum(start, end) >= 2) & (evidence.increase("decode_tokens") == 0) & (prefill > 0), working


def _empty_beside_a_queue(evidence: Evidence) -> Flags:
    """Return the intervals without prefill at whose ends requests wait although fewer run than ever ran."""
    start, end = evidence.ends("running")
    if not evidence.timeline.has("waiting"):
        return np.zeros(start.shape, dtype=bool)
    waiting_start, waiting_end = evidence.ends("waiting")
    most = np.nanmax(np.maximum(start, end), initial=0.0)
    prefill = evidence.prefill_increase()
    admits_nobody = np.full(start.shape, True) if prefill is None else prefill == 0
    return np.asarray(
        admits_nobody & (np.minimum(waiting_start, waiting_end) >= 1) & (np.maximum(start, end) < most)
    )

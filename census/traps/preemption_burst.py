"""Preemptions come in bursts that a gauge of waiting preempted requests cannot see.

Why it fools: the gauge is the depth at the moment of the scrape, and a preempted request is back within
seconds. 108 preemptions inside 105 s, and the gauge reads 0 at each of seven scrapes.

How it is found: increments of the counter close together, beside the gauge at the scrapes of the burst.

What is done: the counter alone is used; bursts are listed with start, length and count.
"""

from __future__ import annotations

import numpy as np

from census.model.caveat import Caveat
from census.model.findings import Burst, Preemptions
from census.model.window import parse_time
from census.traps.evidence import Evidence

ID = "trap/preemption-burst"

WORTH_TELLING = 10


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of the largest burst, and what the gauge read in it."""
    finding = evidence.findings.preemptions
    if not isinstance(finding, Preemptions) or not finding.bursts:
        return ()
    burst = max(finding.bursts, key=lambda one: one.count)
    if burst.count < WORTH_TELLING:
        return ()
    readings = _gauge_in(evidence, burst)
    blind = None if readings is None else int((readings == 0).sum())
    told = (
        ""
        if readings is None
        else f"; the gauge reads 0 at {blind} of its {readings.size} scrapes, so it cannot see bursts"
    )
    return (
        Caveat(
            id=ID,
            severity="warning" if blind else "info",
            summary=(
                f"{burst.count} of {finding.total} preemptions came inside {burst.span_s:.0f} s from "
                f"{burst.start}{told}"
            ),
            evidence={
                "burst": burst.count,
                "total": finding.total,
                "span_s": burst.span_s,
                "start": burst.start,
                "gauge_scrapes": None if readings is None else int(readings.size),
                "gauge_reads_zero": blind,
                "gauge_highest": None if readings is None or not readings.size else float(readings.max()),
            },
            touches=("preemptions",),
        ),
    )


def _gauge_in(evidence: Evidence, burst: Burst) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    """Return the gauge at the scrapes of the burst; None where it is not exported."""
    if not evidence.timeline.has("preempted_now"):
        return None
    frame = evidence.timeline.frame
    start = parse_time(burst.start)
    ends = frame["end_ms"].to_numpy()
    inside = (ends > start) & (ends <= start + round(burst.span_s * 1000) + 1)
    return np.asarray(frame["preempted_now:end"].to_numpy(dtype=np.float64)[inside])

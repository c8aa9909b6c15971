"""Where no scrape came, nobody knows when the work was done.

Why it fools: a graph repeats the last sample for five minutes and then jumps: 3900 steps after a gap of 315
s look like a burst inside one step of the graph. An average over the gap is right in total, and wrong for
every minute of it.

How it is found: an interval longer than 2.5 x the local median spacing.

What is done: what was counted over the gap stands in the totals; the interval enters no bucket, rate or lag.
"""

from __future__ import annotations

import numpy as np

from census.model.caveat import Caveat
from census.model.window import rfc3339
from census.traps.evidence import Evidence

ID = "trap/scrape-gap"

LOOKBACK_S = 300.0


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of gaps, with what a graph would have invented."""
    frame = evidence.timeline.frame
    gaps = frame.loc[frame["gap"]]
    if gaps.empty:
        return ()
    lengths = gaps["seconds"].to_numpy(dtype=np.float64)
    longest = gaps.iloc[int(np.argmax(lengths))]
    role = next((one for one in ("decode_tokens", "steps") if one in frame.columns), None)
    counted = None if role is None else float(np.nansum(gaps[role].to_numpy(dtype=np.float64)))
    told = (
        ""
        if counted is None
        else f"; {counted:.0f} {role} were counted over them, in totals and in no bucket"
    )
    return (
        Caveat(
            id=ID,
            severity="warning" if evidence.timeline.coverage < 0.9 else "info",
            summary=(
                f"{len(gaps)} gap(s) without scrapes, {lengths.sum():.0f} s in all, the longest "
                f"{lengths.max():.0f} s "
                f"from {rfc3339(int(longest['start_ms']))}{told}"
            ),
            evidence={
                "gaps": len(gaps),
                "seconds": float(lengths.sum()),
                "longest_s": float(lengths.max()),
                "longest_from": rfc3339(int(longest["start_ms"])),
                "counted_over_gaps": counted,
                "invented_by_lookback_s": float(np.minimum(lengths, LOOKBACK_S).sum()),
                "coverage": evidence.timeline.coverage,
            },
            touches=("decode_under_prefill", "lag_structure"),
        ),
    )

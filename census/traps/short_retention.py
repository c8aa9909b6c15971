"""A window longer than the server remembers is shorter than it was asked to be.

Why it fools: "48 hours" stands at the head, and the first 30 are simply not there.

How it is found: the first sample comes long after the start of the window.

What is done: coverage is measured over the window asked for, and the real start is named.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.model.window import rfc3339
from census.traps.evidence import Evidence

ID = "trap/short-retention"

WORTH_TELLING = 0.05


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of a window whose beginning or end has no samples."""
    timeline, window = evidence.timeline, evidence.timeline.window
    if not timeline.boots:
        return ()
    first, last = timeline.boots[0].first_ms, timeline.boots[-1].end_ms
    before, after = (first - window.start_ms) / 1000.0, (window.end_ms - last) / 1000.0
    least = max(WORTH_TELLING * window.seconds, 2.5 * timeline.scrape_interval_s)
    if max(before, after) < least:
        return ()
    return (
        Caveat(
            id=ID,
            severity="warning",
            summary=(
                f"{window.seconds / 3600:.3g} h were asked for, samples are there from {rfc3339(first)} to "
                f"{rfc3339(last)}, {(last - first) / 3.6e6:.3g} h"
            ),
            evidence={
                "asked_s": window.seconds,
                "seen_s": (last - first) / 1000.0,
                "missing_before_s": before,
                "missing_after_s": after,
                "first": rfc3339(first),
                "last": rfc3339(last),
            },
            touches=("fitness",),
        ),
    )

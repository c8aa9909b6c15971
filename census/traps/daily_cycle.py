"""A common daily cycle moves unrelated series together.

Why it fools: traffic comes by day, and so does everything that follows it. Prefill and decode correlate over
48 h although neither acts on the other within the hour.

How it is found: the correlation of the raw rates beside that of the rates less their running median (over
the span that the lag test uses).

What is done: the lag test removes the drift, and both tables stand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from census.model.caveat import Caveat
from census.stats.detrend import subtract_running_median
from census.stats.lag_pairs import Intervals
from census.traps.evidence import Evidence

ID = "trap/daily-cycle"

WORTH_TELLING = 0.3
FEWEST_INTERVALS = 500
SHORTEST_S = 6 * 3600.0

FloatArray = NDArray[np.float64]


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of a correlation that the drift alone makes."""
    prefill = evidence.prefill_increase()
    clean = evidence.timeline.clean()
    if prefill is None or not evidence.timeline.has("decode_tokens") or len(clean) < FEWEST_INTERVALS:
        return ()
    seconds = evidence.seconds()
    x, y = prefill / seconds, evidence.increase("decode_tokens") / seconds
    starts, ends = clean["start_ms"].to_numpy() / 1000.0, clean["end_ms"].to_numpy() / 1000.0
    if ends[-1] - starts[0] < SHORTEST_S:
        return ()
    breaks = np.concatenate(([0], (starts[1:] != ends[:-1]).cumsum()))
    intervals = Intervals(start_s=starts, end_s=ends, segment=breaks.astype(np.int64))
    window = evidence.settings.detrend_factor * evidence.settings.max_lag_s
    raw = _correlation(x, y)
    left = _correlation(
        subtract_running_median(x, intervals, window_s=window),
        subtract_running_median(y, intervals, window_s=window),
    )
    if raw is None or left is None or abs(raw) < WORTH_TELLING or abs(left) > 0.5 * abs(raw):
        return ()
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                f"prefill and visible decode correlate {raw:+.2f} over the window and {left:+.2f} once "
                "the slow drift "
                "is off: they follow the same traffic, and that says nothing of one acting on the other"
            ),
            evidence={"naive_r": raw, "r_without_drift": left, "drift_window_s": window},
            touches=("lag_structure", "mechanism"),
        ),
    )


def _correlation(left: FloatArray, right: FloatArray) -> float | None:
    known = np.isfinite(left) & np.isfinite(right)
    x, y = left[known], right[known]
    if x.size < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])

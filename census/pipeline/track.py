"""What the timeline figure draws: the whole window, thinned without hiding an extreme."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from census.findings.interval_rates import IntervalRates
from census.model.track import Track, TrackEvent, TrackGap, TrackLine
from census.model.window import Window
from census.pipeline.stretches import mean_stretches
from census.stats.thin import thin_extremes
from census.timeline.timeline import Timeline

RUNS = 400

Floats = NDArray[np.float64]


def draw_track(timeline: Timeline, rates: IntervalRates | None) -> Track:
    """Return the thinned lines, the preemptions and the gaps of a timeline."""
    frame = timeline.frame
    clean = timeline.clean()
    return Track(
        intervals=len(frame),
        prefill_tok_s=_rate_line(rates, "prefill_tok_s", window=timeline.window),
        per_stream_tok_s=_rate_line(rates, "per_stream_tok_s", window=timeline.window),
        visible_tok_s=_rate_line(rates, "visible_tok_s", window=timeline.window),
        running=_gauge_line(clean, "running", window=timeline.window),
        waiting=_gauge_line(clean, "waiting", window=timeline.window),
        preemptions=_events(clean),
        gaps=_gaps(frame),
    )


def _rate_line(rates: IntervalRates | None, column: str, *, window: Window) -> TrackLine | None:
    if rates is None:
        return None
    return _line(rates.frame, rates.frame[column].to_numpy(dtype=np.float64), window=window, unit="tok/s")


def _gauge_line(clean: pd.DataFrame, role: str, *, window: Window) -> TrackLine | None:
    column = f"{role}:end"
    if column not in clean.columns:
        return None
    return _line(clean, clean[column].to_numpy(dtype=np.float64), window=window, unit="requests")


def _line(intervals: pd.DataFrame, values: Floats, *, window: Window, unit: str) -> TrackLine | None:
    """Return a line through the ends of the intervals, broken where two of them do not adjoin."""
    if not np.isfinite(values).any():
        return None
    starts = intervals["start_ms"].to_numpy(dtype=np.int64)
    ends = intervals["end_ms"].to_numpy(dtype=np.int64)
    breaks = np.flatnonzero(starts[1:] > ends[:-1]) + 1
    times = np.insert(ends, breaks, starts[breaks])
    heights = np.insert(values, breaks, np.nan)
    kept = thin_extremes(heights, runs=RUNS)
    return TrackLine(
        times_ms=tuple(times[kept].tolist()),
        values=tuple(float(one) if np.isfinite(one) else None for one in heights[kept]),
        unit=unit,
        means=mean_stretches(intervals, values, window=window),
    )


def _events(clean: pd.DataFrame) -> tuple[TrackEvent, ...]:
    if "preemptions" not in clean.columns:
        return ()
    counts = clean["preemptions"].to_numpy(dtype=np.float64)
    ends = clean["end_ms"].to_numpy(dtype=np.int64)
    at = np.flatnonzero(counts > 0)
    return tuple(TrackEvent(time_ms=int(ends[one]), count=round(float(counts[one]))) for one in at)


def _gaps(frame: pd.DataFrame) -> tuple[TrackGap, ...]:
    """Return the gaps inside boots and the times between two boots."""
    starts, ends = frame["start_ms"].to_numpy(dtype=np.int64), frame["end_ms"].to_numpy(dtype=np.int64)
    spans = [(int(starts[one]), int(ends[one])) for one in np.flatnonzero(frame["gap"].to_numpy(dtype=bool))]
    spans += [(int(ends[one]), int(starts[one + 1])) for one in np.flatnonzero(starts[1:] > ends[:-1])]
    return tuple(TrackGap(start_ms=start, end_ms=end) for start, end in sorted(spans))

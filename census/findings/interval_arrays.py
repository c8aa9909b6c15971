"""What did prefill, decode and the steps do, interval by interval, as arrays on one clock?

Method: the clean intervals' rates and step counters side by side. Beside the plain prefill rate (tokens over
wall clock) stands the prefill rate that streams *met*: tokens per second of chunk steps, times the share of
stream time that passed in chunk steps (in mixed ones, or stalled by prefill-only ones). A stream's rate is
linear in it, k/D (1 - (C - D) met / c), which it is not in the plain rate.

Misleads: on an engine without step counters ``met`` is the plain rate, and the relation is looser.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from census.findings.interval_rates import STEP_ROLES, IntervalRates
from census.stats.lag_pairs import Intervals
from census.timeline.timeline import Timeline

NEEDS = ("prefill_tokens", "decode_tokens", *STEP_ROLES, "running", "waiting", "preemptions")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IntervalArrays:
    """One value a clean interval, NaN where unknown.

    Attributes
    ----------
    intervals : their times and segments. boot : of each.
    spacing_s : the spacing that lags are counted in: nearly all intervals are no longer.
    prefill_tok_s, met_tok_s : over wall clock; as the streams met it.
    stream_tok_s, visible_tok_s : decode rates.
    rows_per_step : decode rows in a step that has any (running requests where there are no step counters).
    rows_per_decode_step : of decode-only steps alone, as far as that can be told.
    row_seconds : seconds of steps with rows, stalls that are counted included: the weight of an interval.
    has_steps : the step counters exist; without them the arrays below are NaN.
    decode_steps, decode_seconds, mixed_steps, prefill_steps, chunk_seconds : of the interval.
    stalls_counted : prefill-only steps stall the decoders.
    """

    intervals: Intervals
    boot: NDArray[np.int64]
    spacing_s: float
    prefill_tok_s: Floats
    met_tok_s: Floats
    stream_tok_s: Floats
    visible_tok_s: Floats
    rows_per_step: Floats
    rows_per_decode_step: Floats
    row_seconds: Floats
    has_steps: bool
    decode_steps: Floats
    decode_seconds: Floats
    mixed_steps: Floats
    prefill_steps: Floats
    chunk_seconds: Floats
    stalls_counted: bool

    @property
    def loaded(self) -> NDArray[np.bool_]:
        """Intervals with decode work during which prefill moved."""
        return (self.prefill_tok_s > 0) & np.isfinite(self.stream_tok_s)


def read_arrays(timeline: Timeline, rates: IntervalRates) -> IntervalArrays:
    """Return the arrays of the clean intervals."""
    frame, clean = rates.frame, timeline.clean()
    intervals = Intervals(
        start_s=_column(frame, "start_ms") / 1000.0,
        end_s=_column(frame, "end_ms") / 1000.0,
        segment=frame["segment"].to_numpy(dtype=np.int64),
    )
    has_steps = timeline.has(*STEP_ROLES)
    unknown = np.full(intervals.size, np.nan)
    steps = {role: _column(clean, role) if has_steps else unknown for role in STEP_ROLES}
    chunk_seconds = np.maximum(steps["step_seconds"] - steps["decode_seconds"], 0.0)
    counted = rates.stalls == "counted"
    prefill = _column(frame, "prefill_tok_s")
    stream_seconds = _column(frame, "stream_seconds")
    if has_steps:
        stalled = (_column(frame, "per_stream_tok_s") == 0) & (stream_seconds > 0)
        rows_per_step = np.where(stalled, stream_seconds / intervals.seconds, _column(frame, "rows_per_step"))
        row_seconds = _divide(stream_seconds, rows_per_step)
        in_chunks = np.nan_to_num(_column(frame, "chunk_stream_seconds"))
        met = prefill * intervals.seconds * _divide(in_chunks, stream_seconds * chunk_seconds, empty=0.0)
    else:
        rows_per_step = _mean_gauge(clean, "running") if timeline.has("running") else unknown
        row_seconds = np.minimum(stream_seconds, intervals.seconds)
        met = prefill
    return IntervalArrays(
        intervals=intervals,
        boot=frame["boot"].to_numpy(dtype=np.int64),
        spacing_s=float(np.quantile(intervals.seconds, 0.95)) if intervals.size else 0.0,
        prefill_tok_s=prefill,
        met_tok_s=met,
        stream_tok_s=np.where(
            frame["decode_work"].to_numpy(dtype=bool), _column(frame, "per_stream_tok_s"), np.nan
        ),
        visible_tok_s=_column(frame, "visible_tok_s"),
        rows_per_step=rows_per_step,
        rows_per_decode_step=_column(frame, "rows_per_decode_step"),
        row_seconds=np.nan_to_num(row_seconds),
        has_steps=has_steps,
        decode_steps=steps["decode_steps"],
        decode_seconds=steps["decode_seconds"],
        mixed_steps=steps["mixed_steps"],
        prefill_steps=steps["prefill_steps"],
        chunk_seconds=chunk_seconds,
        stalls_counted=counted,
    )


def _mean_gauge(clean: pd.DataFrame, role: str) -> Floats:
    return (_column(clean, f"{role}:start") + _column(clean, f"{role}:end")) / 2


def _column(frame: pd.DataFrame, name: str) -> Floats:
    return frame[name].to_numpy(dtype=np.float64)


def _divide(top: Floats, bottom: Floats, *, empty: float = np.nan) -> Floats:
    quotient: Floats = np.divide(top, bottom, out=np.full(top.shape, empty), where=bottom > 0)
    return quotient

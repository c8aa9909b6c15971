"""How fast did decode go in each interval: for the harness (visible), and for one stream while it decodes?

Method: visible = decode tokens over wall clock. Per stream comes, in this order, from a live inter-token
histogram (tokens over summed gaps), from rows (tokens over rows times the seconds of the steps that had
them), from running where it is equal at both ends. Seconds of chunk steps are shared between mixed and
prefill-only by count, inside each interval. Prefill-only steps are stalls of waiting decoders, nobody's
time, or undecided (``stalls``).

Misleads: with many sessions the visible rate rises with load while each stream starves; use per stream. A
request's first token is in no counter of decode tokens on radiance. An interval whose steps were booked in
its neighbour has decode work and no rate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from census.findings.prefill_axis import measure_prefill
from census.findings.row_rates import rates_from_rows
from census.findings.stalls import Stalls, judge_stalls
from census.findings.stream_rates import (
    StreamRates,
    rates_from_emissions,
    rates_from_running,
    ratio_or_nan,
)
from census.model.estimate import Absent
from census.model.settings import Settings
from census.timeline.timeline import Timeline

NEEDS = ("prefill_tokens", "decode_tokens")

STEP_ROLES = ("decode_steps", "mixed_steps", "prefill_steps", "step_seconds", "decode_seconds")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IntervalRates:
    """Rates of every clean interval.

    Attributes
    ----------
    frame : one row a clean interval (index as ``timeline.clean()``). Columns: boot, start_ms, end_ms,
        seconds; segment (id of the gap-free run); prefill_tok_s; visible_tok_s; per_stream_tok_s (NaN where
        no decode work or unknown), per_stream_low, per_stream_high (equal to it where stalls are decided);
        stream_seconds; decode_work; rows (decode tokens less accepted drafts); tokens_per_row;
        rows_per_step (of all steps with rows); rows_per_decode_step (of decode-only steps: what their cost
        depends on); chunk_stream_seconds (the part of stream_seconds inside chunk steps, stalls included
        where counted); decode_step_s; chunk_share. NaN where the counters do not tell.
    source : where per stream comes from, in words. prefill_axis : what prefill_tok_s counts, in words.
    stalls : what became of prefill-only steps. chunk_mean_s : pooled seconds a chunk step, None where none.
    """

    frame: pd.DataFrame
    source: str
    prefill_axis: str
    stalls: Stalls
    chunk_mean_s: float | None


def measure_rates(timeline: Timeline, settings: Settings) -> IntervalRates | Absent:
    """Return the rates of every clean interval, or why there are none."""
    axis = measure_prefill(timeline)
    if isinstance(axis, Absent):
        return axis
    if not timeline.has("decode_tokens"):
        return Absent(timeline.why_absent("decode_tokens"))
    if timeline.clocks.get("decode_tokens") == "request":
        return Absent(
            f"{timeline.metrics.get('decode_tokens', 'decode_tokens')} moves when a request ends, "
            "so it gives no rate between scrapes"
        )
    clean = timeline.clean()
    if clean.empty:
        return Absent("no two successive scrapes of one boot lie in the window")
    streams = _stream_rates(timeline, axis.tokens, settings)
    seconds = _column(clean, "seconds")
    tokens = _column(clean, "decode_tokens")
    steps = _step_columns(timeline, tokens)
    frame = pd.DataFrame(
        {
            "boot": clean["boot"],
            "start_ms": clean["start_ms"],
            "end_ms": clean["end_ms"],
            "seconds": seconds,
            "segment": number_segments(clean),
            "prefill_tok_s": axis.tokens / seconds,
            "visible_tok_s": tokens / seconds,
            "per_stream_tok_s": streams.rate,
            "per_stream_low": streams.low,
            "per_stream_high": streams.high,
            "stream_seconds": streams.stream_seconds,
            "decode_work": streams.decode_work,
            "rows_per_decode_step": streams.rows_per_decode_step,
            "chunk_stream_seconds": streams.chunk_stream_seconds,
            **steps.columns,
        },
        index=clean.index,
    )
    return IntervalRates(
        frame=frame,
        source=streams.source,
        prefill_axis=axis.text,
        stalls=streams.stalls,
        chunk_mean_s=steps.chunk_mean_s,
    )


def number_segments(intervals: pd.DataFrame) -> NDArray[np.int64]:
    """Return the id of the gap-free run of each interval: adjoining intervals of one boot share it."""
    boots = intervals["boot"].to_numpy()
    starts, ends = intervals["start_ms"].to_numpy(), intervals["end_ms"].to_numpy()
    breaks = np.ones(len(intervals), dtype=np.int64)
    breaks[1:] = (boots[1:] != boots[:-1]) | (starts[1:] != ends[:-1])
    return np.cumsum(breaks) - 1


def _stream_rates(timeline: Timeline, prefill_tokens: Floats, settings: Settings) -> StreamRates:
    """Take the best source that this engine has."""
    live = timeline.histograms.get("inter_token_latency")
    if live is not None and live.clock == "step":
        return rates_from_emissions(timeline, live, prefill_tokens)
    if timeline.has(*STEP_ROLES):
        return rates_from_rows(timeline, judge_stalls(timeline, settings), prefill_tokens)
    return rates_from_running(timeline, prefill_tokens)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Steps:
    columns: dict[str, Floats]
    chunk_mean_s: float | None


def _step_columns(timeline: Timeline, tokens: Floats) -> _Steps:
    """Return what step counters add; NaN columns where the engine has none."""
    clean = timeline.clean()
    unknown = np.full(len(clean), np.nan)
    rows = tokens - accepted_tokens(timeline)
    per_row = ratio_or_nan(tokens, rows)
    if not timeline.has(*STEP_ROLES):
        names = ("rows_per_step", "decode_step_s", "chunk_share")
        return _Steps(
            columns={"rows": rows, "tokens_per_row": per_row, **dict.fromkeys(names, unknown)},
            chunk_mean_s=None,
        )
    decode_steps, decode_seconds = _column(clean, "decode_steps"), _column(clean, "decode_seconds")
    mixed, prefill = _column(clean, "mixed_steps"), _column(clean, "prefill_steps")
    step_seconds = _column(clean, "step_seconds")
    chunk_seconds = np.maximum(step_seconds - decode_seconds, 0.0)
    known = np.isfinite(chunk_seconds + mixed + prefill)
    chunk_steps = float((mixed + prefill)[known].sum())
    return _Steps(
        columns={
            "rows": rows,
            "tokens_per_row": per_row,
            "rows_per_step": ratio_or_nan(rows, decode_steps + mixed),
            "decode_step_s": ratio_or_nan(decode_seconds, decode_steps),
            "chunk_share": ratio_or_nan(chunk_seconds, step_seconds),
        },
        chunk_mean_s=float(chunk_seconds[known].sum()) / chunk_steps if chunk_steps > 0 else None,
    )


def accepted_tokens(timeline: Timeline) -> Floats:
    """Return accepted draft tokens per clean interval; an engine that drafts nothing accepted none."""
    clean = timeline.clean()
    if not timeline.has("draft_accepted"):
        return np.zeros(len(clean))
    return _column(clean, "draft_accepted")


def _column(frame: pd.DataFrame, name: str) -> Floats:
    return frame[name].to_numpy(dtype=np.float64)

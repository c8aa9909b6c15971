"""What did one stream get while it decoded, told from the rows of steps?

Method: every stream in a step has one row, so stream seconds = rows x seconds of the steps that had them,
class by class: decode-only steps with their rows, mixed steps with theirs (``chunk_company``), and, where
prefill-only steps are stalls, the decoders that wait them out. The rate is tokens over stream seconds.

Misleads: time between steps is nobody's here, so rates read high by that share (half a percent on a busy
server).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.findings.chunk_company import StepTimes, rows_in_mixed_steps, waiting_decoders
from census.findings.stalls import StallEvidence
from census.findings.stream_rates import StreamRates, count_decoders, ratio_or_nan
from census.timeline.timeline import Timeline

NEEDS = ("decode_steps", "mixed_steps", "prefill_steps", "step_seconds", "decode_seconds", "decode_tokens")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _StreamTime:
    """Stream seconds by class of steps, shape (n,), and the rows of a decode-only step."""

    decode_rows: Floats
    decode: Floats
    mixed: Floats
    stalled: Floats
    chunk_seconds: Floats

    @property
    def free(self) -> Floats:
        """Without prefill-only steps."""
        return self.decode + self.mixed


def rates_from_rows(timeline: Timeline, evidence: StallEvidence, prefill_tokens: Floats) -> StreamRates:
    """Return tokens over stream seconds, with stalls as the evidence says."""
    clean = timeline.clean()
    tokens, seconds = _column(timeline, "decode_tokens"), _column(timeline, "seconds")
    counted = evidence.stalls == "counted"
    time = _stream_time(timeline, counted=counted)
    chunk_steps = _column(timeline, "mixed_steps") + _column(timeline, "prefill_steps")
    chunked = (chunk_steps > 0) | (prefill_tokens > 0)
    silent_decoders = count_decoders(timeline, chunked).at_both_ends
    silent = (tokens == 0) & (silent_decoders >= 1)
    stalled = silent if counted else silent & ~chunked
    free, held_up = ratio_or_nan(tokens, time.free), ratio_or_nan(tokens, time.free + time.stalled)
    rate = np.where(stalled, 0.0, held_up if counted else free)
    low = np.where(silent, 0.0, held_up) if evidence.stalls == "both bounds" else rate
    in_chunks = time.mixed + time.stalled if counted else time.mixed
    moved = tokens > 0
    drafts = "" if timeline.has("draft_accepted") else "; no draft counter, so one token a row"
    return StreamRates(
        rate=rate,
        low=low,
        high=rate,
        stream_seconds=np.where(
            stalled, silent_decoders * seconds, np.where(moved, time.decode + in_chunks, np.zeros(len(clean)))
        ),
        decode_work=moved | stalled,
        rows_per_decode_step=time.decode_rows,
        chunk_stream_seconds=np.where(
            stalled, silent_decoders * time.chunk_seconds, np.where(moved, in_chunks, 0.0)
        ),
        source=f"rows: tokens over rows times the seconds of the steps that had them{drafts}",
        stalls=evidence.stalls,
    )


def _stream_time(timeline: Timeline, *, counted: bool) -> _StreamTime:
    """Divide the time of streams over the classes of steps."""
    times = _step_times(timeline)
    beside = rows_in_mixed_steps(times)
    decode_rows = ratio_or_nan(np.maximum(times.rows - beside * times.mixed_steps, 0.0), times.decode_steps)
    waiting = waiting_decoders(times, decode_rows) if counted else np.nan_to_num(decode_rows)
    return _StreamTime(
        decode_rows=decode_rows,
        decode=np.where(times.decode_steps > 0, decode_rows * times.decode_seconds, 0.0),
        mixed=beside * times.mixed_seconds,
        stalled=waiting * (times.chunk_seconds - times.mixed_seconds),
        chunk_seconds=times.chunk_seconds,
    )


def _step_times(timeline: Timeline) -> StepTimes:
    """Return what each clean interval spent, by class of steps."""
    tokens, decode_steps, decode_seconds, mixed, prefill = (
        _column(timeline, role)
        for role in ("decode_tokens", "decode_steps", "decode_seconds", "mixed_steps", "prefill_steps")
    )
    chunk_seconds = np.maximum(_column(timeline, "step_seconds") - decode_seconds, 0.0)
    running = count_decoders(timeline, np.zeros(tokens.size, dtype=bool))
    held = (
        np.nan_to_num(_column(timeline, "held_steps"))
        if timeline.has("held_steps")
        else np.zeros(tokens.size)
    )
    return StepTimes(
        seconds=_column(timeline, "seconds"),
        rows=tokens - _column(timeline, "draft_accepted") if timeline.has("draft_accepted") else tokens,
        decode_steps=decode_steps,
        decode_seconds=decode_seconds,
        mixed_steps=mixed,
        mixed_seconds=chunk_seconds * _mixed_share(mixed, prefill),
        chunk_seconds=chunk_seconds,
        held_seconds=held * np.nan_to_num(ratio_or_nan(decode_seconds, decode_steps)),
        running_start=running.start,
        running_end=running.end,
    )


def _column(timeline: Timeline, name: str) -> Floats:
    return timeline.clean()[name].to_numpy(dtype=np.float64)


def _mixed_share(mixed: Floats, prefill: Floats) -> Floats:
    """Return mixed / chunk steps per interval; where no chunk step was booked, that of all intervals."""
    known = np.isfinite(mixed + prefill)
    chunks = float((mixed + prefill)[known].sum())
    pooled = float(mixed[known].sum()) / chunks if chunks > 0 else 0.0
    share = ratio_or_nan(mixed, mixed + prefill)
    return np.where(mixed + prefill == 0, pooled, share)

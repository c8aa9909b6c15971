"""What did one stream get while it decoded, by each of three ways?

Method (n = clean intervals; tokens, rows, steps, seconds are increases of one interval):

- emissions: tokens over the summed gaps of a live inter-token histogram. A gap is one emission, which
  carries several tokens under speculation, so the count is not used; first tokens, where the counter holds
  them, are taken off.
- rows: every stream in a step has one row, so stream seconds = rows x mean seconds of the steps that had
  rows, plus the seconds that waiting decoders lost to prefill-only steps where those are stalls.
- running: tokens over (running x seconds), where running is equal at both ends; a prompt still in prefill
  is no stream, so while prefill moved one less is the value, and running itself the lower bound.

An interval without tokens is a stall, rate 0, where decoders ran at both ends; a lone prompt in prefill is
none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.findings.stalls import StallEvidence, Stalls
from census.timeline.timeline import HistogramIntervals, Timeline

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StreamRates:
    """Per-stream rates of the clean intervals, tokens per second (float64, shape (n,)), NaN where unknown."""

    rate: Floats
    low: Floats
    high: Floats
    stream_seconds: Floats
    decode_work: NDArray[np.bool_]
    source: str
    stalls: Stalls


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Decoders:
    """Requests that decode, at the start and end of each interval; NaN where running is unknown."""

    start: Floats
    end: Floats

    @property
    def at_both_ends(self) -> Floats:
        return np.minimum(self.start, self.end)


def _count_decoders(timeline: Timeline, prefilling: NDArray[np.bool_]) -> _Decoders:
    """Running requests, less the one that must be in prefill where prefill moved."""
    clean = timeline.clean()
    if not timeline.has("running"):
        unknown = np.full(len(clean), np.nan)
        return _Decoders(start=unknown, end=unknown)
    less = prefilling.astype(np.float64)
    start, end = (clean[f"running:{edge}"].to_numpy(dtype=np.float64) for edge in ("start", "end"))
    return _Decoders(start=np.maximum(start - less, 0.0), end=np.maximum(end - less, 0.0))


def rates_from_emissions(timeline: Timeline, live: HistogramIntervals, prefill_tokens: Floats) -> StreamRates:
    """Return tokens over summed inter-token gaps; waits are inside the gaps, so stalls are counted."""
    clean = timeline.clean()
    at = timeline.frame.index.get_indexer(clean.index)
    tokens = clean["decode_tokens"].to_numpy(dtype=np.float64)
    gaps = live.sums[at]
    first = timeline.histograms.get("ttft")
    holds_first = first is not None and first.clock in ("first_token", "step")
    emitted = np.maximum(tokens - first.counts[at].sum(axis=1), 0.0) if first and holds_first else tokens
    decoders = _count_decoders(timeline, prefill_tokens > 0)
    stalled = (tokens == 0) & (gaps == 0) & (decoders.at_both_ends >= 1)
    rate = np.where(stalled, 0.0, _ratio(emitted, gaps))
    return StreamRates(
        rate=rate,
        low=rate,
        high=rate,
        stream_seconds=gaps,
        decode_work=(tokens > 0) | stalled,
        source=f"live inter-token histogram ({live.metric}), tokens over summed gaps",
        stalls="counted",
    )


def rates_from_rows(timeline: Timeline, evidence: StallEvidence, prefill_tokens: Floats) -> StreamRates:
    """Return tokens per row over the mean seconds of steps that had rows, stalls as the evidence says."""
    clean = timeline.clean()
    tokens, decode_steps, mixed, prefill = (
        clean[role].to_numpy(dtype=np.float64)
        for role in ("decode_tokens", "decode_steps", "mixed_steps", "prefill_steps")
    )
    drafts = timeline.has("draft_accepted")
    rows = tokens - clean["draft_accepted"].to_numpy(dtype=np.float64) if drafts else tokens
    decode_seconds = clean["decode_seconds"].to_numpy(dtype=np.float64)
    chunk_seconds = np.maximum(clean["step_seconds"].to_numpy(dtype=np.float64) - decode_seconds, 0.0)
    mixed_seconds = chunk_seconds * _mixed_share(mixed, prefill)
    stream_seconds = rows * _ratio(decode_seconds + mixed_seconds, decode_steps + mixed)

    chunked = (mixed + prefill > 0) | (prefill_tokens > 0)
    decoders = _count_decoders(timeline, chunked)
    waiting = (decoders.start + decoders.end) / 2
    waiting = np.where(np.isfinite(waiting), waiting, _ratio(rows, decode_steps + mixed))
    stalled_seconds = stream_seconds + np.nan_to_num(waiting) * (chunk_seconds - mixed_seconds)

    silent = (tokens == 0) & (decoders.at_both_ends >= 1)
    seconds = clean["seconds"].to_numpy(dtype=np.float64)
    free, held_up = _ratio(tokens, stream_seconds), _ratio(tokens, stalled_seconds)
    counted = evidence.stalls == "counted"
    stalled = silent if counted else silent & ~chunked
    rate = np.where(stalled, 0.0, held_up if counted else free)
    low, high = rate, rate
    if evidence.stalls == "both bounds":
        low = np.where(silent, 0.0, held_up)
    used = stalled_seconds if counted else stream_seconds
    note = "" if drafts else "; no draft counter, so one token a row"
    return StreamRates(
        rate=rate,
        low=low,
        high=high,
        stream_seconds=np.where(stalled, decoders.at_both_ends * seconds, np.where(tokens > 0, used, 0.0)),
        decode_work=(tokens > 0) | stalled,
        source=f"rows: tokens per row over the mean seconds of steps with rows{note}",
        stalls=evidence.stalls,
    )


def rates_from_running(timeline: Timeline, prefill_tokens: Floats) -> StreamRates:
    """Return tokens over (running x seconds) where running is equal at both ends; NaN without that gauge."""
    clean = timeline.clean()
    tokens, seconds = (clean[name].to_numpy(dtype=np.float64) for name in ("decode_tokens", "seconds"))
    prefilling = prefill_tokens > 0
    decoders = _count_decoders(timeline, prefilling)
    all_running = _count_decoders(timeline, np.zeros(len(clean), dtype=bool))
    even = all_running.start == all_running.end
    streams = np.where(even, decoders.start, np.nan)
    stalled = (tokens == 0) & (decoders.at_both_ends >= 1)
    rate = _ratio(tokens, streams * seconds)
    low = _ratio(tokens, np.where(even, all_running.start, np.nan) * seconds)
    what = "running requests where equal at both ends, less one while prefill moved"
    return StreamRates(
        rate=rate,
        low=low,
        high=rate,
        stream_seconds=np.where(np.isfinite(streams), streams * seconds, 0.0),
        decode_work=(tokens > 0) | stalled,
        source=what if timeline.has("running") else f"unknown: {timeline.why_absent('running')}",
        stalls="counted",
    )


def _mixed_share(mixed: Floats, prefill: Floats) -> Floats:
    """Return mixed / chunk steps per interval; where no chunk step was booked, that of all intervals."""
    known = np.isfinite(mixed + prefill)
    chunks = float((mixed + prefill)[known].sum())
    pooled = float(mixed[known].sum()) / chunks if chunks > 0 else 0.0
    share = _ratio(mixed, mixed + prefill)
    return np.where(mixed + prefill == 0, pooled, share)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """Divide where the divisor is above zero, NaN elsewhere."""
    quotient: Floats = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0)
    return quotient

"""What did one stream get while it decoded, told from live gaps between tokens, or from running requests?

Method (n = clean intervals; tokens, rows, steps, seconds are increases of one interval):

- emissions: tokens over the summed gaps of a live inter-token histogram. A gap is one emission, which
  carries several tokens under speculation, so the count is not used; first tokens, where the counter holds
  them, are taken off.
- running: tokens over (running x seconds), where running is equal at both ends; a prompt still in prefill
  is no stream, so while prefill moved one less is the value, and running itself the lower bound.

An interval without tokens is a stall, rate 0, where decoders ran at both ends; a lone prompt in prefill is
none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.findings.stalls import Stalls
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
    rows_per_decode_step: Floats
    chunk_stream_seconds: Floats
    source: str
    stalls: Stalls


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decoders:
    """Requests that decode, at the start and end of each interval; NaN where running is unknown."""

    start: Floats
    end: Floats

    @property
    def at_both_ends(self) -> Floats:
        return np.minimum(self.start, self.end)


def count_decoders(timeline: Timeline, prefilling: NDArray[np.bool_]) -> Decoders:
    """Running requests, less the one that must be in prefill where prefill moved."""
    clean = timeline.clean()
    if not timeline.has("running"):
        unknown = np.full(len(clean), np.nan)
        return Decoders(start=unknown, end=unknown)
    less = prefilling.astype(np.float64)
    start, end = (clean[f"running:{edge}"].to_numpy(dtype=np.float64) for edge in ("start", "end"))
    return Decoders(start=np.maximum(start - less, 0.0), end=np.maximum(end - less, 0.0))


def rates_from_emissions(timeline: Timeline, live: HistogramIntervals, prefill_tokens: Floats) -> StreamRates:
    """Return tokens over summed inter-token gaps; waits are inside the gaps, so stalls are counted."""
    clean = timeline.clean()
    at = timeline.frame.index.get_indexer(clean.index)
    tokens = clean["decode_tokens"].to_numpy(dtype=np.float64)
    gaps = live.sums[at]
    first = timeline.histograms.get("ttft")
    holds_first = first is not None and first.clock in ("first_token", "step")
    emitted = np.maximum(tokens - first.counts[at].sum(axis=1), 0.0) if first and holds_first else tokens
    decoders = count_decoders(timeline, prefill_tokens > 0)
    stalled = (tokens == 0) & (gaps == 0) & (decoders.at_both_ends >= 1)
    rate = np.where(stalled, 0.0, ratio_or_nan(emitted, gaps))
    return StreamRates(
        rate=rate,
        low=rate,
        high=rate,
        stream_seconds=gaps,
        decode_work=(tokens > 0) | stalled,
        rows_per_decode_step=np.full(len(clean), np.nan),
        chunk_stream_seconds=np.full(len(clean), np.nan),
        source=f"live inter-token histogram ({live.metric}), tokens over summed gaps",
        stalls="counted",
    )


def rates_from_running(timeline: Timeline, prefill_tokens: Floats) -> StreamRates:
    """Return tokens over (running x seconds) where running is equal at both ends; NaN without that gauge."""
    clean = timeline.clean()
    tokens, seconds = (clean[name].to_numpy(dtype=np.float64) for name in ("decode_tokens", "seconds"))
    prefilling = prefill_tokens > 0
    decoders = count_decoders(timeline, prefilling)
    all_running = count_decoders(timeline, np.zeros(len(clean), dtype=bool))
    even = all_running.start == all_running.end
    streams = np.where(even, decoders.start, np.nan)
    stalled = (tokens == 0) & (decoders.at_both_ends >= 1)
    rate = ratio_or_nan(tokens, streams * seconds)
    low = ratio_or_nan(tokens, np.where(even, all_running.start, np.nan) * seconds)
    what = "running requests where equal at both ends, less one while prefill moved"
    return StreamRates(
        rate=rate,
        low=low,
        high=rate,
        stream_seconds=np.where(np.isfinite(streams), streams * seconds, 0.0),
        decode_work=(tokens > 0) | stalled,
        rows_per_decode_step=np.full(len(clean), np.nan),
        chunk_stream_seconds=np.full(len(clean), np.nan),
        source=what if timeline.has("running") else f"unknown: {timeline.why_absent('running')}",
        stalls="counted",
    )


def ratio_or_nan(top: Floats, bottom: Floats) -> Floats:
    """Divide where the divisor is above zero, NaN elsewhere."""
    quotient: Floats = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0)
    return quotient

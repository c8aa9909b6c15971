"""When did the requests of each interval wait for their first token, and under which prefill load?

Method: a first-token histogram that moves at the first token says when waits ended; one that moves at
request end says it later, by the decode time of those requests. That lag is known interval by interval: the
decode-time histogram moves with it, for the same requests. So the waits of an interval's requests ran from
[start - lag - mean wait] to [end - lag], and their load is the mean prefill rate over that span. Waits
booked at the first token keep their interval, begun earlier only where the mean wait is longer than it.

Misleads: requests that ended in one interval may have waited at different times; the mean stands for all.
Where no histogram tells the decode time, the wait is taken to have ended with the request, and the finding
says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from census.timeline.timeline import HistogramIntervals, Timeline

Floats = NDArray[np.float64]

KNOWN_SHARE = 0.5
"""A span has a load where at least this share of it was observed."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Waits:
    """The waits of each clean interval's requests.

    Attributes
    ----------
    load_tok_s : shape (n,), mean prefill rate while they waited; NaN where nobody was booked or it is
        unknown.
    lag_s : how much later than the wait's end they were booked, mean over requests; None where unknown.
    """

    load_tok_s: Floats
    lag_s: float | None


def place_waits(timeline: Timeline, ttft: HistogramIntervals, prefill_tok_s: Floats) -> Waits:
    """Return the prefill load under which each clean interval's requests waited."""
    clean = timeline.clean()
    at = timeline.frame.index.get_indexer(clean.index)
    booked = ttft.counts[at].sum(axis=1)
    lags = np.zeros(len(clean))
    lag_s: float | None = 0.0
    if ttft.clock == "request":
        known = _lags(timeline, at, ttft)
        lag_s = None if known is None else _mean_over(known, booked)
        lags = np.zeros(len(clean)) if known is None else known
    start_s = clean["start_ms"].to_numpy(dtype=np.float64) / 1000
    end_s = clean["end_ms"].to_numpy(dtype=np.float64) / 1000
    longer = np.nan_to_num(_mean_of(ttft, at))
    if ttft.clock != "request":
        longer = np.maximum(longer - (end_s - start_s), 0.0)
    if lag_s is None:
        longer = np.zeros(len(clean))
    load = _mean_rate(clean, prefill_tok_s, begin_s=start_s - lags - longer, end_s=end_s - lags)
    return Waits(
        load_tok_s=np.where(booked > 0, load, np.nan),
        lag_s=lag_s,
    )


def _lags(timeline: Timeline, at: NDArray[np.intp], ttft: HistogramIntervals) -> Floats | None:
    """Return the mean decode time of the requests booked in each interval, the pooled one where it is not
    told.

    A request of one token has no decode time and is in no such histogram, so the requests are counted by
    first tokens.
    """
    booked = ttft.counts[at].sum(axis=1)
    whole, decode = timeline.histograms.get("e2e"), timeline.histograms.get("decode_time")
    if decode is not None and decode.clock == "request":
        return _filled(decode.sums[at], booked)
    if whole is not None and whole.clock == "request":
        return _filled(np.maximum(whole.sums[at] - ttft.sums[at], 0.0), booked)
    return None


def _filled(sums: Floats, counts: Floats) -> Floats | None:
    """Return the mean of each interval, and that of all where an interval has none."""
    known = np.isfinite(sums + counts)
    if counts[known].sum() <= 0:
        return None
    pooled = float(sums[known].sum() / counts[known].sum())
    means: Floats = np.divide(sums, counts, out=np.full(sums.shape, pooled), where=known & (counts > 0))
    return means


def _mean_of(histogram: HistogramIntervals, at: NDArray[np.intp]) -> Floats:
    sums, counts = histogram.sums[at], histogram.counts[at].sum(axis=1)
    means: Floats = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return means


def _mean_over(values: Floats, counts: Floats) -> float | None:
    known = np.isfinite(values + counts)
    total = float(counts[known].sum())
    return float((values * counts)[known].sum()) / total if total > 0 else None


def _mean_rate(clean: pd.DataFrame, rates: Floats, *, begin_s: Floats, end_s: Floats) -> Floats:
    """Return the mean rate over each span, by running totals of tokens and of observed seconds."""
    known = np.isfinite(rates)
    lengths = clean["seconds"].to_numpy(dtype=np.float64)
    seconds = np.where(known, lengths, 0.0)
    tokens = np.where(known, rates, 0.0) * lengths
    edges = np.column_stack([clean["start_ms"], clean["end_ms"]]).ravel() / 1000.0
    totals = [
        np.interp(end_s, edges, _running(amounts)) - np.interp(begin_s, edges, _running(amounts))
        for amounts in (tokens, seconds)
    ]
    seen = totals[1] >= KNOWN_SHARE * (end_s - begin_s)
    load: Floats = np.divide(
        totals[0], totals[1], out=np.full(begin_s.shape, np.nan), where=seen & (totals[1] > 0)
    )
    return np.where(np.abs(load) < 1e-9, 0.0, load)


def _running(amounts: Floats) -> Floats:
    """Return running totals at the start and end of each interval."""
    after = np.cumsum(amounts)
    levels: Floats = np.column_stack([after - amounts, after]).ravel()
    return levels

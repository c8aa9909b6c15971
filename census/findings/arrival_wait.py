"""What does an arriving request wait for its first token, and does prefill make it longer?

Method: increments of the first-token histogram are added up, bucket by bucket of the prefill load under
which the requests waited (``waits``), and read once: quantiles interpolated as Prometheus does with the
edges of their bucket, shares over thresholds exact on an edge, else a range.

Misleads: an average of quantiles is no quantile. A mean falls when many cheap requests join. A request's
own prompt is part of the load that it waits under, so the bucket without prefill is nearly empty. Where the
histogram moves at request end, waits are moved back by the decode time of the same requests, and the note
says by how much.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from census.findings.buckets import Bucket, list_buckets, place_in_buckets
from census.findings.interval_rates import IntervalRates
from census.findings.waits import Waits, place_waits
from census.model.estimate import Absent
from census.model.findings import ArrivalBucket, ArrivalWait, QuantileBound, ShareRange
from census.model.settings import Settings
from census.stats.histogram import bound_quantile, share_over
from census.timeline.timeline import HistogramIntervals, Timeline

NEEDS = ("ttft", "decode_time", "prefill_tokens")

Floats = NDArray[np.float64]


def measure(timeline: Timeline, rates: IntervalRates, settings: Settings) -> ArrivalWait | Absent:
    """Return waits for the first token by prefill load, and over all."""
    ttft = timeline.histograms.get("ttft")
    if ttft is None:
        return Absent(timeline.why_absent("ttft"))
    clean = timeline.clean()
    counts = np.nan_to_num(ttft.counts[timeline.frame.index.get_indexer(clean.index)])
    waits = place_waits(timeline, ttft, rates.frame["prefill_tok_s"].to_numpy(dtype=np.float64))
    place = place_in_buckets(waits.load_tok_s, settings)
    everyone = Bucket(lo=0.0, hi=None)
    return ArrivalWait(
        metric=ttft.metric,
        clock=ttft.clock,
        lag_s=waits.lag_s,
        note=_note(ttft, waits, placed=float(counts[place >= 0].sum()), booked=float(counts.sum())),
        rows=tuple(
            _row(bucket, ttft.edges, counts[place == index].sum(axis=0), settings)
            for index, bucket in enumerate(list_buckets(settings))
        ),
        all=_row(everyone, ttft.edges, counts.sum(axis=0), settings),
    )


def _row(bucket: Bucket, edges: Floats, counts: Floats, settings: Settings) -> ArrivalBucket:
    shares = {
        f"{threshold:g}": share_over(edges, counts, threshold) for threshold in settings.ttft_thresholds_s
    }
    return ArrivalBucket(
        lo=bucket.lo,
        hi=bucket.hi,
        requests=round(float(counts.sum())),
        p50_s=_quantile(edges, counts, 0.5),
        p90_s=_quantile(edges, counts, 0.9),
        p99_s=_quantile(edges, counts, 0.99),
        over={
            threshold: ShareRange(low=share.low, high=share.high)
            for threshold, share in shares.items()
            if share is not None
        },
    )


def _quantile(edges: Floats, counts: Floats, share: float) -> QuantileBound | None:
    found = bound_quantile(edges, counts, share)
    return QuantileBound(value=found.value, low=found.low, high=found.high) if found is not None else None


def _note(ttft: HistogramIntervals, waits: Waits, *, placed: float, booked: float) -> str:
    """Say what the rows are attributed by."""
    left = (
        f"; {booked - placed:.0f} of {booked:.0f} waits lie outside what was observed"
        if placed < booked
        else ""
    )
    if ttft.clock != "request":
        return f"booked at the first token; each wait stands under the load of the time it took{left}"
    if waits.lag_s is None:
        return (
            "booked when requests end, and no histogram tells their decode time: rows are by the load at "
            f"request end, later than the wait by an unknown time{left}"
        )
    return (
        f"booked when requests end, {waits.lag_s:.1f} s after the first token on average; each interval's "
        f"waits are moved back by the decode time of its own requests{left}"
    )

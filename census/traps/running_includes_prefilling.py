"""``running`` counts requests that still prefill, so a rate per running request is too low.

Why it fools: a request with half of its prompt to go is in the running list and decodes nothing. Dividing by
it gives 39.9 tok/s per stream where a stream gets 58.2.

How it is found: tokens over (running x seconds) in the most loaded bucket, beside the per-stream rate of the
same bucket.

What is done: streams come from rows or from the inter-token histogram; where only ``running`` is there, the
prefilling request is taken off and the plain value is the lower bound.
"""

from __future__ import annotations

import numpy as np

from census.model.caveat import Caveat
from census.model.findings import DecodeBucket, DecodeUnderPrefill
from census.traps.evidence import Evidence

ID = "trap/running-includes-prefilling"

WORTH_TELLING = 0.9


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell what running requests would have said in the most loaded bucket."""
    finding = evidence.findings.decode_under_prefill
    if not isinstance(finding, DecodeUnderPrefill) or not evidence.timeline.has("running", "decode_tokens"):
        return ()
    loaded = [row for row in finding.rows if row.lo > 0 and row.per_stream_pooled_tok_s is not None]
    if not loaded:
        return ()
    bucket, true = loaded[-1], loaded[-1].per_stream_pooled_tok_s
    naive = _per_running(evidence, bucket)
    if naive is None or true is None or naive > WORTH_TELLING * true:
        return ()
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                f"had you divided by running requests: {naive:.3g} tok/s per stream above {bucket.lo:.0f} "
                "prefill "
                f"tok/s; true: {true:.3g} (running counts requests that still prefill)"
            ),
            evidence={
                "naive_per_stream_tok_s": naive,
                "per_stream_tok_s": true,
                "ratio": naive / true,
                "bucket_from_tok_s": bucket.lo,
            },
            touches=("decode_under_prefill",),
        ),
    )


def _per_running(evidence: Evidence, bucket: DecodeBucket) -> float | None:
    """Return tokens over running x seconds in the intervals of this bucket."""
    prefill = evidence.prefill_increase()
    if prefill is None:
        return None
    seconds, tokens = evidence.seconds(), evidence.increase("decode_tokens")
    start, end = evidence.ends("running")
    rates = prefill / seconds
    inside = (rates >= bucket.lo) & np.isfinite(tokens) & np.isfinite(start + end)
    if bucket.hi is not None:
        inside &= rates < bucket.hi
    room = float((seconds[inside] * (start[inside] + end[inside]) / 2).sum())
    return float(tokens[inside].sum()) / room if room > 0 else None

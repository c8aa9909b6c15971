"""Under speculation one emission carries several tokens, and the inter-token histogram counts emissions.

Why it fools: count over sum is taken for tokens per second and stream. With 3 tokens an emission, sum 15.5 s
and count 1000, that says 64.5; the stream gets 193.5.

How it is found: generated tokens (first tokens left out) against the histogram's count.

What is done: per-stream rates take tokens over summed gaps.
"""

from __future__ import annotations

import numpy as np

from census.model.caveat import Caveat
from census.traps.evidence import Evidence

ID = "trap/emission-histogram"

WORTH_TELLING = 1.05
FEWEST_EMISSIONS = 100.0


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell what the emissions would have said."""
    timeline = evidence.timeline
    gaps = timeline.histograms.get("inter_token_latency")
    if gaps is None or gaps.clock != "step" or not timeline.has("decode_tokens"):
        return ()
    rows = timeline.frame.index.get_indexer(timeline.clean().index)
    tokens, emitted, seconds = (
        evidence.increase("decode_tokens"),
        gaps.counts[rows].sum(axis=1),
        gaps.sums[rows],
    )
    ttft = timeline.histograms.get("ttft")
    if ttft is not None and ttft.clock in ("first_token", "step"):
        tokens = tokens - ttft.counts[rows].sum(axis=1)
    known = np.isfinite(tokens) & np.isfinite(emitted) & np.isfinite(seconds)
    emissions, total, span = (float(part[known].sum()) for part in (emitted, tokens, seconds))
    if emissions < FEWEST_EMISSIONS or not span > 0 or total < WORTH_TELLING * emissions:
        return ()
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                f"{gaps.metric} counts emissions of {total / emissions:.2f} tokens each: had you used it, "
                f"{emissions / span:.1f} tok/s per stream; true: {total / span:.1f} "
                f"(the step interval is {span / emissions * 1000:.4g} ms)"
            ),
            evidence={
                "metric": gaps.metric,
                "emissions": emissions,
                "tokens_per_emission": total / emissions,
                "naive_per_stream_tok_s": emissions / span,
                "per_stream_tok_s": total / span,
                "step_interval_s": span / emissions,
            },
            touches=("decode_under_prefill",),
        ),
    )

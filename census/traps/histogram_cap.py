"""Above its last edge a histogram knows nothing, and ``histogram_quantile`` returns that edge.

Why it fools: a p99 that stands at exactly 10 s for days is the cap of the histogram; the waits behind it may
be minutes.

How it is found: a quantile falls into the overflow bucket.

What is done: the quantile is printed as "> edge", with the share above the edge, which is exact.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.stats.naive import promql_histogram_quantile
from census.timeline.timeline import HistogramIntervals
from census.traps.evidence import Evidence

ID = "trap/histogram-cap"

FEWEST = 20.0
QUANTILES = (0.5, 0.9, 0.99)
LATENCIES = (
    "ttft",
    "inter_token_latency",
    "request_tpot",
    "e2e",
    "queue_time",
    "prefill_time",
    "decode_time",
)


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of histograms whose quantiles lie above their last edge."""
    found = ((role, evidence.timeline.histograms.get(role)) for role in LATENCIES)
    return tuple(caveat for role, one in found if one is not None for caveat in _inspect_one(role, one))


def _inspect_one(role: str, histogram: HistogramIntervals) -> tuple[Caveat, ...]:
    counts, total = histogram.total_counts, float(histogram.total_counts.sum())
    if total < FEWEST or histogram.edges.size < 2:
        return ()
    share, cap = float(counts[-1]) / total, float(histogram.edges[-2])
    hit = [q for q in QUANTILES if 1 - share < q]
    if not hit:
        return ()
    naive = promql_histogram_quantile(histogram.edges, counts, q=hit[0])
    return (
        Caveat(
            id=ID,
            severity="warning",
            summary=(
                f"p{hit[0] * 100:g} of {histogram.metric} is > {cap:g} s, its last edge; "
                "histogram_quantile says "
                f"{naive:g} s; {share:.2%} of {total:.0f} lie above"
            ),
            evidence={
                "metric": histogram.metric,
                "role": role,
                "quantile": hit[0],
                "naive_s": naive,
                "last_edge_s": cap,
                "share_above": share,
                "observations": total,
            },
            touches=("arrival_wait",) if role in ("ttft", "queue_time", "prefill_time") else ("fitness",),
        ),
    )

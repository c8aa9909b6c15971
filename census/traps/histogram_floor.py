"""Below its first edge a histogram knows nothing either; interpolation invents values there.

Why it fools: 1000 observations of 3.3 ms in a first bucket up to 10 ms give a median of 5 ms and a p99 of
9.9 ms, all of them straight lines between 0 and the edge.

How it is found: a quantile falls into the first bucket; the sum over the count is another number.

What is done: the quantile is printed as "<= edge", the mean from sum and count beside it.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.stats.naive import promql_histogram_quantile
from census.timeline.timeline import HistogramIntervals
from census.traps.evidence import Evidence
from census.traps.histogram_cap import FEWEST, LATENCIES

ID = "trap/histogram-floor"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of histograms whose median lies below their first edge."""
    found = ((role, evidence.timeline.histograms.get(role)) for role in LATENCIES)
    return tuple(caveat for role, one in found if one is not None for caveat in _inspect_one(role, one))


def _inspect_one(role: str, histogram: HistogramIntervals) -> tuple[Caveat, ...]:
    counts, total = histogram.total_counts, float(histogram.total_counts.sum())
    if total < FEWEST or counts[0] < 0.5 * total:
        return ()
    floor, mean = float(histogram.edges[0]), histogram.total_sum / total
    naive = promql_histogram_quantile(histogram.edges, counts, q=0.5)
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                f"the median of {histogram.metric} is <= {floor:g} s, its first edge; histogram_quantile "
                "says "
                f"{naive:.4g} s, the mean is {mean:.4g} s"
            ),
            evidence={
                "metric": histogram.metric,
                "role": role,
                "naive_median_s": naive,
                "naive_p99_s": promql_histogram_quantile(histogram.edges, counts, q=0.99),
                "first_edge_s": floor,
                "mean_s": mean,
                "share_in_first_bucket": float(counts[0]) / total,
            },
            touches=("arrival_wait",) if role in ("ttft", "queue_time", "prefill_time") else ("fitness",),
        ),
    )

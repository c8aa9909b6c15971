"""The average of quantiles is no quantile.

Why it fools: ``avg(histogram_quantile(...))`` gives a replica with ten requests, or an idle five minutes,
the weight of one with a thousand: p90 4.98 s where nine of ten requests waited less than 0.45 s.

How it is found: the mean of the quantiles of five-minute windows beside the quantile of all observations.

What is done: histograms are pooled bucket by bucket, and the quantile is taken once.
"""

from __future__ import annotations

import numpy as np

from census.model.caveat import Caveat
from census.stats.naive import average_of_quantiles, promql_histogram_quantile
from census.traps.evidence import Evidence

ID = "trap/quantile-average"

WINDOW_S = 300.0
FEWEST = 100.0
APART = 1.25
QUANTILE = 0.9


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell what a dashboard's average of the p90 of waiting would have said."""
    histogram = evidence.timeline.histograms.get("ttft")
    if histogram is None or float(histogram.total_counts.sum()) < FEWEST:
        return ()
    clean = evidence.timeline.clean()
    counts = histogram.counts[evidence.timeline.frame.index.get_indexer(clean.index)]
    known = np.isfinite(counts).all(axis=1)
    window = clean["start_ms"].to_numpy()[known] // round(WINDOW_S * 1000)
    if not window.size:
        return ()
    window = (window - window[0]).astype(np.int64)
    table = np.column_stack([np.bincount(window, weights=column) for column in counts[known].T]).astype(float)
    true = promql_histogram_quantile(histogram.edges, table.sum(axis=0), q=QUANTILE)
    naive = average_of_quantiles(histogram.edges, table, q=QUANTILE)
    if not np.isfinite(true + naive) or min(true, naive) <= 0 or max(true / naive, naive / true) < APART:
        return ()
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                f"the average of 5-minute p90s of {histogram.metric} is {naive:.3g} s; the p90 of all "
                f"{table.sum():.0f} requests is {true:.3g} s"
            ),
            evidence={
                "metric": histogram.metric,
                "naive_s": naive,
                "true_s": true,
                "requests": float(table.sum()),
            },
            touches=("arrival_wait",),
        ),
    )

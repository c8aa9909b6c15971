"""How finely can each histogram tell times apart?

Method: its first and last finite edge, the share of observations in the first bucket and above the last
edge, and the widest bucket that a median, a p90 or a p99 falls into (as a share of its upper edge).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from census.timeline.timeline import HistogramIntervals
from census.traps.evidence import Evidence

QUANTILES = (0.5, 0.9, 0.99)


def audit_histograms(evidence: Evidence) -> tuple[Mapping[str, Any], ...]:
    """Return a row for every histogram of the timeline, in the order of the roles."""
    found = evidence.timeline.histograms
    return tuple(
        _row(role, found[role]) for role in (one.role for one in evidence.entry.roles) if role in found
    )


def _row(role: str, histogram: HistogramIntervals) -> Mapping[str, Any]:
    counts, edges = histogram.total_counts, histogram.edges
    total = float(counts.sum())
    return {
        "role": role,
        "metric": histogram.metric,
        "clock": histogram.clock,
        "observations": int(total),
        "buckets": int(edges.size),
        "floor": float(edges[0]) if math.isfinite(edges[0]) else None,
        "first_bucket_share": float(counts[0]) / total if total else None,
        "cap": float(edges[-2]) if edges.size > 1 else None,
        "above_cap_share": float(counts[-1]) / total if total else None,
        "widest_bucket_used": _widest(histogram) if total else None,
        "mean": histogram.total_sum / total if total and math.isfinite(histogram.total_sum) else None,
    }


def _widest(histogram: HistogramIntervals) -> str:
    """Return the widest bucket, upper over lower edge, that one of the quantiles falls into."""
    cumulative = np.cumsum(histogram.total_counts)
    places = {int(np.searchsorted(cumulative, q * cumulative[-1])) for q in QUANTILES}
    lower = np.concatenate(([0.0], histogram.edges[:-1]))
    widest = max(places, key=lambda place: (histogram.edges[place] - lower[place], place))
    upper = histogram.edges[widest]
    return f"> {lower[widest]:g}" if math.isinf(upper) else f"{lower[widest]:g} to {upper:g}"

"""Do gauges agree with counters, and what does a longer mean make of the step?

Method: each rate gauge against its counter (``traps.gauge_readings``); the number of requests in the house
by gauge and by latency (``traps.littles_law``); the two- and five-minute means of the step time
(``traps.dilution``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from census.traps.dilution import measure_dilution
from census.traps.evidence import Evidence
from census.traps.gauge_readings import measure_gauges
from census.traps.littles_law import HIGHEST, LOWEST, measure_littles_law


def audit_gauges(evidence: Evidence) -> tuple[Mapping[str, Any], ...]:
    """Return a row for every rate gauge, and one for the requests in the house."""
    rows: list[Mapping[str, Any]] = []
    for one in measure_gauges(evidence):
        seen = one.agreement
        rows.append(
            {
                "gauge": evidence.timeline.metrics[one.role],
                "against": evidence.timeline.metrics[one.counter_role],
                "unit": "tok/s",
                "gauge_mean": seen.gauge_mean,
                "true_mean": seen.counter_mean,
                "aliasing_ratio": seen.ratio,
                "correlation": seen.correlation,
                "stale_scrapes": seen.stale,
                "scrapes": seen.scrapes,
                "accepted": seen.accepted,
            }
        )
    law = measure_littles_law(evidence)
    if law is not None:
        rows.append(
            {
                "gauge": "running + waiting",
                "against": "arrivals x latency (Little's law)",
                "unit": "requests",
                "gauge_mean": law.by_gauge,
                "true_mean": law.by_latency,
                "aliasing_ratio": 1 / law.ratio if law.ratio > 0 else None,
                "correlation": None,
                "stale_scrapes": None,
                "scrapes": len(evidence.timeline.clean()) + 1,
                "accepted": LOWEST <= law.ratio <= HIGHEST,
            }
        )
    return tuple(rows)


def audit_dilution(evidence: Evidence) -> tuple[Mapping[str, Any], ...]:
    """Return a row for each length of the mean."""
    return tuple(
        {
            "mean_over_s": one.range_s,
            "highest_mean_s": one.highest_s,
            "median_mean_s": one.median_s,
            "at_chunks_mean_s": one.at_chunks_s,
            "all_steps_s": one.all_steps_s,
            "chunk_step_s": one.chunk_s,
            "decode_step_s": one.decode_s,
            "shown_over_chunk_step": one.at_chunks_s / one.chunk_s
            if one.chunk_s and one.at_chunks_s
            else None,
        }
        for one in measure_dilution(evidence)
    )

"""How was each boot scraped: spacing, what was missed, changes of the interval?

Method: spacings between successive scrapes, boot by boot. A scrape is missed where an interval is about a
whole multiple (1.5 to 2.5 and so on) of the local median; longer than 2.5 x that is a gap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from census.model.boot import Boot
from census.traps.evidence import Evidence
from census.traps.spacing_changed import CHANGED, STRETCH

MISSED = 1.5


def audit_scrapes(evidence: Evidence) -> tuple[Mapping[str, Any], ...]:
    """Return a row for every boot that has an interval."""
    frame = evidence.timeline.frame
    rows = []
    for boot in evidence.timeline.boots:
        mine = frame.loc[frame["boot"] == boot.index]
        if len(mine):
            rows.append(_row(boot, mine))
    return tuple(rows)


def _row(boot: Boot, mine: pd.DataFrame) -> Mapping[str, Any]:
    seconds = mine["seconds"].to_numpy(dtype=np.float64)
    gaps = mine["gap"].to_numpy(dtype=bool)
    median = float(np.median(seconds))
    span = (boot.end_ms - boot.first_ms) / 1000.0
    return {
        "boot": boot.index,
        "scrapes": len(mine) + 1,
        "median_s": median,
        "p5_s": float(np.quantile(seconds, 0.05)),
        "p95_s": float(np.quantile(seconds, 0.95)),
        "longest_s": float(seconds.max()),
        "gaps": int(gaps.sum()),
        "in_gaps_s": float(seconds[gaps].sum()),
        "missed": int(
            np.sum(np.maximum(np.rint(seconds[~gaps & (seconds > MISSED * median)] / median) - 1, 1))
        ),
        "changes": _changes(seconds[~gaps]),
        "coverage": float(seconds[~gaps].sum()) / span if span > 0 else 0.0,
    }


def _changes(seconds: np.ndarray[tuple[int], np.dtype[np.float64]]) -> int:
    """Return how often the median spacing of stretches of 40 intervals changes."""
    if seconds.size < 2 * STRETCH:
        return 0
    medians = np.array([float(np.median(one)) for one in np.array_split(seconds, seconds.size // STRETCH)])
    return int((np.abs(np.diff(np.log(medians))) > np.log(CHANGED)).sum())

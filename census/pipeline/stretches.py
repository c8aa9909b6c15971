"""How high is a line on average, stretch by stretch? For the spark rows of the markdown report.

Method: the window in equal stretches; each interval belongs to the one that holds its middle, and weighs by
its length. Misleads where a stretch is shorter than the scrape interval: then most stretches hold nothing.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from census.model.window import Window

STRETCHES = 48


def mean_stretches(
    intervals: pd.DataFrame, values: NDArray[np.float64], *, window: Window
) -> tuple[float | None, ...]:
    """Return the time-weighted mean of each of ``STRETCHES`` equal stretches, None where nothing is known."""
    starts = intervals["start_ms"].to_numpy(dtype=np.int64)
    ends = intervals["end_ms"].to_numpy(dtype=np.int64)
    middles = (starts + ends) // 2
    places = (middles - window.start_ms) * STRETCHES // (window.end_ms - window.start_ms)
    known = np.isfinite(values) & (places >= 0) & (places < STRETCHES)
    weights = (ends - starts)[known].astype(np.float64)
    weighted = np.bincount(places[known], weights=values[known] * weights, minlength=STRETCHES)
    total = np.bincount(places[known], weights=weights, minlength=STRETCHES)
    return tuple(float(one / all_) if all_ > 0 else None for one, all_ in zip(weighted, total, strict=True))

"""How does a bounded value become a reading of the report?

Method: all bounds of a finding come from one set of block resamples, whose block length is the longest that
the published rule asks for on the series that matter. The value and its bounds stay together; where there
are none, the method says why.

Misleads: a reading says what another window of the same process would show, not what another model or user
would.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from census.model.estimate import Absent, Estimate, Reading
from census.model.settings import Settings
from census.stats.block_bootstrap import Blocks, draw_blocks
from census.stats.block_length import measure_dependence
from census.stats.interval import Interval

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def draw_for(
    series: Sequence[Floats], segments: Ints, *, settings: Settings, rng: np.random.Generator
) -> Blocks:
    """Return resamples whose blocks suit every one of these series (NaN counts as the series' mean)."""
    length = 1
    for values in series:
        known = np.isfinite(values)
        if known.sum() < 2:
            continue
        filled = np.where(known, values, values[known].mean())
        length = max(length, measure_dependence(filled, segments).block)
    return draw_blocks(segments, length=length, resamples=settings.resamples, rng=rng)


def to_reading(
    interval: Interval, *, n: int, unit: str, method: str, settings: Settings, value: float | None = None
) -> Reading:
    """Return a reading; ``value``, where given, replaces the point value and the bounds move with it."""
    if not np.isfinite(interval.value):
        return Absent("nothing to divide by: no interval took part")
    point = interval.value if value is None else value
    shift = point - interval.value
    bounded = interval.low is not None and interval.high is not None
    return Estimate(
        value=point,
        low=interval.low + shift if interval.low is not None and bounded else None,
        high=interval.high + shift if interval.high is not None and bounded else None,
        level=settings.level,
        n=n,
        unit=unit,
        method=f"{method}; block bootstrap, t" if bounded else f"{method}; {interval.why_none}",
    )

"""Between which bounds does a ratio of sums over intervals lie, always?

Method: block resamples of all intervals together (``stats.bounds``). Where they give no bound (too few
independent intervals), the HAC error of the ratio's influence values with a bandwidth of a quarter of the
intervals and its fixed-b critical value, which is wide enough for strong dependence.

Misleads: the second way is symmetric; near 0 or 1 it may reach beyond what is possible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from census.model.settings import Settings
from census.stats.block_bootstrap import Blocks
from census.stats.bounds import OfSums, bound_all, ratio
from census.stats.lag_pairs import Floats, Intervals
from census.stats.regression import fixed_b_critical, long_run_sum

WIDE_BANDWIDTH = 4
"""One in so many of the intervals is the bandwidth where block resamples give no bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A value between its bounds."""

    value: float
    low: float
    high: float

    def widened(self, below: float, above: float) -> Span:
        """Return a span that reaches at least so far below and above the value."""
        return Span(
            value=self.value,
            low=min(self.low, self.value - max(below, 0.0)),
            high=max(self.high, self.value + max(above, 0.0)),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatioBounder:
    """Bounds ratios of sums over the same intervals."""

    intervals: Intervals
    blocks: Blocks
    settings: Settings

    def ratios(self, pairs: list[tuple[Floats, Floats]]) -> list[Span]:
        """Return sum of the first over sum of the second of each pair of columns, 0 where that has no sum."""
        usable = [float(bottom.sum()) != 0.0 for _, bottom in pairs]
        questions = [
            OfSums(columns=np.column_stack(pair), statistic=ratio)
            for pair, can in zip(pairs, usable, strict=True)
            if can
        ]
        found = iter(bound_all(questions, blocks=self.blocks, level=self.settings.level))
        spans = []
        for (top, bottom), can in zip(pairs, usable, strict=True):
            if not can:
                spans.append(Span(value=0.0, low=0.0, high=0.0))
                continue
            one = next(found)
            if one.low is not None and one.high is not None:
                spans.append(Span(value=one.value, low=one.low, high=one.high))
            else:
                spans.append(self._wide(top, bottom))
        return spans

    def smooth(self, columns: Floats, statistic: Callable[[Floats], Floats]) -> Span:
        """Return a function of sums; where it has no bound, both ends are its value."""
        (one,) = bound_all(
            [OfSums(columns=columns, statistic=statistic)], blocks=self.blocks, level=self.settings.level
        )
        low = one.value if one.low is None else one.low
        high = one.value if one.high is None else one.high
        return Span(value=one.value, low=low, high=high)

    def _wide(self, top: Floats, bottom: Floats) -> Span:
        total = float(bottom.sum())
        value = float(top.sum()) / total
        influence = (top - value * bottom) / total
        bandwidth = max(self.intervals.size // WIDE_BANDWIDTH, 1)
        spread = float(long_run_sum(influence[:, None], self.intervals, bandwidth=bandwidth)[0, 0])
        half = fixed_b_critical(1.0 / WIDE_BANDWIDTH, level=self.settings.level) * float(np.sqrt(spread))
        return Span(value=value, low=value - half, high=value + half)

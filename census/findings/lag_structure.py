"""Does the effect of prefill on decode live in the interval of the prefill alone, or does it linger?

Method: the per-stream rate's response to prefill at each lag, net of the other lags and of the rows a step
has (``lag_response``). *lag-0-only*: negative at lag 0 and large enough, and the interval of the summed
response over positive lags of two intervals and more lies inside a fifth of it; *lingering*: that interval
lies wholly outside; *none*: both too small to matter; else *inconclusive*. Effects are slope x typical loaded
prefill rate (that of the median prefill token), as a share of the rate without prefill. Whether lag 0 is
large enough to matter is asked at a heavy rate (one loaded interval in twenty is above it), so that the
answer does not hang on how many quiet seconds lie between the same two scrapes.

Misleads: an exclusive prefill run and a residency faster than the scrape give the same picture as shared
steps; the mechanism finding tells them apart. Lag 1 is what a scrape's edge cut in two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from census.findings.interval_arrays import IntervalArrays, read_arrays
from census.findings.interval_rates import IntervalRates
from census.findings.lag_response import Response, fit_response, typical_rate
from census.findings.lag_tables import tabulate_lags
from census.model.estimate import Absent, Estimate, Reading
from census.model.findings import LagResponse, LagRow, LagStructure, LagTable
from census.model.settings import Settings
from census.timeline.timeline import Timeline

NEEDS = ("prefill_tokens", "decode_tokens")

Floats = NDArray[np.float64]

Verdict = Literal["lag-0-only", "lingering", "none", "inconclusive"]

LINGER_SHARE = 0.20
"""Lingering below this share of the effect at lag 0 is no lingering (design: ±20 %)."""

FEWEST_QUIET = 30
"""Fewer intervals without prefill give no baseline of their own."""

HEAVY = 0.95
"""Whether lag 0 matters is asked at this quantile of the loaded prefill rates."""

METHOD = (
    "estimated: distributed-lag regression, rows held, HAC errors, fixed-b; share of the rate without prefill"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scales:
    """Prefill rates at which effects are told, and the decode rate without prefill."""

    typical_rate: float
    heavy_rate: float
    baseline: float

    @property
    def typical(self) -> float:
        """What slopes are multiplied with to give the share that the typical loaded rate costs."""
        return self.typical_rate / self.baseline


def measure(
    timeline: Timeline, rates: IntervalRates, settings: Settings, rng: np.random.Generator
) -> LagStructure | Absent:
    """Return the lag structure, or why no per-stream rate can tell it."""
    arrays = read_arrays(timeline, rates)
    known = np.isfinite(arrays.stream_tok_s)
    if not known.any():
        return Absent(f"no per-stream rate: {rates.source}")
    raw, detrended, visible = tabulate_lags(arrays, settings, rng)
    loaded = int(arrays.loaded.sum())
    if loaded < settings.min_loaded_intervals:
        few = (
            f"{loaded} intervals with prefill and decode work; "
            f"at least {settings.min_loaded_intervals} are needed"
        )
        return _undecided(few, raw, detrended, visible)
    response = fit_response(
        arrays,
        arrays.stream_tok_s,
        at_zero=arrays.met_tok_s,
        covariates=arrays.rows_per_step[:, None]
        if np.isfinite(arrays.rows_per_step).any()
        else _none(arrays),
        weights=arrays.row_seconds,
        settings=settings,
    )
    if isinstance(response, str):
        return _undecided(response, raw, detrended, visible)
    scales = measure_scales(arrays)
    if scales.baseline <= 0.0:
        return _undecided("streams hardly ever got a token", raw, detrended, visible)
    verdict, reason = judge(response, scales, settings)
    return LagStructure(
        verdict=verdict,
        reason=reason + _load_hides_it(raw, visible),
        outcome="per_stream",
        effect_at_0=_effect(response, response.at_zero(), scales.typical),
        lingering=_effect(response, response.lingering(), scales.typical),
        response=_responses(response, scales.typical),
        rows=raw,
        detrended=detrended,
        visible=visible,
    )


def measure_scales(arrays: IntervalArrays) -> Scales:
    """Return the scales; the rate without prefill is the median of the intervals without any.

    Where there are hardly any, the upper tenth of all rates stands in for it.
    """
    known = np.isfinite(arrays.stream_tok_s)
    quiet = known & (arrays.prefill_tok_s == 0)
    baseline = float(np.median(arrays.stream_tok_s[quiet])) if quiet.sum() >= FEWEST_QUIET else 0.0
    if baseline <= 0.0:
        baseline = float(np.quantile(arrays.stream_tok_s[known], 0.9))
    typical = typical_rate(arrays)
    heavy = float(np.quantile(arrays.prefill_tok_s[arrays.loaded], HEAVY))
    return Scales(typical_rate=typical, heavy_rate=max(heavy, typical), baseline=baseline)


def judge(response: Response, scales: Scales, settings: Settings) -> tuple[Verdict, str]:
    """Return the verdict and the reason in one sentence."""
    fit, size = response.fit, settings.practical_share
    heavy = response.rate_at_zero(scales.heavy_rate) / scales.baseline
    zero, zero_half = fit.combine(heavy * response.at_zero())
    if zero - zero_half > -size:
        return _judge_without_zero(response, scales, size=size)
    if zero + zero_half > -size:
        return "inconclusive", f"the interval of the effect at lag 0 reaches across {size:.0%}"
    floor, floor_half = fit.combine(response.lingering() - LINGER_SHARE * response.at_zero())
    ceiling, ceiling_half = fit.combine(response.lingering() + LINGER_SHARE * response.at_zero())
    if floor - floor_half > 0 and ceiling + ceiling_half < 0:
        return "lag-0-only", "the later response lies inside a fifth of the effect at lag 0"
    if floor + floor_half < 0:
        return "lingering", "the later response lies wholly beyond a fifth of the effect at lag 0"
    if ceiling - ceiling_half > 0:
        return "inconclusive", "earlier prefill goes with faster decode: something else moves both"
    return "inconclusive", "the interval of the later response reaches across a fifth of the effect at lag 0"


def _judge_without_zero(response: Response, scales: Scales, *, size: float) -> tuple[Verdict, str]:
    """Judge where the effect at lag 0 is too small to matter."""
    later, half = response.fit.combine(scales.typical * response.lingering())
    if later + half < -size:
        return "lingering", "the rate falls with earlier prefill, and not with prefill in the same interval"
    if abs(later) + half < size:
        return "none", f"no effect reaches {size:.0%} of the rate without prefill"
    return "inconclusive", "nothing at lag 0, and the interval of the later response is too wide"


def _effect(response: Response, mix: Floats, scale: float) -> Reading:
    value, half = response.fit.combine(scale * mix)
    return Estimate(
        value=value,
        low=value - half,
        high=value + half,
        level=response.fit.level,
        n=response.fit.n,
        unit="1",
        method=METHOD,
    )


def _responses(response: Response, scale: float) -> tuple[LagResponse, ...]:
    rows = [LagResponse(lag_s=0.0, effect=_effect(response, response.at_zero(), scale))]
    rows += [
        LagResponse(lag_s=bin_.lag_s, effect=_effect(response, response.in_bin(bin_), scale))
        for bin_ in response.bins
    ]
    return tuple(sorted(rows, key=lambda row: row.lag_s))


def _undecided(reason: str, raw: tuple[LagRow, ...], detrended: LagTable, visible: LagTable) -> LagStructure:
    return LagStructure(
        verdict="inconclusive",
        reason=reason,
        outcome="per_stream",
        effect_at_0=Absent(reason),
        lingering=Absent(reason),
        response=(),
        rows=raw,
        detrended=detrended,
        visible=visible,
    )


def _load_hides_it(raw: tuple[LagRow, ...], visible: LagTable) -> str:
    """Say so where the visible rate does not fall with prefill although the per-stream rate does."""
    ours, theirs = (next(row for row in rows if row.lag_s == 0) for rows in (raw, visible.rows))
    if ours.r is None or theirs.r is None or ours.band is None or theirs.band is None:
        return ""
    if ours.r < -ours.band and theirs.r > -theirs.band:
        return f"; load hides it in the visible rate (r {theirs.r:+.2f} there, {ours.r:+.2f} per stream)"
    return ""


def _none(arrays: IntervalArrays) -> Floats:
    return np.empty((arrays.intervals.size, 0))

"""What happens to decode as prefill rises?

Method: every clean interval with decode work falls into the bucket of its rate of computed prefill tokens.
Medians are of intervals, weighted by their length; the pooled per-stream rate is tokens over stream
seconds; step costs are ratios of sums. Bounds of medians come from the block bootstrap over the whole
timeline, each bucket being the part of it that falls inside. Fewer than five separate episodes give no
bounds.

Misleads: at a given prefill rate the same chunks are paid for whatever the interleave, so these medians
barely move on a deploy that works; look at the pending meters for that. The visible rate rises with load
while streams starve: ``load_hides_it`` says when the two disagree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from census.findings.buckets import Bucket, count_episodes, list_buckets, place_in_buckets
from census.findings.decode_costs import DecodeCosts, gather_costs
from census.findings.interval_rates import IntervalRates
from census.findings.load_cover import judge_cover
from census.findings.readings import draw_for, to_reading
from census.model.estimate import Absent, Estimate, Reading
from census.model.findings import DecodeBucket, DecodeUnderPrefill, Quartiles
from census.model.settings import Settings
from census.stats.bounds import OfQuantile, OfSums, bound_all, ratio
from census.stats.interval import Interval, no_interval
from census.stats.weighted import weighted_quantile
from census.timeline.timeline import Timeline

NEEDS = ("prefill_tokens", "decode_tokens")

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Member:
    """One bucket's intervals with decode work, and how many separate episodes they make."""

    bucket: Bucket
    member: Flags
    episodes: int


Questions = dict[str, OfSums | OfQuantile]


def measure(
    timeline: Timeline, rates: IntervalRates, settings: Settings, rng: np.random.Generator
) -> DecodeUnderPrefill | Absent:
    """Return both decode rates and the step costs, bucket by bucket."""
    frame = rates.frame
    work = frame["decode_work"].to_numpy(dtype=bool)
    prefill = frame["prefill_tok_s"].to_numpy(dtype=np.float64)
    place = place_in_buckets(prefill, settings)
    if not (work & (place >= 0)).any():
        return Absent("no interval with decode work in the window")
    segments = frame["segment"].to_numpy(dtype=np.int64)
    members = [
        _Member(bucket=bucket, member=member, episodes=count_episodes(member, segments))
        for index, bucket in enumerate(list_buckets(settings))
        for member in (work & (place == index),)
    ]
    costs = gather_costs(timeline, rates)
    asked = [_ask(one, frame, costs) for one in members]
    blocks = draw_for(
        [prefill, frame["per_stream_tok_s"].to_numpy(dtype=np.float64)], segments, settings=settings, rng=rng
    )
    bounds = iter(bound_all([q for one in asked for q in one.values()], blocks=blocks, level=settings.level))
    answers = [{name: next(bounds) for name in one} for one in asked]
    return DecodeUnderPrefill(
        edges=settings.edges,
        prefill_axis=rates.prefill_axis,
        per_stream_source=rates.source,
        stalls=rates.stalls,
        load_hides_it=judge_cover(rates, settings),
        rows=tuple(
            _build_row(one, frame, costs, found, settings)
            for one, found in zip(members, answers, strict=True)
        ),
    )


def _ask(one: _Member, frame: pd.DataFrame, costs: DecodeCosts | Absent) -> Questions:
    """Return what is to be bounded for one bucket."""
    seconds = frame["seconds"].to_numpy(dtype=np.float64)
    questions: Questions = {}
    for name in ("visible_tok_s", "per_stream_tok_s", "per_stream_low"):
        values = np.where(one.member, frame[name].to_numpy(dtype=np.float64), np.nan)
        if np.isfinite(values).any():
            questions[name] = OfQuantile(values=values, weights=seconds, share=0.5, episodes=one.episodes)
    if isinstance(costs, Absent):
        return questions
    for name, (top, bottom) in _step_columns(costs).items():
        columns = np.where(one.member[:, None], np.column_stack([top, bottom]), 0.0)
        if columns[:, 1].sum() > 0:
            questions[name] = OfSums(columns=columns, statistic=ratio, episodes=one.episodes)
    return questions


def _step_columns(costs: DecodeCosts) -> dict[str, tuple[Floats, Floats]]:
    """Return seconds and steps of decode-only and of chunk steps."""
    chunk_steps = costs.column("mixed_steps") + costs.column("prefill_steps")
    return {
        "decode_step_s": (costs.column("decode_seconds"), costs.column("decode_steps")),
        "chunk_step_s": (costs.column("chunk_seconds"), chunk_steps),
    }


def _build_row(
    one: _Member,
    frame: pd.DataFrame,
    costs: DecodeCosts | Absent,
    found: dict[str, Interval],
    settings: Settings,
) -> DecodeBucket:
    here = frame.loc[one.member]
    seconds = here["seconds"].to_numpy(dtype=np.float64)
    step_readings, chunk_share = _step_readings(one, costs, found, settings)
    return DecodeBucket(
        lo=one.bucket.lo,
        hi=one.bucket.hi,
        intervals=len(here),
        episodes=one.episodes,
        seconds=float(seconds.sum()),
        prefill_tok_s=_mean(here["prefill_tok_s"], seconds),
        visible_tok_s=_median(found, "visible_tok_s", one, settings),
        visible_quartiles=_quartiles(here["visible_tok_s"], seconds),
        per_stream_tok_s=_stream_median(found, here, one, settings),
        per_stream_quartiles=_quartiles(here["per_stream_tok_s"], seconds),
        per_stream_pooled_tok_s=_pooled(here),
        decode_step_s=step_readings["decode_step_s"],
        chunk_step_s=step_readings["chunk_step_s"],
        chunk_share_of_time=chunk_share,
    )


def _median(found: dict[str, Interval], name: str, one: _Member, settings: Settings) -> Reading:
    """Return the median reading; a bucket of few episodes has no bounds."""
    if name not in found:
        if not one.member.any():
            return Absent("no interval with decode work fell in this bucket")
        return Absent("no interval of this bucket tells the per-stream rate")
    interval = found[name]
    if one.episodes < settings.min_episodes:
        why = f"{one.episodes} separate episodes, fewer than {settings.min_episodes}"
        interval = no_interval(interval.value, interval.degrees, interval.n_effective, why)
    return to_reading(
        interval,
        n=int(one.member.sum()),
        unit="tok/s",
        method="measured: median of intervals, weighted by length",
        settings=settings,
    )


def _stream_median(
    found: dict[str, Interval], here: pd.DataFrame, one: _Member, settings: Settings
) -> Reading:
    """Return the per-stream median; where stalls are undecided, its ends are the outer ends of both."""
    upper = _median(found, "per_stream_tok_s", one, settings)
    known = here["per_stream_tok_s"].notna()
    if isinstance(upper, Absent) or (here["per_stream_low"] == here["per_stream_tok_s"])[known].all():
        return upper
    lower = _median(found, "per_stream_low", one, settings)
    method = f"{upper.method}; low end: prefill-only steps counted as stalls, high end: not"
    if not isinstance(lower, Estimate) or lower.low is None or upper.high is None:
        return replace(upper, low=None, high=None, method=method)
    return replace(upper, low=min(lower.low, upper.value), method=method)


def _step_readings(
    one: _Member, costs: DecodeCosts | Absent, found: dict[str, Interval], settings: Settings
) -> tuple[dict[str, Reading], float | None]:
    """Return decode-only and chunk step seconds, and the chunk share of step time."""
    if isinstance(costs, Absent):
        return {"decode_step_s": costs, "chunk_step_s": costs}, None
    readings: dict[str, Reading] = {}
    totals: dict[str, float] = {}
    for name, (top, bottom) in _step_columns(costs).items():
        steps, totals[name] = float(bottom[one.member].sum()), float(top[one.member].sum())
        readings[name] = (
            to_reading(
                found[name],
                n=round(steps),
                unit="s",
                method="measured: seconds over steps",
                settings=settings,
            )
            if steps >= settings.min_class_steps
            else Absent(f"{steps:.0f} steps in this bucket, fewer than {settings.min_class_steps}")
        )
    whole = sum(totals.values())
    return readings, totals["chunk_step_s"] / whole if whole > 0 else None


def _mean(values: pd.Series, seconds: Floats) -> float | None:
    return float(np.average(values.to_numpy(dtype=np.float64), weights=seconds)) if len(values) else None


def _quartiles(values: pd.Series, seconds: Floats) -> Quartiles | None:
    rates = values.to_numpy(dtype=np.float64)
    known = np.isfinite(rates)
    if not known.any():
        return None
    q1, median, q3 = (weighted_quantile(rates[known], seconds[known], share) for share in (0.25, 0.5, 0.75))
    return Quartiles(q1=q1, median=median, q3=q3)


def _pooled(here: pd.DataFrame) -> float | None:
    """Return tokens over stream seconds, of the intervals that know both."""
    known = here["per_stream_tok_s"].notna()
    stream_seconds = float(here.loc[known, "stream_seconds"].sum())
    tokens = float((here["visible_tok_s"] * here["seconds"])[known].sum())
    return tokens / stream_seconds if stream_seconds > 0 else None

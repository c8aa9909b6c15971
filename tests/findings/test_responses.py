"""Responses, rows that prefill brings, queues and other engines: intervals cover, sizes come back."""

from __future__ import annotations

import numpy as np
import pytest
from judging import SETTINGS, plant_once, rates_of
from timeline_factory import make_timeline

from census.findings.cross_engine import average_inside
from census.findings.decode_given_rows import measure_given_rows
from census.findings.interval_arrays import IntervalArrays, read_arrays
from census.findings.lag_response import fit_response
from census.findings.queue_effect import measure_queue
from census.findings.ratio_spans import RatioBounder
from census.findings.rows_brought import measure_rows_brought
from census.model.estimate import Absent, Estimate
from census.simulate.worlds import WORLDS
from census.stats.block_bootstrap import draw_blocks
from census.stats.lag_pairs import Intervals
from census.timeline.timeline import Timeline


def steps(
    prefill_tok_s: np.ndarray, *, rows: np.ndarray, step_s: np.ndarray, chunk_s: float = 0.166
) -> Timeline:
    """Return a timeline of an engine that is always busy, its steps as told, chunks of 2,048 tokens."""
    mixed = np.round(prefill_tok_s * 15.0 / 2048.0)
    decode = np.round((15.0 - mixed * chunk_s) / step_s)
    return make_timeline(
        {
            "decode_steps": decode,
            "decode_seconds": decode * step_s,
            "mixed_steps": mixed,
            "prefill_steps": np.zeros(prefill_tok_s.size),
            "step_seconds": decode * step_s + mixed * chunk_s,
            "decode_tokens": rows * (decode + mixed),
            "prefill_tokens": mixed * 2048.0,
        }
    )


def arrays_of(timeline: Timeline) -> IntervalArrays:
    return read_arrays(timeline, rates_of(timeline))


def bursty(n: int, rng: np.random.Generator) -> np.ndarray:
    prefill = np.zeros(n)
    for at in np.flatnonzero(rng.random(n) < 0.08).tolist():
        prefill[at : at + int(rng.integers(1, 5))] = rng.uniform(2000, 10_000)
    return prefill


def test_the_rate_is_linear_in_the_prefill_that_streams_met() -> None:
    rng = np.random.default_rng(51)
    arrays = arrays_of(steps(bursty(800, rng), rows=np.full(800, 4.0), step_s=np.full(800, 0.0155)))
    known = np.isfinite(arrays.stream_tok_s)
    left = np.polyfit(arrays.met_tok_s[known], arrays.stream_tok_s[known], 1)
    foretold = np.polyval(left, arrays.met_tok_s[known])
    assert foretold == pytest.approx(arrays.stream_tok_s[known], rel=1e-3)
    assert left[1] == pytest.approx(1 / 0.0155, rel=1e-3)


@pytest.mark.truth
@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_intervals_of_the_response_cover_the_planted_one(rho: float) -> None:
    rng = np.random.default_rng(52)
    covered = {"now": 0, "later": 0}
    runs, n = 200, 700
    for _ in range(runs):
        prefill = bursty(n, rng)
        noise = np.zeros(n)
        for t in range(1, n):
            noise[t] = rho * noise[t - 1] + rng.normal() * 2.0
        outcome = 100.0 - prefill / 400.0 - np.concatenate([np.zeros(3), prefill[:-3]]) / 900.0 + noise
        arrays = arrays_of(steps(prefill, rows=np.full(n, 4.0), step_s=np.full(n, 0.0155)))
        response = fit_response(
            arrays,
            outcome,
            at_zero=prefill,
            covariates=np.empty((n, 0)),
            weights=np.ones(n),
            settings=SETTINGS,
        )
        assert not isinstance(response, str)
        for name, mix, planted in (
            ("now", response.at_zero(), -1 / 400.0),
            ("later", response.lingering(), -1 / 900.0),
        ):
            value, half = response.fit.combine(mix)
            covered[name] += abs(value - planted) <= half
    print(f"AR {rho}: covered now {covered['now'] / runs:.3f}, later {covered['later'] / runs:.3f} of {runs}")
    assert all(0.90 <= count / runs <= 0.99 for count in covered.values())


def test_a_slower_decode_only_step_is_told_from_its_rows() -> None:
    rng = np.random.default_rng(53)
    n = 1500
    prefill = bursty(n, rng)
    own = np.zeros(n)
    for t in range(1, n):
        own[t] = 0.9 * own[t - 1] + rng.normal() * 0.5
    rows = np.maximum(4.0 + own + np.convolve(prefill / 8000.0, [0, 0.5, 0.5, 0.3], mode="full")[:n], 1.0)
    for slower, wanted in ((0.0, 0.0), (0.4, None)):
        active = np.convolve(prefill > 0, [0, 1.0, 0.5, 0.2], mode="full")[:n]
        step_s = (0.012 + 0.001 * rows) * (1 + slower * np.minimum(active, 1.0)) * rng.normal(1, 0.005, n)
        given = measure_given_rows(arrays_of(steps(prefill, rows=rows, step_s=step_s)), SETTINGS)
        assert not isinstance(given, Absent)
        planted = 1.0 - np.average((0.012 + 0.001 * rows) / step_s)
        low, high = given.slowdown.low, given.slowdown.high
        assert low is not None
        assert high is not None
        if wanted is not None:
            assert low - 0.01 <= wanted <= high + 0.01
            assert high < SETTINGS.practical_share
        else:
            assert given.slowdown.value == pytest.approx(planted, rel=0.35)
            assert low > SETTINGS.practical_share


def test_rows_that_prefill_brings_come_back() -> None:
    rng = np.random.default_rng(54)
    n = 2000
    prefill = bursty(n, rng)
    brought = np.convolve(prefill / 5000.0, [0.5, 1.0, 0.5], mode="full")[:n]
    own = np.zeros(n)
    for t in range(1, n):
        own[t] = 0.9 * own[t - 1] + rng.normal() * 0.3
    rows = np.maximum(4.0 + own + brought, 0.5)
    found = measure_rows_brought(arrays_of(steps(prefill, rows=rows, step_s=np.full(n, 0.015))), SETTINGS)
    assert found.mean == pytest.approx(brought.mean(), rel=0.15)
    assert abs(found.mean - brought.mean()) < 2 * found.half
    none = measure_rows_brought(
        arrays_of(steps(prefill, rows=4.0 + np.abs(own), step_s=np.full(n, 0.015))), SETTINGS
    )
    assert abs(none.mean) < 2 * none.half + 0.05


def test_a_queue_that_slows_nobody_has_no_effect() -> None:
    _, timeline = plant_once(WORLDS["shared_step"](hours=6), 1)
    found = measure_queue(timeline, arrays_of(timeline), SETTINGS)
    assert not isinstance(found, Absent)
    assert found.waiting_share > 0.02
    assert isinstance(found.effect, Estimate)
    assert abs(found.effect.value) < 0.01


def test_another_engines_load_is_averaged_over_ones_own_intervals() -> None:
    other = Intervals(
        start_s=np.array([0.0, 10.0, 20.0]),
        end_s=np.array([10.0, 20.0, 30.0]),
        segment=np.zeros(3, dtype=np.int64),
    )
    own = Intervals(
        start_s=np.array([5.0, 15.0, 25.0]),
        end_s=np.array([15.0, 25.0, 35.0]),
        segment=np.zeros(3, dtype=np.int64),
    )
    found = average_inside(np.array([2.0, 4.0, 8.0]), other, own)
    assert found[:2].tolist() == [3.0, 6.0]
    assert np.isnan(found[2])


def test_a_ratio_always_has_bounds_and_holds_its_value() -> None:
    rng = np.random.default_rng(55)
    n = 120
    slow = np.cumsum(rng.normal(size=n)) + 50.0
    start = np.arange(n) * 15.0
    intervals = Intervals(start_s=start, end_s=start + 15.0, segment=np.zeros(n, dtype=np.int64))
    blocks = draw_blocks(intervals.segment, length=20, resamples=200, rng=rng)
    bounder = RatioBounder(intervals=intervals, blocks=blocks, settings=SETTINGS)
    wide, empty = bounder.ratios([(slow, np.full(n, 100.0)), (slow, np.zeros(n))])
    assert wide.low < wide.value < wide.high
    assert (empty.low, empty.value, empty.high) == (0.0, 0.0, 0.0)

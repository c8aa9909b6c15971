"""Intervals against the long-run values of their generators."""

from __future__ import annotations

import numpy as np
import pytest
from interval_worlds import WORLDS, World, ar1, bound, coverage
from scipy.stats import binom

from census.stats.block_bootstrap import draw_blocks, resample_sums
from census.stats.block_length import measure_dependence, segment_autocovariances
from census.stats.bounds import OfQuantile, OfSums, bound_all, ratio
from census.stats.difference import interval_of_difference
from census.stats.long_run import measure_long_run
from census.stats.weighted import weighted_quantile


def _one(question, blocks):
    return bound_all([question], blocks=blocks, level=0.95)[0]


@pytest.mark.parametrize("name", WORLDS)
def test_intervals_cover_the_long_run_value_quick(name):
    covered, given, _ = coverage(WORLDS[name], runs=60, seed=3)
    assert given == 60
    assert covered >= binom.ppf(0.001, given, 0.95), f"{covered} of {given}"


@pytest.mark.truth
@pytest.mark.parametrize("name", WORLDS)
def test_95_percent_intervals_cover_in_90_to_99_percent_of_200_runs(name):
    covered, given, n_effective = coverage(WORLDS[name], runs=200, seed=11)
    print(f"{name}: {covered} of {given}, effective n {n_effective:.0f}")
    assert n_effective >= 50
    assert given >= 190
    assert 0.90 <= covered / given <= 0.99


def test_an_independent_interval_fails_on_a_strongly_autocorrelated_series():
    rng = np.random.default_rng(5)
    naive = ours = 0
    for _ in range(100):
        series = ar1(0.9, 1200, rng)
        half = 1.96 * series.std() / np.sqrt(series.size)
        naive += abs(series.mean()) <= half
        found = bound(np.column_stack([series + 10, np.ones(1200)]), rng)
        ours += found.low <= 10 <= found.high
    assert naive < 50
    assert ours >= 90


def test_too_few_independent_values_give_no_interval():
    rng = np.random.default_rng(1)
    found = bound(np.column_stack([ar1(0.9, 120, rng) + 10, np.ones(120)]), rng)
    assert (found.low, found.high) == (None, None)
    assert found.why_none == "too few independent intervals for a bound"


def test_a_constant_ratio_is_known_exactly():
    steps = np.arange(1.0, 101.0)
    blocks = draw_blocks(np.zeros(100, dtype=np.int64), length=5, resamples=50, rng=np.random.default_rng(0))
    found = _one(OfSums(columns=np.column_stack([0.25 * steps, steps]), statistic=ratio), blocks)
    assert found.value == pytest.approx(0.25)
    assert found.high - found.low < 1e-9


def test_the_same_seed_gives_the_same_interval():
    world = WORLDS["chunk seconds, bursty"]
    once, again = (
        bound(world.draw(500, np.random.default_rng(2)), np.random.default_rng(9)) for _ in range(2)
    )
    assert once == again


def test_an_added_constant_moves_a_mean_and_leaves_its_width():
    rng = np.random.default_rng(4)
    series = ar1(0.5, 600, rng)
    low, high = (
        bound(np.column_stack([series + shift, np.ones(600)]), np.random.default_rng(1)) for shift in (5, 105)
    )
    assert high.high - high.low == pytest.approx(low.high - low.low, rel=1e-6)
    assert high.value - low.value == pytest.approx(100)


@pytest.mark.parametrize(("rho", "length"), [(0.0, 0.0), (0.5, 4 / 3), (0.9, 9.47)])
def test_the_correlation_length_of_an_ar1_series_is_found(rho, length):
    rng = np.random.default_rng(8)
    found = [
        measure_dependence(ar1(rho, 8000, rng), np.zeros(8000, int)).correlation_length for _ in range(10)
    ]
    assert np.median(found) == pytest.approx(length, rel=0.25, abs=0.25)


def test_the_block_length_follows_the_published_rule_for_ar1():
    rng = np.random.default_rng(8)
    rho, n = 0.7, 5000
    wanted = (1.5 * (2 * rho / (1 - rho**2)) ** 2 * n) ** (1 / 3)
    found = [measure_dependence(ar1(rho, n, rng), np.zeros(n, int)).block for _ in range(20)]
    assert np.median(found) == pytest.approx(wanted, rel=0.2)


def test_autocovariances_pair_only_inside_segments():
    rng = np.random.default_rng(3)
    series, segments = rng.normal(size=40), np.repeat([0, 1, 2], [13, 20, 7])
    centred = series - series.mean()
    slow = [
        sum(centred[i] * centred[i + lag] for i in range(40 - lag) if segments[i] == segments[i + lag]) / 40
        for lag in range(9)
    ]
    np.testing.assert_allclose(segment_autocovariances(series, segments, max_lag=8), slow, atol=1e-12)


def test_no_block_spans_a_segment_edge():
    segments = np.repeat([0, 1, 2], [3, 10, 7])
    blocks = draw_blocks(segments, length=5, resamples=300, rng=np.random.default_rng(0))
    one_segment = (segments == 1).astype(float)
    pieces = resample_sums(blocks, np.column_stack([one_segment, 1 - one_segment]))
    drawn = pieces / pieces.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(drawn.sum(axis=1), 1.0)
    single = draw_blocks(segments, length=5, resamples=1, rng=np.random.default_rng(0))
    for start in range(20):
        counts = np.zeros((1, 20), dtype=np.uint16)
        counts[0, start] = 1
        lone = type(single)(segments=segments, length=5, counts=counts)
        share = resample_sums(lone, np.eye(3)[segments])[0] / 20
        assert sorted(share) == [0, 0, 1]


def test_every_interval_is_as_likely_as_any_other():
    segments = np.repeat([0, 1], [4, 16])
    blocks = draw_blocks(segments, length=3, resamples=20_000, rng=np.random.default_rng(0))
    drawn = resample_sums(blocks, np.eye(20)).mean(axis=0)
    np.testing.assert_allclose(drawn, 1.0, atol=0.03)


def test_the_difference_of_equal_windows_covers_zero():
    rng = np.random.default_rng(6)
    covered = 0
    for _ in range(100):
        sides = [bound(WORLDS["ratio of sums, rho 0.5"].draw(400, rng), rng) for _ in range(2)]
        found = interval_of_difference(sides[0], sides[1], level=0.95)
        covered += found.low <= 0 <= found.high
    assert 90 <= covered <= 100


def test_weighted_quantiles_with_equal_weights_are_the_ordinary_ones():
    values = np.random.default_rng(0).normal(size=37)
    for share in (0.0, 0.25, 0.5, 0.9, 1.0):
        assert weighted_quantile(values, np.full(37, 15.0), share) == pytest.approx(
            np.quantile(values, share)
        )


def test_a_value_that_lasted_longer_draws_the_median():
    assert weighted_quantile(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 10.0]), 0.5) == pytest.approx(
        2.5, abs=0.2
    )


def test_equal_values_have_a_median_without_spread():
    blocks = draw_blocks(np.zeros(60, dtype=np.int64), length=2, resamples=100, rng=np.random.default_rng(0))
    found = _one(OfQuantile(values=np.full(60, 7.0), weights=np.ones(60), share=0.5), blocks)
    assert (found.low, found.value, found.high) == (7.0, 7.0, 7.0)


def test_a_median_of_five_values_has_no_interval():
    values = np.full(300, np.nan)
    values[::70] = [1.0, 2.0, 3.0, 4.0, 5.0]
    blocks = draw_blocks(np.zeros(300, dtype=np.int64), length=2, resamples=100, rng=np.random.default_rng(0))
    found = _one(OfQuantile(values=values, weights=np.ones(300), share=0.5, episodes=5), blocks)
    assert (found.value, found.low) == (3.0, None)


def test_white_noise_is_as_many_values_as_it_has():
    found = measure_long_run(np.random.default_rng(2).normal(size=5000), np.zeros(5000, int))
    assert 2500 < found.n_effective <= 5000


def test_the_worlds_truth_is_their_long_run_value():
    rng = np.random.default_rng(0)
    for name, world in WORLDS.items():
        data = World(draw=world.draw, truth=world.truth, n=0).draw(300_000, rng)
        value = ratio(data.sum(axis=0)) if data.ndim == 2 else np.nanmedian(data)
        assert value == pytest.approx(world.truth, rel=0.02), name

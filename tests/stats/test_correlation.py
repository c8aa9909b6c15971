"""Autocorrelated series are worth few pairs, and the intervals know it."""

from __future__ import annotations

import numpy as np
import pytest
from planted_series import autoregressive, even_intervals

from census.stats.autocorrelation import autocorrelations, effective_pairs
from census.stats.correlation import correlate_at_lags, null_band


def test_two_hundred_pairs_of_slow_series_are_worth_about_twenty_one() -> None:
    rng = np.random.default_rng(11)
    intervals = even_intervals(200)
    worth = [
        effective_pairs(autoregressive(200, 0.9, rng), autoregressive(200, 0.9, rng), intervals)
        for _ in range(100)
    ]
    assert 18 < np.median(worth) < 29
    assert null_band(21.0, level=0.95) == pytest.approx(0.43, abs=0.005)


def test_independent_pairs_are_worth_themselves() -> None:
    rng = np.random.default_rng(12)
    intervals = even_intervals(300)
    worth = [effective_pairs(rng.normal(size=300), rng.normal(size=300), intervals) for _ in range(50)]
    assert 280 < np.median(worth) <= 300


@pytest.mark.parametrize(("rho", "n"), [(0.9, 200), (0.5, 200), (0.9, 1000)])
def test_unrelated_series_leave_their_band_about_one_time_in_twenty(rho: float, n: int) -> None:
    rng = np.random.default_rng(13)
    intervals = even_intervals(n, segments=2)
    runs = 300
    outside = 0
    for _ in range(runs):
        row = correlate_at_lags(
            autoregressive(n, rho, rng),
            autoregressive(n, rho, rng),
            intervals,
            lags_s=np.array([30.0]),
            level=0.95,
        )[0]
        assert row.r is not None
        assert row.band is not None
        outside += abs(row.r) > row.band
    assert 0.01 < outside / runs < 0.09


@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_the_interval_of_r_covers_the_planted_correlation(rho: float) -> None:
    rng = np.random.default_rng(14)
    intervals = even_intervals(400)
    planted, covered, runs = -0.6, 0, 300
    for _ in range(runs):
        x, other = autoregressive(400, rho, rng), autoregressive(400, rho, rng)
        y = planted * x + np.sqrt(1 - planted**2) * other
        row = correlate_at_lags(x, y, intervals, lags_s=np.array([0.0]), level=0.95)[0]
        assert row.low is not None
        assert row.high is not None
        covered += row.low <= planted <= row.high
    assert 0.90 < covered / runs < 0.99


def test_a_relation_shows_at_its_own_lag_and_sign() -> None:
    rng = np.random.default_rng(15)
    intervals = even_intervals(600, segments=3)
    x = rng.normal(size=600)
    y = rng.normal(size=600) * 0.3
    for start, stop in intervals.bounds():
        y[start + 2 : stop] -= x[start : stop - 2]
    lags = np.arange(-4, 5) * 15.0
    rows = correlate_at_lags(x, y, intervals, lags_s=lags, level=0.95)
    strongest = min(rows, key=lambda row: row.r or 0.0)
    assert strongest.lag_s == 30.0
    assert strongest.r == pytest.approx(-0.96, abs=0.02)
    assert strongest.spearman == pytest.approx(-0.95, abs=0.03)
    assert all(abs(row.r or 0.0) < 2 * (row.band or 0.0) for row in rows if row is not strongest)


def test_a_series_that_stands_still_has_no_correlation() -> None:
    intervals = even_intervals(50)
    row = correlate_at_lags(np.full(50, 3.0), np.arange(50.0), intervals, lags_s=np.array([0.0]), level=0.95)[
        0
    ]
    assert (row.r, row.low, row.high, row.spearman, row.band) == (None,) * 5


def test_an_added_constant_and_missing_rows_change_no_autocorrelation_much() -> None:
    rng = np.random.default_rng(16)
    intervals = even_intervals(4000)
    values = autoregressive(4000, 0.7, rng)
    whole = autocorrelations(values, intervals, longest=5)
    assert autocorrelations(values + 100.0, intervals, longest=5) == pytest.approx(whole, abs=1e-9)
    holes = np.where(rng.random(4000) < 0.3, np.nan, values)
    assert autocorrelations(holes, intervals, longest=5) == pytest.approx(whole, abs=0.06)
    assert whole == pytest.approx(0.7 ** np.arange(6), abs=0.08)

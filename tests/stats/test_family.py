"""The strongest of many lags alarms at the stated rate, in under a second."""

from __future__ import annotations

import time

import numpy as np
import pytest
from planted_series import Floats, autoregressive, even_intervals

from census.stats.circular_shift import family_p

LAGS = tuple(range(-20, 21))


def bursts(n: int, rng: np.random.Generator) -> Floats:
    """Return a series that is 0 but for bursts of one to nine intervals."""
    x = np.zeros(n)
    for at in np.flatnonzero(rng.random(n) < 0.05).tolist():
        x[at : at + int(rng.integers(1, 10))] = rng.exponential()
    return x


def alarms(n: int, rho_x: float, rho_y: float, *, pairs: int, seed: int) -> float:
    """Return the share of unrelated pairs whose smallest family-wise p is at most 0.05."""
    rng = np.random.default_rng(seed)
    intervals = even_intervals(n, segments=1 if n < 500 else 3)
    count = 0
    for _ in range(pairs):
        x, y = autoregressive(n, rho_x, rng), autoregressive(n, rho_y, rng)
        found = [p for p in family_p(x, y, intervals, lags=LAGS, draws=199, rng=rng) if p is not None]
        count += min(found) <= 0.05
    return count / pairs


def test_unrelated_slow_series_alarm_rarely() -> None:
    assert alarms(200, 0.9, 0.9, pairs=60, seed=21) <= 0.12


@pytest.mark.truth
@pytest.mark.parametrize(("n", "rho_x", "rho_y"), [(200, 0.9, 0.9), (1000, 0.9, 0.9), (400, 0.5, 0.95)])
def test_unrelated_series_alarm_at_the_stated_level(n: int, rho_x: float, rho_y: float) -> None:
    share = alarms(n, rho_x, rho_y, pairs=400, seed=22)
    print(f"n {n}, AR {rho_x} and {rho_y}: alarms {share:.3f} of 400 at 0.05")
    assert 0.02 < share < 0.085


@pytest.mark.truth
def test_bursts_that_coincide_by_chance_alarm_near_the_stated_level() -> None:
    rng = np.random.default_rng(23)
    intervals = even_intervals(4000)
    count = 0
    for _ in range(200):
        found = family_p(bursts(4000, rng), bursts(4000, rng), intervals, lags=LAGS, draws=199, rng=rng)
        count += min(p for p in found if p is not None) <= 0.05
    print(f"bursts: alarms {count / 200:.3f} of 200 at 0.05")
    assert count / 200 < 0.10


def test_a_planted_relation_is_found_at_its_lag_across_boots() -> None:
    rng = np.random.default_rng(24)
    intervals = even_intervals(900, segments=3)
    x = autoregressive(900, 0.8, rng)
    y = autoregressive(900, 0.8, rng)
    for start, stop in intervals.bounds():
        y[start + 3 : stop] -= 0.5 * x[start : stop - 3]
    found = dict(zip(LAGS, family_p(x, y, intervals, lags=LAGS, draws=999, rng=rng), strict=True))
    assert found[3] == pytest.approx(0.001)
    assert all((p or 0.0) > 0.05 for lag, p in found.items() if abs(lag - 3) > 4)


def test_too_short_segments_give_no_p() -> None:
    rng = np.random.default_rng(25)
    found = family_p(
        rng.normal(size=60), rng.normal(size=60), even_intervals(60, segments=3), lags=LAGS, draws=99, rng=rng
    )
    assert set(found) == {None}


def test_two_days_at_fifteen_seconds_take_less_than_a_second() -> None:
    rng = np.random.default_rng(26)
    x, y = autoregressive(11_520, 0.9, rng), autoregressive(11_520, 0.9, rng)
    intervals = even_intervals(11_520)
    before = time.process_time()
    family_p(x, y, intervals, lags=LAGS, draws=999, rng=rng)
    assert time.process_time() - before < 1.0

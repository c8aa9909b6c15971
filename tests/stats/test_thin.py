"""Thinning keeps what the eye must see."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from census.stats.thin import thin_extremes


def test_a_single_spike_among_ten_thousand_points_stays() -> None:
    values = np.ones(10_000)
    values[6_543] = 500.0
    kept = thin_extremes(values, runs=100)
    assert 6_543 in kept
    assert kept.size <= 500


def test_a_short_line_is_kept_whole() -> None:
    assert thin_extremes(np.array([1.0, np.nan, 3.0]), runs=1).tolist() == [0, 1, 2]


def test_a_break_stays_a_break() -> None:
    values = np.ones(1_000)
    values[400:420] = np.nan
    kept = thin_extremes(values, runs=50)
    assert np.isnan(values[kept]).any()


def test_no_runs_is_refused() -> None:
    with pytest.raises(ValueError, match="runs is 0"):
        thin_extremes(np.ones(3), runs=0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=400), st.integers(1, 20))
def test_extremes_and_ends_always_stay(points: list[float], runs: int) -> None:
    values = np.array(points)
    kept = thin_extremes(values, runs=runs)
    assert np.all(np.diff(kept) > 0)
    assert kept[0] == 0
    assert kept[-1] == len(points) - 1
    assert values[kept].min() == values.min()
    assert values[kept].max() == values.max()

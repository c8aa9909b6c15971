"""Pairs are found by time, inside one boot, no gap between."""

from __future__ import annotations

import numpy as np
import pytest
from planted_series import even_intervals

from census.stats.lag_pairs import Intervals, choose_lags, pair_at_lag


def uneven() -> Intervals:
    """0-15, 15-30, 30-60, 60-90 in one segment; 500-515, 515-530 in another."""
    return Intervals(
        start_s=np.array([0.0, 15.0, 30.0, 60.0, 500.0, 515.0]),
        end_s=np.array([15.0, 30.0, 60.0, 90.0, 515.0, 530.0]),
        segment=np.array([0, 0, 0, 0, 1, 1]),
    )


@pytest.mark.parametrize(
    ("lag_s", "earlier", "now"),
    [
        pytest.param(0.0, [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5], id="lag 0 pairs each with itself"),
        pytest.param(
            30.0, [1, 2], [2, 3], id="half a minute back, whatever the spacing, never across a boot"
        ),
        pytest.param(-15.0, [1, 2, 3, 5], [0, 1, 2, 4], id="decode leads: the partner lies after"),
        pytest.param(470.0, [], [], id="a lag that only another boot could serve"),
    ],
)
def test_pairs_belong_to_one_segment_and_the_asked_time(
    lag_s: float, earlier: list[int], now: list[int]
) -> None:
    i, j = pair_at_lag(uneven(), lag_s)
    assert (i.tolist(), j.tolist()) == (earlier, now)


def test_a_missed_scrape_shifts_no_later_pair() -> None:
    start = np.array([0.0, 15.0, 45.0, 60.0, 75.0])
    end = np.array([15.0, 45.0, 60.0, 75.0, 90.0])
    missed = Intervals(start_s=start, end_s=end, segment=np.zeros(5, dtype=np.int64))
    i, j = pair_at_lag(missed, 30.0)
    assert dict(zip(j.tolist(), i.tolist(), strict=True)) == {1: 0, 2: 1, 3: 1, 4: 2}


def test_lags_are_symmetric_multiples_of_the_spacing_and_few() -> None:
    lags = choose_lags(even_intervals(2000, spacing_s=5.0), longest_s=300.0)
    assert lags.size <= 41
    assert lags.tolist() == (-lags[::-1]).tolist()
    assert [lag for lag in lags.tolist() if -10 <= lag <= 20] == [-10.0, -5.0, 0.0, 5.0, 10.0, 15.0, 20.0]
    assert choose_lags(even_intervals(500), longest_s=300.0).tolist() == [15.0 * k for k in range(-20, 21)]


def test_overlapping_or_reversed_intervals_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        Intervals(
            start_s=np.array([0.0, 10.0]), end_s=np.array([15.0, 25.0]), segment=np.zeros(2, dtype=np.int64)
        )

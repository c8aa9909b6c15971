"""Pooled histograms: quantiles with bounds, shares over thresholds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from census.stats.histogram import (
    BoundedQuantile,
    SharesOver,
    bound_quantile,
    interpolate_quantile,
    share_over,
)

INF = np.inf
CAPPED = (np.array([5.0, 10.0, 15.0, INF]), np.array([70.0, 14.0, 6.0, 10.0]))
FLOORED = (np.array([0.01, 0.025, INF]), np.array([1000.0, 0.0, 0.0]))


def test_a_quantile_in_the_overflow_bucket_is_more_than_the_last_edge():
    assert bound_quantile(*CAPPED, 0.99) == BoundedQuantile(value=None, low=15.0, high=None)


def test_a_quantile_on_an_edge_is_that_edge():
    assert bound_quantile(*CAPPED, 0.9) == BoundedQuantile(value=15.0, low=10.0, high=15.0)


@pytest.mark.parametrize(
    ("threshold", "answer"),
    [
        pytest.param(10.0, SharesOver(low=0.16, high=0.16), id="exact on an edge"),
        pytest.param(12.0, SharesOver(low=0.10, high=0.16), id="a range between edges"),
        pytest.param(15.0, SharesOver(low=0.10, high=0.10), id="exact on the last edge"),
        pytest.param(20.0, SharesOver(low=0.0, high=0.10), id="above the last edge"),
        pytest.param(1.0, SharesOver(low=0.30, high=1.0), id="inside the first bucket"),
    ],
)
def test_shares_over_a_threshold(threshold, answer):
    assert share_over(*CAPPED, threshold) == answer


@pytest.mark.parametrize("share", [0.5, 0.99])
def test_a_quantile_in_the_first_bucket_is_at_most_its_edge(share):
    assert bound_quantile(*FLOORED, share) == BoundedQuantile(value=None, low=0.0, high=0.01)


def test_no_traffic_is_neither_zero_nor_nan():
    nothing = (np.array([1.0, INF]), np.array([0.0, 0.0]))
    assert bound_quantile(*nothing, 0.5) is None
    assert share_over(*nothing, 1.0) is None


def test_pooled_increments_give_what_an_average_of_quantiles_does_not():
    edges = np.array([0.5, 5.0, 10.0, INF])
    quiet, loaded = np.array([990.0, 0, 0, 0]), np.array([0.0, 0, 10, 0])
    pooled = interpolate_quantile(edges, quiet + loaded, 0.9)
    averaged = (interpolate_quantile(edges, quiet, 0.9) + interpolate_quantile(edges, loaded, 0.9)) / 2
    assert (pooled, averaged) == pytest.approx((0.4545, 4.975), abs=1e-4)


def test_an_edge_written_as_a_long_decimal_is_the_same_edge():
    edges = np.array([0.1, 0.30000000000000004, INF])
    assert share_over(edges, np.array([1.0, 1.0, 2.0]), 0.3) == SharesOver(low=0.5, high=0.5)


@given(
    counts=st.lists(st.integers(0, 50), min_size=3, max_size=8).filter(any),
    share=st.floats(0.01, 0.99),
)
def test_every_quantile_lies_between_its_bounds(counts, share):
    edges = np.append(np.arange(1.0, len(counts)), INF)
    bound = bound_quantile(edges, np.array(counts, dtype=float), share)
    assert bound is not None
    value = interpolate_quantile(edges, np.array(counts, dtype=float), share)
    assert bound.low <= value
    assert bound.high is None or value <= bound.high

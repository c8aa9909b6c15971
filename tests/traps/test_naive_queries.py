"""The naive ways are PromQL's own arithmetic, so their inputs have answers that Prometheus gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from census.stats.naive import (
    average_of_quantiles,
    evaluation_grid,
    last_minus_first,
    promql_avg_over_time,
    promql_histogram_quantile,
    promql_increase,
    promql_rate,
)

RESTART = (np.array([0, 15, 30, 45, 60]) * 1000, np.array([1000.0, 1150, 1300, 40, 190]))
LATENCY_EDGES = np.array([0.5, 5.0, 10.0, np.inf])


def at(*seconds: float) -> np.ndarray:
    return np.array([round(second * 1000) for second in seconds], dtype=np.int64)


def test_last_minus_first_of_a_plain_restart_is_minus_810() -> None:
    assert last_minus_first(RESTART[1]) == -810.0


def test_increase_over_a_restart_adds_the_value_before_every_fall() -> None:
    assert promql_increase(*RESTART, at_ms=at(60), range_ms=60_000).tolist() == [490.0]


def test_increase_of_whole_events_is_scaled_past_its_last_sample() -> None:
    times, events = np.array([0, 15_000, 30_000, 45_000]), np.array([0.0, 0, 108, 108])
    on_samples, between = promql_increase(times, events, at_ms=at(45, 50), range_ms=45_000)
    assert on_samples == 108.0
    assert between == pytest.approx(108 * 35 / 30)


def test_increase_never_reaches_back_below_zero() -> None:
    times, young = np.array([30_000, 45_000, 60_000]), np.array([1.0, 151, 301])
    (grown,) = promql_increase(times, young, at_ms=at(60), range_ms=35_000)
    assert grown == pytest.approx(301.0)


def test_a_range_with_one_sample_has_no_answer() -> None:
    rates = promql_rate(*RESTART, at_ms=at(10, 60), range_ms=14_000)
    assert np.isnan(rates).tolist() == [True, True]
    assert math.isnan(promql_rate(*RESTART, at_ms=at(600), range_ms=60_000)[0])


def test_a_two_minute_mean_counts_samples_and_not_time() -> None:
    times, load = at(0, 15, 30, 31, 32), np.array([0.0, 0, 0, 100, 100])
    assert promql_avg_over_time(times, load, at_ms=at(32), range_ms=120_000).tolist() == [40.0]
    assert np.isnan(promql_avg_over_time(times, load, at_ms=at(400), range_ms=120_000)).all()


@pytest.mark.parametrize(
    ("counts", "q", "answer"),
    [
        pytest.param([990, 0, 10, 0], 0.9, 0.45454545454545453, id="inside the first bucket"),
        pytest.param([0, 0, 0, 7], 0.5, 10.0, id="overflow bucket: the cap is returned as if measured"),
        pytest.param([0, 0, 10, 0], 0.9, 9.5, id="one bucket"),
        pytest.param([0, 0, 0, 0], 0.9, math.nan, id="no traffic"),
    ],
)
def test_a_quantile_is_interpolated_as_prometheus_does(counts: list[float], q: float, answer: float) -> None:
    got = promql_histogram_quantile(LATENCY_EDGES, np.array(counts, dtype=float), q=q)
    assert got == answer or (math.isnan(got) and math.isnan(answer))


def test_the_average_of_quantiles_is_ten_times_the_quantile() -> None:
    replicas = np.array([[990.0, 0, 0, 0], [0, 0, 10, 0], [0, 0, 0, 0]])
    assert average_of_quantiles(LATENCY_EDGES, replicas, q=0.9) == pytest.approx(4.975)
    assert promql_histogram_quantile(LATENCY_EDGES, replicas.sum(axis=0), q=0.9) == pytest.approx(0.45454545)
    assert math.isnan(average_of_quantiles(LATENCY_EDGES, np.zeros((2, 4)), q=0.9))


def test_the_grid_begins_one_range_after_the_first_sample() -> None:
    assert evaluation_grid(at(0, 60, 150), range_ms=120_000, step_ms=15_000).tolist() == [
        120_000,
        135_000,
        150_000,
    ]
    assert evaluation_grid(at(0, 60), range_ms=120_000, step_ms=15_000).size == 0

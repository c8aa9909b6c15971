"""Waits for the first token by prefill load: pooling, the clock, and planted waits."""

from __future__ import annotations

import numpy as np
import pytest
from planted_timeline import plant
from timeline_factory import make_histogram, make_timeline

from census.findings import arrival_wait
from census.findings.buckets import place_in_buckets
from census.findings.interval_rates import IntervalRates, measure_rates
from census.model.estimate import Absent
from census.model.findings import ArrivalWait, QuantileBound, ShareRange
from census.model.settings import Settings
from census.simulate.truth import truth_between
from census.simulate.worlds import shared_step

SETTINGS = Settings()
INF = float("inf")


def _measure(timeline) -> ArrivalWait:
    rates = measure_rates(timeline, SETTINGS)
    assert isinstance(rates, IntervalRates)
    found = arrival_wait.measure(timeline, rates, SETTINGS)
    assert isinstance(found, ArrivalWait)
    return found


def _timeline(prefill, *, ttft, **histograms):
    counters = {"prefill_tokens": prefill, "decode_tokens": np.ones(len(prefill))}
    return make_timeline(counters, histograms={"ttft": ttft, **histograms})


def test_increments_are_pooled_and_read_once():
    edges, counts = [0.25, 0.5, 5.0, 10.0, INF], [[0, 990, 0, 0, 0], [0, 0, 0, 10, 0]]
    ttft = make_histogram(edges, counts, clock="first_token", sums=[300, 80])
    found = _measure(_timeline([0.0, 0.0], ttft=ttft))
    assert found.all.requests == 1000
    assert found.all.p90_s == QuantileBound(value=pytest.approx(0.25 + 0.25 * 900 / 990), low=0.25, high=0.5)


def test_overflow_and_first_bucket_have_bounds_and_no_value():
    ttft = make_histogram([5.0, 10.0, 15.0, INF], [[70, 14, 6, 10]], clock="first_token", sums=[500])
    row = _measure(_timeline([0.0], ttft=ttft)).all
    assert row.p50_s == QuantileBound(value=None, low=0.0, high=5.0)
    assert row.p99_s == QuantileBound(value=None, low=15.0, high=None)
    assert row.over["10"] == ShareRange(low=0.16, high=0.16)
    assert row.over["30"] == ShareRange(low=0.0, high=0.10)


def test_a_bucket_without_traffic_has_no_quantile():
    ttft = make_histogram([1.0, INF], [[3, 0]], clock="first_token", sums=[1.5])
    row = _measure(_timeline([9000.0 * 15], ttft=ttft)).rows[1]
    assert (row.requests, row.p50_s, row.over) == (0, None, {})


def test_waits_booked_at_request_end_are_moved_back_by_their_own_decode_time():
    """Prefill ran in interval 2; the request that waited then decodes for 45 s and ends in interval 5."""
    prefill = [0.0, 0.0, 90_000.0, 0.0, 0.0, 0.0]
    counts = np.zeros((6, 2))
    counts[5, 0] = 1
    decode_s = [0, 0, 0, 0, 0, 45.0]
    ttft = make_histogram([1.0, INF], counts, sums=[0, 0, 0, 0, 0, 0.5])
    decode = make_histogram([60.0, INF], counts, role="decode_time", sums=decode_s)
    found = _measure(_timeline(prefill, ttft=ttft, decode_time=decode))
    assert [row.requests for row in found.rows] == [0, 0, 0, 0, 0, 1]
    assert found.lag_s == pytest.approx(45.0)
    assert "45.0 s after the first token" in found.note


def test_the_decode_time_is_also_told_by_whole_requests():
    prefill = [0.0, 90_000.0, 0.0, 0.0]
    counts = np.array([[0, 0], [0, 0], [0, 0], [1, 0]], dtype=float)
    ttft = make_histogram([1.0, INF], counts, sums=[0, 0, 0, 0.5])
    e2e = make_histogram([60.0, INF], counts, role="e2e", sums=[0, 0, 0, 30.5])
    found = _measure(_timeline(prefill, ttft=ttft, e2e=e2e))
    assert found.rows[-1].requests == 1
    assert found.lag_s == pytest.approx(30.0)


def test_without_a_decode_time_rows_are_by_request_end_and_the_note_says_so():
    ttft = make_histogram([1.0, INF], [[0, 0], [1, 0]], sums=[0, 0.5])
    found = _measure(_timeline([90_000.0, 0.0], ttft=ttft))
    assert [row.requests for row in found.rows] == [1, 0, 0, 0, 0, 0]
    assert found.lag_s is None
    assert "later than the wait by an unknown time" in found.note


def test_a_wait_before_the_window_is_in_no_row_but_in_the_whole():
    counts = np.array([[1, 0], [0, 0]], dtype=float)
    ttft = make_histogram([1.0, INF], counts, sums=[0.5, 0])
    decode = make_histogram([60.0, INF], counts, role="decode_time", sums=[500.0, 0])
    found = _measure(_timeline([0.0, 0.0], ttft=ttft, decode_time=decode))
    assert sum(row.requests for row in found.rows) == 0
    assert found.all.requests == 1
    assert "1 of 1 waits lie outside" in found.note


def test_no_histogram_is_absent():
    timeline = make_timeline({"prefill_tokens": [0.0], "decode_tokens": [1.0]})
    rates = measure_rates(timeline, SETTINGS)
    assert isinstance(arrival_wait.measure(timeline, rates, SETTINGS), Absent)


@pytest.mark.slow
def test_shares_over_ten_seconds_by_load_are_as_planted():
    """Agents decode for 23 s on average: without moving back, waits would stand under the load of later."""
    run, timeline = plant(shared_step(hours=12, prefill_duty=0.4, streams=2), 2)
    found = _measure(timeline)
    log = run.boots[0].requests
    done = ~np.isnan(log.end_s) & ~np.isnan(log.first_token_s) & (log.submit_s > 0)
    submit, first = log.submit_s[done], log.first_token_s[done]
    grid = np.arange(0.0, run.world.duration_s, 1.0)
    edges = run.world.epoch_ms + (np.append(grid, grid[-1] + 1) * 1000).astype(np.int64)
    tokens = np.concatenate([[0.0], np.cumsum(truth_between(run, edges).prefill_tokens)])
    at = np.append(grid, grid[-1] + 1)
    span = (submit - 7.5, first + 7.5)
    load = (np.interp(span[1], at, tokens) - np.interp(span[0], at, tokens)) / (span[1] - span[0])
    place = place_in_buckets(load, SETTINGS)
    for index in (4, 5):
        mine = found.rows[index]
        assert mine.requests > 1000
        theirs = float(np.mean((first - submit)[place == index] > 10))
        assert mine.over["10"].low == pytest.approx(theirs, abs=0.04)

"""Interval rates, on timelines made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from timeline_factory import make_histogram, make_timeline

from census.findings.interval_rates import IntervalRates, measure_rates
from census.model.estimate import Absent
from census.model.settings import Settings

INF = float("inf")


def _rates(timeline) -> IntervalRates:
    rates = measure_rates(timeline, Settings())
    assert isinstance(rates, IntervalRates)
    return rates


def _steps(**changes):
    """Two intervals: quiet (1000 decode steps of 15 ms) and loaded (60 mixed of 166 ms, 320 decode-only)."""
    quiet_loaded = {
        "prefill_tokens": [0.0, 60 * 2000.0],
        "decode_tokens": [2000.0, 760.0],
        "decode_steps": [1000.0, 320.0],
        "mixed_steps": [0.0, 60.0],
        "prefill_steps": [0.0, 0.0],
        "step_seconds": [15.0, 15.0],
        "decode_seconds": [15.0, 15.0 - 60 * 0.166],
    }
    return quiet_loaded | changes


def test_two_streams_share_every_step_so_each_gets_one_token_a_step():
    frame = _rates(make_timeline(_steps(), gauges={"running": [2, 2, 3]})).frame
    np.testing.assert_allclose(frame["per_stream_tok_s"], [1000 / 15, 380 / 15])
    np.testing.assert_allclose(frame["visible_tok_s"], [2000 / 15, 760 / 15])
    np.testing.assert_allclose(frame["stream_seconds"], [30.0, 30.0])
    np.testing.assert_allclose(frame["rows_per_step"], [2.0, 2.0])
    np.testing.assert_allclose(frame["chunk_share"], [0.0, 60 * 0.166 / 15])
    np.testing.assert_allclose(frame["prefill_tok_s"], [0.0, 8000.0])


def test_accepted_drafts_are_tokens_but_no_rows():
    counters = _steps(decode_tokens=[5000.0, 1900.0], draft_accepted=[3000.0, 1140.0])
    frame = _rates(make_timeline(counters)).frame
    np.testing.assert_allclose(frame["rows"], [2000.0, 760.0])
    np.testing.assert_allclose(frame["tokens_per_row"], [2.5, 2.5])
    np.testing.assert_allclose(frame["per_stream_tok_s"], [2500 / 15, 950 / 15])


def test_an_idle_interval_has_no_decode_work_and_no_rate():
    counters = {role: [*values, 0.0] for role, values in _steps().items()}
    frame = _rates(make_timeline(counters, gauges={"running": [2, 2, 0, 0]})).frame
    assert frame["decode_work"].tolist() == [True, True, False]
    assert np.isnan(frame["per_stream_tok_s"].iloc[2])
    assert frame["stream_seconds"].iloc[2] == 0


def test_a_decoder_that_ran_at_both_ends_without_a_token_counts_as_zero():
    counters = {role: [*values, 0.0] for role, values in _steps().items()}
    frame = _rates(make_timeline(counters, gauges={"running": [2, 2, 1, 1]})).frame
    assert frame["decode_work"].tolist() == [True, True, True]
    assert frame["per_stream_tok_s"].iloc[2] == 0
    assert frame["stream_seconds"].iloc[2] == 15.0


def _prefill_only(running: list[float]):
    """An exclusive engine: 40 prefill-only steps of 150 ms, then decode alone, then no token at all."""
    counters = {
        "prefill_tokens": [80_000.0, 0.0, 200_000.0],
        "decode_tokens": [600.0, 1000.0, 0.0],
        "decode_steps": [600.0, 1000.0, 0.0],
        "mixed_steps": [0.0, 0.0, 0.0],
        "prefill_steps": [40.0, 0.0, 100.0],
        "step_seconds": [15.0, 15.0, 15.0],
        "decode_seconds": [9.0, 15.0, 0.0],
    }
    return make_timeline(counters, gauges={"running": running})


def test_prefill_only_steps_are_stalls_where_decoders_run_and_no_step_mixes():
    rates = _rates(_prefill_only([2, 2, 2, 2]))
    assert rates.stalls == "counted"
    np.testing.assert_allclose(rates.frame["per_stream_tok_s"], [600 / 15, 1000 / 15, 0.0])
    np.testing.assert_allclose(rates.frame["stream_seconds"], [15.0, 15.0, 15.0])


def test_a_lone_prompt_in_prefill_is_no_stalled_decoder():
    rates = _rates(_prefill_only([1, 1, 1, 1]))
    assert rates.stalls == "both bounds"
    assert rates.frame["decode_work"].tolist() == [True, True, False]
    assert np.isnan(rates.frame["per_stream_tok_s"].iloc[2])
    assert rates.frame["per_stream_tok_s"].iloc[0] == pytest.approx(600 / 9)


def test_without_the_running_gauge_prefill_only_steps_give_both_bounds():
    counters = _steps(mixed_steps=[0.0, 0.0], prefill_steps=[0.0, 60.0])
    rates = _rates(make_timeline(counters))
    assert rates.stalls == "both bounds"
    last = rates.frame.iloc[1]
    assert last["per_stream_high"] == pytest.approx(320 / (15 - 60 * 0.166))
    assert last["per_stream_low"] == pytest.approx(320 / 15)


def test_prefill_only_steps_of_an_engine_that_mixes_are_nobodys_time():
    counters = _steps(mixed_steps=[0.0, 30.0], prefill_steps=[0.0, 30.0], decode_tokens=[2000.0, 670.0])
    rates = _rates(make_timeline(counters, gauges={"running": [2, 2, 2]}))
    assert rates.stalls == "nobody's"
    assert rates.frame["per_stream_tok_s"].iloc[1] == pytest.approx(
        670 / (2 * (15 - 60 * 0.166) + 30 * 0.166)
    )


def test_decode_tokens_booked_without_any_step_have_work_but_no_rate():
    counters = _steps(
        decode_steps=[1000.0, 0.0],
        mixed_steps=[0.0, 0.0],
        decode_tokens=[2000.0, 2.0],
        step_seconds=[15.0, 0.0],
        decode_seconds=[15.0, 0.0],
    )
    frame = _rates(make_timeline(counters)).frame
    assert frame["decode_work"].tolist() == [True, True]
    assert np.isnan(frame["per_stream_tok_s"].iloc[1])


def test_segments_end_at_gaps_and_at_boots():
    counters = {role: list(np.resize(values, 6)) for role, values in _steps().items()}
    timeline = make_timeline(counters, boot=[0, 0, 0, 0, 1, 1], gap=[False, False, True, False, False, False])
    assert _rates(timeline).frame["segment"].tolist() == [0, 0, 1, 2, 2]


def test_emissions_carry_several_tokens_under_speculation():
    timeline = make_timeline(
        {"prefill_tokens": [0.0], "decode_tokens": [3000.0]},
        seconds=15.5,
        histograms={
            "inter_token_latency": make_histogram(
                [0.01, 0.025, INF], [[0, 1000, 0]], role="inter_token_latency", clock="step", sums=[15.5]
            )
        },
    )
    assert _rates(timeline).frame["per_stream_tok_s"].tolist() == pytest.approx([193.548], abs=1e-3)


def test_first_tokens_follow_no_gap_so_they_are_taken_off_where_the_counter_holds_them():
    timeline = make_timeline(
        {"prefill_tokens": [0.0], "decode_tokens": [1010.0]},
        histograms={
            "inter_token_latency": make_histogram([0.025, INF], [[1000, 0]], clock="step", sums=[15.5]),
            "ttft": make_histogram([1.0, INF], [[10, 0]], clock="first_token"),
        },
    )
    assert _rates(timeline).frame["per_stream_tok_s"].tolist() == pytest.approx([1000 / 15.5])


def test_a_request_in_prefill_is_no_stream():
    timeline = make_timeline(
        {"prefill_tokens": [0.0, 9000.0, 0.0], "decode_tokens": [1800.0, 1164.0, 900.0]},
        gauges={"running": [2, 2, 2, 1]},
    )
    frame = _rates(timeline).frame
    np.testing.assert_allclose(frame["per_stream_tok_s"], [60.0, 77.6, np.nan])
    np.testing.assert_allclose(frame["per_stream_low"], [60.0, 38.8, np.nan])


def test_cache_hits_are_no_prefill():
    timeline = make_timeline(
        {"prompt_tokens": [60_000.0], "cached_tokens": [57_000.0], "decode_tokens": [100.0]}
    )
    rates = _rates(timeline)
    assert rates.frame["prefill_tok_s"].tolist() == [200.0]
    assert rates.prefill_axis == "computed prefill tokens per second"


def test_without_a_hit_counter_the_axis_says_so():
    rates = _rates(make_timeline({"prompt_tokens": [60_000.0], "decode_tokens": [100.0]}))
    assert rates.frame["prefill_tok_s"].tolist() == [4000.0]
    assert "cache hits included" in rates.prefill_axis


@pytest.mark.parametrize("role", ["prompt_tokens", "decode_tokens"])
def test_counters_that_move_at_request_end_give_no_rates(role):
    timeline = make_timeline(
        {"prompt_tokens": [60_000.0], "decode_tokens": [100.0]}, clocks={role: "request"}
    )
    answer = measure_rates(timeline, Settings())
    assert isinstance(answer, Absent)
    assert "request ends" in answer.reason


def test_no_prefill_counter_is_absent_with_its_reason():
    assert measure_rates(make_timeline({"decode_tokens": [100.0]}), Settings()) == Absent(
        "prefill_tokens has no samples in the window"
    )


def test_shifting_all_timestamps_changes_no_rate():
    early = _rates(make_timeline(_steps())).frame
    late = _rates(make_timeline(_steps(), start_ms=9_000_000)).frame
    np.testing.assert_array_equal(early["per_stream_tok_s"], late["per_stream_tok_s"])

"""The exposure is radiance's: families, labels, bucket edges as it writes them, and what moves when."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from prometheus_client.parser import text_string_to_metric_families

from census.capture.series import Series
from census.simulate.engine import simulate
from census.simulate.expose_radiance import RadianceOptions, radiance_columns, radiance_series
from census.simulate.exposure import edge_text, page
from census.simulate.founding import founding
from census.simulate.run import Run
from census.simulate.truth import truth_between
from census.simulate.worlds import held_steps, shared_step

SCHEDULER = (
    "radiance:engine_steps_total",
    "radiance:engine_step_seconds_total",
    "radiance:decode_tokens_total",
    "radiance:prefill_tokens_total",
)
FAMILIES = {
    "radiance:attn_cached_tokens_total",
    "radiance:client_disconnect_total",
    "radiance:decode_rows_unspeculated_total",
    "radiance:decode_tokens_per_second",
    "radiance:decode_tokens_total",
    "radiance:draft_acceptance_ratio",
    "radiance:draft_accepted_total",
    "radiance:draft_position_acceptance_ratio",
    "radiance:draft_position_reached_total",
    "radiance:draft_refill_tokens_total",
    "radiance:draft_tokens_total",
    "radiance:engine_step_seconds_decode_total",
    "radiance:engine_step_seconds_total",
    "radiance:engine_steps_ahead_total",
    "radiance:engine_steps_decode_total",
    "radiance:engine_steps_held_total",
    "radiance:engine_steps_mixed_total",
    "radiance:engine_steps_prefill_total",
    "radiance:engine_steps_total",
    "radiance:http_admission_rejected_total",
    "radiance:http_queue_depth",
    "radiance:http_responses_total",
    "radiance:kv_cache_max_tokens",
    "radiance:linear_cached_tokens_total",
    "radiance:linear_checkpoints_written_total",
    "radiance:linear_prefix_cache_hit_rate",
    "radiance:num_requests_preempted",
    "radiance:prefill_tokens_per_second",
    "radiance:prefill_tokens_total",
    "radiance:prefix_cache_ckpt_evictions_total",
    "radiance:prefix_cache_evictions_total",
    "radiance:stream_overflow_total",
    "vllm:generation_tokens_total",
    "vllm:gpu_cache_usage_perc",
    "vllm:gpu_prefix_cache_hit_rate",
    "vllm:kv_cache_usage_perc",
    "vllm:num_preemptions_total",
    "vllm:num_requests_running",
    "vllm:num_requests_waiting",
    "vllm:prompt_tokens_total",
    "vllm:request_success_total",
    *(
        f"vllm:{family}_{part}"
        for family in (
            "e2e_request_latency_seconds",
            "inter_token_latency_seconds",
            "request_decode_time_seconds",
            "request_generation_tokens",
            "request_params_max_tokens",
            "request_params_n",
            "request_prompt_tokens",
            "time_per_output_token_seconds",
            "time_to_first_token_seconds",
        )
        for part in ("bucket", "sum", "count")
    ),
}


@pytest.fixture(scope="module")
def run() -> Run:
    return simulate(founding(hours=6.0), 5)


@pytest.fixture(scope="module")
def series(run: Run) -> list[Series]:
    return radiance_series(run)


def values(series: list[Series], name: str, **labels: str) -> NDArray[np.float64]:
    found = [
        one
        for one in series
        if one.name == name and all(one.labels.get(key) == value for key, value in labels.items())
    ]
    assert len(found) == 1, (name, labels, len(found))
    return found[0].values


def test_every_family_is_there_and_no_other(series: list[Series]) -> None:
    assert {one.name for one in series} == FAMILIES


def test_each_series_carries_the_engines_labels_and_the_targets(series: list[Series]) -> None:
    for one in series:
        extra = set(one.labels) - {"__name__", "model_name", "engine", "job", "instance"}
        assert extra <= {"le", "position", "finished_reason", "class"}
    keys = [tuple(sorted(one.labels.items())) for one in series]
    assert len(set(keys)) == len(keys)


def test_bucket_edges_are_written_with_seventeen_digits() -> None:
    assert [edge_text(edge) for edge in (0.001, 0.005, 0.1, 0.25, 0.3, 1.0, 2560.0, np.inf)] == [
        "0.001",
        "0.0050000000000000001",
        "0.10000000000000001",
        "0.25",
        "0.29999999999999999",
        "1",
        "2560",
        "+Inf",
    ]


def test_counters_never_fall_inside_a_boot_and_start_anew_in_the_next(run: Run, series: list[Series]) -> None:
    edge = int(np.flatnonzero(np.diff(run.scrape_boot) == 1)[0])
    for one in series:
        if not one.name.endswith(("_total", "_bucket", "_sum", "_count")) or one.values.size < 2:
            continue
        falls = np.flatnonzero(np.diff(one.values) < 0)
        assert set(falls.tolist()) <= {edge}, one.name
    steps = values(series, "radiance:engine_steps_total")
    assert steps[edge] > 10_000
    assert steps[edge + 1] < 2_000
    assert steps[0] > 0  # the first boot began before the window


def test_scheduler_families_move_with_every_scrape_while_work_runs(run: Run, series: list[Series]) -> None:
    truth = truth_between(run, run.scrape_ms)
    same_boot = np.diff(run.scrape_boot) == 0
    busy = (truth.busy_s > 0.95 * truth.wall_s) & same_boot
    assert busy.sum() > 300
    for name in ("radiance:engine_steps_total", "radiance:engine_step_seconds_total"):
        assert np.all(np.diff(values(series, name))[busy] > 0)


def test_request_families_are_flat_while_nothing_ends_though_tokens_flow(
    run: Run, series: list[Series]
) -> None:
    truth = truth_between(run, run.scrape_ms)
    waiting = (truth.ended == 0) & (truth.decode_tokens > 100) & (np.diff(run.scrape_boot) == 0)
    assert waiting.sum() > 20
    for name in (
        "vllm:generation_tokens_total",
        "vllm:prompt_tokens_total",
        "vllm:time_to_first_token_seconds_count",
        "vllm:inter_token_latency_seconds_sum",
        "vllm:request_generation_tokens_sum",
    ):
        assert np.all(np.diff(values(series, name))[waiting] == 0), name
    assert np.all(np.diff(values(series, "radiance:decode_tokens_total"))[waiting] > 0)


def test_shape_counters_hold_the_open_step_and_the_total_does_not(run: Run, series: list[Series]) -> None:
    shapes = sum(
        values(series, f"radiance:engine_steps_{shape}_total") for shape in ("decode", "mixed", "prefill")
    )
    ahead = shapes - values(series, "radiance:engine_steps_total")
    assert set(np.unique(ahead).tolist()) == {0.0, 1.0}


def test_counters_agree_with_the_truth_at_every_scrape(run: Run, series: list[Series]) -> None:
    truth = truth_between(run, run.scrape_ms)
    same_boot = np.diff(run.scrape_boot) == 0
    for name, planted in zip(
        SCHEDULER, (truth.steps, truth.seconds, truth.decode_tokens, truth.prefill_tokens), strict=True
    ):
        moved = np.diff(values(series, name))[same_boot]
        assert np.allclose(moved, planted[same_boot], rtol=1e-9, atol=1e-6), name


def test_drafts_add_up(series: list[Series]) -> None:
    tokens = values(series, "radiance:decode_tokens_total")
    accepted = values(series, "radiance:draft_accepted_total")
    drafted = values(series, "radiance:draft_tokens_total")
    first = values(series, "radiance:draft_position_reached_total", position="0")
    second = values(series, "radiance:draft_position_reached_total", position="1")
    rows = tokens - accepted
    assert np.array_equal(drafted, 2 * rows)
    assert np.array_equal(first, rows)
    ratio = values(series, "radiance:draft_position_acceptance_ratio", position="0")
    assert np.allclose(second, ratio * first)


def test_each_histogram_is_the_clients_own_experience_booked_at_the_end(
    run: Run, series: list[Series]
) -> None:
    boot = run.boots[1]
    last_ms = int(run.scrape_ms[-1])
    log = boot.requests
    ended = log.end_s <= (last_ms - run.world.epoch_ms) / 1000.0
    wait = (log.first_token_s - log.submit_s)[ended]
    assert values(series, "vllm:time_to_first_token_seconds_count")[-1] == ended.sum()
    assert values(series, "vllm:time_to_first_token_seconds_sum")[-1] == pytest.approx(wait.sum())
    for edge in (0.1, 1.0, 10.0):
        bucket = values(series, "vllm:time_to_first_token_seconds_bucket", le=edge_text(edge))
        assert bucket[-1] == (wait <= edge).sum()
    reasons = sum(one.values[-1] for one in series if one.name == "vllm:request_success_total")
    assert reasons == ended.sum()


def test_the_two_latency_names_carry_the_same_data(series: list[Series]) -> None:
    for part in ("sum", "count"):
        one = values(series, f"vllm:time_per_output_token_seconds_{part}")
        assert np.array_equal(one, values(series, f"vllm:inter_token_latency_seconds_{part}"))


def test_the_preemption_depth_gauge_sees_next_to_nothing_of_a_burst(run: Run, series: list[Series]) -> None:
    counted = values(series, "vllm:num_preemptions_total")
    depth = values(series, "radiance:num_requests_preempted")
    assert counted[-1] > 100
    assert depth.sum() < 0.2 * counted[-1]


def test_the_rate_gauge_sees_a_tenth_of_the_time_and_fades_when_idle(run: Run, series: list[Series]) -> None:
    gauge = values(series, "radiance:decode_tokens_per_second")
    truth = truth_between(run, run.scrape_ms)
    idle = np.flatnonzero((truth.busy_s[:-1] == 0) & (np.diff(run.scrape_boot)[:-1] == 0)) + 1
    assert np.all(gauge[idle] == 0.0)
    steady = simulate(shared_step(hours=1.0, streams=2, prefill_duty=0.0, load=0.9), 1)
    steady_series = radiance_series(steady)
    live = values(steady_series, "radiance:decode_tokens_per_second")
    visible = truth_between(steady, steady.scrape_ms).visible_tok_s
    assert np.median(live[1:]) == pytest.approx(np.median(visible), rel=0.1)


def test_the_held_counter_can_be_absent_or_born_late() -> None:
    run = simulate(held_steps(hours=2.0, interleave=2), 3)
    never = {one.name for one in radiance_series(run, RadianceOptions(held="never"))}
    assert "radiance:engine_steps_held_total" not in never
    late = radiance_series(run, RadianceOptions(held="once moved"))
    held = next(one for one in late if one.name == "radiance:engine_steps_held_total")
    assert held.times_ms[0] > run.world.epoch_ms + 3_600_000
    assert held.values.min() > 0


def test_process_start_is_exported_only_where_asked(run: Run, series: list[Series]) -> None:
    assert not [one for one in series if one.name.startswith("process_")]
    asked = radiance_series(run, RadianceOptions(process_start=True))
    start = values(asked, "process_start_time_seconds")
    assert len(set(start.tolist())) == 2
    assert start[0] == run.world.epoch_ms / 1000.0 - run.world.warm_up_s


def test_a_metrics_page_parses_and_holds_what_was_counted(run: Run) -> None:
    boot = run.boots[1]
    at = np.array([boot.ready_s + 3_000.0])
    columns = radiance_columns(run, boot, at, options=RadianceOptions())
    text = page([(run.world.labels, columns)])
    samples = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    own = {"model_name": run.world.labels.model_name, "engine": "0"}
    for column in columns:
        key = (column.name, tuple(sorted({**own, **column.labels}.items())))
        assert samples[key] == column.values[0], key


def test_scrapes_keep_their_distance_and_leave_gaps_and_downtime_empty(run: Run) -> None:
    spacing = np.diff(run.scrape_ms) / 1000.0
    assert np.median(spacing) == pytest.approx(15.0, abs=0.001)
    assert np.sum(spacing > 37.5) == 2  # the planted gap and the restart
    assert np.sum((spacing > 0.001) & (np.abs(spacing - 15.0) > 0.001)) > 0.1 * spacing.size
    assert np.all(spacing > 0)
    downtime = run.since_epoch(run.scrape_ms)
    assert not np.any((downtime >= run.boots[0].end_s) & (downtime < run.boots[1].ready_s))


def test_a_world_is_scraped_at_the_interval_asked() -> None:
    for interval in (5.0, 60.0):
        run = simulate(shared_step(hours=2.0, scrape_interval_s=interval), 1)
        assert run.scrape_ms.size == pytest.approx(7200.0 / interval, rel=0.01)

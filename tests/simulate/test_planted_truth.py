"""The truth is what was planted: step costs, acceptance, holds, exclusion, residency; cut anywhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from census.simulate.engine import simulate, simulate_group
from census.simulate.founding import FOUNDING_SEED, founding
from census.simulate.mix import free_chunks, shared_costs
from census.simulate.run import DECODE, MIXED, PREFILL
from census.simulate.truth import long_run, truth_between, truth_of_boot, truth_of_window
from census.simulate.worlds import (
    exclusive_prefill,
    group_stall,
    held_steps,
    load_alone,
    no_interference,
    preemption_storms,
    residency,
    shared_step,
    two_engines,
)


def test_a_decode_only_step_costs_what_was_planted_at_each_number_of_rows() -> None:
    run = simulate(shared_step(hours=6.0, streams=4), 11)
    segments = run.boots[0].segments
    for rows in (1, 2, 3, 4):
        here = (segments.kind == DECODE) & (segments.rows == rows)
        seconds = (segments.end_s - segments.start_s)[here].sum()
        steps = segments.steps[here].sum()
        planted = run.world.costs.decode_only(rows)
        error = run.world.costs.noise_cv / np.sqrt(steps)
        assert seconds / steps / planted == pytest.approx(1.0, abs=4 * error + 5e-5)


def test_a_chunk_step_costs_what_was_planted() -> None:
    run = simulate(shared_step(hours=6.0, streams=4), 11)
    segments = run.boots[0].segments
    chunk = segments.kind != DECODE
    costs = run.world.costs
    planted = (
        costs.chunk_base
        + costs.per_chunk_token * segments.prefill_tokens[chunk]
        + costs.per_row * segments.rows[chunk]
    )
    seconds = (segments.end_s - segments.start_s)[chunk]
    error = costs.noise_cv / np.sqrt(chunk.sum())
    assert seconds.sum() / planted.sum() == pytest.approx(1.0, abs=5 * error)


def test_a_row_commits_what_the_acceptance_says() -> None:
    truth = truth_of_window(simulate(shared_step(hours=6.0), 5))
    assert truth.only("tokens_per_row") == pytest.approx(2.162, rel=0.003)


def test_overhead_is_wall_time_and_not_step_time() -> None:
    world = shared_step(hours=2.0)
    run = simulate(replace(world, costs=replace(world.costs, overhead_share=0.1)), 5)
    truth = truth_of_window(run)
    assert truth.only("busy_s") == pytest.approx(1.1 * truth.only("seconds"), rel=1e-3)


def test_windows_add_up_to_the_whole() -> None:
    run = simulate(founding(hours=6.0), 1)
    whole = truth_of_window(run)
    edges = np.linspace(run.start_ms, run.end_ms, 998).astype(np.int64)
    pooled = truth_between(run, edges).pooled()
    for name in ("steps", "seconds", "decode_tokens", "stream_s", "pending_stream_s", "pending_tokens"):
        assert pooled.only(name) == pytest.approx(whole.only(name), rel=1e-9)


def test_boots_add_up_to_the_window() -> None:
    run = simulate(founding(hours=6.0), 1)
    whole = truth_of_window(run)
    boots = [truth_of_boot(run, index) for index in range(2)]
    for name in ("steps", "decode_tokens", "prefill_tokens", "preemptions", "stream_s"):
        assert sum(boot.only(name) for boot in boots) == pytest.approx(whole.only(name), rel=1e-9)


def test_stream_time_from_requests_is_stream_time_from_steps() -> None:
    """Two ways to the same number: each request's life past its first token, and each step's streams."""
    for world in (shared_step(hours=2.0), exclusive_prefill(hours=2.0), preemption_storms(hours=2.0)):
        run = simulate(world, 9)
        segments = run.boots[0].segments
        by_steps = ((segments.end_s - segments.start_s) * segments.streams)[segments.start_s >= 0].sum()
        assert truth_of_window(run).only("stream_s") == pytest.approx(by_steps, rel=2e-3)


def test_tokens_per_stream_second_are_pending_and_quiet_ones_mixed_by_stream_time() -> None:
    truth = truth_of_window(simulate(shared_step(hours=3.0), 2))
    share = truth.only("pending_share")
    mixed = share * truth.only("pending_tok_s") + (1 - share) * truth.only("quiet_tok_s")
    assert truth.only("per_stream_tok_s") == pytest.approx(mixed, rel=1e-9)


def test_without_interleave_a_pending_stream_gets_one_row_a_mixed_step() -> None:
    truth = truth_of_window(simulate(shared_step(hours=6.0, streams=4), 2))
    expected = truth.only("tokens_per_row") / truth.only("mixed_step_s")
    assert truth.only("held") == 0
    assert truth.only("pending_tok_s") == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("interleave", [1, 8])
def test_with_interleave_the_pending_rate_is_that_of_the_formula(interleave: int) -> None:
    truth = truth_of_window(simulate(held_steps(hours=3.0, interleave=interleave, deploy_at=None), 2))
    h = truth.only("held") / truth.only("steps_mixed")
    k, C, D = truth.only("tokens_per_row"), truth.only("mixed_step_s"), truth.only("decode_step_s")
    assert 0 < h <= interleave
    assert truth.only("pending_tok_s") == pytest.approx(k * (1 + h) / (C + h * D), rel=0.02)


@pytest.mark.parametrize("interleave", [1, 3])
def test_after_a_chunk_beside_decoders_come_n_steps_of_decode_rows_alone(interleave: int) -> None:
    run = simulate(held_steps(hours=2.0, interleave=interleave, deploy_at=None), 3)
    segments = run.boots[0].segments
    kinds = np.repeat(segments.kind, segments.steps)
    starts = np.repeat(segments.start_s, segments.steps)
    mixed = np.flatnonzero(kinds == MIXED)
    mixed = mixed[mixed < kinds.size - interleave - 1]
    followed = np.array([np.all(kinds[place + 1 : place + 1 + interleave] == DECODE) for place in mixed])
    broken = mixed[~followed]  # the last decoder ended with its chunk step, so there was nobody to hold for
    assert followed.mean() > 0.99
    for place in broken:
        nobody = any(kinds[place + 1 : place + 1 + interleave] == PREFILL)
        idle = starts[place + 1] > starts[place] + 0.5
        assert nobody or idle or kinds[place + 1] == MIXED


def test_steps_are_held_only_where_a_knob_says_so_and_only_after_the_deploy() -> None:
    run = simulate(held_steps(hours=3.0, interleave=2), 4)
    before, after = (truth_of_boot(run, index) for index in range(2))
    assert before.only("held") == 0
    assert before.only("steps_mixed") > 500
    assert after.only("held") > 500
    assert [boot.interleave for boot in run.boots] == [0, 2]


def test_a_held_step_is_a_decode_only_step_with_prefill_work_waiting() -> None:
    run = simulate(held_steps(hours=3.0, interleave=8, deploy_at=None), 4)
    segments = run.boots[0].segments
    held = segments.held == 1
    assert np.all(segments.kind[held] == DECODE)
    could_start = segments.running < run.world.slots
    mid_prompt = segments.running > segments.rows
    assert np.all(mid_prompt[held] | ((segments.waiting > 0) & could_start)[held])


def test_an_exclusive_engine_has_no_mixed_step_though_chunks_run_beside_decoders() -> None:
    run = simulate(exclusive_prefill(hours=3.0), 6)
    truth = truth_of_window(run)
    segments = run.boots[0].segments
    beside = (segments.kind == PREFILL) & (segments.streams > 0)
    assert truth.only("steps_mixed") == 0
    assert beside.sum() > 1000
    assert truth.only("pending_tok_s") == 0.0
    assert truth.only("pending_share") > 0.1


def test_residency_recovers_with_its_time_constant() -> None:
    world = residency(hours=4.0, streams=4, tau_s=20.0, slowdown=1.0)
    run = simulate(world, 8)
    segments = run.boots[0].segments
    seconds = (segments.end_s - segments.start_s) / segments.steps
    slow = seconds / world.costs.decode_only(1.0) - 1.0
    alone = (segments.kind == DECODE) & (segments.rows == 1) & (segments.steps >= 5)
    last_chunk = np.maximum.accumulate(np.where(segments.kind != DECODE, segments.end_s, -np.inf))
    since = (segments.start_s + segments.end_s) / 2 - last_chunk
    full = np.zeros(segments.size, dtype=bool)
    big = np.flatnonzero((segments.kind != DECODE) & (segments.prefill_tokens > 1900))
    for place in big:  # chunks long enough to displace nearly all, with nothing small after them
        full |= (last_chunk > segments.end_s[place] - 1e-9) & (last_chunk < segments.end_s[place] + 0.2)
    use = alone & full & (since > 1.0) & (since < 60.0) & (slow > 0.02)
    slope = np.polyfit(since[use], np.log(slow[use]), 1)[0]
    assert use.sum() > 100
    assert -1.0 / slope == pytest.approx(20.0, rel=0.1)


def test_saturated_residency_never_recovers() -> None:
    truth = truth_of_window(simulate(residency(hours=2.0, streams=8, tau_s=60.0, saturated=True), 1))
    assert truth.only("decode_step_s") > 1.8 * shared_costs(8).decode_only(6.0)


def test_where_chunks_are_free_a_stream_gets_the_same_with_and_without_them() -> None:
    for world in (no_interference(hours=3.0), load_alone(hours=3.0)):
        truth = truth_of_window(simulate(world, 3))
        assert truth.only("steps_mixed") > 500
        assert truth.only("pending_tok_s") == pytest.approx(truth.only("quiet_tok_s"), rel=0.02)
    assert free_chunks(shared_costs(8)).chunk(2048, 3) == shared_costs(8).decode_only(3)


def test_where_load_alone_varies_visible_decode_falls_with_prefill_and_no_stream_does() -> None:
    run = simulate(load_alone(hours=12.0), 3)
    truth = truth_between(run, np.arange(run.start_ms, run.end_ms + 1, 60_000))
    decoding = truth.stream_s > 30.0
    visible = np.corrcoef(truth.prefill_tok_s, truth.visible_tok_s)[0, 1]
    stream = np.corrcoef(truth.prefill_tok_s[decoding], truth.per_stream_tok_s[decoding])[0, 1]
    assert visible < -0.3
    assert abs(stream) < 0.15


def test_two_engines_of_one_target_are_scraped_together_and_draw_apart() -> None:
    slowed, spared = (simulate(world, 5) for world in two_engines(hours=2.0))
    assert np.array_equal(slowed.scrape_ms, spared.scrape_ms)
    assert not np.array_equal(slowed.requests.submit_s[:20], spared.requests.submit_s[:20])
    losses = [truth_of_window(run) for run in (slowed, spared)]
    assert losses[0].only("pending_tok_s") < 0.2 * losses[0].only("quiet_tok_s")
    assert losses[1].only("pending_tok_s") == pytest.approx(losses[1].only("quiet_tok_s"), rel=0.03)


def test_in_a_group_the_decode_of_one_engine_waits_for_the_chunks_of_the_other() -> None:
    leader, follower = simulate_group(group_stall(hours=3.0), 5)
    edges = np.arange(leader.start_ms, leader.end_ms + 1, 15_000)
    theirs, own = truth_between(leader, edges), truth_between(follower, edges)
    decoding = own.stream_s > 14.0
    assert own.prefill_tok_s.mean() < 0.1 * theirs.prefill_tok_s.mean()
    assert np.corrcoef(theirs.prefill_tok_s[decoding], own.per_stream_tok_s[decoding])[0, 1] < -0.9
    slow = theirs.prefill_tok_s > 5_000
    assert own.pooled(slow).only("decode_step_s") > 2 * own.pooled(theirs.prefill_tokens == 0).only(
        "decode_step_s"
    )


def test_planted_preemptions_all_happen_and_their_recompute_is_prefill_work() -> None:
    run = simulate(preemption_storms(hours=3.0, count=40), 3)
    boot = run.boots[0]
    assert boot.preempted_s.size == 12 * 40
    log = boot.requests
    again = log.preemptions > 0
    assert again.sum() > 20
    assert np.all(log.computed[again & ~np.isnan(log.end_s)] > 0)
    extra = log.computed[again].sum() - (log.prompt - log.cached)[again].sum()
    assert extra > 100_000


def test_after_a_preemption_an_older_prompt_can_starve_younger_decoders() -> None:
    """The running list is served by arrival: mixed steps with fewer rows than streams exist only then."""
    starved = []
    for world in (shared_step(hours=2.0, streams=4), preemption_storms(hours=2.0, streams=4)):
        run = simulate(replace(world, recompute_cached_share=0.0), 3)
        segments = run.boots[0].segments
        chunk = segments.kind != DECODE
        queued = segments.preempted + (segments.running - segments.rows)
        starved.append(int(((segments.streams > segments.rows) & chunk & (queued >= 0)).sum()))
    assert starved[0] == 0
    assert starved[1] > 0


def test_the_long_run_pools_seeds_that_differ() -> None:
    world = shared_step(hours=1.0)
    pooled = long_run(world, seeds=range(3))
    single = [truth_of_window(simulate(world, seed)) for seed in range(3)]
    assert pooled.only("wall_s") == pytest.approx(3 * 3600.0)
    assert pooled.only("steps") == sum(truth.only("steps") for truth in single)


def test_slow_drift_moves_all_steps_together() -> None:
    world = shared_step(hours=6.0, streams=2)
    drifting = replace(world, costs=replace(world.costs, drift_cv=0.1, drift_tau_s=600.0, per_row=0.0))
    run = simulate(drifting, 3)
    truth = truth_between(run, np.arange(run.start_ms, run.end_ms + 1, 60_000))
    level = truth.decode_step_s / world.costs.decode_base
    level = level[~np.isnan(level)]
    assert 0.05 < level.std() < 0.2
    assert np.corrcoef(level[1:], level[:-1])[0, 1] > 0.7


@pytest.mark.slow
def test_the_founding_world_shows_the_founding_numbers() -> None:
    run = simulate(founding(), FOUNDING_SEED)
    truth, last = truth_of_window(run), truth_of_boot(run, 1)
    boot = run.boots[1]
    busiest = np.searchsorted(boot.preempted_s, boot.preempted_s + 105.0) - np.arange(boot.preempted_s.size)
    assert truth.only("decode_step_s") == pytest.approx(0.0155, rel=0.01)
    assert truth.only("chunk_step_s") == pytest.approx(0.166, rel=0.01)
    assert last.only("chunk_share_of_steps") == pytest.approx(0.047, rel=0.02)
    assert truth.only("chunk_share_of_time") == pytest.approx(0.34, rel=0.02)
    assert truth.only("held") == 0
    assert last.only("preemptions") == 264
    assert busiest.max() == 108
    assert (boot.end_s - boot.ready_s) / 3600.0 == pytest.approx(34.7, rel=1e-3)

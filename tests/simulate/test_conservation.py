"""What goes in comes out: steps, seconds, tokens and requests are conserved in every world."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from census.simulate.counters import counters_at, step_seconds
from census.simulate.engine import simulate
from census.simulate.founding import founding
from census.simulate.run import DECODE, MIXED, PREFILL, Run
from census.simulate.worlds import (
    batch_growth,
    exclusive_prefill,
    held_steps,
    preemption_storms,
    residency,
    shared_step,
)

WORLDS = {
    "shared step": shared_step(hours=3.0, streams=8),
    "two slots past saturation": shared_step(hours=1.0, streams=2, prefill_duty=1.4),
    "sixty-four slots": shared_step(hours=1.0, streams=64),
    "exclusive prefill": exclusive_prefill(hours=3.0, streams=4),
    "residency": residency(hours=3.0, streams=4),
    "batch growth": batch_growth(hours=3.0),
    "preemption storms": preemption_storms(hours=3.0, streams=4),
    "held steps after a deploy": held_steps(hours=3.0, interleave=4),
    "founding": founding(hours=6.0),
}


@pytest.fixture(scope="module", params=WORLDS.values(), ids=WORLDS)
def run(request: pytest.FixtureRequest) -> Run:
    return simulate(request.param, 7)


def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    world = founding(hours=1.0)
    first, again, other = simulate(world, 3), simulate(world, 3), simulate(world, 4)
    assert np.array_equal(first.scrape_ms, again.scrape_ms)
    for one, two in zip(first.boots, again.boots, strict=True):
        for part in ("segments", "requests", "spans"):
            left, right = getattr(one, part), getattr(two, part)
            for field in fields(left):
                values = getattr(left, field.name), getattr(right, field.name)
                assert np.array_equal(*values, equal_nan=True), (part, field.name)
    assert first.boots[0].segments.size != other.boots[0].segments.size


def test_segments_follow_one_another_and_never_overlap(run: Run) -> None:
    for boot in run.boots:
        segments = boot.segments
        assert np.all(segments.end_s > segments.start_s)
        assert np.all(segments.start_s[1:] >= segments.end_s[:-1] - 1e-9)
        assert segments.start_s[0] >= boot.ready_s
        assert segments.end_s[-1] <= boot.end_s


def test_counters_at_the_end_are_the_sums_of_all_segments(run: Run) -> None:
    for boot in run.boots:
        segments = boot.segments
        counts = counters_at(run, boot, np.array([boot.end_s]))
        by_kind = [int(segments.steps[segments.kind == kind].sum()) for kind in (DECODE, MIXED, PREFILL)]
        assert [counts.steps_decode[0], counts.steps_mixed[0], counts.steps_prefill[0]] == by_kind
        assert counts.steps[0] == segments.steps.sum()
        assert counts.seconds[0] == pytest.approx(step_seconds(run, boot).sum(), rel=1e-12)
        assert counts.prefill_tokens[0] == segments.prefill_tokens.sum()


def test_rows_of_segments_and_rows_of_requests_are_the_same_rows(run: Run) -> None:
    for boot in run.boots:
        segments = boot.segments
        assert boot.row_step_rows[-1] == int((segments.steps * segments.rows).sum())
        assert boot.row_step_rows.size - 1 == int((segments.steps * (segments.rows > 0)).sum())


def test_each_token_belongs_to_a_request(run: Run) -> None:
    for boot in run.boots:
        log = boot.requests
        firsts = int(np.sum(~np.isnan(log.first_token_s)))
        resumed = int(log.output.sum()) - firsts - int(boot.row_step_tokens[-1])
        assert 0 <= resumed <= boot.preempted_s.size
        if not boot.preempted_s.size:
            assert resumed == 0


def test_an_ended_request_has_given_what_it_was_drawn_to_give(run: Run) -> None:
    for boot in run.boots:
        log = boot.requests
        plain = ~np.isnan(log.end_s) & (log.preemptions == 0)
        assert plain.sum() > 50
        assert np.array_equal(log.output[plain], run.requests.tokens[log.index[plain]] + 1)
        assert np.array_equal(log.computed[plain], log.prompt[plain] - log.cached[plain])
        assert np.all(log.submit_s[plain] <= log.scheduled_s[plain])
        assert np.all(log.scheduled_s[plain] < log.first_token_s[plain])
        assert np.all(log.first_token_s[plain] <= log.end_s[plain])


def test_prefill_tokens_are_those_computed_for_requests_recompute_included(run: Run) -> None:
    for boot in run.boots:
        assert boot.segments.prefill_tokens.sum() == boot.requests.computed.sum()


def test_no_step_exceeds_budget_or_slots(run: Run) -> None:
    world = run.world
    for boot in run.boots:
        segments = boot.segments
        chunk = segments.kind != DECODE
        taken = segments.prefill_tokens[chunk] + segments.rows[chunk] * world.row_budget
        assert taken.max() <= world.chunk_budget
        assert segments.running.max() <= world.slots
        assert np.all(segments.rows <= segments.running)
        assert np.all(segments.prefill_tokens[chunk] > 0)
        assert np.all(segments.steps[chunk] == 1)


def test_kinds_say_what_the_step_carried(run: Run) -> None:
    for boot in run.boots:
        segments = boot.segments
        assert np.array_equal(segments.kind == DECODE, segments.prefill_tokens == 0)
        assert np.array_equal(segments.kind == PREFILL, segments.rows == 0)


def test_the_queue_is_first_come_first_served_where_nothing_is_preempted(run: Run) -> None:
    for boot in run.boots:
        scheduled = boot.requests.scheduled_s
        scheduled = scheduled[~np.isnan(scheduled)]
        assert np.all(np.diff(boot.requests.submit_s) >= 0)
        assert np.all(np.diff(scheduled) >= 0)


def test_a_request_in_flight_counts_against_the_queue_cap_and_no_more(run: Run) -> None:
    for boot in run.boots:
        log = boot.requests
        moments = log.submit_s
        ended = np.searchsorted(np.sort(log.end_s), moments, side="left")
        in_flight = np.arange(1, moments.size + 1) - ended
        slack = run.world.slots  # several may end in the step during which one arrives
        assert in_flight.max() <= run.world.queue_cap + slack


def test_a_session_sends_its_next_turn_a_think_time_after_the_last(run: Run) -> None:
    for boot in run.boots:
        log = boot.requests
        place = {int(index): row for row, index in enumerate(log.index)}
        for row, index in enumerate(log.index.tolist()):
            following = int(run.requests.following[index])
            if following in place:
                waited = log.submit_s[place[following]] - log.end_s[row]
                assert waited == pytest.approx(run.requests.think_s[index], abs=1e-6)


def test_a_killed_process_leaves_its_requests_unfinished_and_the_next_counts_from_zero() -> None:
    run = simulate(replace(founding(hours=6.0), storms=()), 2)
    first, second = run.boots
    assert np.isnan(first.requests.end_s).sum() >= 1
    assert second.ready_s == pytest.approx(first.end_s + 95.0)
    assert not set(first.requests.index.tolist()) & set(second.requests.index.tolist())
    counts = counters_at(run, second, np.array([second.ready_s]))
    assert counts.steps[0] == 0

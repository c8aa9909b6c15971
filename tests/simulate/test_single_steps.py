"""Unrolled step by step, the world is the same one that the counters tell of."""

from __future__ import annotations

import numpy as np
import pytest

from census.simulate.counters import counters_at
from census.simulate.engine import simulate
from census.simulate.founding import founding
from census.simulate.run import DECODE, Run
from census.simulate.step_table import emissions, expand_steps
from census.simulate.worlds import exclusive_prefill, preemption_storms, shared_step

WORLDS = {
    "founding": founding(hours=4.0),
    "shared step": shared_step(hours=1.0, streams=4),
    "exclusive prefill": exclusive_prefill(hours=1.0, streams=4),
    "preemption storms": preemption_storms(hours=1.0, streams=4),
}


@pytest.fixture(scope="module", params=WORLDS.values(), ids=WORLDS)
def run(request: pytest.FixtureRequest) -> Run:
    return simulate(request.param, 13)


def test_counters_at_any_moment_count_the_steps_that_have_ended(run: Run) -> None:
    boot = run.boots[-1]
    steps = expand_steps(run, boot)
    moments = np.sort(np.random.default_rng(0).uniform(boot.ready_s, boot.end_s, 500))
    counts = counters_at(run, boot, moments)
    ended = np.searchsorted(steps.end_s, moments, side="right")

    def total(
        values: np.ndarray[tuple[int], np.dtype[np.generic]],
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.concatenate([[0.0], np.cumsum(values)])[ended]

    assert np.array_equal(counts.steps, ended)
    assert np.array_equal(counts.steps_decode, total(steps.kind == DECODE))
    assert np.array_equal(counts.decode_tokens, total(steps.decode_tokens))
    assert np.array_equal(counts.rows, total(steps.rows))
    assert np.array_equal(counts.prefill_tokens, total(steps.prefill_tokens))
    assert np.allclose(counts.seconds, total(steps.seconds), rtol=1e-9, atol=1e-9)
    assert np.allclose(
        counts.seconds_decode, total(steps.seconds * (steps.kind == DECODE)), rtol=1e-9, atol=1e-9
    )


def test_steps_end_in_order(run: Run) -> None:
    for boot in run.boots:
        steps = expand_steps(run, boot)
        assert np.all(np.diff(steps.end_s) > 0)


def test_gaps_of_a_streams_tokens_fill_its_life_from_first_to_last_token(run: Run) -> None:
    for boot in run.boots:
        gaps = emissions(run, boot)
        log = boot.requests
        ended = ~np.isnan(log.end_s)
        lives = (log.end_s - log.first_token_s)[ended].sum()
        cut_off = ~ended & ~np.isnan(log.first_token_s)
        most = lives + (boot.end_s - log.first_token_s[cut_off]).sum()
        filled = float((gaps.gap_s * gaps.weight).sum())
        assert np.all(gaps.gap_s > 0)
        assert lives - 1e-3 <= filled <= most + 1e-3


def test_there_is_one_gap_a_row_and_one_a_resumption(run: Run) -> None:
    for boot in run.boots:
        gaps = emissions(run, boot)
        resumed = int(gaps.weight.sum() - boot.row_step_rows[-1])
        assert 0 <= resumed <= boot.preempted_s.size
        if not boot.preempted_s.size:
            assert resumed == 0

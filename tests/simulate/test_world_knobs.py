"""A world refuses what cannot run, and its knobs do what they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from census.simulate.counters import step_seconds
from census.simulate.engine import simulate
from census.simulate.mix import Mix, traffic_of
from census.simulate.pools import draw_acceptance
from census.simulate.traffic import draw_arrivals
from census.simulate.truth import truth_of_window
from census.simulate.world import Lognormal, Restart, Surge, Traffic
from census.simulate.worlds import WORLDS, residency, shared_step

PROMPTS = ((1.0, Lognormal(median=100, sigma=0.1)),)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"slots": 700}, "no budget"),
        ({"interleave": ()}, "interleave"),
        ({"interleave": (-1,)}, "interleave"),
        ({"restarts": (Restart(at_s=3_600.0),)}, "overlap or lie outside"),
        ({"restarts": (Restart(at_s=900.0), Restart(at_s=930.0))}, "overlap or lie outside"),
    ],
)
def test_a_world_that_cannot_run_is_refused_at_birth(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        replace(shared_step(hours=1.0), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("duty", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("streams", [4, 16])
def test_the_prefill_duty_asked_for_is_about_what_comes(duty: float, streams: int) -> None:
    world = shared_step(hours=4.0, streams=streams, prefill_duty=duty, load=0.3)
    truth = truth_of_window(simulate(world, 0))
    chunks = truth.only("seconds_mixed") + truth.only("seconds_prefill")
    assert chunks / truth.only("wall_s") == pytest.approx(duty, rel=0.3)


@pytest.mark.parametrize("streams", [2, 8, 64])
def test_the_load_asked_for_is_about_what_decodes(streams: int) -> None:
    truth = truth_of_window(simulate(shared_step(hours=3.0, streams=streams, load=0.4), 2))
    assert truth.only("stream_s") / truth.only("wall_s") == pytest.approx(0.4 * streams, rel=0.35)


def test_past_saturation_the_queue_turns_requests_away() -> None:
    run = simulate(shared_step(hours=1.0, streams=2, prefill_duty=1.5), 1)
    truth = truth_of_window(run)
    assert truth.only("seconds_mixed") + truth.only("seconds_prefill") > 0.7 * truth.only("wall_s")
    assert run.boots[0].rejected_s.size > 50


@pytest.mark.parametrize("name", sorted(WORLDS))
@pytest.mark.parametrize("hours", [0.5, 3.0])
def test_each_named_world_runs_at_any_length_and_interval(name: str, hours: float) -> None:
    run = simulate(WORLDS[name](hours=hours, scrape_interval_s=30.0), 1)
    assert truth_of_window(run).only("decode_tokens") > 0
    assert run.scrape_ms.size > 100 * hours


def test_arrivals_keep_their_rate_with_bursts_and_cycle() -> None:
    rng = np.random.default_rng(1)
    plain = Traffic(rate_per_s=0.5, prompts=PROMPTS, outputs=PROMPTS)
    for traffic in (
        plain,
        replace(plain, burst_mean=5.0),
        replace(plain, cycle_amplitude=0.8, cycle_s=3600.0),
    ):
        times = draw_arrivals(traffic, begin_s=-100.0, end_s=86_300.0, rng=rng)
        assert times.size == pytest.approx(43_200, rel=0.05)
        assert np.all(np.diff(times) >= 0)
        assert times[0] >= -100.0
        assert times[-1] < 86_300.0


def test_bursts_bunch_and_cycles_swing() -> None:
    rng = np.random.default_rng(1)
    plain = Traffic(rate_per_s=0.5, prompts=PROMPTS, outputs=PROMPTS)

    def dispersion(traffic: Traffic) -> float:
        times = draw_arrivals(traffic, begin_s=0.0, end_s=86_400.0, rng=rng)
        counts = np.histogram(times, bins=np.arange(0, 86_401, 60))[0]
        return float(counts.var() / counts.mean())

    assert dispersion(plain) == pytest.approx(1.0, abs=0.15)
    assert dispersion(replace(plain, burst_mean=5.0)) > 4.0
    assert dispersion(replace(plain, cycle_amplitude=0.9, cycle_s=3600.0)) > 4.0


def test_a_surge_brings_its_crowd() -> None:
    traffic = Traffic(
        rate_per_s=0.0, prompts=PROMPTS, outputs=PROMPTS, surges=(Surge(at_s=100.0, span_s=50.0, count=30),)
    )
    times = draw_arrivals(traffic, begin_s=0.0, end_s=1_000.0, rng=np.random.default_rng(0))
    assert times.size == 30
    assert times[0] >= 100.0
    assert times[-1] < 150.0


def test_the_acceptance_pool_is_balanced_to_the_planted_rates() -> None:
    pool = draw_acceptance((0.7, 0.66), rng=np.random.default_rng(0))
    assert (1.0 + pool.accepted).mean() == pytest.approx(2.162, abs=1e-5)
    assert (pool.accepted >= 1).mean() == pytest.approx(0.7, abs=1e-5)


def test_rows_for_tokens_is_the_first_row_that_reaches_them() -> None:
    pool = draw_acceptance((0.5,), rng=np.random.default_rng(0))
    tokens = np.array([0, 1, 2, 5, 1000])
    offset = np.array([3, 10, 20, 30, 40])
    rows, got = pool.rows_for(tokens, offset)
    assert rows[0] == 0
    assert np.all(got >= tokens)
    short = pool.tokens_before[offset + np.maximum(rows - 1, 0)] - pool.tokens_before[offset]
    assert np.all(short[1:] < tokens[1:])


def test_without_speculation_a_row_is_a_token() -> None:
    world = replace(shared_step(hours=1.0), acceptance=())
    truth = truth_of_window(simulate(world, 1))
    assert truth.only("decode_tokens") == truth.only("rows")


def test_a_spilling_engine_books_later_and_loses_nothing() -> None:
    world = shared_step(hours=2.0, streams=2, prefill_duty=0.3, load=0.2)
    spilling = replace(world, costs=replace(world.costs, spill_share=0.9))
    plain, spilled = simulate(world, 4), simulate(spilling, 4)
    one, two = (step_seconds(run, run.boots[0]) for run in (plain, spilled))
    segments = spilled.boots[0].segments
    first = (segments.spilled_out > 0) & (segments.spilled_in == 0)
    assert first.sum() > 100
    assert two[first].sum() == pytest.approx(0.1 * one[first].sum())
    pays = (segments.spilled_in > 0) & (segments.spilled_out == 0)
    assert two[pays].sum() > 1.5 * one[pays].sum()
    assert two.sum() == pytest.approx(one.sum())
    assert truth_of_window(spilled).only("seconds_prefill") == pytest.approx(
        truth_of_window(plain).only("seconds_prefill"), rel=1e-6
    )


def test_traffic_follows_the_mix() -> None:
    answers, documents = traffic_of(Mix(streams=8, prefill_duty=0.2, load=0.5), tokens_per_row=2.162)
    doubled = traffic_of(Mix(streams=8, prefill_duty=0.4, load=0.5), tokens_per_row=2.162)[1]
    assert doubled.rate_per_s == pytest.approx(2 * documents.rate_per_s)
    assert answers.prompts[0][1].median < documents.prompts[0][1].median
    assert residency(hours=1.0).traffic == shared_step(hours=1.0).traffic

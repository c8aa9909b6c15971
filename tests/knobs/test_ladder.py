"""The priced ladder on planted engines: inputs, refusal, and predicted beside simulated."""

from __future__ import annotations

import re

import numpy as np
import pytest
from planted_timeline import plant

from census.findings.interval_rates import IntervalRates, measure_rates
from census.knobs.ladder import price
from census.model.estimate import Absent
from census.model.findings import Ladder, Mechanism
from census.model.settings import Settings
from census.simulate.truth import truth_of_window
from census.simulate.worlds import exclusive_prefill, shared_step

SETTINGS = Settings(ladder=(0, 1, 2, 8))


def _verdict(name: str) -> Mechanism:
    return Mechanism(
        verdict=name,
        closest=None,
        reason="planted",
        would_settle="",
        predicted_over_measured=Absent("planted"),
        decode_step_given_rows=Absent("planted"),
        rivals=(),
    )


def _price(timeline, verdict: str = "shared-step") -> Ladder:
    rates = measure_rates(timeline, SETTINGS)
    assert isinstance(rates, IntervalRates)
    found = price(timeline, rates, _verdict(verdict), SETTINGS, np.random.default_rng(0))
    assert isinstance(found, Ladder)
    return found


def test_inputs_come_back_as_planted():
    run, timeline = plant(shared_step(hours=12), 1)
    ladder, truth = _price(timeline), truth_of_window(run)
    inputs = ladder.inputs
    mixed, chunks = truth.only("steps_mixed"), truth.only("steps_mixed") + truth.only("steps_prefill")
    decoding_s = truth.only("seconds_decode") + truth.only("seconds_mixed")
    for ours, planted in [
        (inputs.k, truth.only("tokens_per_row")),
        (inputs.C, truth.only("chunk_step_s")),
        (inputs.D, truth.only("decode_step_s")),
        (inputs.s, mixed / chunks),
        (inputs.lambda_, mixed / decoding_s),
        (inputs.q, 1 - truth.only("first_tokens") / chunks),
        (inputs.chunk_tokens, truth.only("prefill_tokens") / chunks),
    ]:
        assert ours == pytest.approx(planted, rel=0.01)
    assert inputs.u.low <= truth.only("pending_s") / truth.only("wall_s") * 1.01
    assert inputs.u.high >= truth.only("pending_s") / truth.only("wall_s")


@pytest.mark.parametrize("verdict", ["exclusive-prefill", "residency", "inconclusive", "none"])
def test_the_ladder_is_refused_where_the_mechanism_is_not_the_shared_step(verdict):
    _, timeline = plant(exclusive_prefill(hours=2), 1)
    ladder = _price(timeline, verdict)
    assert not ladder.accepted
    assert ladder.rows == ()
    assert verdict in ladder.reason


def test_rows_follow_from_the_printed_inputs():
    _, timeline = plant(shared_step(hours=6), 2)
    ladder = _price(timeline)
    i = ladder.inputs
    for row in ladder.rows:
        held = i.q * row.n
        assert row.pending_tok_s == pytest.approx(i.k * (1 + held) / (i.C + held * i.D))
        assert row.stretch == pytest.approx(1 + i.s * held * i.D / i.C)
        assert row.naive_tok_s == pytest.approx(i.k / i.C * (row.n + 1) * i.C / (i.C + row.n * i.D))
        assert (row.worst_gap_s, row.ttft_factor.low) == pytest.approx((i.C, row.stretch))
        assert row.pending_interval.low <= row.pending_tok_s <= row.pending_interval.high
    assert ladder.n_star == pytest.approx((1 / i.lambda_ - i.C) / i.D)
    assert (ladder.rows[0].ttft_factor.low, ladder.rows[0].ttft_factor.high) == (1.0, 1.0)


@pytest.mark.slow
def test_a_server_that_holds_already_gives_the_same_ladder_and_says_where_it_stands():
    ladders = [_price(plant(shared_step(hours=12, interleave=n), 3)[1]) for n in (0, 2)]
    for before, after in zip(ladders[0].rows, ladders[1].rows, strict=True):
        assert after.pending_tok_s == pytest.approx(before.pending_tok_s, rel=0.03)
    assert ladders[1].inputs.u.high == pytest.approx(ladders[0].inputs.u.high, rel=0.25)
    least, most = re.search(r"so N was ([\d.]+) to ([\d.]+)", ladders[1].reason).groups()
    assert 0.9 * float(least) <= 2 <= float(most)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 8])
def test_the_rate_after_the_deploy_is_as_the_ladder_said(n):
    before, after = plant(shared_step(hours=8), 4)[1], plant(shared_step(hours=8, interleave=n), 4)[0]
    (row,) = (row for row in _price(before).rows if row.n == n)
    assert truth_of_window(after).only("pending_tok_s") == pytest.approx(row.pending_tok_s, rel=0.05)


def test_no_count_of_first_tokens_leaves_q_unknown():
    from dataclasses import replace

    _, timeline = plant(shared_step(hours=1), 1)
    rates = measure_rates(timeline, SETTINGS)
    bare = replace(timeline, histograms={})
    found = price(bare, rates, _verdict("shared-step"), SETTINGS, np.random.default_rng(0))
    assert isinstance(found, Absent)
    assert "first tokens" in found.reason


@pytest.mark.truth
def test_predicted_beside_simulated_from_five_percent_duty_to_saturation():
    """Print the table; the pending rate lies within 12 %, the all-time rate and waits where they should."""
    print("\nstreams duty   N | pending: predicted simulated | waits x: predicted       simulated")
    for streams in (2, 8):
        for duty in (0.05, 0.15, 0.4, 0.7, 0.9):
            base_wait = None
            ladder = _price(plant(shared_step(hours=12, streams=streams, prefill_duty=duty), 1)[1])
            for row in ladder.rows:
                run, _ = plant(shared_step(hours=12, streams=streams, prefill_duty=duty, interleave=row.n), 1)
                log = run.boots[0].requests
                begun = ~np.isnan(log.first_token_s) & (log.submit_s > 0)
                wait = float((log.first_token_s - log.submit_s)[begun].mean())
                base_wait = base_wait or wait
                truth = truth_of_window(run).only("pending_tok_s")
                high = "unbounded" if row.ttft_factor.high is None else f"{row.ttft_factor.high:9.2f}"
                print(
                    f"{streams:7d} {duty:4.2f} {row.n:3d} | {row.pending_tok_s:18.1f} {truth:9.1f} | "
                    f"{row.ttft_factor.low:8.2f}..{high} {wait / base_wait:9.2f}"
                )
                assert row.pending_tok_s == pytest.approx(truth, rel=0.12)

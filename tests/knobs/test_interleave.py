"""The ladder's arithmetic: a table of tested values, and its laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from census.knobs.interleave import (
    Costs,
    all_time_rates,
    break_even,
    mean_gap,
    naive_rate,
    naive_slowdown,
    pending_rate,
    stretch_prefill,
    ttft_factors,
)

C, D = 0.166, 0.0155
FOUNDING = Costs(k=2.158, C=C, D=D, q=1.0)


@pytest.mark.parametrize(
    ("n", "rate", "slowdown"),
    [(0, 13.0, 1.0), (1, 23.8, 1.093), (2, 32.9, 1.187), (8, 67.0, 1.747)],
)
def test_the_founding_text_s_ladder_comes_from_its_own_inputs(n, rate, slowdown):
    assert round(naive_rate(rate_0=13.0, C=C, D=D, n=n), 1) == rate
    assert round(naive_slowdown(C=C, D=D, n=n), 3) == slowdown


@pytest.mark.parametrize("n", [0, 1, 2, 8])
def test_the_naive_form_is_the_case_q_s_1_with_prefill_always_pending(n):
    assert pending_rate(FOUNDING, n) == pytest.approx(naive_rate(rate_0=FOUNDING.k / C, C=C, D=D, n=n))
    assert stretch_prefill(FOUNDING, n, s=1.0) == pytest.approx(naive_slowdown(C=C, D=D, n=n))


@pytest.mark.parametrize(
    ("n", "pending", "stretch", "gap"),
    [
        pytest.param(0, 13.0, 1.0, 0.166, id="as it is"),
        pytest.param(1, 21.773543, 1.067229, 0.0991111, id="N = 1"),
        pytest.param(8, 60.215686, 1.537831, 0.0358378, id="N = 8"),
    ],
)
def test_rungs_with_prefill_that_ends(n, pending, stretch, gap):
    costs = Costs(k=2.158, C=C, D=D, q=0.8)
    assert pending_rate(costs, n) == pytest.approx(pending, rel=1e-5)
    assert stretch_prefill(costs, n, s=0.9) == pytest.approx(stretch, rel=1e-5)
    assert mean_gap(costs, n) == pytest.approx(gap, rel=1e-5)


def test_without_the_knob_the_average_is_what_it_is():
    rates = all_time_rates(Costs(k=2.0, C=0.16, D=0.016, q=0.8), 0, lambda_=2.0)
    assert rates == pytest.approx((2.0 / 0.016 * (1 - 2.0 * 0.144),) * 2)


def test_above_the_break_even_even_the_least_average_gains():
    costs = Costs(k=2.0, C=0.16, D=0.016, q=0.8)
    lambda_ = 5.0
    star = break_even(C=0.16, D=0.016, lambda_=lambda_)
    base = all_time_rates(costs, 0, lambda_=lambda_)[0]
    assert star == pytest.approx(2.5)
    assert all_time_rates(costs, 2, lambda_=lambda_)[0] == pytest.approx(base)
    assert all_time_rates(costs, 3, lambda_=lambda_)[0] > base


def test_no_mixed_step_has_no_break_even():
    assert break_even(C=C, D=D, lambda_=0.0) is None


@pytest.mark.parametrize(
    ("stretch", "u", "answer"),
    [
        pytest.param(1.0, 0.5, (1.0, 1.0), id="no stretch, no change"),
        pytest.param(1.5, 0.1, (1.5, 1.5 * 0.9 / 0.85), id="a light queue"),
        pytest.param(1.5, 0.7, (1.5, None), id="what no longer fits grows without bound"),
    ],
)
def test_waits_grow_between_the_stretch_and_the_queue(stretch, u, answer):
    assert ttft_factors(stretch=stretch, u=u) == pytest.approx(answer)


@given(
    k=st.floats(1, 4),
    D=st.floats(0.005, 0.05),
    ratio=st.floats(1.5, 30),
    q=st.floats(0.05, 1),
    n=st.integers(0, 64),
)
def test_a_higher_rung_never_lowers_the_pending_rate_nor_passes_the_quiet_rate(k, D, ratio, q, n):
    costs = Costs(k=k, C=D * ratio, D=D, q=q)
    assert pending_rate(costs, n) <= pending_rate(costs, n + 1) * (1 + 1e-12)
    assert pending_rate(costs, n) <= k / D * (1 + 1e-12)
    assert mean_gap(costs, n) * pending_rate(costs, n) == pytest.approx(k)


def test_arrays_of_resampled_costs_give_arrays_of_rates():
    costs = Costs(k=np.array([2.0, 2.2]), C=np.array([0.16, 0.17]), D=np.array([0.015, 0.016]), q=0.8)
    assert np.asarray(pending_rate(costs, 2)).shape == (2,)

"""A gauge is accepted only where it says what its counter says."""

from __future__ import annotations

import numpy as np
import pytest

from census.stats.gauge_agreement import GaugeAgreement, compare_gauge

EVERY_15_S = np.full(40, 15.0)


def test_a_gauge_stuck_when_idle_is_stale_in_three_of_five_scrapes_and_rejected() -> None:
    assert compare_gauge(
        np.full(5, 36.0),
        np.array([540.0, 540, 0, 0]),
        np.full(4, 15.0),
        running=np.array([2.0, 2, 0, 0, 0]),
    ) == GaugeAgreement(
        intervals=4,
        gauge_mean=36.0,
        counter_mean=18.0,
        ratio=2.0,
        correlation=None,
        scrapes=5,
        idle=3,
        stale=3,
        zero_while_moving=0,
        nonzero_error=0.0,
        accepted=False,
    )


def test_a_gauge_averaged_since_the_last_scrape_reads_zero_beside_work() -> None:
    seen = compare_gauge(
        np.array([0, 12.1, 0, 12.9, 0]), np.full(4, 187.5), np.full(4, 15.0), running=np.full(5, 1.0)
    )
    assert (seen.zero_while_moving, seen.stale, seen.accepted) == (2, 0, False)
    assert seen.nonzero_error == pytest.approx(0.032)


@pytest.mark.parametrize(
    ("reads", "ratio"),
    [pytest.param(0.03, 4.5e-5, id="between bursts"), pytest.param(4323.0, 6.4845, id="in a burst")],
)
def test_a_one_second_average_read_every_15_s_depends_on_the_phase(reads: float, ratio: float) -> None:
    seen = compare_gauge(np.full(41, reads), np.full(40, 10_000.0), EVERY_15_S)
    assert seen.counter_mean == pytest.approx(666.667, abs=1e-3)
    assert seen.ratio == pytest.approx(ratio, rel=1e-3)
    assert not seen.accepted


def test_the_right_mean_is_not_enough_without_correlation() -> None:
    rng = np.random.default_rng(7)
    rates = rng.uniform(50, 150, 40)
    shuffled = compare_gauge(np.concatenate(([100.0], rng.permutation(rates))), rates * 15, EVERY_15_S)
    honest = compare_gauge(np.concatenate(([100.0], rates * 1.1)), rates * 15, EVERY_15_S)
    assert shuffled.ratio == pytest.approx(1.0)
    assert (shuffled.accepted, honest.accepted) == (False, True)


def test_a_boot_edge_in_between_is_known_by_its_unknown_increase() -> None:
    gauge = np.array([10.0, 10, 20, 20, 20])
    increase = np.array([150.0, np.nan, 300, 300])
    seen = compare_gauge(gauge, increase, np.full(4, 15.0))
    assert (seen.intervals, seen.ratio) == (3, pytest.approx(1.0))

"""Exposure rises with load, fades with its time constant, and levels off; filtering keeps coefficients."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_series import autoregressive, even_intervals

from census.stats.exposure import measure_exposure
from census.stats.prewhiten import filter_table
from census.stats.regression import fit_hac


def test_a_single_burst_fades_with_its_time_constant() -> None:
    load = np.zeros(200)
    load[100] = 50.0
    intervals = even_intervals(200)
    exposure, age_s = measure_exposure(load, intervals, tau_s=np.array([60.0]), saturation=np.array([0.0]))
    after = exposure[101:110, 0]
    assert after[1:] / after[:-1] == pytest.approx(np.exp(-15.0 / 60.0), rel=1e-3)
    assert age_s[:3].tolist() == [0.0, 15.0, 30.0]


@pytest.mark.parametrize("saturation", [0.0, 0.5, 0.9])
def test_a_steady_load_holds_the_state_that_it_is_named_after(saturation: float) -> None:
    exposure, _ = measure_exposure(
        np.full(300, 7.0), even_intervals(300), tau_s=np.array([45.0]), saturation=np.array([saturation])
    )
    assert exposure[:, 0] == pytest.approx(saturation or 1.0, rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(
    load=st.lists(st.floats(0, 1e5), min_size=5, max_size=60),
    tau_s=st.floats(1, 600),
    saturation=st.sampled_from([0.3, 0.6, 0.95]),
)
def test_a_saturating_exposure_is_a_share(load: list[float], tau_s: float, saturation: float) -> None:
    exposure, _ = measure_exposure(
        np.array(load), even_intervals(len(load)), tau_s=np.array([tau_s]), saturation=np.array([saturation])
    )
    assert np.all((exposure >= 0) & (exposure <= 1))


def test_the_unit_of_load_does_not_matter() -> None:
    load = np.abs(autoregressive(300, 0.8, np.random.default_rng(41)))
    intervals = even_intervals(300, segments=2)
    grid = {"tau_s": np.array([20.0, 200.0]), "saturation": np.array([0.5, 0.0])}
    assert measure_exposure(load, intervals, **grid)[0] == pytest.approx(
        measure_exposure(1000.0 * load, intervals, **grid)[0], rel=1e-9
    )


def test_filtering_the_memory_of_errors_keeps_the_slope_and_narrows_it() -> None:
    rng = np.random.default_rng(42)
    intervals = even_intervals(800, segments=2)
    plain, filtered = [], []
    for _ in range(40):
        x = rng.normal(size=800)
        y = 2.0 * x + 5.0 * autoregressive(800, 0.95, rng)
        table, weights = np.column_stack([y, x]), np.ones(800)
        white, kept = filter_table(table, weights, intervals, leftover=y - 2.0 * x)
        for rows, weight, found in ((table, weights, plain), (white, kept, filtered)):
            fit = fit_hac(rows[:, 0], rows[:, 1:], intervals, weights=weight, level=0.95)
            found.append(fit.combine(np.ones(1)))
    assert np.mean([value for value, _ in filtered]) == pytest.approx(2.0, abs=0.03)
    assert np.mean([half for _, half in filtered]) < 0.5 * np.mean([half for _, half in plain])
    assert np.mean([abs(value - 2.0) <= half for value, half in filtered]) >= 0.85

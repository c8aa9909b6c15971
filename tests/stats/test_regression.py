"""The regression agrees with statsmodels, keeps to segments, and covers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_series import autoregressive, even_intervals

from census.stats.detrend import subtract_running_mean, subtract_running_median
from census.stats.lag_bins import LagBin, average_over_bins
from census.stats.lag_pairs import Intervals
from census.stats.regression import NotIdentifiedError, fit_hac, fixed_b_critical, long_run_sum


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_coefficients_and_newey_west_agree_with_statsmodels() -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(31)
    n, lags = 400, 12
    design = np.column_stack([np.ones(n), autoregressive(n, 0.8, rng), rng.normal(size=n)])
    y = design @ np.array([1.0, -2.0, 0.5]) + autoregressive(n, 0.6, rng)
    weights = rng.uniform(0.2, 2.0, size=n)
    theirs = sm.WLS(y, design, weights=weights).fit(
        cov_type="HAC", cov_kwds={"maxlags": lags, "use_correction": False}
    )
    ours = fit_hac(y, design, even_intervals(n), weights=weights, level=0.95, bandwidth=lags)
    assert ours.coefficients == pytest.approx(theirs.params, rel=1e-9)
    scores = design * (weights * ours.residuals)[:, None]
    bread = np.linalg.inv(design.T @ (design * weights[:, None]))
    plain = bread @ long_run_sum(scores, even_intervals(n), bandwidth=lags) @ bread
    assert plain == pytest.approx(theirs.cov_params(), rel=1e-8)
    assert np.diag(ours.covariance) == pytest.approx(np.diag(plain), rel=0.05)
    assert np.all(np.diag(ours.covariance) > np.diag(plain))


def test_no_product_crosses_a_segment_edge() -> None:
    rng = np.random.default_rng(32)
    scores = rng.normal(size=(40, 2))
    cut = even_intervals(40, segments=2)
    apart = sum(
        long_run_sum(scores[start:stop], even_intervals(stop - start), bandwidth=7)
        for start, stop in cut.bounds()
    )
    assert long_run_sum(scores, cut, bandwidth=7) == pytest.approx(apart, rel=1e-12)


@pytest.mark.parametrize(("rho", "n"), [(0.0, 150), (0.7, 150), (0.9, 800)])
def test_intervals_cover_the_planted_slope(rho: float, n: int) -> None:
    rng = np.random.default_rng(33)
    intervals = even_intervals(n, segments=2)
    covered, runs = 0, 300
    for _ in range(runs):
        x = autoregressive(n, rho, rng)
        y = 1.0 - 0.5 * x + autoregressive(n, rho, rng) * np.exp(0.3 * x)
        fit = fit_hac(y, np.column_stack([np.ones(n), x]), intervals, weights=np.ones(n), level=0.95)
        slope, half = fit.combine(np.array([0.0, 1.0]))
        covered += abs(slope + 0.5) <= half
    assert 0.90 <= covered / runs <= 0.995


def test_critical_values_are_those_of_the_bartlett_kernel_with_fixed_bandwidth() -> None:
    rng = np.random.default_rng(34)
    n, share = 300, 0.2
    intervals = even_intervals(n)
    ratios = []
    for _ in range(1500):
        e = rng.normal(size=n)
        spread = long_run_sum((e - e.mean())[:, None], intervals, bandwidth=int(share * n) - 1)[0, 0]
        ratios.append(abs(e.sum()) / np.sqrt(spread))
    assert np.quantile(ratios, 0.95) == pytest.approx(fixed_b_critical(share, level=0.95), rel=0.06)
    assert fixed_b_critical(0.0, level=0.99) == pytest.approx(2.576, abs=0.001)


def test_what_the_columns_do_not_determine_is_refused() -> None:
    x = np.linspace(0.0, 1.0, 60)
    twice = np.column_stack([x, 2 * x])
    with pytest.raises(NotIdentifiedError, match="follows"):
        fit_hac(x, twice, even_intervals(60), weights=np.ones(60), level=0.95)
    with pytest.raises(NotIdentifiedError, match="vary"):
        fit_hac(x, np.zeros((60, 1)), even_intervals(60), weights=np.ones(60), level=0.95)
    with pytest.raises(NotIdentifiedError, match="4 rows"):
        fit_hac(x, twice, even_intervals(60), weights=(np.arange(60) < 4).astype(float), level=0.95)


def test_taking_off_drift_keeps_a_linear_relation() -> None:
    rng = np.random.default_rng(35)
    n = 500
    intervals = even_intervals(n, segments=2)
    x = rng.normal(size=n)
    weights = rng.uniform(0.0, 1.0, size=n)
    weights[::7] = 0.0
    left = subtract_running_mean(
        np.column_stack([3.0 * x, x, np.full(n, 7.0)]), weights, intervals, window_s=600.0
    )
    assert left[:, 0] == pytest.approx(3.0 * left[:, 1], abs=1e-9)
    assert np.abs(left[:, 2]).max() < 1e-9
    assert np.all(left[::7] == 0.0)


def test_a_running_median_takes_off_a_step_and_keeps_a_burst() -> None:
    values = np.concatenate([np.full(100, 5.0), np.full(100, 9.0)])
    values[40:44] += 50.0
    left = subtract_running_median(values, even_intervals(200), window_s=300.0)
    assert left[40:44].tolist() == [50.0] * 4
    assert np.abs(np.delete(left, range(40, 44))).max() == pytest.approx(4.0, abs=4.0)
    assert left[120:].tolist() == [0.0] * 80


@settings(max_examples=40, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 60), min_size=6, max_size=25),
    near=st.integers(0, 40),
    width=st.integers(1, 60),
    sign=st.sampled_from([-1, 1]),
)
def test_means_over_stretches_of_time_are_exact_on_any_spacing(
    lengths: list[int], near: int, width: int, sign: int
) -> None:
    edges = np.concatenate([[0], np.cumsum(lengths)]).astype(float)
    x = np.sin(np.arange(len(lengths)) * 1.7) * 10
    intervals = Intervals(start_s=edges[:-1], end_s=edges[1:], segment=np.zeros(len(lengths), dtype=np.int64))
    bin_ = LagBin(sign=sign, near_s=float(near), far_s=float(near + width))
    found = average_over_bins(x, intervals, (bin_,))[:, 0]
    by_second = np.repeat(x, lengths)
    for row in range(len(lengths)):
        if sign > 0:
            low, high = edges[row] - near - width, edges[row] - near
        else:
            low, high = edges[row + 1] + near, edges[row + 1] + near + width
        if low < 0 or high > edges[-1]:
            assert np.isnan(found[row])
        else:
            assert found[row] == pytest.approx(by_second[int(low) : int(high)].mean(), abs=1e-9)

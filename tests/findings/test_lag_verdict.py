"""The lag structure of planted and hand-made timelines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from judging import plant_once
from planted_timeline import plant
from timeline_factory import make_histogram, make_timeline

from census.findings import lag_structure
from census.findings.interval_rates import IntervalRates, measure_rates
from census.model.estimate import Absent, Estimate
from census.model.findings import LagStructure
from census.model.settings import Settings
from census.simulate.world import World
from census.simulate.worlds import WORLDS
from census.timeline.timeline import Timeline

SETTINGS = Settings()


def lag_of(timeline: Timeline) -> LagStructure:
    rates = measure_rates(timeline, SETTINGS)
    assert isinstance(rates, IntervalRates)
    found = lag_structure.measure(timeline, rates, SETTINGS, np.random.default_rng(1))
    assert isinstance(found, LagStructure)
    return found


def value(reading: object) -> float:
    assert isinstance(reading, Estimate), reading
    return reading.value


def one_stream(
    decode_tok_s: np.ndarray,
    prefill_tok_s: np.ndarray,
    *,
    seconds: np.ndarray | float = 15.0,
    start_ms: int = 1_000_000,
) -> Timeline:
    """Return a timeline of one stream that always decodes, with a live inter-token histogram."""
    n = decode_tok_s.size
    lengths = np.full(n, seconds) if np.isscalar(seconds) else np.asarray(seconds)
    tokens = decode_tok_s * lengths
    gaps = make_histogram(
        [0.05, np.inf],
        np.column_stack([tokens, np.zeros(n)]).tolist(),
        role="inter_token_latency",
        clock="step",
        sums=lengths.tolist(),
    )
    return make_timeline(
        {"decode_tokens": tokens, "prefill_tokens": prefill_tok_s * lengths},
        histograms={"inter_token_latency": gaps},
        seconds=lengths,
        start_ms=start_ms,
    )


def bursts(n: int, rng: np.random.Generator, *, rate: float = 6000.0) -> np.ndarray:
    prefill = np.zeros(n)
    for at in np.flatnonzero(rng.random(n) < 0.06).tolist():
        prefill[at : at + int(rng.integers(1, 4))] = rate * rng.uniform(0.5, 1.5)
    return prefill


@pytest.mark.parametrize(
    ("world", "wanted"),
    [
        pytest.param(WORLDS["shared_step"](hours=6), "lag-0-only", id="shared steps"),
        pytest.param(WORLDS["founding"](hours=6), "lag-0-only", id="the founding case"),
        pytest.param(WORLDS["exclusive_prefill"](hours=6), "lag-0-only", id="exclusive prefill runs"),
        pytest.param(WORLDS["residency"](hours=12, tau_s=60.0), "lingering", id="residency of a minute"),
        pytest.param(WORLDS["no_interference"](hours=6), "none", id="no interference under a daily cycle"),
    ],
)
def test_planted_worlds_have_their_lag_structure(world: World, wanted: str) -> None:
    assert lag_of(plant_once(world, 1)[1]).verdict == wanted


def test_thinned_scrapes_and_long_ones_keep_the_verdict() -> None:
    world = WORLDS["shared_step"](hours=12, prefill_duty=0.05)
    for spacing_s in (15.0, 30.0, 60.0):
        scraping = replace(world.scraping, interval_s=spacing_s)
        assert lag_of(plant(replace(world, scraping=scraping), 2)[1]).verdict == "lag-0-only"


def test_a_response_planted_half_a_minute_later_lingers_and_stands_at_its_lag() -> None:
    rng = np.random.default_rng(3)
    prefill = bursts(1500, rng)
    late = np.concatenate([np.zeros(2), prefill[:-2]])
    found = lag_of(one_stream(100.0 * (1 - late / 20_000) * rng.normal(1, 0.01, 1500), prefill))
    assert found.verdict == "lingering"
    strongest = min(found.response, key=lambda row: value(row.effect))
    assert strongest.lag_s == pytest.approx(22.5)
    typical = float(np.median(prefill[prefill > 0]))
    assert value(found.lingering) == pytest.approx(-typical / 20_000, rel=0.25)
    assert min(found.rows, key=lambda row: row.r or 0.0).lag_s == 30.0


def test_a_long_prefill_does_not_make_its_neighbours_guilty() -> None:
    rng = np.random.default_rng(4)
    prefill = np.zeros(3000)
    for at in range(100, 2900, 190):
        prefill[at : at + int(rng.integers(40, 101))] = rng.uniform(3000, 9000)
    found = lag_of(one_stream(100.0 * (1 - prefill / 12_000) * rng.normal(1, 0.01, 3000), prefill))
    by_lag = {row.lag_s: row for row in found.rows}
    assert (by_lag[30.0].r or 0.0) < -0.8
    assert found.verdict == "lag-0-only"
    assert abs(value(found.lingering)) < 0.05
    assert value(found.effect_at_0) < -0.3
    assert next(row for row in found.detrended.rows if row.lag_s == 0).p_family == pytest.approx(0.001)


def test_uneven_spacing_pairs_by_time() -> None:
    rng = np.random.default_rng(5)
    prefill = bursts(1200, rng)
    seconds = np.where(np.arange(1200) < 700, 15.0, 30.0)
    found = lag_of(
        one_stream(100.0 * (1 - prefill / 12_000) * rng.normal(1, 0.01, 1200), prefill, seconds=seconds)
    )
    assert found.verdict == "lag-0-only"


def test_eviction_as_operators_report_it_is_strongest_half_a_minute_later() -> None:
    rng = np.random.default_rng(6)
    prefill, decode = [], []
    for _ in range(60):
        idle = int(rng.integers(0, 4))
        prefill += [0.0] * idle + [0, 0, 6000, 6000, 0, 0, 0, 0, 0, 0]
        decode += [166.0] * idle + [166, 166, 150, 150, 60, 60, 80, 110, 140, 166]
    n = len(prefill)
    found = lag_of(
        one_stream(
            np.array(decode) * rng.uniform(0.97, 1.03, n), np.array(prefill), seconds=rng.uniform(13, 17, n)
        )
    )
    strongest = min(found.rows, key=lambda row: row.r or 0.0)
    assert strongest.lag_s == pytest.approx(30.0, abs=1.0)
    assert found.verdict == "lingering"


def test_two_unrelated_slow_series_are_no_relationship() -> None:
    rng = np.random.default_rng(7)
    verdicts = set()
    for _ in range(10):
        slow = np.zeros((2, 200))
        for t in range(1, 200):
            slow[:, t] = 0.9 * slow[:, t - 1] + rng.normal(size=2) * 0.436
        found = lag_of(one_stream(100 + 10 * slow[0], np.maximum(3000 + 800 * slow[1], 1.0)))
        row = next(row for row in found.rows if row.lag_s == 0)
        assert row.n_eff is not None
        assert row.n_eff < 60
        verdicts.add(found.verdict)
    assert "lag-0-only" not in verdicts


@pytest.mark.parametrize(
    "prefill",
    [
        pytest.param(
            np.where(np.isin(np.arange(600), (50, 300, 550)), 6000.0, 0.0), id="three loaded windows"
        ),
        pytest.param(np.full(600, 4000.0), id="constant prefill"),
        pytest.param(np.zeros(600), id="no prefill"),
    ],
)
def test_too_little_to_tell_is_inconclusive_without_a_nan(prefill: np.ndarray) -> None:
    rng = np.random.default_rng(8)
    found = lag_of(one_stream(100 * rng.normal(1, 0.02, 600), prefill))
    assert found.verdict == "inconclusive"
    assert isinstance(found.effect_at_0, Absent)
    assert isinstance(found.lingering, Absent)
    assert all(row.r is None or np.isfinite(row.r) for row in found.rows)


def test_load_that_hides_the_effect_in_the_visible_rate_is_said() -> None:
    found = lag_of(plant(WORLDS["shared_step"](hours=6, streams=32, load=0.1, prefill_duty=0.05), 1)[1])
    visible = next(row for row in found.visible.rows if row.lag_s == 0)
    ours = next(row for row in found.rows if row.lag_s == 0)
    assert (ours.r or 0.0) < -0.5
    assert ("load hides it" in found.reason) == ((visible.r or 0.0) > -(visible.band or 0.0))


def test_adding_a_constant_to_all_times_changes_nothing() -> None:
    rng = np.random.default_rng(9)
    prefill = bursts(900, rng)
    decode = 100.0 * (1 - prefill / 12_000) * rng.normal(1, 0.01, 900)
    early, late = (
        lag_of(one_stream(decode, prefill, start_ms=start)) for start in (1_000_000, 1_700_000_000_000)
    )
    assert early.verdict == late.verdict
    assert [row.r for row in early.rows] == pytest.approx([row.r for row in late.rows], abs=1e-9)
    assert value(early.effect_at_0) == pytest.approx(value(late.effect_at_0), rel=1e-6)

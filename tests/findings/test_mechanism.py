"""The mechanism is named as planted, or not at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from judging import SETTINGS, judge_world, mechanism_of, plant_once, rates_of, rival
from timeline_factory import make_timeline

from census.findings import mechanism
from census.findings.mechanism import decide
from census.model.estimate import Absent, Estimate
from census.model.findings import Rival
from census.simulate.world import World
from census.simulate.worlds import WORLDS, two_engines
from census.timeline.timeline import Timeline

SIX_HOURS: dict[str, tuple[World, str]] = {
    "shared steps": (WORLDS["shared_step"](hours=6), "shared-step"),
    "shared steps, held after a deploy": (WORLDS["held_steps"](hours=6), "shared-step"),
    "the founding case": (WORLDS["founding"](hours=6), "shared-step"),
    "exclusive prefill runs": (WORLDS["exclusive_prefill"](hours=6), "exclusive-prefill"),
    "residency of 5 s": (WORLDS["residency"](hours=6, tau_s=5.0), "residency"),
    "residency of 30 s": (WORLDS["residency"](hours=6), "residency"),
    "residency of 300 s": (WORLDS["residency"](hours=6, tau_s=300.0), "residency"),
    "batch growth": (WORLDS["batch_growth"](hours=6), "batch-growth"),
    "preemption storms": (WORLDS["preemption_storms"](hours=6), "preemption"),
    "no interference under a daily cycle": (WORLDS["no_interference"](hours=6), "none"),
    "load alone": (WORLDS["load_alone"](hours=6), "load"),
    "the slowed engine of two": (two_engines(hours=6)[0], "shared-step"),
    "the spared engine of two": (two_engines(hours=6)[1], "none"),
}


@pytest.mark.parametrize("name", list(SIX_HOURS))
def test_a_planted_mechanism_is_named(name: str) -> None:
    world, wanted = SIX_HOURS[name]
    found = judge_world(world, 1)
    assert found.verdict == wanted, found.reason
    assert rival(found, wanted).holds is True
    assert found.closest != wanted
    assert found.would_settle == ""


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize("name", list(SIX_HOURS))
def test_more_seeds_name_the_same_mechanism_or_none(name: str, seed: int) -> None:
    world, wanted = SIX_HOURS[name]
    assert judge_world(world, seed).verdict in (wanted, "inconclusive")


def test_a_saturated_residency_is_never_called_shared_steps_or_nothing() -> None:
    for spacing_s in (15.0, 60.0):
        world = WORLDS["residency"](hours=6, saturated=True, scrape_interval_s=spacing_s)
        assert judge_world(world, 1).verdict in ("residency", "inconclusive")


def test_the_loss_foretold_from_the_two_step_costs_is_the_loss_that_requests_report() -> None:
    found = judge_world(WORLDS["shared_step"](hours=6), 1)
    ratio = found.predicted_over_measured
    assert isinstance(ratio, Estimate)
    assert ratio.value == pytest.approx(1.0, abs=0.1)
    assert "requests report" in ratio.method
    flat = found.decode_step_given_rows
    assert isinstance(flat, Estimate)
    assert abs(flat.value) < 0.01


def test_the_slowdown_of_decode_only_steps_comes_back_as_planted() -> None:
    world = WORLDS["residency"](hours=6)
    _, timeline = plant_once(world, 1)
    clean = timeline.clean()
    rows = (clean["decode_tokens"] - clean["draft_accepted"]).sum()
    per_step = rows / (clean["decode_steps"] + clean["mixed_steps"]).sum()
    step_s = clean["decode_seconds"].sum() / clean["decode_steps"].sum()
    planted = 1.0 - world.costs.decode_only(float(per_step)) / step_s
    found = judge_world(world, 1).decode_step_given_rows
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(planted, abs=0.05)
    assert planted > 0.25


def test_fewer_than_fifty_loaded_intervals_are_inconclusive() -> None:
    quiet = WORLDS["shared_step"](hours=2, prefill_duty=0.002, load=0.02, streams=2)
    found = judge_world(quiet, 1)
    assert found.verdict == "inconclusive"
    assert found.would_settle
    assert "intervals" in found.reason


def test_an_engine_without_step_counters_has_no_verdict() -> None:
    n = 400
    bare = make_timeline(
        {"decode_tokens": np.full(n, 1500.0), "prefill_tokens": np.tile([0.0, 9000.0], n // 2)},
        gauges={"running": np.full(n + 1, 2.0)},
    )
    found = mechanism.measure(
        bare,
        rates_of(bare),
        Absent("no step counters"),
        Absent("not asked"),
        SETTINGS,
        np.random.default_rng(1),
    )
    assert isinstance(found, Absent)


def slowed_by(timeline: Timeline, other: Timeline) -> Timeline:
    """Return a timeline whose steps all stretch while the other engine has prefill."""
    frame, load = timeline.frame.copy(), other.frame["prefill_tokens"].to_numpy() / other.frame["seconds"]
    n = min(len(frame), len(load))
    stretch = np.ones(len(frame))
    stretch[:n] += np.minimum(load[:n] / 4000.0, 1.5)
    for role in ("decode_steps", "mixed_steps", "prefill_steps", "decode_tokens", "draft_accepted"):
        frame[role] = frame[role] / stretch
    return replace(timeline, frame=frame, histograms={})


def test_a_stall_shared_by_the_group_is_told_by_the_other_engines_prefill() -> None:
    worlds = two_engines(hours=6)
    (_, loaded), (_, spared) = (plant_once(world, 1) for world in worlds)
    stalled = slowed_by(spared, loaded)
    assert rival(mechanism_of(stalled, [loaded]), "group-stall").holds is True
    assert rival(mechanism_of(spared, [loaded]), "group-stall").holds is False
    assert mechanism_of(spared, [loaded]).verdict == "none"
    assert mechanism_of(loaded, [spared]).verdict == "shared-step"


def a_rival(name: str, holds: bool | None, share: float | None) -> Rival:
    reading = (
        Absent("not measured")
        if share is None
        else Estimate(value=share, low=share, high=share, level=0.95, n=100, unit="1", method="planted")
    )
    return Rival(id=name, prediction="p", observed="o", holds=holds, share_of_loss=reading)


@pytest.mark.parametrize(
    ("rivals", "verdict", "closest"),
    [
        pytest.param(
            [a_rival("shared-step", True, 0.9), a_rival("residency", False, 0.05)],
            "shared-step",
            "residency",
            id="one holds, all others fail",
        ),
        pytest.param(
            [a_rival("shared-step", True, 0.6), a_rival("residency", True, 0.4)],
            "inconclusive",
            "shared-step",
            id="two hold",
        ),
        pytest.param(
            [a_rival("shared-step", True, 0.6), a_rival("residency", None, 0.3)],
            "inconclusive",
            "shared-step",
            id="one holds, another cannot be told",
        ),
        pytest.param(
            [a_rival("shared-step", True, 0.9), a_rival("preemption", None, None)],
            "shared-step",
            None,
            id="what is not measured cannot explain the last tenth",
        ),
        pytest.param(
            [a_rival("shared-step", True, 0.6), a_rival("preemption", None, None)],
            "inconclusive",
            "shared-step",
            id="what is not measured could explain the other four tenths",
        ),
        pytest.param(
            [a_rival("shared-step", False, 0.1), a_rival("residency", False, 0.1)],
            "inconclusive",
            "shared-step",
            id="nothing explains the loss",
        ),
    ],
)
def test_the_verdict_follows_from_the_rivals(rivals: list[Rival], verdict: str, closest: str | None) -> None:
    assert decide(rivals, SETTINGS)[:2] == (verdict, closest)

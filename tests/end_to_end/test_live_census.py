"""The main job on planted worlds: a real Prometheus in, a census out, held against what truly happened."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from live_prometheus import PrometheusFactory

from census.capture.folder import load_capture
from census.cli import run
from census.model.window import rfc3339
from census.simulate.engine import simulate
from census.simulate.expose_radiance import radiance_series
from census.simulate.founding import FOUNDING_SEED, founding
from census.simulate.run import Run
from census.simulate.truth import Truth, truth_between
from census.simulate.world import World
from census.simulate.worlds import exclusive_prefill, held_steps, no_interference, residency, shared_step

pytestmark = [pytest.mark.live, pytest.mark.slow]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A world of the generator, its seed, and what a census must say of it."""

    world: Callable[[], World]
    seed: int
    lag: str
    mechanism: str
    held_exit: int


CASES = {
    "shared steps, 24 h": Case(
        world=lambda: shared_step(hours=24), seed=3, lag="lag-0-only", mechanism="shared-step", held_exit=1
    ),
    "the founding case, 48 h": Case(
        world=founding, seed=FOUNDING_SEED, lag="lag-0-only", mechanism="shared-step", held_exit=1
    ),
    "an exclusive prefill run, 24 h": Case(
        world=lambda: exclusive_prefill(hours=24),
        seed=4,
        lag="lag-0-only",
        mechanism="exclusive-prefill",
        held_exit=4,
    ),
    "a residency of 60 s, 24 h": Case(
        world=lambda: residency(hours=24, tau_s=60.0),
        seed=5,
        lag="lingering",
        mechanism="residency",
        held_exit=1,
    ),
    "held steps, 24 h": Case(
        world=lambda: held_steps(hours=24), seed=6, lag="lag-0-only", mechanism="shared-step", held_exit=0
    ),
    "no interference under a daily cycle, 24 h": Case(
        world=lambda: no_interference(hours=24), seed=7, lag="none", mechanism="none", held_exit=1
    ),
}


@dataclass(frozen=True, kw_only=True)
class Taken:
    """A planted run, pulled from a real Prometheus and reported."""

    case: Case
    run: Run
    capture: Path
    report: dict[str, Any]


@pytest.fixture(scope="module", params=list(CASES))
def taken(
    request: pytest.FixtureRequest, prometheus: PrometheusFactory, tmp_path_factory: pytest.TempPathFactory
) -> Taken:
    """Plant, serve, pull and report one case through the command line."""
    case = CASES[request.param]
    planted = simulate(case.world(), case.seed)
    url = prometheus(radiance_series(planted))
    folder = tmp_path_factory.mktemp("census")
    span = ["--start", rfc3339(planted.start_ms), "--end", rfc3339(planted.end_ms)]
    assert run(["pull", "--prometheus", url, *span, "--out", str(folder / "capture")]) == 0
    assert run(["report", str(folder / "capture"), "--format", "json", "--out", str(folder)]) == 0
    report = json.loads((folder / "report.json").read_text())
    return Taken(case=case, run=planted, capture=folder / "capture", report=report)


def _between(taken: Taken, times_ms: list[int]) -> Truth:
    return truth_between(taken.run, np.array(times_ms))


def test_every_sample_comes_once(taken: Taken) -> None:
    planted = {json.dumps(dict(one.labels), sort_keys=True): one for one in radiance_series(taken.run)}
    pulled = {
        json.dumps(dict(one.labels), sort_keys=True): one
        for _, one in load_capture(taken.capture).iter_series()
    }
    assert len(pulled) > 100
    for labels, one in pulled.items():
        np.testing.assert_array_equal(one.times_ms, planted[labels].times_ms)
        np.testing.assert_array_equal(one.values, planted[labels].values)


def test_every_boot_is_found(taken: Taken) -> None:
    assert len(taken.report["boots"]) == len(taken.run.boots)


def test_steps_and_seconds_by_class_are_the_planted_ones(taken: Taken) -> None:
    truth = _between(taken, [taken.run.start_ms, taken.run.end_ms])
    classes = taken.report["findings"]["step_phases"]["classes"]
    assert classes["decode"]["steps"] == pytest.approx(truth.only("steps_decode"), rel=0.005)
    assert classes["decode"]["seconds"] == pytest.approx(truth.only("seconds_decode"), rel=0.005)
    assert classes["mixed"]["steps"] == pytest.approx(truth.only("steps_mixed"), rel=0.005)
    assert classes["prefill"]["steps"] == pytest.approx(truth.only("steps_prefill"), rel=0.005)
    chunk_seconds = truth.only("seconds_mixed") + truth.only("seconds_prefill")
    assert classes["chunk"]["seconds"] == pytest.approx(chunk_seconds, rel=0.005)
    assert classes["chunk"]["mean_s"]["value"] == pytest.approx(truth.only("chunk_step_s"), rel=0.005)


def test_shares_close(taken: Taken) -> None:
    classes = taken.report["findings"]["step_phases"]["classes"]
    whole = ("decode", "chunk", "other")
    assert abs(sum(classes[name]["share_of_steps"] for name in whole) - 1) < 1e-9
    assert abs(sum(classes[name]["share_of_time"] for name in whole) - 1) < 1e-9
    assert classes["mixed"]["steps"] + classes["prefill"]["steps"] == classes["chunk"]["steps"]
    for name in ("decode", "chunk"):
        time = classes[name]["mean_s"]["value"] * classes[name]["steps"]
        assert time == pytest.approx(classes[name]["seconds"], rel=1e-9)


def test_a_stream_gets_what_was_planted_in_every_bucket(taken: Taken) -> None:
    table = taken.report["findings"]["decode_under_prefill"]["rows"]
    ids = [one for one in _scrapes(taken.run) if one]
    starts, ends = np.array(ids).T
    edges = np.unique(np.concatenate([starts, ends]))
    truth = truth_between(taken.run, edges)
    rate = truth.prefill_tok_s
    wide = np.diff(edges) < 2.5 * 15_000
    checked = 0
    for row in table:
        inside = rate == 0 if row["hi"] == 0 else (rate >= row["lo"]) & (rate < (row["hi"] or np.inf))
        inside &= wide & (rate > 0) if row["hi"] != 0 else wide
        if row["intervals"] < 50 or row["per_stream_pooled_tok_s"] is None:
            continue
        planted = truth.pooled(inside).only("per_stream_tok_s")
        assert row["per_stream_pooled_tok_s"] == pytest.approx(planted, rel=0.05), (row["lo"], row["hi"])
        checked += 1
    assert checked >= 2


def _scrapes(planted: Run) -> list[tuple[int, int]]:
    """Return (start, end) of each interval between scrapes of one boot."""
    times, boots = planted.scrape_ms, planted.scrape_boot
    return [
        (int(times[at]), int(times[at + 1])) for at in range(times.size - 1) if boots[at] == boots[at + 1]
    ]


def test_the_lag_verdict_and_the_mechanism_are_the_planted_ones(taken: Taken) -> None:
    findings = taken.report["findings"]
    assert findings["lag_structure"]["verdict"] == taken.case.lag
    assert findings["mechanism"]["verdict"] == taken.case.mechanism


def test_the_held_gate_answers_as_planted(taken: Taken, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "held", str(taken.capture)]) == taken.case.held_exit
    capsys.readouterr()
    meter = taken.report["findings"]["protection_meter"]
    truth = _between(taken, [taken.run.start_ms, taken.run.end_ms])
    assert meter["held"] == pytest.approx(truth.only("held"), rel=0.005, abs=1)

"""census pull against a real Prometheus: the capture holds what the simulated server counted, all of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from live_prometheus import PrometheusFactory

from census.capture.folder import load_capture
from census.capture.hashing import canonical_sha256
from census.capture.series import Series
from census.cli import run
from census.model.window import rfc3339
from census.queries.resolve import resolve_series
from census.simulate.engine import simulate
from census.simulate.expose_radiance import radiance_series
from census.simulate.founding import founding
from census.sources.discover import bound_series

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def planted() -> list[Series]:
    return radiance_series(simulate(founding(hours=6), 11))


@pytest.fixture(scope="module")
def server(prometheus: PrometheusFactory, planted: list[Series]) -> str:
    return prometheus(planted)


@pytest.fixture
def span(planted: list[Series]) -> tuple[str, ...]:
    start = min(int(one.times_ms[0]) for one in planted)
    end = max(int(one.times_ms[-1]) for one in planted) + 1
    return ("--start", rfc3339(start), "--end", rfc3339(end))


def test_the_capture_holds_every_series_that_answers_a_role_bit_for_bit(
    server: str, planted: list[Series], span: tuple[str, ...], tmp_path: Path
) -> None:
    assert run(["pull", "--prometheus", server, *span, "--out", str(tmp_path / "one")]) == 0
    capture = load_capture(tmp_path / "one")
    wanted = [planted[index] for index in bound_series(resolve_series(planted))]
    assert capture.manifest.sha256 == canonical_sha256(wanted)
    capture.verify()
    (engine,) = capture.manifest.engines
    assert {one.role for one in engine.absent if one.reason.startswith("not found")} == {"process_start"}
    gate = capture.gate()["engines"][0]["roles"]
    held = next(one for one in planted if one.name == "radiance:engine_steps_held_total")
    assert gate["held_steps"]["series"][0]["values"] == held.values.tolist()


def test_the_same_pull_gives_the_same_capture(server: str, span: tuple[str, ...], tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert run(["pull", "--prometheus", server, *span, "--out", str(tmp_path / name)]) == 0
    for file in ("manifest.json", "gate.json", "samples.parquet"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_a_dry_run_foretells_the_samples(
    server: str, span: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["pull", "--prometheus", server, *span, "--json", "--out", str(tmp_path / "one")]
    assert run([*words, "--dry-run"]) == 0
    foretold = json.loads(capsys.readouterr().out)
    assert run(words) == 0
    pulled = json.loads(capsys.readouterr().out)
    assert foretold["series"] == pulled["series"]
    assert foretold["samples"] == pytest.approx(pulled["samples"], rel=0.02)


def test_a_server_that_keeps_less_than_was_asked_is_told_with_the_real_start(
    server: str, planted: list[Series], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = min(int(one.times_ms[0]) for one in planted)
    words = ["--start", rfc3339(first - 86_400_000), "--hours", "30", "--out", str(tmp_path / "one")]
    assert run(["pull", "--prometheus", server, *words]) == 0
    assert f"note        the data begins at {rfc3339(first)}, 24.0 h after" in capsys.readouterr().out

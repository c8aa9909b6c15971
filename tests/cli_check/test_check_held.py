"""census check held: which source, which words, which exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from census.capture.series import Series
from census.cli import run
from census.model.window import Window
from census.simulate.engine import simulate
from census.simulate.run import Run
from census.simulate.server import serve
from census.simulate.to_capture import write_capture_of_series
from census.simulate.worlds import shared_step

START = 1_790_000_000


def radiance(name: str, values: list[float], *, start: float = START) -> Series:
    """Return one radiance counter scraped every 15 s."""
    return Series(
        labels={
            "__name__": f"radiance:{name}",
            "job": "llm",
            "instance": "a:1",
            "model_name": "m",
            "engine": "0",
        },
        times_ms=np.array([round(1000 * (start + 15 * place)) for place in range(len(values))]),
        values=np.array(values, dtype=float),
    )


def counters(held: list[float] | None, *, start: float = START) -> list[Series]:
    """Return an engine that takes ten mixed steps a scrape."""
    count = 12
    series = [
        radiance("engine_steps_mixed_total", [10.0 * place for place in range(count)], start=start),
        radiance("engine_steps_total", [100.0 * place for place in range(count)], start=start),
        radiance("engine_steps_decode_total", [80.0 * place for place in range(count)], start=start),
    ]
    return series + ([radiance("engine_steps_held_total", held, start=start)] if held is not None else [])


def write(path: Path, held: list[float] | None) -> Path:
    """Write a capture of such an engine."""
    window = Window(start_ms=1000 * START, end_ms=1000 * (START + 600))
    write_capture_of_series(counters(held), path, window=window)
    return path


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder without any configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("PROMETHEUS_URL", "PROMETHEUS_BEARER_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


RISING = [float(place) for place in range(12)]


@pytest.mark.parametrize(
    ("held", "code", "words"),
    [
        pytest.param(RISING, 0, "PASS radiance-m-0: moving;", id="moving"),
        pytest.param([0.0] * 12, 1, "FAIL radiance-m-0: zero;", id="zero"),
        pytest.param(None, 4, "INCONCLUSIVE radiance-m-0: not exported;", id="not exported"),
    ],
)
def test_a_capture_is_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], held: list[float] | None, code: int, words: str
) -> None:
    assert run(["check", "held", str(write(tmp_path / "c", held))]) == code
    out = capsys.readouterr().out
    assert out.startswith(words)


def test_the_verdict_is_one_json_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "held", str(write(tmp_path / "c", [0.0] * 12)), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert {key: document[key] for key in ("schema", "gate", "outcome", "exit_code", "warnings")} == {
        "schema": "census.check/1",
        "gate": "held",
        "outcome": "fail",
        "exit_code": 1,
        "warnings": [],
    }
    (engine,) = document["engines"]
    assert (engine["state"], engine["held"], engine["opportunities"]) == (
        "zero",
        {"low": 0, "high": 0},
        {"low": 110, "high": 110},
    )


def test_without_a_capture_the_newest_is_judged(tmp_path: Path) -> None:
    import os

    for name, held, age in (("old", [0.0] * 12, 100), ("new", RISING, 0)):
        path = write(tmp_path / "captures" / name, held)
        os.utime(path / "manifest.json", (START - age, START - age))
    assert run(["check", "held"]) == 0


def test_since_a_moment_is_judged(tmp_path: Path) -> None:
    path = write(tmp_path / "c", [0.0] * 6 + [3.0] * 6)
    assert run(["check", "held", str(path), "--since", str(START + 30)]) == 0
    assert run(["check", "held", str(path), "--since", str(START + 100)]) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["nowhere"], "capture nowhere is not there", id="no such capture"),
        pytest.param(
            ["c", "--prometheus", "http://127.0.0.1:9"], "both the capture c and a server", id="both"
        ),
        pytest.param(
            ["c", "--match", '{job="x"}'], "both the capture c and a server", id="matcher and capture"
        ),
        pytest.param(["--match", '{job="x"}'], "none is named", id="matcher without server"),
        pytest.param(["c", "--since", "2026-10-18T20:00:00"], "has no offset", id="a time without offset"),
        pytest.param(["c", "--since", "noon"], "--since: 'noon' is not a time", id="no time"),
        pytest.param(["c", "--engine", "x"], "the engines are radiance-m-0", id="no such engine"),
        pytest.param([], "no capture in captures", id="nothing named, nothing here"),
        pytest.param(
            ["--prometheus", "http://127.0.0.1:9", "--since", "4000000000"], "has not come", id="future"
        ),
        pytest.param(["--header", "x"], "--header: want", id="a header that is none"),
    ],
)
def test_wrong_words_are_usage_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    write(tmp_path / "c", RISING)
    assert run(["check", "held", *words]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert (said.out, said.err.count("\n")) == ("", 1)


def test_a_half_written_capture_and_a_newer_one_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    half = write(tmp_path / "c", RISING).rename(tmp_path / "c.partial")
    assert run(["check", "held", str(half)]) == 2
    newer = write(tmp_path / "d", RISING)
    manifest = newer / "manifest.json"
    manifest.write_text(manifest.read_text().replace("census.capture/1", "census.capture/9"))
    assert run(["check", "held", str(newer)]) == 2
    (write(tmp_path / "e", RISING) / "gate.json").unlink()
    assert run(["check", "held", str(tmp_path / "e")]) == 2
    assert [line[:7] for line in capsys.readouterr().err.splitlines()] == ["census:"] * 3


def test_a_server_that_refuses_is_exit_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "held", "--prometheus", "http://127.0.0.1:9"]) == 3
    assert "127.0.0.1:9" in capsys.readouterr().err


@pytest.fixture(scope="module")
def idle_run() -> Run:
    """Return a short run, for a server that needs one."""
    return simulate(shared_step(hours=0.1), 1)


@pytest.fixture
def server(idle_run: Run) -> Iterator[str]:
    """Serve counters of the last minutes as a Prometheus."""
    import time

    with serve([idle_run], series=counters(RISING, start=time.time() - 300), now_ms=_real_clock) as url:
        yield url


def _real_clock() -> int:
    import time

    return time.time_ns() // 1_000_000


def test_a_live_server_is_judged(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "held", "--prometheus", server]) == 0
    assert capsys.readouterr().out.startswith(
        "PASS radiance-m-0: moving; radiance:engine_steps_held_total counted"
    )


def test_the_environment_names_the_server_and_a_capture_goes_before_it(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROMETHEUS_URL", server)
    path = write(tmp_path / "c", [0.0] * 12)
    assert run(["check", "held"]) == 0
    assert run(["check", "held", str(path)]) == 1


def test_census_toml_names_the_server(tmp_path: Path, server: str) -> None:
    (tmp_path / "census.toml").write_text(f'[prometheus]\nurl = "{server}"\n')
    assert run(["check", "held", "--engine", "radiance"]) == 0
    assert run(["check", "held", "--engine", "radiance-m-0", "--match", '{job="llm"}']) == 0


def test_a_check_of_a_capture_loads_no_library(tmp_path: Path) -> None:
    path = write(tmp_path / "c", RISING)
    code = (
        "import sys\n"
        "from census.cli import run\n"
        f"code = run(['check', 'held', {str(path)!r}])\n"
        "heavy = ('numpy', 'pandas', 'pyarrow', 'prometheus_api_client', 'requests', 'scipy')\n"
        "print([name for name in heavy if name in sys.modules], code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[] 0"


def test_a_check_of_a_server_loads_no_table_library(server: str) -> None:
    code = (
        "import sys\n"
        "from census.cli import run\n"
        f"code = run(['check', 'held', '--prometheus', {server!r}])\n"
        "print([name for name in ('numpy', 'pandas', 'pyarrow', 'scipy') if name in sys.modules], code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[] 0"

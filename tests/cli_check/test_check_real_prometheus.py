"""census check held on a real Prometheus."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from live_prometheus import PrometheusFactory

from census.capture.series import Series
from census.cli import run

pytestmark = pytest.mark.live

SCRAPES = 960


def engine(name: str, *, start_ms: int, held_after: float) -> list[Series]:
    """Return an engine that restarts in the middle; afterwards it holds ``held_after`` steps a scrape."""
    half = SCRAPES // 2
    age = np.concatenate([np.arange(half) + 5000.0, np.arange(SCRAPES - half) + 0.0])
    new = np.arange(SCRAPES) >= half
    values = {
        "engine_steps_total": 100 * age,
        "engine_steps_decode_total": 80 * age,
        "engine_steps_mixed_total": 10 * age,
        "engine_steps_held_total": np.where(new, held_after * age, 0.0),
    }
    times = start_ms + 15_000 * np.arange(SCRAPES, dtype=np.int64)
    labels = {"job": "llm", "instance": f"{name}:8000", "model_name": name, "engine": "0"}
    return [
        Series(labels={"__name__": f"radiance:{metric}", **labels}, times_ms=times, values=one)
        for metric, one in values.items()
    ]


@pytest.fixture(scope="module")
def server(prometheus: PrometheusFactory) -> str:
    """Serve two engines of the last four hours: one protects after its restart, one does not."""
    start_ms = time.time_ns() // 1_000_000 - 15_000 * SCRAPES
    return prometheus(
        [
            *engine("good", start_ms=start_ms, held_after=8.0),
            *engine("bad", start_ms=start_ms, held_after=0.0),
        ]
    )


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder without any configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("PROMETHEUS_URL", raising=False)


@pytest.mark.parametrize(("key", "code", "state"), [("good", 0, "moving"), ("bad", 1, "zero")])
def test_the_last_boot_is_judged(
    server: str, capsys: pytest.CaptureFixture[str], key: str, code: int, state: str
) -> None:
    words = ["check", "held", "--prometheus", server, "--engine", f"radiance-{key}-0", "--json"]
    assert run(words) == code
    (verdict,) = json.loads(capsys.readouterr().out)["engines"]
    assert verdict["state"] == state
    assert verdict["since"].startswith("boot 1, from")
    assert verdict["opportunities"]["low"] == verdict["opportunities"]["high"] > 4000


def test_of_both_engines_the_worst_counts(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "held", "--prometheus", server]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines if not line.startswith(" ")] == [
        "FAIL radiance-bad-0",
        "PASS radiance-good-0",
    ]


def test_since_a_deploy_is_judged(server: str) -> None:
    words = ["check", "held", "--prometheus", server, "--match", '{model_name="good"}', "--since"]
    assert run([*words, f"{time.time() - 600:.0f}"]) == 0


def test_no_engine_in_the_window_is_inconclusive(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "held", "--prometheus", server, "--match", '{job="none"}']) in (2, 4)
    assert capsys.readouterr().err.startswith("census: ")


def test_a_live_check_loads_nothing_that_takes_long(server: str) -> None:
    script = (
        "import sys\n"
        "from census.cli import run\n"
        f"run(['check', 'held', '--prometheus', '{server}'])\n"
        "print(sorted({'numpy', 'pandas', 'pyarrow', 'scipy', 'plotly'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"

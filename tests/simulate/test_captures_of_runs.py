"""A run becomes a capture that holds what a pull would have kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from census.capture.folder import load_capture
from census.errors import InconclusiveError
from census.model.window import Window
from census.simulate.engine import simulate
from census.simulate.expose_radiance import radiance_series
from census.simulate.founding import founding
from census.simulate.to_capture import write_capture_of
from census.simulate.worlds import two_engines


def test_each_role_has_its_raw_samples(tmp_path: Path) -> None:
    run = simulate(founding(hours=2.0), 3)
    manifest = write_capture_of([run], tmp_path / "capture")
    capture = load_capture(tmp_path / "capture")
    capture.verify()
    (engine,) = manifest.engines
    steps = engine.binding("steps")
    assert steps is not None
    (kept,) = capture.series(steps.parts[0].series)
    planted = next(one for one in radiance_series(run) if one.name == "radiance:engine_steps_total")
    assert np.array_equal(kept.times_ms, planted.times_ms)
    assert np.array_equal(kept.values, planted.values)
    assert {"held_steps", "mixed_steps", "decode_seconds", "ttft", "preemptions"} <= {
        role.role for role in engine.roles
    }
    assert manifest.window == Window(start_ms=run.start_ms, end_ms=run.end_ms)


def test_a_window_cuts_the_samples_and_its_end_is_open(tmp_path: Path) -> None:
    run = simulate(founding(hours=2.0), 3)
    window = Window(start_ms=int(run.scrape_ms[10]), end_ms=int(run.scrape_ms[20]))
    manifest = write_capture_of([run], tmp_path / "capture", window=window)
    assert (manifest.first_ms, manifest.last_ms) == (run.scrape_ms[10], run.scrape_ms[19])
    assert set(manifest.samples) == {10}


def test_two_engines_are_kept_apart(tmp_path: Path) -> None:
    runs = [simulate(world, 1) for world in two_engines(hours=0.5)]
    manifest = write_capture_of(runs, tmp_path / "capture")
    assert [engine.labels["engine"] for engine in manifest.engines] == ["0", "1"]


def test_an_empty_window_is_inconclusive_and_leaves_nothing(tmp_path: Path) -> None:
    run = simulate(founding(hours=0.5), 3)
    before = Window(start_ms=run.start_ms - 20_000, end_ms=run.start_ms - 10_000)
    with pytest.raises(InconclusiveError):
        write_capture_of([run], tmp_path / "capture", window=before)
    assert not list(tmp_path.iterdir())

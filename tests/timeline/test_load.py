"""From a capture on disk to a timeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from census.capture.folder import load_capture
from census.errors import UsageError
from census.model.settings import Settings
from census.model.window import Window
from census.simulate.engine import simulate
from census.simulate.to_capture import write_capture_of
from census.simulate.worlds import two_engines
from census.timeline.load import load_timeline


def test_each_engine_of_a_capture_has_its_own_timeline(tmp_path: Path) -> None:
    runs = [simulate(world, 1) for world in two_engines(hours=0.5)]
    write_capture_of(runs, tmp_path / "c")
    capture = load_capture(tmp_path / "c")
    keys = [entry.key for entry in capture.manifest.engines]
    timelines = [load_timeline(capture, key, settings=Settings()) for key in keys]
    assert len({timeline.total("decode_tokens") for timeline in timelines}) == 2
    whole = capture.manifest.window
    half = Window(start_ms=whole.start_ms, end_ms=(whole.start_ms + whole.end_ms) // 2)
    cut = load_timeline(capture, keys[0], settings=Settings(), window=half)
    assert 0 < cut.total("steps") < timelines[0].total("steps")
    with pytest.raises(UsageError, match="has no engine 'x'"):
        load_timeline(capture, "x", settings=Settings())

"""Laws of the whole report: what must not change a finding leaves every digit of it as it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from census.capture.series import Series
from census.model.settings import Settings
from census.model.window import Window
from census.pipeline.report import build_censuses
from census.render.report_json import report_json
from census.simulate.engine import simulate
from census.simulate.expose_radiance import radiance_series
from census.simulate.to_capture import write_capture_of_series
from census.simulate.worlds import shared_step

HOURS = 3.0
COUNTERS = ("_total", "_bucket", "_count", "_sum")


@pytest.fixture(scope="module")
def series() -> list[Series]:
    """Return what a planted engine exposed in three hours, in one boot."""
    return radiance_series(simulate(shared_step(hours=HOURS), 11))


def report_of(series: Sequence[Series], folder: Path) -> dict[str, Any]:
    """Return the report of a capture of these series."""
    folder.mkdir(parents=True, exist_ok=True)
    write_capture_of_series(series, folder / "capture", window=_span(series))
    document: dict[str, Any] = json.loads(report_json(build_censuses(folder / "capture", Settings())))
    return document


def _span(series: Sequence[Series]) -> Window:
    start = min(int(one.times_ms[0]) for one in series)
    return Window(start_ms=start, end_ms=max(int(one.times_ms[-1]) for one in series) + 1)


@pytest.fixture(scope="module")
def plain(series: list[Series], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the report of the samples as they are."""
    return report_of(series, tmp_path_factory.mktemp("plain"))


def relabelled(one: Series, **labels: str) -> Series:
    return replace(one, labels={**one.labels, **labels})


def with_replica(series: list[Series]) -> list[Series]:
    """Each series twice, as a pair of Prometheus servers stores it."""
    return [relabelled(one, replica=name) for one in series for name in ("a", "b")]


def with_constant(series: list[Series]) -> list[Series]:
    """Every counter with the same past before the window."""
    return [
        replace(one, values=one.values + 4096.0) if one.name.endswith(COUNTERS) else one for one in series
    ]


def with_other_prefix(series: list[Series]) -> list[Series]:
    """The names as an exporter without colons writes them."""
    return [relabelled(one, __name__=one.name.replace(":", "_")) for one in series]


def in_other_order(series: list[Series]) -> list[Series]:
    return list(reversed(series))


def numbers_of(report: dict[str, Any]) -> dict[str, Any]:
    """Return the findings and the attribution without the names of metrics and the words about them."""
    return _without_words({"findings": report["findings"], "attribution": report["attribution"]})


def _without_words(value: Any) -> Any:
    words = {"metric", "source", "note", "method", "reason", "observed", "absent", "prefill_axis"}
    if isinstance(value, dict):
        return {key: _without_words(one) for key, one in value.items() if key not in words}
    return [_without_words(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("change", [with_replica, in_other_order])
def test_a_change_that_means_nothing_changes_no_word_and_no_digit(
    series: list[Series],
    plain: dict[str, Any],
    tmp_path: Path,
    change: Callable[[list[Series]], list[Series]],
) -> None:
    changed = report_of(change(series), tmp_path)
    assert changed["findings"] == plain["findings"]
    assert changed["attribution"] == plain["attribution"]


def test_another_zero_of_the_counters_moves_nothing_but_last_bits(
    series: list[Series], plain: dict[str, Any], tmp_path: Path
) -> None:
    moved = report_of(with_constant(series), tmp_path)
    assert moved["findings"] == _rounded(plain["findings"])
    assert moved["attribution"] == _rounded(plain["attribution"])


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return pytest.approx(value, rel=1e-7, abs=1e-9) if isinstance(value, float) else value


def test_renaming_the_prefix_changes_names_alone(
    series: list[Series], plain: dict[str, Any], tmp_path: Path
) -> None:
    renamed = report_of(with_other_prefix(series), tmp_path)
    assert numbers_of(renamed) == numbers_of(plain)
    assert renamed["findings"]["protection_meter"]["metric"] == "radiance_engine_steps_held_total"


def test_shifting_all_times_shifts_the_times_alone(
    series: list[Series], plain: dict[str, Any], tmp_path: Path
) -> None:
    shifted = [replace(one, times_ms=one.times_ms + np.int64(7_200_000)) for one in series]
    changed = report_of(shifted, tmp_path)
    assert changed["findings"] == plain["findings"]
    assert changed["window"]["start"] != plain["window"]["start"]


def test_thinning_the_samples_leaves_totals_and_the_verdict(
    series: list[Series], plain: dict[str, Any], tmp_path: Path
) -> None:
    thinned = [
        replace(one, times_ms=one.times_ms[_thin(one)], values=one.values[_thin(one)]) for one in series
    ]
    changed = report_of(thinned, tmp_path)
    before, after = (one["findings"]["step_phases"]["classes"] for one in (plain, changed))
    for name in before:
        assert after[name]["steps"] == before[name]["steps"]
    assert after["decode"]["seconds"] == pytest.approx(before["decode"]["seconds"], rel=1e-9)
    assert changed["findings"]["mechanism"]["verdict"] == plain["findings"]["mechanism"]["verdict"]
    assert changed["findings"]["lag_structure"]["verdict"] == plain["findings"]["lag_structure"]["verdict"]


def _thin(one: Series) -> np.ndarray:
    """Every second sample, the first and the last among them."""
    keep = np.arange(one.times_ms.size) % 2 == 0
    keep[-1] = True
    return keep


def test_the_same_capture_gives_the_same_bytes(series: list[Series], tmp_path: Path) -> None:
    write_capture_of_series(series, tmp_path / "capture", window=_span(series))
    first, second = (report_json(build_censuses(tmp_path / "capture", Settings())) for _ in range(2))
    assert first == second

"""A capture is whole or not there, gives back what was written, and says so when it cannot."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from census.capture.folder import list_captures, load_capture, newest_capture, write_capture
from census.capture.hashing import canonical_sha256
from census.capture.manifest import AbsentRole, EngineEntry, Manifest, Part, RoleBinding
from census.capture.series import Series
from census.errors import CaptureError, ExitCode, UsageError
from census.model.window import Window

WINDOW = Window(start_ms=1_000_000, end_ms=2_000_000)


def series(name: str, values: list[float], *, start_ms: int = 1_000_123, **labels: str) -> Series:
    times = np.arange(len(values), dtype=np.int64) * 15_000 + start_ms
    return Series(
        labels={"__name__": name, **labels}, times_ms=times, values=np.array(values, dtype=np.float64)
    )


def binding(role: str, metric: str, *parts: Part) -> RoleBinding:
    return RoleBinding(
        role=role, metric=metric, kind="counter", clock="step", unit="steps", note="", parts=parts
    )


def part(*ids: int, le: float | None = None) -> Part:
    return Part(component="value" if le is None else "bucket", le=le, labels={}, series=ids)


SERIES = (
    series("radiance:engine_steps_held_total", [0, 0, 5], engine="0"),
    series("radiance:engine_steps_mixed_total", [1, 2.5, math.nan], engine="0"),
    series("vllm:ttft_bucket", [], engine="0", le="+Inf"),
)
ENGINE = EngineEntry(
    key="radiance-0",
    profile="radiance",
    labels={"engine": "0", "model_name": 'a "quoted\\" näme'},
    roles=(
        binding("held_steps", "radiance:engine_steps_held_total", part(0)),
        binding("mixed_steps", "radiance:engine_steps_mixed_total", part(1)),
        binding("ttft", "vllm:ttft", part(2, le=math.inf)),
    ),
    absent=(AbsentRole(role="process_start", reason="not found; looked for process_start_time_seconds"),),
)


def write(path: Path, *, force: bool = False, one_series: tuple[Series, ...] = SERIES) -> Manifest:
    return write_capture(
        path,
        window=WINDOW,
        engines=[ENGINE],
        series=one_series,
        backend={"kind": "prometheus", "version": "2.42.0"},
        way="planted",
        queries=['{__name__=~"a|b"}'],
        warnings=["slow"],
        extras={"stats.json": {"uptime_s": 3}},
        force=force,
    )


def test_what_is_written_comes_back_bit_for_bit(tmp_path: Path) -> None:
    manifest = write(tmp_path / "one")
    capture = load_capture(tmp_path / "one")
    assert capture.manifest == manifest
    assert manifest.sha256 == canonical_sha256(SERIES)
    assert (manifest.first_ms, manifest.last_ms) == (1_000_123, 1_030_123)
    assert manifest.samples == (3, 3, 0)
    read = capture.series([1, 0, 2])
    for got, planted in zip(read, (SERIES[1], SERIES[0], SERIES[2]), strict=True):
        assert got.labels == planted.labels
        assert got.times_ms.tolist() == planted.times_ms.tolist()
        assert got.values.tobytes() == planted.values.tobytes()
    capture.verify()


def test_big_series_are_read_apart_from_one_another(tmp_path: Path) -> None:
    big = tuple(series("m", list(range(300_000)), n=str(number)) for number in range(4))
    write_capture(
        tmp_path / "big", window=WINDOW, engines=[], series=big, backend={}, way="planted", queries=[]
    )
    capture = load_capture(tmp_path / "big")
    last = capture.series([3])[0]
    assert last.labels["n"] == "3"
    assert last.values.tolist() == list(range(300_000))
    assert [(index, one.values.size) for index, one in capture.iter_series()] == [
        (n, 300_000) for n in range(4)
    ]
    capture.verify()


def test_the_gate_file_holds_the_gate_roles_alone_as_plain_numbers(tmp_path: Path) -> None:
    write(tmp_path / "one")
    gate = json.loads((tmp_path / "one" / "gate.json").read_text())
    assert gate == {
        "format": "census.gate/1",
        "window": {"start_ms": 1_000_000, "end_ms": 2_000_000},
        "partial": False,
        "warnings": ["slow"],
        "engines": [
            {
                "key": "radiance-0",
                "profile": "radiance",
                "labels": dict(ENGINE.labels),
                "roles": {
                    "held_steps": {
                        "metric": "radiance:engine_steps_held_total",
                        "series": [
                            {
                                "part": 0,
                                "labels": dict(SERIES[0].labels),
                                "times_ms": [1_000_123, 1_015_123, 1_030_123],
                                "values": [0.0, 0.0, 5.0],
                            }
                        ],
                    },
                    "mixed_steps": {
                        "metric": "radiance:engine_steps_mixed_total",
                        "series": [
                            {
                                "part": 0,
                                "labels": dict(SERIES[1].labels),
                                "times_ms": [1_000_123, 1_015_123],
                                "values": [1.0, 2.5],
                                "not_finite": 1,
                            }
                        ],
                    },
                },
                "absent": {"process_start": "not found; looked for process_start_time_seconds"},
            }
        ],
    }
    assert load_capture(tmp_path / "one").gate() == gate


def test_the_hash_knows_samples_not_files_nor_order() -> None:
    assert canonical_sha256(SERIES) == canonical_sha256(tuple(reversed(SERIES)))
    moved = series("radiance:engine_steps_held_total", [0, 0, 5], start_ms=1_000_124, engine="0")
    changed = series("radiance:engine_steps_held_total", [0, 0, 6], engine="0")
    relabelled = series("radiance:engine_steps_held_total", [0, 0, 5], engine="1")
    hashes = {canonical_sha256((one, *SERIES[1:])) for one in (SERIES[0], moved, changed, relabelled)}
    assert len(hashes) == 4


def test_any_nan_is_the_same_nan() -> None:
    scraped = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)
    times = np.array([5], dtype=np.int64)
    one = Series(labels={"__name__": "m"}, times_ms=times, values=scraped)
    other = Series(labels={"__name__": "m"}, times_ms=times, values=np.array([math.nan]))
    assert canonical_sha256([one]) == canonical_sha256([other])


def test_an_existing_capture_is_refused_without_force_and_replaced_with_it(tmp_path: Path) -> None:
    write(tmp_path / "one")
    with pytest.raises(CaptureError, match="is already there; give another --out, or --force"):
        write(tmp_path / "one", one_series=SERIES[:1])
    other = (series("radiance:engine_steps_held_total", [7], engine="0"), *SERIES[1:])
    write(tmp_path / "one", force=True, one_series=other)
    assert load_capture(tmp_path / "one").series([0])[0].values.tolist() == [7]
    assert [one.name for one in tmp_path.iterdir()] == ["one"]


def test_force_does_not_replace_a_folder_that_is_no_capture(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.txt").write_text("x")
    with pytest.raises(CaptureError, match="is no capture, so --force does not replace it"):
        write(tmp_path / "precious", force=True)
    assert (tmp_path / "precious" / "thesis.txt").exists()


def test_a_failing_write_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        write_capture(
            tmp_path / "one",
            window=WINDOW,
            engines=[ENGINE],
            series=SERIES,
            backend={},
            way="planted",
            queries=[],
            extras={"stats.json": object()},
        )
    assert list(tmp_path.iterdir()) == []


def broken(path: Path, how: str) -> None:
    """Break a whole capture in one way."""
    manifest = path / "manifest.json"
    document = json.loads(manifest.read_text())
    if how == "newer":
        manifest.write_text(json.dumps({**document, "format": "census.capture/2"}))
    elif how == "foreign":
        manifest.write_text(json.dumps({"format": "npm"}))
    elif how == "cut":
        manifest.write_text(manifest.read_text()[:200])
    elif how == "a key is missing":
        del document["engines"]
        manifest.write_text(json.dumps(document))
    elif how == "a key of the wrong kind":
        manifest.write_text(json.dumps({**document, "series": 5}))
    elif how == "no samples":
        (path / "samples.parquet").unlink()
    elif how == "samples cut":
        (path / "samples.parquet").write_bytes((path / "samples.parquet").read_bytes()[:100])
    elif how == "fewer samples":
        document["series"][0]["samples"] = 99
        manifest.write_text(json.dumps(document))
    elif how == "no manifest":
        manifest.unlink()
    elif how == "half written":
        shutil.copytree(path, path.with_name("one.partial"))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("newer", "is a capture of format 2, and this census reads up to 1; update census"),
        ("foreign", "is no census capture: its manifest says format 'npm'"),
        ("cut", "manifest.json is not JSON"),
        ("a key is missing", "manifest.json lacks 'engines'"),
        ("a key of the wrong kind", "manifest.json is damaged"),
        ("no samples", "samples.parquet is missing"),
        ("samples cut", "is no readable Parquet file"),
        ("fewer samples", "is damaged: 6 samples, its manifest says 102"),
        ("no manifest", "is no capture: it has no manifest.json"),
        ("half written", "is half written: its pull did not end"),
    ],
)
def test_a_capture_that_cannot_be_read_says_why_in_one_line(tmp_path: Path, how: str, words: str) -> None:
    write(tmp_path / "one")
    broken(tmp_path / "one", how)
    name = "one.partial" if how == "half written" else "one"
    with pytest.raises(CaptureError) as caught:
        load_capture(tmp_path / name)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code is ExitCode.USAGE


def test_a_place_that_is_not_there_or_a_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="nowhere is not there"):
        load_capture(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    with pytest.raises(CaptureError, match="is a file, not a capture folder"):
        load_capture(tmp_path / "file")


def test_changed_samples_do_not_pass_verification(tmp_path: Path) -> None:
    write(tmp_path / "one")
    other = (series("radiance:engine_steps_held_total", [0, 0, 6], engine="0"), *SERIES[1:])
    write(tmp_path / "two", one_series=other)
    shutil.copy(tmp_path / "two" / "samples.parquet", tmp_path / "one" / "samples.parquet")
    with pytest.raises(CaptureError, match="does not hold the samples that were pulled"):
        load_capture(tmp_path / "one").verify()


def test_listing_shows_whole_captures_newest_first(tmp_path: Path) -> None:
    import os

    for age, name in enumerate(["new", "middle", "old"]):
        write(tmp_path / name)
        os.utime(tmp_path / name / "manifest.json", (1_000_000 - age, 1_000_000 - age))
    shutil.copytree(tmp_path / "new", tmp_path / "killed.partial")
    (tmp_path / "empty").mkdir()
    assert [path.name for path in list_captures(tmp_path)] == ["new", "middle", "old"]
    assert newest_capture(tmp_path).name == "new"
    with pytest.raises(CaptureError, match="no capture in"):
        newest_capture(tmp_path / "empty")


def test_an_engine_is_found_by_key_or_the_choices_are_listed(tmp_path: Path) -> None:
    write(tmp_path / "one")
    capture = load_capture(tmp_path / "one")
    assert capture.engine("radiance-0") == ENGINE
    with pytest.raises(UsageError, match="has no engine 'x'; its engines: radiance-0"):
        capture.engine("x")


def test_extras_come_back_and_are_absent_where_not_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "one")
    capture = load_capture(tmp_path / "one")
    assert capture.extra("stats.json") == {"uptime_s": 3}
    assert capture.extra("health.json") is None

"""census report on a simulated capture: one screen on standard output, three files, or one document."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from census.cli import run
from census.simulate.engine import simulate
from census.simulate.founding import FOUNDING_SEED, founding
from census.simulate.to_capture import write_capture_of


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose captures/small is two hours of the founding case."""
    root = tmp_path_factory.mktemp("shelf")
    write_capture_of([simulate(founding(hours=2.0), FOUNDING_SEED)], root / "captures" / "small")
    return root


@pytest.fixture
def place(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder of one's own that holds the capture."""
    shutil.copytree(shelf / "captures", tmp_path / "captures")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_the_newest_capture_is_reported_in_three_files(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files_in(place)
    assert run(["report"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("Interference census: radiance")
    assert "\x1b" not in said.out
    assert "How fit the data are: 2.0 h" in said.out
    new = {"reports/small/report.md", "reports/small/report.html", "reports/small/report.json"}
    assert files_in(place) - before == new
    assert [text.split()[1] for text in said.err.splitlines() if text.startswith("wrote ")] == sorted(
        new, key=lambda name: ("md", "html", "json").index(name.rsplit(".", maxsplit=1)[1])
    )


@pytest.mark.parametrize("name", ["json", "md", "html"])
def test_a_dash_prints_the_document_that_the_file_holds_and_writes_nothing(
    place: Path, name: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    before = files_in(place)
    assert run(["report", "captures/small", "--format", name, "--out", "-"]) == 0
    printed = capfdbinary.readouterr().out
    assert files_in(place) == before
    assert run(["report", "captures/small", "--format", name, "--out", "there"]) == 0
    assert (place / "there" / f"report.{name}").read_bytes() == printed


def test_json_is_short_for_the_document_on_standard_output(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files_in(place)
    assert run(["report", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    schema = json.loads(Path(__file__).parents[2].joinpath("census/render/report.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)
    assert files_in(place) == before


def test_one_boot_can_be_asked_for(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = {}
    for boot in ("all", "0", "1", "last"):
        assert run(["report", "--json", "--boot", boot]) == 0
        documents[boot] = json.loads(capsys.readouterr().out)
    steps = {
        boot: document["findings"]["step_phases"]["classes"]["decode"]["steps"]
        for boot, document in documents.items()
    }
    assert steps["0"] + steps["1"] == steps["all"]
    assert documents["last"]["findings"] == documents["1"]["findings"]
    assert [boot["index"] for boot in documents["1"]["boots"]] == [1]


def test_a_boot_that_the_capture_has_not_is_exit_2(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "--boot", "7"]) == 2
    assert "its boots are 0 to 1" in capsys.readouterr().err
    assert not (place / "reports").exists()


def test_edges_move_the_buckets(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "--json", "--edges", "100,3000"]) == 0
    finding = json.loads(capsys.readouterr().out)["findings"]["decode_under_prefill"]
    assert finding["edges"] == [100, 3000]
    assert [(row["lo"], row["hi"]) for row in finding["rows"]] == [
        (0, 0),
        (0, 100),
        (100, 3000),
        (3000, None),
    ]


def test_an_engine_that_the_capture_has_not_is_exit_2_with_those_it_has(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["report", "--engine", "other"]) == 2
    assert "its engines: radiance" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_one_line_and_exit_2(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "file").write_text("in the way")
    assert run(["report", "--out", "file"]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("census: cannot write to file")
    assert (place / "file").read_text() == "in the way"


def test_the_same_capture_gives_the_same_bytes(place: Path) -> None:
    assert run(["report", "--out", "one"]) == 0
    assert run(["report", "--out", "two"]) == 0
    for name in ("md", "html", "json"):
        assert (place / "one" / f"report.{name}").read_bytes() == (
            place / "two" / f"report.{name}"
        ).read_bytes()

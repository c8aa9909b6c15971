"""census report: options are checked before any work, with the next step in the message."""

from __future__ import annotations

from pathlib import Path

import pytest

from census.cli import run
from census.cli.report import parse_boot, parse_formats, parse_settings
from census.errors import UsageError


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ("json", ("json",)),
        ("json,md", ("md", "json")),
        (" MD , md ", ("md",)),
        ("md,html,json", ("md", "html", "json")),
    ],
)
def test_formats_are_read_once_each_in_reading_order(text: str, formats: tuple[str, ...]) -> None:
    assert parse_formats(text) == formats


@pytest.mark.parametrize(
    ("text", "hint"), [("htm", "did you mean html"), ("markdown", "did you mean md"), (",", "md, html, json")]
)
def test_an_unknown_format_is_refused_with_the_nearest(text: str, hint: str) -> None:
    with pytest.raises(UsageError, match=hint):
        parse_formats(text)


@pytest.mark.parametrize("text", ["all", "last", "0", "12", "LAST"])
def test_a_boot_is_all_last_or_an_index(text: str) -> None:
    assert parse_boot(text) == text.lower()


@pytest.mark.parametrize("text", ["-1", "first", "", "1.5", "²"])
def test_any_other_boot_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="all, last, or an index"):
        parse_boot(text)


def test_edges_become_settings() -> None:
    assert parse_settings("500, 1000").edges == (500.0, 1000.0)
    assert parse_settings(None).edges == (500.0, 1000.0, 2000.0, 5000.0)


@pytest.mark.parametrize("text", ["a,b", "", "1000,500", "0,500", "-5", "500,500", "nan", "inf", "500,nan"])
def test_edges_that_are_none_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="--edges 500,1000,2000,5000"):
        parse_settings(text)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["--out", "-"], "--out - prints one document", id="three documents on standard output"),
        pytest.param(["--format", "pdf"], "no format 'pdf'", id="unknown format"),
        pytest.param(["--boot", "two"], "no boot 'two'", id="unknown boot"),
        pytest.param(["--edges", "5,1"], "do not rise", id="falling edges"),
        pytest.param(["nowhere"], "nowhere is not there", id="no such capture"),
        pytest.param([], "no capture in captures", id="no capture at all"),
        pytest.param(["--nonsense"], "No such option", id="unknown option"),
    ],
)
def test_a_wrong_call_exits_2_with_one_line_and_writes_nothing(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["report", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
    assert said.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []

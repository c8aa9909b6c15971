"""The one-screen answer: short, plain in a pipe, coloured on a terminal, deaf to mark-up in foreign words."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import pytest
from census_factory import absent_census, full_census, hostile_census, several_engines
from rich.console import Console

from census.model.census import Census
from census.render.terminal import render_terminal


def printed(censuses: Sequence[Census], *, width: int = 100, colour: bool = False) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
    )
    console.print(render_terminal(censuses))
    return stream.getvalue()


def test_the_answer_fits_on_one_screen() -> None:
    lines = printed((full_census(),)).splitlines()
    assert len(lines) <= 32
    assert all(len(text) <= 100 for text in lines)
    assert all(text == text.rstrip() for text in lines)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(len(text) for text in printed((full_census(),), width=width).splitlines()) <= width


def test_a_pipe_gets_whole_sentences_without_escape_codes() -> None:
    text = printed((full_census(),), width=100_000)
    assert "\x1b" not in text
    assert (
        "- A stream that decodes throughout spends 38 % [34, 41] of its time at 13.0 tok/s [12.4, 13.7] "
        "instead of 139 tok/s [138, 141].\n" in text
    )


def test_a_number_never_loses_its_unit_at_the_end_of_a_line() -> None:
    for width in range(50, 110):
        text = printed((full_census(),), width=width).split("\n\nLadder")[0]
        assert re.search(r"\d\n *(ms|tok/s|%|s|h|tokens)\b", text) is None, width


def test_a_terminal_gets_bold_and_the_same_words() -> None:
    coloured = printed((full_census(),), colour=True)
    assert "\x1b[1m" in coloured
    plain = printed((full_census(),))
    assert Console().render_str(plain).plain.split() == plain.split()


def test_foreign_words_are_no_markup_and_no_escape_code() -> None:
    text = printed((hostile_census(),), width=100_000)
    assert "\x1b" not in text
    assert "<script>window.pwned=1</script>" in text


def test_a_census_that_knows_nothing_says_why_once() -> None:
    text = printed((absent_census(),), width=100_000)
    assert text.count("not found; nearest") == 2  # the verdict's reason and the findings' reason


def test_several_engines_come_one_after_another() -> None:
    text = printed(several_engines())
    assert text.count("Interference census: ") == 2


def test_no_color_leaves_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[36m" in printed((full_census(),), colour=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", printed((full_census(),), colour=True))

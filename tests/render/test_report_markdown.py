"""The markdown report: golden text, the same bytes, hostile words, one table shape whatever the words."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from census_factory import HOSTILE, absent_census, full_census, hostile_census, several_engines
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from census.model.census import Census
from census.render.markdown import code_span, escape, fenced, line, render_markdown
from census.render.prose import Bold, Code

GOLDEN = Path(__file__).parent / "golden"
MARKDOWN = MarkdownIt("commonmark").enable("table")


def tokens_of(text: str) -> Counter[str]:
    counted: Counter[str] = Counter()
    for token in MARKDOWN.parse(text):
        counted[token.type] += 1
        counted.update(child.type for child in token.children or [])
    return counted


@pytest.mark.parametrize(
    ("name", "censuses"),
    [
        ("full", (full_census(),)),
        ("absent", (absent_census(),)),
        ("several", several_engines()),
    ],
)
def test_the_report_reads_as_the_golden_text(name: str, censuses: tuple[Census, ...]) -> None:
    golden = GOLDEN / f"report_{name}.md"
    text = render_markdown(censuses)
    if os.environ.get("CENSUS_REWRITE_GOLDEN") == "1":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")
        pytest.fail(f"wrote {golden.name}: read its diff, then run again")
    assert text == golden.read_text(encoding="utf-8")


def test_the_same_census_gives_the_same_bytes() -> None:
    assert render_markdown((full_census(),)) == render_markdown((full_census(),))


def test_hostile_words_change_no_structure() -> None:
    counted = tokens_of(render_markdown((hostile_census(),)))
    assert not {"html_block", "html_inline", "link_open", "image", "hr", "code_block"} & set(counted)
    clean = tokens_of(render_markdown((full_census(),)))
    assert counted["heading_open"] == clean["heading_open"]
    assert counted["fence"] == clean["fence"]


def test_every_row_of_every_table_has_the_columns_of_its_head() -> None:
    for censuses in ((full_census(),), (hostile_census(),), (absent_census(),)):
        width = 0
        in_row = 0
        for token in MARKDOWN.parse(render_markdown(censuses)):
            if token.type in {"th_open", "td_open"}:
                in_row += 1
            if token.type == "tr_close":
                width = in_row if width == 0 else width
                assert in_row == width
                in_row = 0
            if token.type == "table_close":
                width = 0


def test_hostile_words_are_still_told() -> None:
    shown = "".join(
        child.content
        for token in MARKDOWN.parse(render_markdown((hostile_census(),)))
        for child in token.children or []
    )
    assert "<script>window.pwned=1</script>" in shown
    assert "\x1b" not in render_markdown((hostile_census(),))
    assert HOSTILE not in render_markdown((hostile_census(),)), "a newline or an escape code came through"


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("a_b_c", "a_b_c"),
        ("__init__", "\\_\\_init\\_\\_"),
        ("r < 0.05 <= 10 ms", "r < 0.05 <= 10 ms"),
        ("<b>", "\\<b>"),
        ("[15.4, 15.6]", "[15.4, 15.6]"),
        ("[x](javascript:alert(1))", "[x]\\(javascript:alert(1))"),
        ("![x](y)", "![x]\\(y)"),
        ("N * M", "N \\* M"),
        ("&lt; and R&D", "\\&lt; and R&D"),
        ("a\nb\tc", "a b c"),
        ("C:\\x", "C:\\\\x"),
    ],
)
def test_only_what_markdown_would_take_for_markup_is_escaped(words: str, written: str) -> None:
    assert escape(words) == written


@given(st.text())
def test_any_words_are_one_paragraph_that_says_just_them(words: str) -> None:
    tokens = MARKDOWN.parse(line((f"{words}.",)))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert {child.type for child in tokens[1].children or []} <= {"text", "text_special"}


@given(st.text(min_size=1), st.text(min_size=1))
def test_any_words_stay_inside_bold_and_code(bold: str, code: str) -> None:
    tokens = MARKDOWN.parse(line(("x ", Code(code), " y")))
    assert [child.type for child in tokens[1].children or []] == ["text", "code_inline", "text"]
    assert "\n" not in line((Bold(bold),))


@given(st.lists(st.text(), min_size=1))
def test_any_lines_stay_inside_their_fence(lines: list[str]) -> None:
    assert [token.type for token in MARKDOWN.parse(fenced(tuple(lines)))] == ["fence"]


def test_a_code_span_survives_its_own_backticks() -> None:
    assert code_span("a`b``c") == "```a`b``c```"
    assert code_span("`a`") == "`` `a` ``"
    assert code_span("") == "`(empty)`"

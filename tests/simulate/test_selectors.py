"""Selectors are parsed as Prometheus parses them, or refused in its words."""

from __future__ import annotations

import pytest

from census.simulate.selectors import BadQueryError, duration_ms, parse_question, parse_selector

STEPS = {"__name__": "radiance:engine_steps_total", "job": "radiance", "engine": "0"}
ODD = {"__name__": "x", "path": 'C:\\a "b"\n', "job": "a.b"}


@pytest.mark.parametrize(
    ("text", "labels", "accepted"),
    [
        ("radiance:engine_steps_total", STEPS, True),
        ("radiance:engine_steps", STEPS, False),
        ('{__name__="radiance:engine_steps_total"}', STEPS, True),
        ('{__name__=~"radiance:.*"}', STEPS, True),
        ('{__name__=~"radiance"}', STEPS, False),
        ('{__name__=~"radiance|radiance:engine_steps_total",job="radiance"}', STEPS, True),
        ('radiance:engine_steps_total{job!="radiance"}', STEPS, False),
        ('radiance:engine_steps_total{job!="other"}', STEPS, True),
        ('radiance:engine_steps_total{job!~"ra.*"}', STEPS, False),
        ('radiance:engine_steps_total{job!~"ra"}', STEPS, True),
        ('radiance:engine_steps_total{absent=""}', STEPS, True),
        ('radiance:engine_steps_total{absent!=""}', STEPS, False),
        ('radiance:engine_steps_total{absent=~".*"}', STEPS, True),
        ("radiance:engine_steps_total { job = 'radiance' , engine = `0` , }", STEPS, True),
        ('x{path="C:\\\\a \\"b\\"\\n"}', ODD, True),
        ('x{path=~"C:.a.*b.*\\n"}', ODD, True),
        ('x{job="a.b"}', ODD, True),
        ('x{job=~"a\\\\.b"}', ODD, True),
        ("x{job=~`a\\.b`}", ODD, True),
        ('x{job="a\\x2eb"}', ODD, True),
        ('x{job="a\\u002eb"}', ODD, True),
        ('x{job="a\\056b"}', ODD, True),
    ],
)
def test_a_selector_accepts_what_it_says(text: str, labels: dict[str, str], accepted: bool) -> None:
    matchers, place = parse_selector(text)
    assert place == len(text)
    assert all(matcher.accepts(labels) for matcher in matchers) is accepted


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no expression found in input"),
        ("   ", "no expression found in input"),
        ("{}", "at least one non-empty matcher"),
        ('{job=""}', "at least one non-empty matcher"),
        ('{job=~".*"}', "at least one non-empty matcher"),
        ("x{", "expected identifier"),
        ("x{job}", "expected identifier"),
        ("x{job=}", "expected string"),
        ("x{job=1}", "expected string"),
        ('x{job="a" engine="0"}', 'expected "," or "}"'),
        ('x{job="a}', "expected string"),
        ('x{job=~"("}', "error parsing regexp"),
        ("x[5]", "unexpected"),
        ("x[5m", "unexpected"),
        ("rate(x[5m])", "unexpected"),
        ("x[5m] offset 1h", "unexpected"),
        ("count_over_time(x)", "expected type range vector"),
    ],
)
def test_what_is_no_selector_is_refused_with_the_reason(text: str, words: str) -> None:
    with pytest.raises(BadQueryError) as caught:
        parse_question(text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("172800001ms", 172_800_001),
        ("48h", 172_800_000),
        ("1h30m", 5_400_000),
        ("2d", 172_800_000),
        ("1w", 604_800_000),
    ],
)
def test_durations_add_their_units(text: str, milliseconds: int) -> None:
    assert duration_ms(text) == milliseconds


def test_a_question_tells_instants_ranges_and_counts_apart() -> None:
    instant, ranged, counted = (
        parse_question(text) for text in ("x", "x[2m]", "count_over_time(x{a='b'}[2m])")
    )
    assert [one.range_ms for one in (instant, ranged, counted)] == [None, 120_000, 120_000]
    assert [one.counted for one in (instant, ranged, counted)] == [False, False, True]

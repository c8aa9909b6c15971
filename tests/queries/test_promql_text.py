"""PromQL text is exactly this, and a matcher that is none is told with its place."""

import itertools

import pytest

from census.errors import ExitCode, UsageError
from census.model.window import Window
from census.queries.plan import Batch, plan_queries, split_window
from census.queries.promql import Matcher, one_of, parse_matchers, quote, range_selector, selector

JOB = Matcher("job", "=", "x")


@pytest.mark.parametrize(
    ("names", "matchers", "golden"),
    [
        (["vllm:a"], [], '{__name__="vllm:a"}'),
        (["vllm:a", "radiance_b"], [JOB], '{__name__=~"vllm:a|radiance_b",job="x"}'),
        (["a.b", "c"], [], '{__name__=~"a\\\\.b|c"}'),
        (["a"], [Matcher("path", "!=", 'C:\\x "y"\n')], '{__name__="a",path!="C:\\\\x \\"y\\"\\n"}'),
        (["a"], [Matcher("who", "=", "o'brien/ä")], '{__name__="a",who="o\'brien/ä"}'),
        (["a"], [one_of("instance", ["b:1", "a.c:1"])], '{__name__="a",instance=~"a\\\\.c:1|b:1"}'),
        (["a"], [one_of("instance", ["b.c:1"])], '{__name__="a",instance="b.c:1"}'),
    ],
)
def test_selectors_are_written_so(names: list[str], matchers: list[Matcher], golden: str) -> None:
    assert selector(names, matchers) == golden


def test_a_range_is_written_in_milliseconds() -> None:
    assert range_selector('{__name__="a"}', range_ms=172_800_001) == '{__name__="a"}[172800001ms]'


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ('{job="x"}', [JOB]),
        ('job="x"', [JOB]),
        (' { job = "x" , instance =~ "a|b" , } ', [JOB, Matcher("instance", "=~", "a|b")]),
        ("{job='it\\'s',a!=`raw\\n`}", [Matcher("job", "=", "it's"), Matcher("a", "!=", "raw\\n")]),
        (
            r'{a="\x41\u00e4\U0001f600\101\n",b!~""}',
            [Matcher("a", "=", "Aä😀A\n"), Matcher("b", "!~", "")],
        ),
        ('{a="}",b="{"}', [Matcher("a", "=", "}"), Matcher("b", "=", "{")]),
    ],
)
def test_matchers_are_read_by_the_grammar(text: str, parsed: list[Matcher]) -> None:
    assert list(parse_matchers(text)) == parsed
    again = "{" + ",".join(str(one) for one in parsed) + "}"
    assert list(parse_matchers(again)) == parsed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{job=x}", "character 6: expected a quoted value, found 'x}'"),
        ('{job="x}', "character 6: this quote is not closed"),
        ('{job="x"', "expected a closing }"),
        ('{job:"x"}', "character 5: expected =, !=, =~ or !~"),
        ('{job=="x"}', "character 6: expected a quoted value"),
        ('{="x"}', "character 2: expected a label"),
        ('{job="x" instance="y"}', "character 10: expected a comma"),
        ("{}", "character 2: expected a label"),
        ("", "expected a label"),
        ("{", "expected a closing }"),
        ('{job="x"} or up', "expected a closing }"),
        (r'{job="\q"}', "no such escape"),
        (r'{job="\ud800"}', "no such character"),
        ('{__name__="x"}', "the metric names are census's to choose"),
        ('{9a="x"}', "character 2: expected a label"),
    ],
)
def test_a_malformed_matcher_is_a_usage_error_that_shows_the_place(text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_matchers(text)
    assert words in str(caught.value)
    assert caught.value.exit_code is ExitCode.USAGE


def test_a_value_cannot_break_out_of_its_quotes() -> None:
    nasty = 'x"} or {__name__=~".+'
    assert parse_matchers("{" + f"a={quote(nasty)}" + "}") == (Matcher("a", "=", nasty),)


WINDOW = Window(start_ms=0, end_ms=1000)


def test_names_are_batched_and_a_name_too_big_is_cut_in_windows() -> None:
    plan = plan_queries(
        [("a", 40), ("a", 40), ("b", 15), ("c", 30), ("d", 250)],
        window=WINDOW,
        matchers=dict.fromkeys("abc", ()) | {"d": (JOB,)},
        samples_per_query=100,
    )
    assert (plan.series, plan.samples) == (5, 375)
    assert plan.batches == (
        Batch(names=("a", "b"), selector='{__name__=~"a|b"}', windows=(WINDOW,), samples=95),
        Batch(names=("c",), selector='{__name__="c"}', windows=(WINDOW,), samples=30),
        Batch(
            names=("d",),
            selector='{__name__="d",job="x"}',
            windows=(
                Window(start_ms=0, end_ms=333),
                Window(start_ms=333, end_ms=666),
                Window(start_ms=666, end_ms=1000),
            ),
            samples=250,
        ),
    )


@pytest.mark.parametrize("pieces", [1, 2, 7, 999, 1000, 5000])
def test_windows_join_without_gap_or_overlap(pieces: int) -> None:
    windows = split_window(WINDOW, pieces=pieces)
    assert windows[0].start_ms == WINDOW.start_ms
    assert windows[-1].end_ms == WINDOW.end_ms
    assert all(one.end_ms == other.start_ms for one, other in itertools.pairwise(windows))
    assert len(windows) == min(pieces, 1000)

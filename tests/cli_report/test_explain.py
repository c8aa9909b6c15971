"""census explain: every id has its text, and a slip of the pen is met with the nearest."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from census.cli.explain import Topic, find_topic, list_topics, register
from census.errors import UsageError


def invoke(*arguments: str) -> str:
    app = typer.Typer()
    register(app)
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def topics(*ids: str) -> tuple[Topic, ...]:
    return tuple(Topic(id_, lambda: "text") for id_ in ids)


def test_every_topic_has_a_first_line_that_is_a_sentence() -> None:
    for topic in list_topics():
        text = topic.text()
        assert len(text.split()) > 4, topic.id
        assert not text.startswith(" "), topic.id


def test_no_id_stands_twice_and_each_says_its_kind() -> None:
    ids = [topic.id for topic in list_topics()]
    assert len(set(ids)) == len(ids)
    assert {id_.split("/")[0] for id_ in ids} == {"finding", "trap", "knob", "gate", "term"}


def test_the_list_has_one_line_a_topic() -> None:
    lines = invoke().splitlines()
    assert len(lines) == len(list_topics())
    assert any(text.startswith("trap/counter-reset ") for text in lines)


def test_an_id_gives_its_documentation() -> None:
    said = invoke("finding/decode-under-prefill")
    assert said.startswith("finding/decode-under-prefill\n\nWhat happens to decode as prefill rises?")


def test_json_gives_id_and_text() -> None:
    said = json.loads(invoke("term/held-step", "--json"))
    assert list(said) == ["id", "text"]
    assert said["id"] == "term/held-step"
    assert said["text"].startswith("held step: A decode-only step taken while prefill work waited")


@pytest.mark.parametrize(
    "asked", ["trap/counter-reset", "counter-reset", "Counter_Reset", "trap/counter_reset"]
)
def test_a_last_part_or_another_spelling_is_enough(asked: str) -> None:
    assert find_topic(topics("trap/counter-reset", "term/step"), asked).id == "trap/counter-reset"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("trap/counter-rest", "did you mean trap/counter-reset"),
        ("conter-reset", "did you mean trap/counter-reset"),
        ("zzz", "census explain lists what there is"),
    ],
)
def test_an_unknown_id_is_met_with_the_nearest(asked: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        find_topic(topics("trap/counter-reset", "term/step"), asked)


def test_a_last_part_that_two_share_is_not_guessed() -> None:
    with pytest.raises(UsageError, match="more than one thing"):
        find_topic(topics("finding/ladder", "knob/ladder"), "ladder")

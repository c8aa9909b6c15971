"""census explain: what does a finding, trap, knob, gate or word mean?

Prints the documentation that stands in the code; with no id it lists everything that can be explained.
"""

from __future__ import annotations

import ast
import difflib
import importlib.util
import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from census.errors import UsageError

FINDINGS = (
    ("finding/step-phases", "census.findings.step_phases"),
    ("finding/decode-under-prefill", "census.findings.decode_under_prefill"),
    ("finding/pending", "census.findings.pending"),
    ("finding/lag-structure", "census.findings.lag_structure"),
    ("finding/mechanism", "census.findings.mechanism"),
    ("finding/attribution", "census.findings.attribution"),
    ("finding/arrival-wait", "census.findings.arrival_wait"),
    ("finding/protection-meter", "census.findings.protection_meter"),
    ("finding/preemptions", "census.findings.preemptions"),
)
KNOBS = (("knob/ladder", "census.knobs.ladder"),)
GATES = (("gate/held", "census.gates.held"),)


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that can be explained: its id, and how to get its text."""

    id: str
    text: Callable[[], str]


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("explain")(explain)


def explain(
    topic: Annotated[
        str | None, typer.Argument(metavar="ID", help="For example finding/step-phases, trap/counter-reset.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print id and text as JSON.")] = False,
) -> None:
    """Say what a finding, trap, knob, gate or word means; with no ID, list them all."""
    topics = list_topics()
    if topic is None:
        _print_list(topics, as_json=as_json)
        return
    found = find_topic(topics, topic)
    text = found.text()
    if as_json:
        typer.echo(json.dumps({"id": found.id, "text": text}, indent=1, ensure_ascii=False))
        return
    typer.echo(f"{found.id}\n\n{text}")


def list_topics() -> tuple[Topic, ...]:
    """Return everything that can be explained, in reading order."""
    from census.render.words import WORDS

    modules = [Topic(id_, _docstring_of(module)) for id_, module in (*FINDINGS, *_traps(), *KNOBS, *GATES)]
    words = [Topic(word.id, _fixed(f"{word.term}: {word.meaning}")) for word in WORDS]
    return (*modules, *words)


def explanations_markdown() -> str:
    """Return the page docs/explain.md: every topic but the words, which the glossary has."""
    parts = [
        "# What census explains\n\nThe same text as `census explain ID`. Words are in the "
        "[glossary](glossary.md)."
    ]
    parts += [
        f"## {topic.id}\n\n{topic.text()}" for topic in list_topics() if not topic.id.startswith("term/")
    ]
    return "\n\n".join(parts) + "\n"


def find_topic(topics: tuple[Topic, ...], asked: str) -> Topic:
    """Return the topic of this id; a last part that only one topic has is enough.

    Raises
    ------
    UsageError : there is none, with the nearest ones.
    """
    wanted = asked.strip().lower().replace("_", "-").replace(" ", "-")
    exact = [topic for topic in topics if wanted in {topic.id, topic.id.split("/")[1]}]
    if len(exact) == 1 or (exact and exact[0].id == wanted):
        return exact[0]
    if exact:
        raise UsageError(f"{asked!r} is more than one thing", hint=", ".join(topic.id for topic in exact))
    ids = [topic.id for topic in topics]
    short = {id_.split("/")[1]: id_ for id_ in ids}
    near = difflib.get_close_matches(wanted, ids, n=3, cutoff=0.5) or [
        short[name] for name in difflib.get_close_matches(wanted, short, n=3, cutoff=0.5)
    ]
    raise UsageError(
        f"nothing is called {asked!r}",
        hint=f"did you mean {', '.join(near)}?" if near else "census explain lists what there is",
    )


def _print_list(topics: tuple[Topic, ...], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps([topic.id for topic in topics], indent=1))
        return
    width = max(len(topic.id) for topic in topics)
    for topic in topics:
        typer.echo(f"{topic.id:<{width}}  {topic.text().splitlines()[0]}")


def _traps() -> tuple[tuple[str, str], ...]:
    from census.traps.catalogue import TRAPS

    return tuple((trap.ID, trap.__name__) for trap in TRAPS)


def _fixed(text: str) -> Callable[[], str]:
    return lambda: text


def _docstring_of(module: str) -> Callable[[], str]:
    """Return a reader of a module's docstring that does not run the module."""

    def read() -> str:
        spec = importlib.util.find_spec(module)
        if spec is None or spec.origin is None:
            raise UsageError(f"{module} is not installed")
        text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
        return inspect.cleandoc(text)

    return read

"""The pages in docs/ say what the code does: words, keys, mechanisms, the founding ladder, links."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import get_args

import pytest

from census.model import findings as model
from census.model.findings import Findings, MechanismId
from census.render.names import FINDINGS, MECHANISMS, VERDICTS
from census.render.words import WORDS, glossary_markdown

DOCS = Path(__file__).parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_the_glossary_page_is_the_glossary_of_the_code() -> None:
    assert page("glossary.md") == glossary_markdown()


def test_no_word_is_explained_twice() -> None:
    assert len({word.id for word in WORDS}) == len(WORDS)


def test_every_mechanism_has_a_name_a_verdict_and_a_line_in_the_docs() -> None:
    ids = {*get_args(MechanismId), "inconclusive"}
    assert set(MECHANISMS) == set(VERDICTS) == ids
    for mechanism in ids:
        assert f"`{mechanism}`" in page("mechanisms.md")
        assert f"`{mechanism}`" in page("report-json.md")


def test_every_finding_has_a_name() -> None:
    kebab = {field.name.replace("_", "-") for field in dataclasses.fields(Findings)}
    assert set(FINDINGS) == {*kebab, "attribution"}


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Findings)])
def test_the_contract_page_names_every_key_of_every_finding(field: str) -> None:
    row = next(text for text in page("report-json.md").splitlines() if text.startswith(f"| `{field}`"))
    kind = getattr(model, "".join(part.capitalize() for part in field.split("_")))
    for key in dataclasses.fields(kind):
        assert f"`{key.name}`" in row


def test_the_founding_ladder_in_the_docs_follows_from_its_inputs() -> None:
    rows = re.findall(r"^\| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", page("ladder.md"), flags=re.MULTILINE)
    assert [row[0] for row in rows] == ["1", "2", "8"]
    for held, rate, slowdown in rows:
        n = int(held)
        assert f"{13 * (n + 1) * 166 / (166 + n * 15.5):.1f}" == rate
        assert f"{(166 + n * 15.5) / 166:.2f}" == slowdown


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_links_between_the_pages_lead_somewhere(path: Path) -> None:
    for goal in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
        assert goal.startswith("https://") or (path.parent / goal).exists(), goal

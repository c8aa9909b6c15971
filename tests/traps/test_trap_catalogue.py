"""Every trap is in the catalogue, is documented the same way, and its page says what its docstring says."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from census.cli.explain import explanations_markdown, list_topics
from census.traps.catalogue import TRAPS

ROOT = Path(__file__).parents[2]
SHARED = {
    "__init__",
    "catalogue",
    "evidence",
    "gauge_readings",
    "dilution",
}


def test_every_module_of_the_folder_is_a_trap_of_the_catalogue() -> None:
    found = {path.stem for path in (ROOT / "census" / "traps").glob("*.py")} - SHARED
    assert found == {trap.__name__.rpartition(".")[2] for trap in TRAPS}


def test_ids_are_kebab_names_of_their_modules_once_each() -> None:
    for trap in TRAPS:
        assert "trap/" + trap.__name__.rpartition(".")[2].replace("_", "-") == trap.ID
    assert len({trap.ID for trap in TRAPS}) == len(TRAPS)


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.ID.removeprefix("trap/"))
def test_a_docstring_says_why_it_fools_how_it_is_found_and_what_is_done(trap: ModuleType) -> None:
    text = trap.__doc__ or ""
    assert re.search(
        r"^Why it fools: .*?^How it is found: .*?^What is done: ", text, flags=re.MULTILINE | re.DOTALL
    )
    assert text.splitlines()[0].endswith(".")


def test_the_page_says_what_census_explain_says() -> None:
    page = (ROOT / "docs" / "explain.md").read_text(encoding="utf-8")
    assert page == explanations_markdown()
    assert {topic.id for topic in list_topics()} >= {trap.ID for trap in TRAPS}

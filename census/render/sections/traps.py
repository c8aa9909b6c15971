"""Which traps apply here, and what would each have said?"""

from __future__ import annotations

from collections.abc import Mapping

from census.model.caveat import Caveat, Scalar
from census.model.census import Census
from census.render.names import finding_name, labelled, quantity
from census.render.page import Block, Section, Table, word_columns
from census.render.prose import Bold, Code, Prose, prose, sentence
from census.render.sections.parts import in_order

ID = "traps"
QUESTION = "Which traps apply here?"


def build(census: Census) -> Section:
    """Return the section: every caveat with its evidence, the gravest first."""
    caveats = in_order(census.caveats)
    if not caveats:
        return Section(
            id=ID,
            question=QUESTION,
            answer=prose(Bold("None"), " of the traps that census knows applies to this capture."),
            blocks=(),
            caveats=(),
        )
    blocks: tuple[Block, ...] = (_table(caveats),)
    return Section(id=ID, question=QUESTION, answer=_answer(caveats), blocks=blocks, caveats=())


def evidence_text(evidence: Mapping[str, Scalar]) -> str:
    """Return the evidence of a caveat as one line: "name: value; name: value"."""
    return "; ".join(f"{labelled(key)}: {quantity(key, value)}" for key, value in evidence.items())


def _answer(caveats: tuple[Caveat, ...]) -> Prose:
    counted = {
        "removed a number": sum(caveat.severity == "error" for caveat in caveats),
        "could mislead a reader": sum(caveat.severity == "warning" for caveat in caveats),
        "told for the record": sum(caveat.severity == "info" for caveat in caveats),
    }
    parts = [f"{number} {what}" for what, number in counted.items() if number]
    return prose(Bold(f"{len(caveats)}"), f": {', '.join(parts)}.")


def _table(caveats: tuple[Caveat, ...]) -> Table:
    return Table(
        caption="What the naive way would have said, and what is true",
        columns=word_columns("trap", "severity", "what it says", "evidence", "touches"),
        rows=tuple(
            (
                prose(Code(caveat.id.removeprefix("trap/"))),
                prose(caveat.severity),
                prose(sentence(caveat.summary)),
                prose(evidence_text(caveat.evidence)),
                prose(", ".join(finding_name(touched) for touched in caveat.touches)),
            )
            for caveat in caveats
        ),
        notes=(),
    )

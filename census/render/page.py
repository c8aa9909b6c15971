"""What is on the page, in which order, before it has a form?

Method: each question becomes a ``Section`` (question, one-sentence answer, blocks, caveats); markdown and
HTML render the same ``Page``, so that they cannot say different things.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from census.model.caveat import Caveat
from census.render.prose import Prose


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A table column; numbers stand at the right."""

    title: str
    numeric: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table; ``caption`` says what it holds, ``notes`` explain its cells (reasons for what is absent)."""

    kind: ClassVar[str] = "table"
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Prose, ...], ...]
    notes: tuple[Prose, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A sentence or two in the flow of a section."""

    kind: ClassVar[str] = "remark"
    text: Prose


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Lines as they are: formulas, queries."""

    kind: ClassVar[str] = "listing"
    caption: str
    lines: tuple[str, ...]


Block = Table | Remark | Listing


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One question of the report. ``id`` is the id of the finding where there is one."""

    id: str
    question: str
    answer: Prose
    blocks: tuple[Block, ...]
    caveats: tuple[Caveat, ...]

    @property
    def warnings(self) -> tuple[Caveat, ...]:
        """The caveats that stand before the tables."""
        return tuple(caveat for caveat in self.caveats if caveat.severity != "info")

    @property
    def remarks(self) -> tuple[Caveat, ...]:
        """The caveats that are told for the record, after the tables."""
        return tuple(caveat for caveat in self.caveats if caveat.severity == "info")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The first screen: the verdict, the few sentences that matter, the short ladder, how fit the data is."""

    title: Prose
    banner: tuple[Prose, ...]
    verdict: Prose
    closest: Prose
    facts: tuple[Prose, ...]
    ladder: Table | None
    fitness: Prose


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One engine's report."""

    head: Head
    sections: tuple[Section, ...]


def number_columns(*titles: str) -> tuple[Column, ...]:
    """Return columns of numbers."""
    return tuple(Column(title=title) for title in titles)


def word_columns(*titles: str) -> tuple[Column, ...]:
    """Return columns of words."""
    return tuple(Column(title=title, numeric=False) for title in titles)

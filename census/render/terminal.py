"""What does the answer look like on one screen of a terminal?

Method: the head of the page as rich renderables; colour and width are the console's affair, so a pipe or
NO_COLOR gives plain text. Nothing is printed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from census.model.census import Census
from census.render.page import Head, Table
from census.render.prose import Bar, Bold, Code, Piece, Prose, Spark, kept_together, one_line
from census.render.sections.head import build
from census.render.sparks import bar

_GLUE = "\ue000"
"""A private character: rich breaks lines at a no-break space."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A line that wraps under its own beginning, with no break between a number and its unit."""

    text: Text
    lead: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the wrapped lines."""
        text = self.text.copy()
        text.plain = kept_together(text.plain, glue=_GLUE)
        indent = " " * len(self.lead)
        for place, part in enumerate(text.wrap(console, max(20, options.max_width - len(self.lead)))):
            part.rstrip()
            part.plain = part.plain.replace(_GLUE, " ")
            yield Text(indent if place else self.lead).append_text(part)


def render_terminal(censuses: Sequence[Census]) -> RenderableType:
    """Return the one-screen answer of each engine, one after another."""
    parts: list[RenderableType] = []
    for place, census in enumerate(censuses):
        if place:
            parts.append(Text(""))
        parts.append(_screen(build(census)))
    return Group(*parts)


def line(pieces: Prose, *, style: str = "") -> Text:
    """Return a line as rich text; nothing in it is read as mark-up."""
    text = Text(style=style)
    for piece in pieces:
        _append(text, piece)
    return text


def _screen(head: Head) -> Group:
    parts: list[RenderableType] = [Paragraph(line(head.title, style="dim"))]
    parts += [Paragraph(line(text, style="red"), "! ") for text in head.banner]
    parts += [Text(""), Paragraph(line(head.verdict))]
    if head.closest:
        parts.append(Paragraph(line(head.closest, style="dim")))
    parts.append(Text(""))
    parts += [Paragraph(line(fact), "- ") for fact in head.facts]
    if head.ladder is not None:
        parts += [
            Text(""),
            Text(head.ladder.caption),
            Padding(_table(head.ladder), (0, 0, 0, 2), expand=False),
        ]
    parts += [Text(""), Paragraph(line(("How fit the data are: ", *head.fitness), style="dim"))]
    return Group(*parts)


def _table(table: Table) -> RichTable:
    drawn = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in table.columns:
        drawn.add_column(column.title, justify="right" if column.numeric else "left", overflow="fold")
    for row in table.rows:
        drawn.add_row(*(line(value) for value in row))
    return drawn


def _append(text: Text, piece: Piece) -> None:
    if isinstance(piece, Bar):
        text.append(bar(piece.share))
    elif isinstance(piece, Bold):
        text.append(one_line(piece.text), style="bold")
    elif isinstance(piece, Code):
        text.append(one_line(piece.text), style="cyan")
    elif isinstance(piece, Spark):
        text.append(piece.text)
    else:
        text.append(one_line(piece))

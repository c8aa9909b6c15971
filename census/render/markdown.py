"""How does a report read as markdown, on GitHub and in a terminal?

Method: the page through one jinja2 template; every piece of text is escaped here, code spans for foreign
words. Tables are padded so that the source is readable as it stands. Same page, same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from census.model.caveat import Caveat
from census.model.census import Census
from census.render.page import Table
from census.render.prose import Bar, Bold, Code, Piece, Prose, Spark, one_line, sentence
from census.render.sections.build import build_page
from census.render.sparks import bar

PADDED_WIDTH = 150
"""A table wider than this is written without padding."""

_ENTITY = re.compile(r"&(?=#?\w+;)")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_EDGE_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_BLOCK_START = re.compile(r"^(?:([#>+=-])|(\d+)(?=[.)](?:\s|$)))")
_BACKTICKS = re.compile(r"`+")


def render_markdown(censuses: Sequence[Census]) -> str:
    """Return the report of one engine or of several, one after another."""
    environment = Environment(
        loader=PackageLoader("census.render"),
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters["line"] = line
    environment.filters["words"] = escape
    environment.filters["caveat"] = caveat_line
    environment.filters["table"] = table_text
    environment.filters["fenced"] = fenced
    pages = [build_page(census) for census in censuses]
    text = environment.get_template("report.md.j2").render(pages=pages)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def line(pieces: Prose) -> str:
    """Return a line of markdown that cannot be taken for a heading, a list or a quotation."""
    text = "".join(_piece(piece, in_table=False) for piece in pieces).strip()
    if pieces and not isinstance(pieces[0], str):
        return text
    return _BLOCK_START.sub(lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\", text)


def cell(pieces: Prose) -> str:
    """Return the text of one table cell."""
    return "".join(_piece(piece, in_table=True) for piece in pieces).strip()


def escape(text: str) -> str:
    """Return plain text with everything escaped that markdown would take for mark-up, and nothing else."""
    out = one_line(text).replace("\\", "\\\\")
    out = re.sub(r"([`*$])", r"\\\1", out)
    out = _EDGE_UNDERSCORE.sub(r"\\_", out)
    out = _ENTITY.sub(r"\\&", out)
    out = _TAG.sub(r"\\<", out)
    return out.replace("~~", "\\~\\~").replace("](", "]\\(")


def code_span(text: str) -> str:
    """Return text as a code span that its own backticks cannot close."""
    flat = one_line(text).strip() or "(empty)"
    longest = max((len(run) for run in _BACKTICKS.findall(flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def table_text(table: Table) -> str:
    """Return a table, padded where the padded lines stay short enough to read."""
    head = [escape(column.title) for column in table.columns]
    rows = [[cell(value) for value in row] for row in table.rows]
    widths = [max(3, *(len(row[place]) for row in [head, *rows])) for place in range(len(head))]
    padded = sum(widths) + 3 * len(widths) + 1 <= PADDED_WIDTH
    if not padded:
        widths = [3] * len(head)
    marks = [
        f"{'-' * (width - 1)}:" if column.numeric else "-" * width
        for column, width in zip(table.columns, widths, strict=True)
    ]
    lines = [_row(head, widths, table), _row(marks, widths, table)]
    lines += [_row(row, widths, table) for row in rows]
    return "\n".join(lines)


def caveat_line(caveat: Caveat) -> str:
    """Return a caveat as it stands beside what it touches."""
    return line(
        (Bold(caveat.severity), " ", Code(caveat.id.removeprefix("trap/")), f": {sentence(caveat.summary)}")
    )


def fenced(lines: tuple[str, ...]) -> str:
    """Return lines as a fenced block that they cannot close."""
    flat = [one_line(text) for text in lines]
    longest = max((len(run) for text in flat for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *flat, fence])


def _row(cells: list[str], widths: list[int], table: Table) -> str:
    padded = [
        text.rjust(width) if column.numeric else text.ljust(width)
        for text, width, column in zip(cells, widths, table.columns, strict=True)
    ]
    return f"| {' | '.join(padded)} |"


def _piece(piece: Piece, *, in_table: bool) -> str:
    if isinstance(piece, str):
        return _plain(piece, in_table=in_table)
    if isinstance(piece, Bold):
        inner = piece.text.strip()
        tail = " " if piece.text != piece.text.rstrip() else ""
        return f"**{_plain(inner, in_table=in_table)}**{tail}" if inner else ""
    if isinstance(piece, Bar):
        return bar(piece.share)
    if isinstance(piece, Spark):
        return piece.text
    if in_table and "|" in piece.text:
        return _plain(piece.text, in_table=True)  # a pipe in a code span ends the cell on some renderers
    return code_span(piece.text)


def _plain(text: str, *, in_table: bool) -> str:
    escaped = escape(text)
    return escaped.replace("|", "\\|") if in_table else escaped

"""What is a piece of text, before it is markdown, HTML or a terminal line?

Method: a line is a tuple of pieces; plain text, bold text, or code (names, labels, whatever a server said).
Each renderer escapes every piece in its own way, so a hostile label is harmless in all of them and no
sentence is written twice. Misleads nobody, as long as foreign words travel as ``Code`` or plain text and
never as a template.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bold:
    """Words that stand out."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """A name, a label, a query: words that are not ours."""

    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A small bar beside a number; ``share`` of its full length, 0..1, None where there is none."""

    share: float | None


@dataclass(frozen=True, slots=True)
class Spark:
    """A row of block characters, one a value; it must not break."""

    text: str


Piece = str | Bold | Code | Bar | Spark
Prose = tuple[Piece, ...]

_SPACES = re.compile(r"\s+")
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:ms|s|min|h|%|tok/s|tokens)(?!\w))")
_IN_INTERVAL = re.compile(r"(?<=\d,) (?=[−\d][\d.,]*\])|(?<=×) (?=\d)")


def prose(*pieces: Piece) -> Prose:
    """Return pieces as one line, the empty ones left out."""
    return tuple(piece for piece in pieces if not isinstance(piece, str) or piece)


def joined(lines: tuple[Prose, ...], separator: str) -> Prose:
    """Return several lines as one, with a separator between."""
    pieces: list[Piece] = []
    for number, line in enumerate(lines):
        if number:
            pieces.append(separator)
        pieces.extend(line)
    return tuple(pieces)


def one_line(text: str) -> str:
    """Return text on one line, control characters, direction overrides and lone surrogates made visible."""
    flat = _SPACES.sub(" ", text)
    return "".join(
        character if unicodedata.category(character) not in {"Cc", "Cf", "Cs"} else f"\\u{ord(character):04x}"
        for character in flat
    )


def plain_text(line: Prose) -> str:
    """Return a line without any mark-up, for alt texts and for width."""
    return "".join(one_line(_words(piece)) for piece in line)


def _words(piece: Piece) -> str:
    if isinstance(piece, Bar | Spark):
        return ""
    return piece if isinstance(piece, str) else piece.text


def kept_together(text: str, *, glue: str) -> str:
    """Return text with ``glue`` where no line should break: before units and inside intervals."""
    return _IN_INTERVAL.sub(glue, _BEFORE_UNIT.sub(glue, text))


def sentence(text: str) -> str:
    """Return text as a sentence: first letter large (of a word, not of a name), a full stop at the end."""
    stripped = text.strip()
    if not stripped:
        return ""
    first = stripped.split(maxsplit=1)[0].rstrip(",;:.")
    head = stripped[0].upper() + stripped[1:] if first.replace("-", "").isalpha() else stripped
    return head if head[-1] in ".!?" else f"{head}."

"""How is a question put in PromQL? Text that is safe whatever the label values hold, and matchers that are
checked.

Names and values are quoted by us alone: a value may hold quotes, backslashes, newlines. The user's
``--match`` is parsed by the grammar of PromQL's selectors before anything is sent, so that a slip is told
with its place, and only what parsed is sent. Whether a regular expression is one is for the server to say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from census.errors import UsageError

Operator = Literal["=", "!=", "=~", "!~"]

_LABEL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPERATOR = re.compile(r"=~|!~|!=|=")
_BLANK = re.compile(r"\s*")
_SIMPLE_ESCAPES = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    '"': '"',
    "'": "'",
}
_NUMBER_ESCAPE = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Matcher:
    """One condition on a label."""

    label: str
    operator: Operator
    value: str

    def __str__(self) -> str:
        """Return PromQL text."""
        return f"{self.label}{self.operator}{quote(self.value)}"


def quote(value: str) -> str:
    """Return a PromQL string literal of this value."""
    return json.dumps(value, ensure_ascii=False)


def selector(names: Sequence[str], matchers: Iterable[Matcher] = ()) -> str:
    """Return a vector selector of these metric names under these conditions.

    >>> selector(["a", "b"], [Matcher("job", "=", "x")])
    '{__name__=~"a|b",job="x"}'
    """
    if len(names) == 1:
        first = Matcher("__name__", "=", names[0])
    else:
        first = Matcher("__name__", "=~", "|".join(_escape_regex(name) for name in names))
    return "{" + ",".join(str(one) for one in (first, *matchers)) + "}"


def one_of(label: str, values: Iterable[str]) -> Matcher:
    """Return the condition that a label has one of these values."""
    chosen = sorted(set(values))
    if len(chosen) == 1:
        return Matcher(label, "=", chosen[0])
    return Matcher(label, "=~", "|".join(_escape_regex(value) for value in chosen))


def range_selector(vector: str, *, range_ms: int) -> str:
    """Return the range selector of a vector selector, in whole milliseconds."""
    if range_ms <= 0:
        raise ValueError(f"range of {range_ms} ms")
    return f"{vector}[{range_ms}ms]"


def parse_matchers(text: str) -> tuple[Matcher, ...]:
    r"""Return the conditions in a selector such as ``{job="x",instance=~"y.*"}``; the braces may be left out.

    Raises
    ------
    UsageError : the text is no selector, says nothing, or chooses metric names.

    >>> parse_matchers('{job="a\\"b"}')
    (Matcher(label='job', operator='=', value='a"b'),)
    """
    body = text.strip()
    offset = text.index(body) if body else 0
    if body.startswith("{"):
        if not body.endswith("}") or len(body) < 2:
            raise _slip(text, len(text.rstrip()), "expected a closing }")
        body = body[1:-1]
        offset += 1
    matchers = _parse_list(text, start=offset, end=offset + len(body))
    if not matchers:
        raise _slip(text, offset, "expected a label")
    for matcher in matchers:
        if matcher.label == "__name__":
            raise UsageError(f"--match {text}: the metric names are census's to choose", hint=_HINT)
    return matchers


_HINT = """write for example --match '{job="llm",instance=~"gpu1:.*"}'"""


def _slip(text: str, place: int, what: str) -> UsageError:
    rest = text[place : place + 12]
    found = f", found {rest!r}" if rest else " at its end"
    return UsageError(f"--match {text}: character {place + 1}: {what}{found}", hint=_HINT)


def _parse_list(text: str, *, start: int, end: int) -> tuple[Matcher, ...]:
    matchers: list[Matcher] = []
    place = _skip_blank(text, start)
    while place < end:
        label = _LABEL.match(text, place, end)
        if not label:
            raise _slip(text, place, "expected a label")
        place = _skip_blank(text, label.end())
        operator = _OPERATOR.match(text, place, end)
        if not operator:
            raise _slip(text, place, "expected =, !=, =~ or !~")
        place = _skip_blank(text, operator.end())
        value, place = _parse_string(text, place, end)
        matchers.append(Matcher(label.group(), _operator(operator.group()), value))
        place = _skip_blank(text, place)
        if place < end:
            if text[place] != ",":
                raise _slip(text, place, "expected a comma")
            place = _skip_blank(text, place + 1)
    return tuple(matchers)


def _parse_string(text: str, place: int, end: int) -> tuple[str, int]:
    mark = text[place] if place < end else ""
    if mark not in ('"', "'", "`") or not mark:
        raise _slip(text, place, "expected a quoted value")
    start = place
    place += 1
    value: list[str] = []
    while place < end:
        letter = text[place]
        if letter == mark:
            return "".join(value), place + 1
        if letter == "\\" and mark != "`":
            decoded, place = _parse_escape(text, place + 1)
            value.append(decoded)
        else:
            value.append(letter)
            place += 1
    raise _slip(text, start, "this quote is not closed")


def _parse_escape(text: str, place: int) -> tuple[str, int]:
    letter = text[place : place + 1]
    if letter in _SIMPLE_ESCAPES:
        return _SIMPLE_ESCAPES[letter], place + 1
    number = _NUMBER_ESCAPE.match(text, place)
    if not number:
        raise _slip(text, place - 1, "no such escape")
    hexadecimal = number.group(1) or number.group(2) or number.group(3)
    code = int(hexadecimal, 16) if hexadecimal else int(number.group(4), 8)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise _slip(text, place - 1, "no such character")
    return chr(code), number.end()


def _skip_blank(text: str, place: int) -> int:
    blank = _BLANK.match(text, place)
    return blank.end() if blank else place


def _operator(text: str) -> Operator:
    for known in ("=~", "!~", "!=", "="):
        if text == known:
            return known
    raise ValueError(text)


def _escape_regex(text: str) -> str:
    return re.sub(r"[\\.+*?()|\[\]{}^$]", lambda found: "\\" + found.group(), text)

"""What does a question to the simulated server select? A small, strict part of PromQL.

Method: a vector selector ``name{label="value",...}`` with the four matchers, a range ``[1h30m]`` behind
it, or ``count_over_time(...)`` around it. Regular expressions are anchored, as Prometheus does.
When it misleads: everything else of PromQL is refused as bad data; regular expressions are Python's, not RE2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

UNITS_MS = {
    "ms": 1,
    "s": 1_000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 604_800_000,
    "y": 31_536_000_000,
}
_NAME = re.compile(r"\s*([a-zA-Z_:][a-zA-Z0-9_:]*)?\s*")
_LABEL = re.compile(r"\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*")
_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`([^`]*)`")
_COMMA = re.compile(r"\s*,\s*")
_CLOSE = re.compile(r"\s*}\s*")
_RANGE = re.compile(r"\s*\[\s*((?:[0-9]+(?:ms|[smhdwy]))+)\s*\]\s*")
_DURATION = re.compile(r"([0-9]+)(ms|[smhdwy])")
_COUNT = re.compile(r"\s*count_over_time\s*\((.*)\)\s*", re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:([abfnrtv\\'\"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))"
)
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class BadQueryError(ValueError):
    """A question that is no selector."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matcher:
    """One condition on a label; a label that is not there is the empty string."""

    label: str
    operator: str
    value: str
    pattern: re.Pattern[str] | None

    def accepts(self, labels: Mapping[str, str]) -> bool:
        """Tell whether these labels meet the condition."""
        text = labels.get(self.label, "")
        if self.pattern is not None:
            return (self.pattern.fullmatch(text) is not None) == (self.operator == "=~")
        return (text == self.value) == (self.operator == "=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A parsed query: which series, over what range (None: an instant), and whether they are only counted."""

    matchers: tuple[Matcher, ...]
    range_ms: int | None
    counted: bool


def parse_question(text: str) -> Question:
    """Return what a query selects.

    Raises
    ------
    BadQueryError : in the words of Prometheus, as far as they can be foreseen.
    """
    if not text.strip():
        raise BadQueryError("1:1: parse error: no expression found in input")
    counted = _COUNT.fullmatch(text)
    inner = counted.group(1) if counted else text
    matchers, place = parse_selector(inner)
    spans = _RANGE.match(inner, place)
    range_ms = duration_ms(spans.group(1)) if spans else None
    if spans:
        place = spans.end()
    if place != len(inner):
        raise BadQueryError(f"1:{place + 1}: parse error: unexpected {inner[place : place + 16]!r}")
    if counted and range_ms is None:
        raise BadQueryError(
            '1:17: parse error: expected type range vector in call to function "count_over_time", '
            "got instant vector"
        )
    return Question(matchers=matchers, range_ms=range_ms, counted=counted is not None)


def parse_selector(text: str) -> tuple[tuple[Matcher, ...], int]:
    """Return the matchers of the selector that ``text`` begins with, and where it ends."""
    name = _NAME.match(text)
    place = name.end() if name else 0
    matchers = []
    if name and name.group(1):
        matchers.append(_matcher("__name__", "=", name.group(1)))
    if text[place : place + 1] == "{":
        place += 1
        while not (closed := _CLOSE.match(text, place)):
            found, place = _parse_matcher(text, place)
            matchers.append(found)
            comma = _COMMA.match(text, place)
            if comma:
                place = comma.end()
            elif not _CLOSE.match(text, place):
                raise BadQueryError(
                    f"1:{place + 1}: parse error: unexpected {text[place : place + 8]!r} in label matching, "
                    'expected "," or "}"'
                )
        place = closed.end()
    if all(_accepts_nothing(matcher) for matcher in matchers):
        raise BadQueryError("1:1: parse error: vector selector must contain at least one non-empty matcher")
    return tuple(matchers), place


def duration_ms(text: str) -> int:
    """Return milliseconds of a duration such as ``1h30m`` or ``172800001ms``."""
    return sum(int(count) * UNITS_MS[unit] for count, unit in _DURATION.findall(text))


def _parse_matcher(text: str, place: int) -> tuple[Matcher, int]:
    label = _LABEL.match(text, place)
    if not label:
        raise BadQueryError(
            f"1:{place + 1}: parse error: unexpected {text[place : place + 8]!r} in label matching, "
            "expected identifier"
        )
    quoted = _STRING.match(text, label.end())
    if not quoted:
        raise BadQueryError(f"1:{label.end() + 1}: parse error: expected string in label matching")
    double, single, raw = quoted.groups()
    value = raw if raw is not None else _unescape(double if double is not None else single)
    return _matcher(label.group(1), label.group(2), value), quoted.end()


def _matcher(label: str, operator: str, value: str) -> Matcher:
    pattern = None
    if operator in ("=~", "!~"):
        try:
            pattern = re.compile(value, re.DOTALL)
        except re.error as error:
            raise BadQueryError(f"error parsing regexp: {error}: `{value}`") from error
    return Matcher(label=label, operator=operator, value=value, pattern=pattern)


def _accepts_nothing(matcher: Matcher) -> bool:
    return matcher.accepts({})


def _unescape(text: str) -> str:
    def replace(found: re.Match[str]) -> str:
        simple, *numbers, octal = found.groups()
        if simple:
            return _ESCAPES.get(simple, simple)
        code = next((number for number in numbers if number), None)
        return chr(int(code, 16)) if code else chr(int(octal, 8))

    return _ESCAPE.sub(replace, text)

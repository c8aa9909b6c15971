"""Why is a cell empty? Letters in the cells, the reasons once under the table."""

from __future__ import annotations

from census.model.estimate import Absent, Estimate, Reading
from census.render import numbers
from census.render.numbers import Unit
from census.render.prose import Prose, prose, sentence


class Reasons:
    """Collects the reasons of one table while its cells are written."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def cell(self, reading: Reading, unit: Unit) -> Prose:
        """Return a reading as a cell: value and interval, or "absent (a)"."""
        if isinstance(reading, Absent):
            return self.absent(reading.reason)
        return prose(numbers.full(reading, unit))

    def absent(self, reason: str) -> Prose:
        """Return the cell of something absent for this reason."""
        letter = self._letters.setdefault(reason, letter_of(len(self._letters)))
        return prose(f"absent ({letter})")

    def notes(self) -> tuple[Prose, ...]:
        """Return the reasons, in the order of their letters."""
        return tuple(prose(f"({letter}) {sentence(reason)}") for reason, letter in self._letters.items())


def letter_of(number: int) -> str:
    """Return a, b, ... z, aa, ab, ..."""
    head, tail = divmod(number, 26)
    letter = chr(ord("a") + tail)
    return letter if head == 0 else letter_of(head - 1) + letter


def methods_of(readings: tuple[tuple[str, Reading], ...]) -> tuple[Prose, ...]:
    """Return one line a method: what it is, and which readings came by it."""
    named: dict[str, list[str]] = {}
    for name, reading in readings:
        if isinstance(reading, Estimate):
            named.setdefault(reading.method, []).append(name)
    return tuple(prose(f"Method, {_listed(names)}: {method.rstrip('.')}.") for method, names in named.items())


def _listed(names: list[str]) -> str:
    unique = list(dict.fromkeys(names))
    return unique[0] if len(unique) == 1 else f"{', '.join(unique[:-1])} and {unique[-1]}"

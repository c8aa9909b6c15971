"""A number never travels alone: value, interval, n, unit and method together, or the reason for none."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A measured or computed number with its interval.

    Attributes
    ----------
    value : the point value, in ``unit``.
    low, high : ends of the interval at ``level``; ``None`` where there is no honest one (see ``method``).
    level : coverage that the interval is built for, 0..1.
    n : how many independent-looking things it rests on (intervals, steps, requests: ``method`` says which).
    unit : "s", "tok/s", "tokens", "1" (a share or ratio), ...
    method : one phrase: measured, estimated or computed, and how.
    """

    value: float
    low: float | None
    high: float | None
    level: float
    n: int
    unit: str
    method: str

    def __post_init__(self) -> None:
        """Refuse what no report may print: NaN, infinities, an interval that is upside down."""
        for name in ("value", "low", "high"):
            number = getattr(self, name)
            if number is not None and not math.isfinite(number):
                raise ValueError(f"Estimate.{name} is {number}: use Absent(reason)")
        if (self.low is None) != (self.high is None):
            raise ValueError("Estimate: both ends of the interval or none")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"Estimate: low {self.low} > high {self.high}")
        if not 0 < self.level < 1:
            raise ValueError(f"Estimate.level is {self.level}: want 0..1")
        if self.n < 0:
            raise ValueError(f"Estimate.n is {self.n}")


@dataclass(frozen=True, slots=True)
class Absent:
    """A number or finding that cannot be given, with the reason and, where known, what would give it."""

    reason: str

    def __post_init__(self) -> None:
        """An absence without a reason is a bug."""
        if not self.reason.strip():
            raise ValueError("Absent needs a reason")


Reading = Estimate | Absent


def value_of(reading: Reading) -> float | None:
    """Return the point value of a reading, None where it is absent."""
    return reading.value if isinstance(reading, Estimate) else None

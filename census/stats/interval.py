"""What is a value between its bounds?

Method: a frozen value with its standard error, degrees of freedom and effective n; ``bounds`` fills it.

Misleads: where there are too few independent values there are no bounds, and ``why_none`` says so; the
value still stands.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A value between its bounds.

    Attributes
    ----------
    value : of the data themselves.
    low, high : None where no honest interval exists (``why_none`` says why).
    standard_error : of the value, from the long-run variance; NaN without bounds.
    degrees : degrees of freedom of the t distribution.
    n_effective : independent intervals that would give the same error.
    """

    value: float
    low: float | None
    high: float | None
    standard_error: float
    degrees: int
    n_effective: float
    why_none: str


def make_interval(
    value: float, low: float, high: float, *, error: float, degrees: int, n_effective: float
) -> Interval:
    """Return an interval that holds its value."""
    return Interval(
        value=value,
        low=min(low, value),
        high=max(high, value),
        standard_error=error,
        degrees=degrees,
        n_effective=n_effective,
        why_none="",
    )


def no_interval(value: float, degrees: int, n_effective: float, why: str) -> Interval:
    """Return a value that no honest interval surrounds."""
    return Interval(
        value=value,
        low=None,
        high=None,
        standard_error=math.nan,
        degrees=degrees,
        n_effective=n_effective,
        why_none=why,
    )


def t_quantile(degrees: int, level: float) -> float:
    """Return the two-sided t quantile; scipy is imported here because it takes its time."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))

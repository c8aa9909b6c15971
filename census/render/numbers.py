"""How is a number written? The one place where numbers are rounded.

Method: the digits follow the width of the interval (the last digit shown is the first that the interval
doubts), with no more than five significant digits; a number without an interval gets three. A share that is
not whole is never written as 0 % or 100 %. Misleads when digits are read as precision of a computed number:
"computed" says so itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from census.model.estimate import Absent, Estimate, Reading
from census.model.findings import QuantileBound, Range, ShareRange

MOST_DIGITS = 5
PLAIN_DIGITS = 3
INSIDE_BUCKET = 7.0
"""An interpolated quantile is shown to about a tenth of its histogram bucket."""
UNSURE = 2.0
"""The last digit shown is the smallest that the interval spans at least this many times."""
DEEPEST = 9
SMALLEST = 1e-12
"""No more digits after the point than ``DEEPEST``; an interval narrower than ``SMALLEST`` counts as none."""
EDGE = 1e-9
"""So that 15.4 to 15.6 spans two tenths, whatever floats say."""


@dataclass(frozen=True, slots=True)
class Unit:
    """How a quantity is shown: its factor from the inside unit, and the text behind the number."""

    factor: float
    text: str


MILLISECONDS = Unit(1000.0, "ms")
SECONDS = Unit(1.0, "s")
PERCENT = Unit(100.0, "%")
TOKEN_RATE = Unit(1.0, "tok/s")
TOKENS = Unit(1.0, "tokens")
PER_HOUR = Unit(1.0, "an hour")
BARE = Unit(1.0, "")


def digits_after_point(value: float, *, width: float | None) -> int:
    """Return how many digits after the point are shown for a value whose interval is ``width`` wide."""
    magnitude = math.floor(math.log10(abs(value))) if value else 0
    if width is None or width < SMALLEST:
        return min(DEEPEST, max(0, PLAIN_DIGITS - 1 - magnitude)) if value else 0
    wanted = -math.floor(math.log10(width / UNSURE) + EDGE)
    if not value:
        return min(DEEPEST, max(0, wanted))
    first_of_value = min(-magnitude, wanted + 1)
    return min(DEEPEST, max(0, min(max(wanted, first_of_value), MOST_DIGITS - 1 - magnitude)))


def write(value: float, *, digits: int) -> str:
    """Return a number with that many digits after the point, thousands separated, a true minus sign."""
    text = f"{value:,.{digits}f}"
    if float(text.replace(",", "")) == 0:
        return text.replace("-", "")
    return text.replace("-", "−")


def plain(value: float, unit: Unit) -> str:
    """Return a number that has no interval, with its unit."""
    if unit is PERCENT:
        return share(value)
    shown = value * unit.factor
    return _with_unit(write(shown, digits=digits_after_point(shown, width=None)), unit)


def known(value: float | None, unit: Unit, *, otherwise: str) -> str:
    """Return a number, or ``otherwise`` where there is none."""
    return otherwise if value is None else plain(value, unit)


def share(value: float) -> str:
    """Return a share as percent; one that is neither none nor all is not written as 0 % or 100 %."""
    percent = value * 100.0
    if percent in {0.0, 100.0}:
        return f"{percent:.0f} %"
    if 0 < percent < 0.05:
        return "< 0.1 %"
    if 99.95 <= percent < 100:
        return "> 99.9 %"
    return f"{write(percent, digits=1)} %"


def point(estimate: Estimate, unit: Unit) -> str:
    """Return the value of an estimate alone, its digits following the interval."""
    if unit is PERCENT and estimate.low is None:
        return share(estimate.value)
    return _with_unit(write(estimate.value * unit.factor, digits=_digits(estimate, unit)), unit)


def ends(estimate: Estimate, unit: Unit) -> str:
    """Return the interval of an estimate as "[15.4, 15.6]", "" where it has none."""
    if estimate.low is None or estimate.high is None:
        return ""
    digits = _digits(estimate, unit)
    low, high = (write(end * unit.factor, digits=digits) for end in (estimate.low, estimate.high))
    return f"[{low}, {high}]"


def full(estimate: Estimate, unit: Unit) -> str:
    """Return value, unit and interval: "15.5 ms [15.4, 15.6]"."""
    return f"{point(estimate, unit)} {ends(estimate, unit)}".rstrip()


def told(reading: Reading, unit: Unit) -> str:
    """Return a reading in full, or "absent: reason"."""
    return f"absent: {reading.reason}" if isinstance(reading, Absent) else full(reading, unit)


def quantile(bound: QuantileBound | None, unit: Unit = SECONDS) -> str:
    """Return a quantile: "18.0 s", "<= 10 ms" in the first bucket, "> 15 s" in the overflow bucket."""
    if bound is None:
        return "no requests"
    if bound.value is not None and bound.high is not None:
        width = (bound.high - bound.low) * unit.factor / INSIDE_BUCKET
        shown = bound.value * unit.factor
        return _with_unit(write(shown, digits=digits_after_point(shown, width=width)), unit)
    if bound.high is None:
        return f"> {_edge(bound.low)}"
    return f"<= {_edge(bound.high)}"


def quantile_bounds(bound: QuantileBound | None) -> str:
    """Return the edges of the bucket that holds a quantile: "10 to 20 s", "" where the quantile is one."""
    if bound is None or bound.value is None or bound.high is None:
        return ""
    return f"{_trim(bound.low)} to {_trim(bound.high)} s"


def share_range(known_share: ShareRange) -> str:
    """Return a share that is exact on a bucket edge, else its range."""
    if known_share.low == known_share.high:
        return share(known_share.low)
    return f"{share(known_share.low).removesuffix(' %')} to {share(known_share.high)}"


def span_of(bounds: Range, unit: Unit) -> str:
    """Return a computed range: "1.09 to 1.25", one number where both ends read alike, "1.4 and more"."""
    if bounds.high is None:
        return f"{plain(bounds.low, unit)} and more"
    width = abs(bounds.high - bounds.low) * unit.factor
    high = bounds.high * unit.factor
    digits = digits_after_point(high, width=None)
    if width:
        digits = min(digits + 1, max(digits, 1 - math.floor(math.log10(width))))
    texts = [write(end * unit.factor, digits=digits) for end in (bounds.low, bounds.high)]
    return _with_unit(texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}", unit)


def count(value: float) -> str:
    """Return a count as a whole number, thousands separated."""
    return f"{round(value):,}"


def factor(value: float) -> str:
    """Return a ratio as "× 1.25"."""
    return f"× {write(value, digits=2 if abs(value) < 100 else 0)}"


def factor_range(bounds: Range) -> str:
    """Return a range of ratios as "× 1.09 to 1.25"."""
    if bounds.high is None:
        return f"× {write(bounds.low, digits=2)} and more"
    low, high = (write(end, digits=2) for end in (bounds.low, bounds.high))
    return f"× {low}" if low == high else f"× {low} to {high}"


def correlation(value: float | None) -> str:
    """Return a correlation with two digits: "−0.74"."""
    return "not known" if value is None else write(value, digits=2)


def probability(value: float | None) -> str:
    """Return a p value: two digits, "< 0.001" below that."""
    if value is None:
        return "not known"
    return "< 0.001" if value < 0.001 else write(value, digits=3 if value < 0.1 else 2)


def hours(seconds: float) -> str:
    """Return a length of time in hours: "34.7 h"."""
    in_hours = seconds / 3600.0
    return f"{write(in_hours, digits=1 if in_hours >= 1 else 2)} h"


def span(seconds: float) -> str:
    """Return a length of time in the unit that a reader would use: "105 s", "12 min", "34.7 h"."""
    if seconds < 180:
        return f"{_trim(float(f'{seconds:.3g}'))} s"
    if seconds < 3600:
        return f"{write(seconds / 60, digits=0)} min"
    return hours(seconds)


def lag(seconds: float) -> str:
    """Return a lag with its sign: "+30 s", "0 s", "−15 s"."""
    text = _trim(round(abs(seconds), 1))
    sign = "+" if seconds > 0 else "−" if seconds < 0 else ""
    return f"{sign}{text} s"


def bucket(low: float, high: float | None) -> str:
    """Return the name of a prefill bucket: "none", "under 500", "500 to 1,000", "5,000 and more"."""
    if high is None:
        return f"{_trim(low)} and more"
    if low == high == 0:
        return "none"
    return f"under {_trim(high)}" if low == 0 else f"{_trim(low)} to {_trim(high)}"


def bucket_short(low: float, high: float | None) -> str:
    """Return the name of a prefill bucket for a narrow axis: "0", "< 500", "0.5–1k", "≥ 5k"."""
    if high is None:
        return f"≥ {_thousands(low)}"
    if low == high == 0:
        return "0"
    if low == 0:
        return f"< {_thousands(high)}"
    left = _thousands(low)
    right = _thousands(high)
    return (
        f"{left.removesuffix('k')}–{right}"
        if left.endswith("k") and right.endswith("k")
        else f"{left}–{right}"
    )


def scalar(value: object) -> str:
    """Return a value of an evidence or audit row: numbers rounded to four digits, the rest as text."""
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    if isinstance(value, float):
        return _trim(float(f"{value:.4g}"))
    return str(value)


def _digits(estimate: Estimate, unit: Unit) -> int:
    if estimate.low is None or estimate.high is None:
        return digits_after_point(estimate.value * unit.factor, width=None)
    return digits_after_point(
        estimate.value * unit.factor, width=(estimate.high - estimate.low) * unit.factor
    )


def _edge(seconds: float) -> str:
    return f"{_trim(seconds * 1000)} ms" if 0 < seconds < 0.1 else f"{_trim(seconds)} s"


def _thousands(value: float) -> str:
    return f"{value / 1000:.4g}k" if value >= 1000 else f"{value:.4g}"


def _trim(value: float) -> str:
    text = f"{value:,.12g}" if abs(value) < 1e15 else f"{value:.4g}"
    return text.replace("-", "−")


def _with_unit(number: str, unit: Unit) -> str:
    return f"{number} {unit.text}".rstrip()

"""Which window do --hours, --start and --end mean?"""

from __future__ import annotations

import math

from census.errors import UsageError
from census.model.window import Window, parse_time

DEFAULT_HOURS = 48.0
LONGEST_HOURS = 24.0 * 366 * 20


def window_of(
    *, hours: float | None, start: str | None, end: str | None, default_hours: float, now_ms: int
) -> Window:
    """Return the window; without --start and --end it ends now.

    Raises
    ------
    UsageError : all three are given, a time has no offset, or the hours are no positive number.
    """
    if hours is not None and start is not None and end is not None:
        raise UsageError("--hours, --start and --end together say too much", hint="leave one of them out")
    length_h = default_hours if hours is None else hours
    if not math.isfinite(length_h) or not 0 < length_h <= LONGEST_HOURS:
        raise UsageError(
            f"--hours {length_h:g}: give a number of hours above 0", hint="for example --hours 48"
        )
    length_ms = max(1, round(length_h * 3_600_000))
    start_ms = _time(start, flag="--start")
    end_ms = _time(end, flag="--end")
    if start_ms is not None and end_ms is None:
        end_ms = start_ms + length_ms if hours is not None else now_ms
    if end_ms is None:
        end_ms = now_ms
    if start_ms is None:
        start_ms = end_ms - length_ms
    return Window(start_ms=start_ms, end_ms=end_ms)


def _time(text: str | None, *, flag: str) -> int | None:
    if text is None:
        return None
    try:
        time_ms = parse_time(text)
    except UsageError as error:
        raise UsageError(f"{flag} {error.message}", hint=error.hint) from error
    if not 0 <= time_ms < 253_402_300_800_000:
        raise UsageError(f"{flag} {text!r} is not between 1970 and 9999", hint="unix times are in seconds")
    return time_ms

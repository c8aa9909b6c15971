"""Times are integer milliseconds since 1970 UTC; a window is half-open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from census.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Window:
    """The half-open time span [start_ms, end_ms)."""

    start_ms: int
    end_ms: int

    def __post_init__(self) -> None:
        """Refuse an empty or reversed window."""
        if self.end_ms <= self.start_ms:
            raise UsageError(
                f"the window ends ({rfc3339(self.end_ms)}) before it starts ({rfc3339(self.start_ms)})",
                hint="give --start before --end",
            )

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return (self.end_ms - self.start_ms) / 1000.0


def rfc3339(time_ms: int) -> str:
    """Return a time as RFC 3339 UTC, with milliseconds only where there are any."""
    moment = datetime.fromtimestamp(time_ms // 1000, UTC)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    millis = time_ms % 1000
    return f"{text}.{millis:03d}Z" if millis else f"{text}Z"


def parse_time(text: str) -> int:
    """Return milliseconds for RFC 3339 text (an offset is required) or a unix time in seconds.

    Raises
    ------
    UsageError : the text is no time, or a clock time without an offset.
    """
    hint = "write 2026-11-28T12:00:00Z, 2026-11-28T05:00:00-07:00, or unix seconds"
    stripped = text.strip()
    try:
        return round(float(stripped) * 1000)
    except (ValueError, OverflowError):
        pass
    try:
        moment = datetime.fromisoformat(stripped)
    except ValueError:
        raise UsageError(f"{text!r} is not a time", hint=hint) from None
    if moment.tzinfo is None:
        raise UsageError(f"{text!r} has no offset, so it names no moment", hint=hint)
    return round(moment.timestamp() * 1000)

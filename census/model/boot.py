"""One process lifetime of one engine, as far as the window shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Boot:
    """A boot: counters restart at its start.

    Attributes
    ----------
    index : place in the window, from 0.
    start_ms : first scrape seen of it (or the process start, where that is known and inside the window).
    end_ms : last scrape seen of it.
    first_ms : first scrape seen of it.
    start_seen : the edge that began it lies inside the window.
    evidence : how the edge was told, e.g. "process start time changed", "5 counters fell together".
    """

    index: int
    start_ms: int
    end_ms: int
    first_ms: int
    start_seen: bool
    evidence: str

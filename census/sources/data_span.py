"""When does the data begin and end? Found by halving, because no server is asked for years of samples.

Asks only whether any series exists in a span, which servers answer from their index. Exact to about a second
on Prometheus; a server that keeps its index by the day answers to the day.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from census.model.window import Window, rfc3339
from census.queries.promql import Matcher, selector
from census.sources.prometheus import PrometheusCatalogue, chunked

OLDEST_MS = 1_262_304_000_000
"""2010-01-01: before any Prometheus."""

RESOLUTION_MS = 1000

Exists = Callable[[int, int], bool]


def describe_span(
    catalogue: PrometheusCatalogue, *, names: Sequence[str], matchers: Sequence[Matcher], window: Window
) -> str | None:
    """Return one clause on where the data of these names lies, seen from a window without samples."""
    some = next(iter(chunked(names)))
    chosen = selector(list(some), matchers)

    def exists(start_ms: int, end_ms: int) -> bool:
        return bool(catalogue.series([chosen], window=Window(start_ms=start_ms, end_ms=end_ms)))

    latest_ms = max(window.end_ms, OLDEST_MS) + 50 * 365 * 86_400_000
    if exists(window.end_ms, latest_ms):
        first = _first(exists, low=max(window.end_ms, OLDEST_MS), high=latest_ms)
        return f"the first one after it is at {rfc3339(first)}"
    if window.start_ms > OLDEST_MS and exists(OLDEST_MS, window.start_ms):
        last = _last(exists, low=OLDEST_MS, high=window.start_ms)
        return f"the last one before it is at {rfc3339(last)}"
    return None


def _first(exists: Exists, *, low: int, high: int) -> int:
    """Return the end of the shortest span from ``low`` that holds a sample."""
    start = low
    while high - low > RESOLUTION_MS:
        middle = (low + high) // 2
        if exists(start, middle):
            high = middle
        else:
            low = middle
    return high // RESOLUTION_MS * RESOLUTION_MS


def _last(exists: Exists, *, low: int, high: int) -> int:
    """Return the start of the shortest span up to ``high`` that holds a sample."""
    end = high
    while high - low > RESOLUTION_MS:
        middle = (low + high) // 2
        if exists(middle, end):
            low = middle
        else:
            high = middle
    return low // RESOLUTION_MS * RESOLUTION_MS

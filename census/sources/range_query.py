"""How do raw samples come out of /api/v1/query? As a range selector asked at an instant, window by window.

``sel[N ms]`` at time t gives the samples as scraped, never resampled, without the limit of 11,000 points.
Prometheus 2 includes the left edge of the range and 3 does not, so each window [start, end) is asked for as
(end - start + 1) ms ending at ``end``, and what lies outside it is dropped by whoever decodes the answer:
windows join without a lost or a doubled sample on both.

A server that finds a window too big (422) is asked for halves from there on, at most eight times; one that
ran out of time or was not available (503, 504) is asked for a half once; a connection that broke is tried
once more. After that the pull ends with an error that names the metric. This module holds no array: gates
use it too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from census.errors import SourceError
from census.model.window import Window, rfc3339
from census.queries.promql import range_selector
from census.sources.connection import Connection
from census.sources.refusals import BrokenAnswerError, ServerRefusalError

PATH = "/api/v1/query"
WAY = "instant query with a range selector"
HALVINGS = 8
HALVINGS_FOR_TIME = 1
RETRIES_OF_BROKEN = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RawAnswer:
    """One answer, not yet decoded: samples outside ``window`` are not ours."""

    window: Window
    query: str
    body: bytes


@dataclass(slots=True)
class _Patience:
    """What is left of halvings and retries within one window."""

    halvings: int = HALVINGS
    halvings_for_time: int = HALVINGS_FOR_TIME
    retries: int = RETRIES_OF_BROKEN


def ask_range(
    connection: Connection,
    *,
    vector: str,
    names: Sequence[str],
    window: Window,
    on_warning: Callable[[str], None],
) -> Iterator[RawAnswer]:
    """Yield the answers that cover ``window`` in time order.

    Parameters
    ----------
    vector : the vector selector.
    names : the metric names in it, for errors.
    on_warning : told when a window had to be halved.

    Raises
    ------
    SourceError : the server keeps refusing; names the metric.
    """
    place = window.start_ms
    length = window.end_ms - window.start_ms
    patience = _Patience()
    while place < window.end_ms:
        piece = Window(start_ms=place, end_ms=min(place + length, window.end_ms))
        query = range_selector(vector, range_ms=piece.end_ms - piece.start_ms + 1)
        try:
            answer = connection.post(PATH, form={"query": query, "time": _seconds(piece.end_ms)})
        except (ServerRefusalError, BrokenAnswerError) as error:
            halves = _give_in(error, patience)
            if halves is None or (halves and length < 2):
                raise _named(error, names=names, window=piece) from error
            if halves:
                length = (length + 1) // 2
                on_warning(
                    f"{_short_names(names)}: asked for in pieces of {length / 1000:g} s ({error.message})"
                )
            continue
        yield RawAnswer(window=piece, query=f"{query} @ {rfc3339(piece.end_ms)}", body=answer.body)
        place = piece.end_ms


def _give_in(error: SourceError, patience: _Patience) -> bool | None:
    """Return True to go on with half the length, False to try the same again, None to give up."""
    if isinstance(error, BrokenAnswerError):
        patience.retries -= 1
        return False if patience.retries >= 0 else None
    if not isinstance(error, ServerRefusalError):
        return None
    if error.status == 422:
        patience.halvings -= 1
        return True if patience.halvings >= 0 else None
    if error.status in (503, 504):
        patience.halvings_for_time -= 1
        return True if patience.halvings_for_time >= 0 else None
    return None


def _named(error: SourceError, *, names: Sequence[str], window: Window) -> SourceError:
    told = (
        f"{_short_names(names)} from {rfc3339(window.start_ms)} to {rfc3339(window.end_ms)}: {error.message}"
    )
    if not isinstance(error, ServerRefusalError):
        return SourceError(told, hint=error.hint)
    hint = error.hint
    if error.status in (422, 503, 504):
        hint = "ask for fewer hours, narrow it with --match, or raise the server's query limits"
    return ServerRefusalError(
        told, status=error.status, error_type=error.error_type, words=error.words, hint=hint
    )


def _short_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _seconds(time_ms: int) -> str:
    """Return unix seconds with exactly three decimals: servers round finer ones, and floats lose them."""
    return f"{time_ms // 1000}.{time_ms % 1000:03d}"

"""How is a matrix of a million samples read at once? By cutting its text, not by building a million pairs.

The server writes each series as ``{"metric":{…},"values":[[t,"v"],[t,"v"],…]}``. The text between the quotes
are the values, the text around them the times; the times of one target are the same text for each of its
series, so they are parsed once. Every cut is checked by counts; an answer that does not pass (another
writer, other blanks, native histograms) is read by the plain decoder instead, which gives the same arrays or
says what is wrong.

Times: ``rint(t * 1000)`` recovers the exact integer milliseconds. Values: ``float`` of the shortest text that
round-trips, so bit for bit, NaN and infinities included.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from census.capture.series import Series
from census.model.window import Window
from census.sources.matrix import (
    Envelope,
    checked_labels,
    decode_plainly,
    envelope_of,
    matrix_rows,
)

_SERIES = b'{"metric":'
_NEXT = b"," + _SERIES
_VALUES = b',"values":[['
_END = b'"]]}'


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArraySeries:
    """One series of one answer, clipped to its window; its times may still repeat."""

    labels: Mapping[str, str]
    times_ms: NDArray[np.int64]
    values: NDArray[np.float64]


class _UnusualTextError(Exception):
    """The text is not cut as expected; it may still be a fine answer."""


def decode_bulk(body: bytes, *, window: Window) -> tuple[list[ArraySeries], Envelope]:
    """Return the series of an answer, clipped to [start, end), and its envelope.

    Raises
    ------
    MatrixShapeError : not JSON, not a success, or not a matrix.
    """
    try:
        return _decode_cut(body, window=window)
    except _UnusualTextError:
        plain, envelope = decode_plainly(body, window=window)
        series = [
            ArraySeries(
                labels=one.labels,
                times_ms=np.array(one.times_ms, dtype=np.int64),
                values=np.array(one.values, dtype=np.float64),
            )
            for one in plain
        ]
        return series, envelope


def join_windows(pieces: Iterable[ArraySeries]) -> tuple[list[Series], int]:
    """Return one series for each label set, sorted by labels, and the number of conflicts.

    Equal times with equal values come once; with different values the first stays and a conflict is counted.
    """
    together: dict[tuple[tuple[str, str], ...], list[ArraySeries]] = {}
    for one in pieces:
        together.setdefault(tuple(sorted(one.labels.items())), []).append(one)
    joined: list[Series] = []
    conflicts = 0
    for key in sorted(together):
        parts = together[key]
        times = np.concatenate([part.times_ms for part in parts]) if len(parts) > 1 else parts[0].times_ms
        values = np.concatenate([part.values for part in parts]) if len(parts) > 1 else parts[0].values
        if times.size > 1 and not bool(np.all(np.diff(times) > 0)):
            times, values, found = _settle(times, values)
            conflicts += found
        joined.append(Series(labels=parts[0].labels, times_ms=times, values=values))
    return joined, conflicts


def _settle(
    times: NDArray[np.int64], values: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], int]:
    """Return samples whose times rise, and how many had the time of another and a different value."""
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    new = np.concatenate([[True], np.diff(times) > 0])
    first = values[np.maximum.accumulate(np.where(new, np.arange(times.size), 0))]
    same = (values == first) | (np.isnan(values) & np.isnan(first))
    return times[new], values[new], int(np.count_nonzero(~same))


def _decode_cut(body: bytes, *, window: Window) -> tuple[list[ArraySeries], Envelope]:
    first = body.find(_SERIES)
    if first < 0:
        document = _loads(body)
        if matrix_rows(document):
            raise _UnusualTextError
        return [], envelope_of(document, native=())
    series: list[ArraySeries] = []
    known_times: dict[bytes, NDArray[np.int64]] = {}
    place = first
    seen = 0
    while True:
        middle = body.find(_VALUES, place)
        end = body.find(_END, middle)
        if middle < 0 or end < 0:
            raise _UnusualTextError
        labels = checked_labels(_loads(body[place + len(_SERIES) : middle]))
        times, values = _cut_samples(body[middle + len(_VALUES) : end], known_times)
        inside = (times >= window.start_ms) & (times < window.end_ms)
        if not bool(inside.all()):
            times, values = times[inside], values[inside]
        if times.size:
            series.append(ArraySeries(labels=labels, times_ms=times, values=values))
        seen += 1
        place = end + len(_END)
        if not body.startswith(_NEXT, place):
            break
        place += 1
    if seen != body.count(_SERIES):
        raise _UnusualTextError
    document = _loads(body[:first] + body[place:])
    if matrix_rows(document):
        raise _UnusualTextError
    return series, envelope_of(document, native=())


def _cut_samples(
    text: bytes, known_times: dict[bytes, NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return times and values of ``t,"v"],[t,"v"],[…,"v`` (its last quote is cut off)."""
    pieces = text.split(b'"')
    if len(pieces) % 2:
        raise _UnusualTextError
    key = b"".join(pieces[0::2])
    try:
        values = np.array([float(piece) for piece in pieces[1::2]], dtype=np.float64)
        times = known_times.get(key)
        if times is None:
            regular = key.endswith(b",") and key.count(b",],[") == values.size - 1
            if not regular or key.count(b",") != 2 * values.size - 1:
                raise _UnusualTextError
            times = _milliseconds(json.loads(b"[" + key[:-1].replace(b",],[", b",") + b"]"))
            known_times[key] = times
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise _UnusualTextError from error
    if times.size != values.size:
        raise _UnusualTextError
    return times, values


def _milliseconds(stamps: Sequence[float]) -> NDArray[np.int64]:
    seconds = np.array(stamps, dtype=np.float64)
    if seconds.ndim != 1 or not bool(np.all(np.abs(seconds) < 1e12)):
        raise ValueError("times beyond all dates")
    return np.rint(seconds * 1000).astype(np.int64)


def _loads(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _UnusualTextError from error

"""What does an answer with raw samples say? The envelope of the Prometheus API, read with the standard
library.

Checks that the answer is a matrix, keeps the server's warnings, tells whether it may be partial, and refuses
native histograms by name: their samples are not read, the classic buckets beside them are.
``decode_plainly`` gives plain lists, for gates, and is the reference that the fast decoder (bulk_matrix)
must equal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from census.errors import SourceError
from census.model.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What the server said beside the samples."""

    warnings: tuple[str, ...]
    partial: bool
    native: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainSeries:
    """Labels, integer milliseconds and floats of one series, as lists, clipped to the window."""

    labels: Mapping[str, str]
    times_ms: list[int]
    values: list[float]


class MatrixShapeError(Exception):
    """The document is not the matrix that was asked for."""


def decode_plainly(body: bytes, *, window: Window) -> tuple[list[PlainSeries], Envelope]:
    """Return the series of an answer, clipped to [start, end), and its envelope.

    Raises
    ------
    MatrixShapeError : not JSON, not a success, or not a matrix.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise MatrixShapeError(str(error)) from error
    rows = matrix_rows(document)
    series: list[PlainSeries] = []
    native: list[str] = []
    for row in rows:
        try:
            labels = checked_labels(row["metric"])
            if "histograms" in row:
                native.append(labels.get("__name__", ""))
            pairs = [(_milliseconds(time), float(value)) for time, value in row.get("values", ())]
        except (TypeError, ValueError, KeyError, OverflowError) as error:
            raise MatrixShapeError(f"a series is not as it should be: {error}") from error
        kept = [(time, value) for time, value in pairs if window.start_ms <= time < window.end_ms]
        if kept:
            times, values = zip(*kept, strict=True)
            series.append(PlainSeries(labels=labels, times_ms=list(times), values=list(values)))
    return series, envelope_of(document, native=native)


def _milliseconds(seconds: float) -> int:
    if not abs(seconds) < 1e12:
        raise ValueError("a time beyond all dates")
    return round(seconds * 1000)


def matrix_rows(document: Any) -> list[Any]:
    """Return the rows of a matrix document."""
    if not isinstance(document, dict) or document.get("status") != "success":
        raise MatrixShapeError("no success")
    data = document.get("data")
    if (
        not isinstance(data, dict)
        or data.get("resultType") != "matrix"
        or not isinstance(data.get("result"), list)
    ):
        raise MatrixShapeError("no matrix")
    rows: list[Any] = data["result"]
    return rows


def checked_labels(labels: Any) -> dict[str, str]:
    """Return a label set, or say that it is none."""
    if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
        raise MatrixShapeError("labels that are no texts")
    return labels


def envelope_of(document: Mapping[str, Any], *, native: Sequence[str]) -> Envelope:
    """Return what the server said beside the samples.

    Every warning means that something is missing, but for the annotations of PromQL itself; ``infos`` are
    kept too.
    """
    warnings = [str(one) for one in document.get("warnings") or ()]
    infos = [str(one) for one in document.get("infos") or ()]
    partial = bool(document.get("isPartial")) or any(not one.startswith("PromQL") for one in warnings)
    if document.get("isPartial") and not warnings:
        warnings.append("the server says that its answer is partial")
    return Envelope(warnings=(*warnings, *infos), partial=partial, native=tuple(sorted(set(native))))


def join_plainly(pieces: Sequence[PlainSeries]) -> tuple[list[PlainSeries], int]:
    """Return one series for each label set, windows joined in time order, and the number of conflicts.

    Equal times with equal values come once; with different values the first stays and a conflict is counted.
    """
    together: dict[tuple[tuple[str, str], ...], dict[int, float]] = {}
    labels: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
    conflicts = 0
    for piece in pieces:
        key = tuple(sorted(piece.labels.items()))
        labels[key] = piece.labels
        samples = together.setdefault(key, {})
        for time, value in zip(piece.times_ms, piece.values, strict=True):
            known = samples.setdefault(time, value)
            conflicts += known != value and not (known != known and value != value)  # noqa: PLR0124 (NaN)
    joined = []
    for key in sorted(together):
        times = sorted(together[key])
        joined.append(
            PlainSeries(labels=labels[key], times_ms=times, values=[together[key][time] for time in times])
        )
    return joined, conflicts


def not_a_matrix(error: MatrixShapeError, *, refusal: SourceError) -> SourceError:
    """Return the error for an answer that is no matrix: what the connection says of the body, and why."""
    return SourceError(f"{refusal.message} ({error})", hint=refusal.hint)

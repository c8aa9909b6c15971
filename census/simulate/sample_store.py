"""Which samples does a question get, and how are they written as Prometheus' JSON?

Method: series are indexed by name; a range takes the samples in [time - range, time], both edges in, as
Prometheus 2 does. The text of a time vector that many series share is made once an answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from census.capture.series import Series
from census.simulate.selectors import Matcher, Question

LOOKBACK_MS = 300_000


class SampleStore:
    """All series of one simulated Prometheus."""

    def __init__(self, series: Sequence[Series]) -> None:
        """Index the series by metric name."""
        ordered = sorted(series, key=lambda one: sorted(one.labels.items()))
        self._by_name: dict[str, list[Series]] = {}
        for one in ordered:
            self._by_name.setdefault(one.name, []).append(one)

    def select(self, matchers: Sequence[Matcher]) -> list[Series]:
        """Return the series that meet all conditions, ordered by their labels."""
        on_name = [matcher for matcher in matchers if matcher.label == "__name__"]
        rest = [matcher for matcher in matchers if matcher.label != "__name__"]
        return [
            one
            for name, family in self._by_name.items()
            if all(matcher.accepts({"__name__": name}) for matcher in on_name)
            for one in family
            if all(matcher.accepts(one.labels) for matcher in rest)
        ]

    def alive(self, matchers: Sequence[Matcher], *, start_ms: float, end_ms: float) -> list[Series]:
        """Return the selected series that have a sample in [start, end]."""
        return [one for one in self.select(matchers) if _within(one, start_ms, end_ms)]

    def names(self, *, start_ms: float, end_ms: float) -> list[str]:
        """Return the metric names that have a sample in [start, end]."""
        return sorted(
            name
            for name, family in self._by_name.items()
            if any(_within(one, start_ms, end_ms) for one in family)
        )

    def answer(self, question: Question, *, time_ms: int) -> str:
        """Return the ``data`` of an instant query as JSON text."""
        series = self.select(question.matchers)
        if question.range_ms is None:
            rows = [
                _vector_row(one.labels, time_ms, float(one.values[last]))
                for one in series
                if (last := _latest(one, time_ms)) is not None
            ]
            return _result("vector", rows)
        start_ms = time_ms - question.range_ms
        if question.counted:
            counts = [(one, _count(one, start_ms, time_ms)) for one in series]
            rows = [
                _vector_row({k: v for k, v in one.labels.items() if k != "__name__"}, time_ms, float(count))
                for one, count in counts
                if count
            ]
            return _result("vector", rows)
        return _result("matrix", self._matrix_rows(series, start_ms, time_ms))

    def _matrix_rows(self, series: Sequence[Series], start_ms: int, end_ms: int) -> list[str]:
        openings: dict[int, list[str]] = {}
        rows = []
        for one in series:
            low, high = _bounds(one, start_ms, end_ms)
            if low == high:
                continue
            key = id(one.times_ms)
            if key not in openings:
                openings[key] = [f'[{time_text(time)},"' for time in one.times_ms[low:high].tolist()]
            texts = value_texts(one.values[low:high])
            samples = '"],'.join(map("".join, zip(openings[key], texts, strict=True)))
            rows.append(f'{{"metric":{_labels_json(one.labels)},"values":[{samples}"]]}}')
        return rows


def value_texts(values: NDArray[np.float64]) -> list[str]:
    """Return sample values as Prometheus writes them: shortest decimals without exponent."""
    if bool(np.all(np.abs(values) < 2**53)) and bool(np.all(values == np.floor(values))):
        return list(map(str, values.astype(np.int64).tolist()))
    return [_value_text(value) for value in values.tolist()]


def time_text(time_ms: int) -> str:
    """Return unix seconds as Prometheus writes them: milliseconds without trailing zeros."""
    seconds, millis = divmod(time_ms, 1000)
    return f"{seconds}.{millis:03d}".rstrip("0") if millis else str(seconds)


def _value_text(value: float) -> str:
    text = repr(value)
    if text.endswith(".0"):
        return text[:-2]
    if "e" in text:
        return np.format_float_positional(value, trim="-")
    return {"inf": "+Inf", "-inf": "-Inf", "nan": "NaN"}.get(text, text)


def _result(kind: str, rows: Sequence[str]) -> str:
    return f'{{"resultType":"{kind}","result":[{",".join(rows)}]}}'


def _vector_row(labels: Mapping[str, str], time_ms: int, value: float) -> str:
    return f'{{"metric":{_labels_json(labels)},"value":[{time_text(time_ms)},"{_value_text(value)}"]}}'


def _labels_json(labels: Mapping[str, str]) -> str:
    return json.dumps(dict(sorted(labels.items())), separators=(",", ":"))


def _bounds(one: Series, start_ms: float, end_ms: float) -> tuple[int, int]:
    low = np.searchsorted(one.times_ms, start_ms, side="left")
    high = np.searchsorted(one.times_ms, end_ms, side="right")
    return int(low), int(max(low, high))


def _count(one: Series, start_ms: float, end_ms: float) -> int:
    low, high = _bounds(one, start_ms, end_ms)
    return high - low


def _within(one: Series, start_ms: float, end_ms: float) -> bool:
    return _count(one, start_ms, end_ms) > 0


def _latest(one: Series, time_ms: int) -> int | None:
    low, high = _bounds(one, time_ms - LOOKBACK_MS, time_ms)
    return high - 1 if high > low else None

"""Which part of the whole loss does each mechanism explain, and how sure is that?

Method: ratios of sums over intervals, all bounded by one set of block resamples: each part of ``stream_loss``
over the whole loss, which is the loss inside steps plus what requests report beyond them. Chunk time beside
decoders that is recompute counts for preemption, as do the waits of preempted requests. Parts that rest on a
fit (exposure, rows that prefill brought) take the interval of the fit, where that is wider.

Misleads: shares of a loss that is hardly there are wild; below one percent of stream time none are given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.findings.decode_given_rows import DecodeGivenRows
from census.findings.preemption_windows import PreemptionWindows
from census.findings.readings import draw_for, to_reading
from census.findings.stream_loss import StreamLoss
from census.model.estimate import Absent, Estimate, Reading
from census.model.settings import Settings
from census.stats.bounds import OfSums, Statistic, bound_all

Floats = NDArray[np.float64]

PARTS = ("shared-chunks", "exclusive-prefill", "preemption", "residency", "batch-growth", "rest")
"""Parts that sum to the whole loss; residency and batch growth are the slower decode-only steps."""

SUMS = {"slower-decode": ("residency", "batch-growth")}
"""Sums of parts that are bounded as one."""

LEAST_LOSS = 0.01
"""A loss below this share of stream time is not divided."""

SPENT, QUIET, TOKENS, REPORTED_S, REPORTED_TOKENS = range(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class LossShares:
    """The whole loss and its parts.

    Attributes
    ----------
    lost : whole loss over all stream time.
    of_loss : part over the whole loss, by name; absent where the loss is too small to divide.
    of_time : part over all stream time, by name.
    source : what the whole loss was measured with.
    """

    lost: Reading
    of_loss: dict[str, Reading]
    of_time: dict[str, Reading]
    source: str


def divide_loss(
    loss: StreamLoss,
    windows: PreemptionWindows,
    given_rows: DecodeGivenRows,
    *,
    segments: NDArray[np.int64],
    settings: Settings,
    rng: np.random.Generator,
) -> LossShares:
    """Return the whole loss and its parts with their intervals."""
    columns = part_columns(loss, windows)
    blocks = draw_for([loss.spent_s - loss.quiet_s, loss.reported_s], segments, settings=settings, rng=rng)
    table = np.column_stack(
        [loss.spent_s, loss.quiet_s, loss.tokens, loss.reported_s, loss.reported_tokens, *columns.values()]
    )
    sums = table.sum(axis=0)
    total_s, lost_s = float(_time(sums)), float(_lost(sums))
    divisible = lost_s >= LEAST_LOSS * total_s
    names = (*PARTS, *SUMS)
    questions = [OfSums(columns=table, statistic=_ratio(_lost, _time))]
    questions += [OfSums(columns=table, statistic=_ratio(_part(name), _time)) for name in names]
    if divisible:
        questions += [OfSums(columns=table, statistic=_ratio(_part(name), _lost)) for name in names]
    source = "decode time that requests report at their end" if loss.has_reports else "step counters alone"
    readings = [
        to_reading(
            one,
            n=int((loss.spent_s > 0).sum()),
            unit="1",
            method=f"estimated: stream time, whole by {source}",
            settings=settings,
        )
        for one in bound_all(questions, blocks=blocks, level=settings.level)
    ]
    tiny = Absent(f"the loss is {lost_s / total_s:.1%} of stream time: too little to divide")
    of_time = dict(zip(names, readings[1 : len(names) + 1], strict=True))
    of_loss: dict[str, Reading] = (
        dict(zip(names, readings[len(names) + 1 :], strict=True)) if divisible else dict.fromkeys(names, tiny)
    )
    for name, low_s, high_s in _fitted_bounds(loss, given_rows):
        of_time[name] = _widen(of_time[name], low_s / total_s, high_s / total_s)
        of_loss[name] = _widen(of_loss[name], low_s / lost_s, high_s / lost_s) if divisible else tiny
    return LossShares(lost=readings[0], of_loss=of_loss, of_time=of_time, source=source)


def part_columns(loss: StreamLoss, windows: PreemptionWindows) -> dict[str, Floats]:
    """Return stream seconds by part and interval; the rest holds only what is inside steps."""
    again = np.where(windows.inside, windows.recompute_share, 0.0)
    shared, stalled = loss.parts["shared"], loss.parts["stalled"]
    return {
        "shared-chunks": shared * (1.0 - again),
        "exclusive-prefill": stalled * (1.0 - again),
        "preemption": (shared + stalled) * again + windows.waited_s * (1.0 if loss.has_reports else 0.0),
        "residency": loss.parts["exposure"],
        "batch-growth": loss.parts["growth"],
        "rest": loss.parts["unexplained"],
    }


def _beyond(sums: Floats) -> Floats:
    """Return stream seconds outside of any row: what requests report less what the steps explain."""
    tokens = sums[..., REPORTED_TOKENS]
    per_token = np.divide(sums[..., REPORTED_S], tokens, out=np.zeros(tokens.shape), where=tokens > 0)
    found: Floats = np.where(tokens > 0, per_token * sums[..., TOKENS] - sums[..., SPENT], 0.0)
    return found


def _time(sums: Floats) -> Floats:
    total: Floats = sums[..., SPENT] + _beyond(sums)
    return total


def _lost(sums: Floats) -> Floats:
    total: Floats = sums[..., SPENT] - sums[..., QUIET] + _beyond(sums)
    return total


def _part(name: str) -> Statistic:
    """Return the sum of one part; the rest takes what lies beyond steps and is no wait."""
    first = REPORTED_TOKENS + 1

    def of_columns(sums: Floats, parts: tuple[str, ...]) -> Floats:
        total: Floats = sum(sums[..., first + PARTS.index(part)] for part in parts) + 0.0 * sums[..., 0]
        return total

    if name == "rest":
        return lambda sums: _lost(sums) - of_columns(sums, PARTS[:-1])
    return lambda sums: of_columns(sums, SUMS.get(name, (name,)))


def _ratio(top: Statistic, bottom: Statistic) -> Statistic:
    return lambda sums: top(sums) / bottom(sums)


def _fitted_bounds(loss: StreamLoss, given_rows: DecodeGivenRows) -> list[tuple[str, float, float]]:
    """Return the bounds that the fits themselves give, in stream seconds."""
    slow, steps_s = given_rows.slowdown, float(loss.decode_only_s.sum())
    rows, half = loss.grown_rows
    low, high = _or_else(slow.low, slow.value), _or_else(slow.high, slow.value)
    per_row = loss.seconds_per_grown_row
    by_exposure, by_rows = (low * steps_s, high * steps_s), ((rows - half) * per_row, (rows + half) * per_row)
    return [
        ("residency", *by_exposure),
        ("batch-growth", *by_rows),
        ("slower-decode", by_exposure[0] + by_rows[0], by_exposure[1] + by_rows[1]),
    ]


def _or_else(number: float | None, otherwise: float) -> float:
    """Return a number, or another where there is none."""
    return otherwise if number is None else number


def _widen(reading: Reading, low: float, high: float) -> Reading:
    if isinstance(reading, Absent):
        return reading
    ends = (_or_else(reading.low, reading.value), _or_else(reading.high, reading.value), low, high)
    return Estimate(
        value=reading.value,
        low=min(*ends, reading.value),
        high=max(*ends, reading.value),
        level=reading.level,
        n=reading.n,
        unit=reading.unit,
        method=f"{reading.method}; with the interval of the fit",
    )

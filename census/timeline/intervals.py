"""What did each counter count, and what did each gauge show, in each interval between two scrapes?

Method: an interval lies between successive scrapes of one boot. A counter's increase is last minus first,
held at the running maximum, and known only where it was sampled at both ends and did not start anew between.
Totals are taken on the counter's own samples, so that they hold what missed scrapes and gaps hide, and heads.

Parts of one role are added. A part that is not exported (a reason that no request has ended with yet) counts
nothing before its first and after its last sample of a boot; its first value enters the totals, not the
interval. Gauges that are added count where they are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.timeline.boots import BootScan
from census.timeline.pieces import Piece, cut_counter
from census.timeline.samples import Counter, Samples

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grid:
    """The scrapes of a timeline: times, the boot of each, and the scrapes at which intervals begin."""

    times_ms: Ints
    boot: Ints
    boots: int
    begins: Ints

    def place(self, times_ms: Sequence[int]) -> Ints:
        """Return the scrape of each sample."""
        found: Ints = np.searchsorted(self.times_ms, np.asarray(times_ms, dtype=np.int64), side="right") - 1
        return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Increases:
    """A counter, interval by interval and boot by boot.

    Attributes
    ----------
    intervals : shape (intervals,), NaN where unknown. totals, heads : shape (boots,), NaN where absent.
    exported : shape (intervals,): from the one in which it appears in its boot to the one after its last
        sample.
    samples : shape (boots,): how many. pieces : as cut.
    """

    intervals: Floats
    totals: Floats
    heads: Floats
    exported: NDArray[np.bool_]
    samples: Ints
    pieces: tuple[Piece, ...]


def make_grid(scan: BootScan) -> Grid:
    """Return the grid of scrapes."""
    times = np.asarray(scan.scrapes.times_ms, dtype=np.int64)
    firsts = np.asarray(scan.first_scrapes, dtype=np.int64)
    boot = np.searchsorted(firsts, np.arange(times.size), side="right") - 1
    begins = np.flatnonzero(boot[1:] == boot[:-1])
    return Grid(times_ms=times, boot=boot, boots=len(scan.boots), begins=begins)


def measure_counter(counter: Counter, *, scan: BootScan, grid: Grid) -> Increases:
    """Return what one counter counted."""
    cut = cut_counter(counter, scan=scan)
    places = grid.place(cut.times_ms)
    values = np.asarray(cut.values, dtype=np.float64)
    held = np.full(grid.times_ms.size, np.nan)
    piece_at = np.full(grid.times_ms.size, -1, dtype=np.int64)
    totals, heads = np.full(grid.boots, np.nan), np.full(grid.boots, np.nan)
    for number, piece in enumerate(cut.pieces):
        rows = slice(piece.begin, piece.end)
        high = np.maximum.accumulate(values[rows])
        held[places[rows]] = high
        piece_at[places[rows]] = number
        totals[piece.boot] = np.nansum([totals[piece.boot], high[-1] - high[0] + piece.head])
        heads[piece.boot] = np.nansum([heads[piece.boot], piece.head])
    begin, end = grid.begins, grid.begins + 1
    first, last = np.full(grid.boots, grid.times_ms.size), np.full(grid.boots, -1)
    np.minimum.at(first, grid.boot[places], places)
    np.maximum.at(last, grid.boot[places], places)
    known = (piece_at[begin] >= 0) & (piece_at[begin] == piece_at[end])
    return Increases(
        intervals=np.where(known, held[end] - held[begin], np.nan),
        totals=totals,
        heads=heads,
        exported=(end >= first[grid.boot[begin]]) & (begin <= last[grid.boot[begin]]),
        samples=np.bincount(grid.boot[places], minlength=grid.boots),
        pieces=cut.pieces,
    )


def add_increases(parts: Sequence[Increases]) -> Increases:
    """Return the sum of the parts of one role."""
    if len(parts) == 1:
        return parts[0]
    exported = np.array([part.exported for part in parts])
    each = np.array([part.intervals for part in parts])
    total = np.where(exported, each, 0.0).sum(axis=0)
    return Increases(
        intervals=np.where(exported.any(axis=0), total, np.nan),
        totals=_sum_known([part.totals for part in parts]),
        heads=_sum_known([part.heads for part in parts]),
        exported=np.asarray(exported.any(axis=0)),
        samples=np.max([part.samples for part in parts], axis=0),
        pieces=tuple(piece for part in parts for piece in part.pieces),
    )


def show_gauges(parts: Sequence[Samples], *, grid: Grid) -> tuple[Floats, Floats]:
    """Return the sum of gauges at the start and at the end of each interval."""
    each = np.full((len(parts), grid.times_ms.size), np.nan)
    for row, samples in zip(each, parts, strict=True):
        row[grid.place(samples.times_ms)] = samples.values
    shown = _sum_known(list(each))
    return shown[grid.begins], shown[grid.begins + 1]


def _sum_known(parts: Sequence[Floats]) -> Floats:
    """Return the sum over the parts that are known; NaN where none is."""
    table = np.array(parts)
    nothing = np.isnan(table).all(axis=0)
    return np.where(nothing, np.nan, np.nansum(table, axis=0))

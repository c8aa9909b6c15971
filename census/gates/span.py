"""How much did a counter count since a boot or a moment, at least and at most?

Method: increases are last minus first, piece by piece between zeros (timeline/pieces.py). What was counted
before the first sample of a piece counts in full where the process is known to have begun inside the span,
and otherwise in the upper bound alone: a boot whose start was not seen, a counter born late, an edge that
lies across the moment. A moment between two samples is counted from the one after it at least, from the one
before it at most.

When it misleads: what a process counts between its last scrape and its end is seen by nobody, so after a
restart the upper bound is one over what was scraped.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Literal

from census.gates.result import Bounds
from census.timeline.boots import BootScan
from census.timeline.pieces import CutCounter, Piece

Since = Literal["boot"] | int


def counted_since(cut: CutCounter, *, scan: BootScan, since: Since) -> Bounds | None:
    """Return what a counter counted, None where it has no sample in the span."""
    if since == "boot":
        last = len(scan.boots) - 1
        return add_bounds(_whole(cut, piece) for piece in cut.pieces if piece.boot == last)
    return add_bounds(
        _after(cut, piece, scan=scan, moment_ms=since)
        for piece in cut.pieces
        if cut.times_ms[piece.end - 1] >= since
    )


def add_bounds(parts: Iterable[Bounds | None]) -> Bounds | None:
    """Return the sum of the parts that are known, None where none is."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    return _bounds(sum(part.low for part in known), sum(part.high for part in known))


def _whole(cut: CutCounter, piece: Piece) -> Bounds:
    """Return what a piece of the judged boot counted: its head is certain only where the boot's start is."""
    held = cut.held(piece)
    increase = held[-1] - held[0]
    return _bounds(increase + piece.head_low, increase + held[0])


def _after(cut: CutCounter, piece: Piece, *, scan: BootScan, moment_ms: int) -> Bounds:
    held = cut.held(piece)
    increase = held[-1] - held[0]
    first_ms = cut.times_ms[piece.begin]
    begun_ms = scan.process_start_ms[piece.boot]
    if begun_ms is not None and begun_ms >= moment_ms:
        return _bounds(increase + held[0], increase + held[0])
    if first_ms > moment_ms:
        certain = piece.head_low if _began_after(scan, boot=piece.boot, moment_ms=moment_ms) else 0.0
        return _bounds(increase + certain, increase + held[0])
    times = cut.times_ms[piece.begin : piece.end]
    at_least = held[-1] - held[bisect_left(times, moment_ms)]
    at_most = held[-1] - held[bisect_right(times, moment_ms) - 1]
    return _bounds(at_least, at_most)


def _began_after(scan: BootScan, *, boot: int, moment_ms: int) -> bool:
    """Tell whether the edge that began this boot lies after the moment, both its scrapes."""
    return any(reset.boot == boot and reset.after_ms >= moment_ms for reset in scan.resets)


def _bounds(low: float, high: float) -> Bounds:
    return Bounds(low=_whole_number(low), high=_whole_number(high))


def _whole_number(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value

"""The window as it went by: thinned series for the timeline figure, extremes kept."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackLine:
    """One thinned series. ``values`` hold None where the line breaks: a gap, a boot edge, nothing known.

    Attributes
    ----------
    times_ms : rising, one a value.
    values : in ``unit``.
    unit : "tok/s", "requests".
    means : time-weighted means of equal stretches, before thinning; None where nothing is known.
    """

    times_ms: tuple[int, ...]
    values: tuple[float | None, ...]
    unit: str
    means: tuple[float | None, ...]

    def __post_init__(self) -> None:
        """Refuse a line whose times and values do not belong together."""
        if len(self.times_ms) != len(self.values):
            raise ValueError(f"{len(self.times_ms)} times for {len(self.values)} values")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackEvent:
    """Something counted at a time (preemptions between two scrapes)."""

    time_ms: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackGap:
    """A time without scrapes: an interval longer than a gap, or between two boots."""

    start_ms: int
    end_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """What the timeline figure draws; a line is None where the engine does not export the quantity.

    ``intervals`` is how many intervals the lines were thinned from; boots stand in the census itself.
    """

    intervals: int
    prefill_tok_s: TrackLine | None
    per_stream_tok_s: TrackLine | None
    visible_tok_s: TrackLine | None
    running: TrackLine | None
    waiting: TrackLine | None
    preemptions: tuple[TrackEvent, ...]
    gaps: tuple[TrackGap, ...]

"""How did the window go by?"""

from __future__ import annotations

from census.model.census import Census
from census.model.estimate import Absent
from census.model.track import Track, TrackLine
from census.model.window import Window, rfc3339
from census.render import numbers
from census.render.page import Block, Section, Table, number_columns, word_columns
from census.render.prose import Code, Prose, Spark, prose
from census.render.sections.parts import absent_section, caveats_touching
from census.render.sparks import spark

ID = "timeline"
QUESTION = "How did the window go by?"
SLOTS = 48


def build(census: Census) -> Section:
    """Return the section: one spark row a quantity, highs (of decode: lows) of equal stretches of time."""
    caveats = caveats_touching(census, ID)
    track = census.track
    if track is None:
        return absent_section(ID, QUESTION, Absent("this census holds no series to draw"), caveats)
    window = census.coverage.window
    blocks: tuple[Block, ...] = (_table(track, window),)
    return Section(id=ID, question=QUESTION, answer=_answer(census, track), blocks=blocks, caveats=caveats)


def slots(line: TrackLine, window: Window, *, lowest: bool) -> tuple[float | None, ...]:
    """Return the extreme of each of ``SLOTS`` equal stretches of the window, None where nothing is known."""
    found: list[float | None] = [None] * SLOTS
    span = window.end_ms - window.start_ms
    for time_ms, value in zip(line.times_ms, line.values, strict=True):
        place = (time_ms - window.start_ms) * SLOTS // span
        if value is None or not 0 <= place < SLOTS:
            continue
        before = found[place]
        better = before is None or (value < before if lowest else value > before)
        found[place] = value if better else before
    return tuple(found)


def _answer(census: Census, track: Track) -> Prose:
    window = census.coverage.window
    later = [boot for boot in census.boots if boot.start_seen]
    pieces = prose("From ", Code(rfc3339(window.start_ms)), " to ", Code(rfc3339(window.end_ms)))
    restarts = f"; {len(later)} boot{'' if len(later) == 1 else 's'} began inside it" if later else ""
    gaps = (
        f"; {len(track.gaps)} gap{'' if len(track.gaps) == 1 else 's'} without scrapes" if track.gaps else ""
    )
    return (*pieces, f"{restarts}{gaps}.")


def _table(track: Track, window: Window) -> Table:
    lines = (
        ("prefill, highest", track.prefill_tok_s, False),
        ("per stream, lowest", track.per_stream_tok_s, True),
        ("visible, lowest", track.visible_tok_s, True),
        ("running, highest", track.running, False),
        ("waiting, highest", track.waiting, False),
    )
    rows = tuple(_row(name, line, window, lowest=lowest) for name, line, lowest in lines if line is not None)
    each = numbers.span(window.seconds / SLOTS)
    return Table(
        caption=f"One character is {each}; a dot: nothing known",
        columns=(*word_columns("line", "from start to end"), *number_columns("full height")),
        rows=rows,
        notes=(),
    )


def _row(name: str, line: TrackLine, window: Window, *, lowest: bool) -> tuple[Prose, ...]:
    values = slots(line, window, lowest=lowest)
    full = max((value for value in values if value is not None), default=0.0)
    return (
        prose(name),
        (Spark(spark(values, full=full)),),
        prose(f"{numbers.scalar(float(f'{full:.3g}'))} {line.unit}"),
    )

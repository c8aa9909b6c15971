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


def build(census: Census) -> Section:
    """Return the section: one spark row a quantity, the means of equal stretches of time."""
    caveats = caveats_touching(census, ID)
    track = census.track
    if track is None:
        return absent_section(ID, QUESTION, Absent("this census holds no series to draw"), caveats)
    window = census.coverage.window
    blocks: tuple[Block, ...] = (_table(track, window),)
    return Section(id=ID, question=QUESTION, answer=_answer(census, track), blocks=blocks, caveats=caveats)


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
        ("prefill", track.prefill_tok_s),
        ("per stream", track.per_stream_tok_s),
        ("visible", track.visible_tok_s),
        ("running", track.running),
        ("waiting", track.waiting),
    )
    drawn = [(name, line) for name, line in lines if line is not None]
    stretches = len(drawn[0][1].means) if drawn else 1
    return Table(
        caption=f"Means, one character for {numbers.span(window.seconds / stretches)}; a dot: nothing known",
        columns=(*word_columns("line", "from start to end"), *number_columns("full height")),
        rows=tuple(_row(name, line) for name, line in drawn),
        notes=(),
    )


def _row(name: str, line: TrackLine) -> tuple[Prose, ...]:
    full = max((value for value in line.means if value is not None), default=0.0)
    return (
        prose(name),
        (Spark(spark(line.means, full=full)),),
        prose(f"{numbers.scalar(float(f'{full:.3g}'))} {line.unit}"),
    )

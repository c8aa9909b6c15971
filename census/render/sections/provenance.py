"""How was this made: method, settings, queries, origin?"""

from __future__ import annotations

import dataclasses
from typing import Any

from census.model.census import Census, Provenance
from census.render import numbers
from census.render.names import spelled
from census.render.page import Block, Listing, Remark, Section, Table, word_columns
from census.render.prose import Code, Prose, prose

ID = "provenance"
QUESTION = "How was this made?"

METHOD = (
    "Raw samples as scraped, never resampled; every difference is last minus first, nothing is extrapolated. "
    "Counters restart at a boot, and no interval spans one. An interval that is a gap counts in totals and "
    "in no rate.",
    "Intervals in brackets come from a moving-block bootstrap inside boots (or as their method column says) "
    "and say "
    "what another window of the same process would show. “Measured” is counted by the engine, “estimated” is "
    "inferred "
    "from what it counts, “computed” is arithmetic on those. Absent is never zero.",
)


def build(census: Census) -> Section:
    """Return the section: method in words, then everything that is needed to make the same report again."""
    origin = census.provenance
    blocks: tuple[Block, ...] = (
        *(Remark(text=prose(text)) for text in METHOD),
        _origin_table(origin),
        _settings_table(origin),
        Listing(caption="Queries as sent", lines=origin.queries),
    )
    return Section(id=ID, question=QUESTION, answer=_answer(origin), blocks=blocks, caveats=())


def _answer(origin: Provenance) -> Prose:
    return prose(
        f"By census {origin.census_version} from the capture ",
        Code(origin.capture_sha256),
        "; the same capture and settings give the same bytes.",
    )


def _origin_table(origin: Provenance) -> Table:
    rows = [(prose("samples came by"), prose(origin.way))]
    rows += [
        (prose(f"backend {spelled(key)}"), prose(Code(_text(value))))
        for key, value in sorted(origin.backend.items())
        if value not in ("", None)
    ]
    rows += [(prose("the server warned"), prose(Code(warning))) for warning in origin.warnings]
    return Table(caption="Origin", columns=word_columns("what", "value"), rows=tuple(rows), notes=())


def _settings_table(origin: Provenance) -> Table:
    rows = tuple(
        (prose(Code(field.name)), prose(_text(getattr(origin.settings, field.name))))
        for field in dataclasses.fields(origin.settings)
    )
    return Table(
        caption="Settings: every modelling choice",
        columns=word_columns("setting", "value"),
        rows=rows,
        notes=(),
    )


def _text(value: Any) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(_text(item) for item in value)
    return numbers.scalar(value)

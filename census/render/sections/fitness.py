"""How fit are the data?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from census.model.boot import Boot
from census.model.census import Census, ResolvedName
from census.model.window import rfc3339
from census.render import numbers
from census.render.names import labelled, quantity
from census.render.page import Block, Column, Section, Table, number_columns, word_columns
from census.render.prose import Code, Prose, prose
from census.render.sections.parts import caveats_touching

ID = "fitness"
QUESTION = "How fit are the data?"

AUDITS = (
    ("scrapes", "Scrapes: spacing and coverage"),
    ("liveness", "Liveness: does each counter move while work runs?"),
    ("gauges", "Gauges against their counters"),
    ("dilution", "Dilution: what a longer mean makes of a chunk step"),
    ("histograms", "Histogram resolution"),
    ("duplicates", "Duplicates: collapsed by rule, never summed"),
)


def build(census: Census) -> Section:
    """Return the section: boots, names, and each audit that has a row."""
    tables = [_boots(census.boots), _names(census.audits.names)]
    tables += [_audit(caption, getattr(census.audits, name)) for name, caption in AUDITS]
    blocks: tuple[Block, ...] = tuple(table for table in tables if table.rows)
    return Section(
        id=ID,
        question=QUESTION,
        answer=sentence_of(census),
        blocks=blocks,
        caveats=caveats_touching(census, ID),
    )


def sentence_of(census: Census) -> Prose:
    """Return how much there is: hours, boots, loaded intervals, scrape interval, coverage."""
    covered = census.coverage
    window = covered.window
    boots = len(census.boots)
    every = covered.scrape_interval_s
    scraped = "scrape interval not known" if every is None else f"scraped every {numbers.span(every)}"
    return prose(
        f"{numbers.hours(window.seconds)}, from ",
        Code(rfc3339(window.start_ms)),
        " to ",
        Code(rfc3339(window.end_ms)),
        f", in {boots} boot{'' if boots == 1 else 's'}; {scraped}, coverage "
        f"{numbers.share(covered.coverage)}; "
        f"{numbers.count(census.loaded_intervals)} of {numbers.count(census.intervals)} intervals carry "
        f"prefill.",
    )


def _boots(boots: tuple[Boot, ...]) -> Table:
    return Table(
        caption="Boots",
        columns=(
            *number_columns("boot"),
            *word_columns("start", "end"),
            *number_columns("hours"),
            *word_columns("evidence"),
        ),
        rows=tuple(
            (
                prose(str(boot.index)),
                prose(Code(rfc3339(boot.start_ms)), "" if boot.start_seen else " (began before)"),
                prose(Code(rfc3339(boot.end_ms))),
                prose(numbers.hours((boot.end_ms - boot.start_ms) / 1000.0)),
                prose(boot.evidence),
            )
            for boot in boots
        ),
        notes=(),
    )


def _names(names: tuple[ResolvedName, ...]) -> Table:
    return Table(
        caption="Names: which metric answers each role",
        columns=(
            *word_columns("role", "metric", "kind", "clock"),
            *number_columns("series", "samples"),
            *word_columns("note"),
        ),
        rows=tuple(
            (
                prose(row.role),
                prose("none") if row.metric is None else prose(Code(row.metric)),
                prose(row.kind),
                prose(row.clock),
                prose(numbers.count(row.series)),
                prose(numbers.count(row.samples)),
                prose(row.note),
            )
            for row in names
        ),
        notes=(),
    )


def _audit(caption: str, rows: tuple[Mapping[str, Any], ...]) -> Table:
    keys = tuple(dict.fromkeys(key for row in rows for key in row))
    columns = tuple(Column(title=labelled(key), numeric=_is_numeric(rows, key)) for key in keys)
    return Table(
        caption=caption,
        columns=columns,
        rows=tuple(tuple(prose(_told(row, key)) for key in keys) for row in rows),
        notes=(),
    )


def _told(row: Mapping[str, Any], key: str) -> str:
    return quantity(key, row[key]) if key in row else "–"


def _is_numeric(rows: tuple[Mapping[str, Any], ...], key: str) -> bool:
    values = [row[key] for row in rows if row.get(key) is not None]
    return bool(values) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    )

"""How do the planned samples come home? By the first way that this server offers, named in the manifest.

Ways stand in ``WAYS`` in the order in which they are tried; each takes the same plan and gives the same
samples. A way that does not apply to a server returns None, and the next one is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from census.capture.series import Series
from census.queries.plan import Batch, Plan
from census.sources.bulk_matrix import ArraySeries, decode_bulk, join_windows
from census.sources.connection import Connection
from census.sources.matrix import MatrixShapeError, not_a_matrix
from census.sources.range_query import PATH, WAY, ask_range

Progress = Callable[[int], None]
"""Told the number of planned samples that have been asked for since the last call."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fetched:
    """What came.

    Attributes
    ----------
    series : one for each label set, sorted by labels.
    way : how it came; ``queries``: PromQL text as sent.
    warnings : the server's own, and what was noticed on the way.
    """

    series: tuple[Series, ...]
    way: str
    queries: tuple[str, ...]
    warnings: tuple[str, ...]
    partial: bool


class _Notes:
    """What is noticed while fetching, each thing once, in order."""

    def __init__(self) -> None:
        self.queries: list[str] = []
        self.warnings: list[str] = []
        self.partial = False

    def warn(self, text: str) -> None:
        """Keep a warning once."""
        if text not in self.warnings:
            self.warnings.append(text)


def fetch(plan: Plan, connection: Connection, *, on_progress: Progress) -> Fetched:
    """Return the samples of a plan by the first way that applies.

    Raises
    ------
    SourceError : the server refuses, breaks off, or answers something else.
    """
    for way in WAYS:
        fetched = way(plan, connection, on_progress)
        if fetched is not None:
            return fetched
    raise AssertionError("the last way always applies")


def fetch_by_range_query(plan: Plan, connection: Connection, on_progress: Progress) -> Fetched | None:
    """Fetch by instant queries with range selectors: what every server with the Prometheus API offers."""
    notes = _Notes()
    series: list[Series] = []
    for batch in plan.batches:
        series.extend(_fetch_batch(batch, connection, notes=notes, on_progress=on_progress))
    order = sorted(series, key=lambda one: sorted(one.labels.items()))
    return Fetched(
        series=tuple(order),
        way=WAY,
        queries=tuple(notes.queries),
        warnings=tuple(notes.warnings),
        partial=notes.partial,
    )


def _fetch_batch(
    batch: Batch, connection: Connection, *, notes: _Notes, on_progress: Progress
) -> Sequence[Series]:
    pieces: list[ArraySeries] = []
    told = 0
    whole = batch.windows[-1].end_ms - batch.windows[0].start_ms
    for window in batch.windows:
        answers = ask_range(
            connection, vector=batch.selector, names=batch.names, window=window, on_warning=notes.warn
        )
        for answer in answers:
            notes.queries.append(answer.query)
            try:
                decoded, envelope = decode_bulk(answer.body, window=answer.window)
            except MatrixShapeError as error:
                raise not_a_matrix(error, refusal=connection.refusal(answer.body, path=PATH)) from error
            pieces.extend(decoded)
            notes.partial = notes.partial or envelope.partial
            for warning in envelope.warnings:
                notes.warn(connection.redact(warning))
            for name in envelope.native:
                notes.warn(
                    f"{name}: native histogram samples are not read; its classic buckets are, if it has any"
                )
            done = batch.samples * (answer.window.end_ms - batch.windows[0].start_ms) // whole
            on_progress(done - told)
            told = done
    joined, conflicts = join_windows(pieces)
    if conflicts:
        notes.warn(
            f"{batch.names[0]}: {conflicts} samples came twice with different values; the first one stays"
        )
    return joined


WAYS: tuple[Callable[[Plan, Connection, Progress], Fetched | None], ...] = (fetch_by_range_query,)

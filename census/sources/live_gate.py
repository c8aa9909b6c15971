"""What does a gate need of a live server? The same document that a capture's gate.json holds, and nothing
more.

Only the gate's roles are asked for, and read with the standard library, so that a check answers at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from census.capture.gate_file import GATE_ROLES, gate_document
from census.errors import InconclusiveError
from census.model.window import Window, rfc3339
from census.queries.facts import SeriesFacts
from census.queries.plan import plan_queries
from census.queries.profile import AUTO
from census.queries.promql import Matcher
from census.queries.resolve import resolve_engines
from census.sources.connection import Connection
from census.sources.discover import bound_series, discover
from census.sources.matrix import MatrixShapeError, PlainSeries, decode_plainly, join_plainly, not_a_matrix
from census.sources.prometheus import PrometheusCatalogue
from census.sources.range_query import PATH, ask_range


def fetch_gate(
    connection: Connection,
    *,
    window: Window,
    matchers: Sequence[Matcher] = (),
    engine: str = AUTO,
) -> dict[str, Any]:
    """Return the gate document (capture/gate_file) of the engines on this server.

    Raises
    ------
    InconclusiveError : no engine, or no sample of it in the window.
    SourceError : the server is not reachable, refuses, or is not what it should be.
    """
    catalogue = PrometheusCatalogue(connection)
    found = discover(catalogue, window=window, matchers=matchers, engine=engine, roles=GATE_ROLES)
    wanted = [index for index in bound_series(found.engines) if _is_gate_series(index, found.engines)]
    plan = plan_queries(
        [(found.labels[index]["__name__"], 1) for index in wanted], window=window, matchers=found.matchers
    )
    warnings = list(catalogue.warnings)
    partial = catalogue.partial
    pieces: list[PlainSeries] = []
    for batch in plan.batches:
        answers = ask_range(
            connection, vector=batch.selector, names=batch.names, window=window, on_warning=warnings.append
        )
        for answer in answers:
            try:
                series, envelope = decode_plainly(answer.body, window=answer.window)
            except MatrixShapeError as error:
                raise not_a_matrix(error, refusal=connection.refusal(answer.body, path=PATH)) from error
            pieces.extend(series)
            partial = partial or envelope.partial
            warnings.extend(connection.redact(one) for one in envelope.warnings if one not in warnings)
    joined, conflicts = join_plainly(pieces)
    if conflicts:
        warnings.append(f"{conflicts} samples came twice with different values; the first one stays")
    engines = resolve_engines([_facts(one) for one in joined], engine=engine, names_on_server=found.names)
    if not engines:
        raise InconclusiveError(
            f"no sample of {found.engines[0].key} from {rfc3339(window.start_ms)} "
            f"to {rfc3339(window.end_ms)}",
            hint="give a longer window",
        )

    def samples_of(index: int) -> tuple[Mapping[str, str], Sequence[int], Sequence[float]]:
        one = joined[index]
        return one.labels, one.times_ms, one.values

    return gate_document(
        window=window, engines=engines, samples_of=samples_of, partial=partial, warnings=warnings
    )


def _is_gate_series(index: int, engines: Sequence[Any]) -> bool:
    return any(
        index in part.series
        for entry in engines
        for role in (*GATE_ROLES, "running")
        if (binding := entry.binding(role)) is not None
        for part in binding.parts
    )


def _facts(one: PlainSeries) -> SeriesFacts:
    return SeriesFacts(
        labels=one.labels, first_ms=one.times_ms[0], last_ms=one.times_ms[-1], samples=len(one.times_ms)
    )

"""How does a live Prometheus become a capture? Probe, discover, plan, fetch, resolve, write; in that order.

Nothing is written before all samples are at hand, and then the capture appears whole or not at all. The
engines are resolved twice: from labels, to know what to ask for, and from the samples, whose spans tell a
restart from a neighbour. The clock comes in as an argument.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from census.capture.folder import refuse_existing, write_capture
from census.capture.manifest import Manifest
from census.capture.series import Series
from census.errors import InconclusiveError
from census.model.window import Window, rfc3339
from census.queries.facts import facts_of
from census.queries.plan import Plan, plan_queries
from census.queries.promql import Matcher
from census.queries.resolve import resolve_engines
from census.sources.connection import Access, Connection
from census.sources.discover import Discovery, bound_series, discover, expected_samples
from census.sources.fetch import Fetched, Progress, fetch
from census.sources.prometheus import PrometheusCatalogue
from census.sources.stats_page import snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """What to pull, and where to.

    Attributes
    ----------
    out : the capture's folder; None: ``captures`` / ENGINE-START.
    now_ms : the moment of the call, for the snapshot of /stats.
    """

    window: Window
    engine: str
    matchers: tuple[Matcher, ...]
    out: Path | None
    captures: Path
    force: bool
    stats_url: str | None
    stats_token_file: Path | None
    now_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What is known before the samples are asked for."""

    backend: Mapping[str, Any]
    discovery: Discovery
    plan: Plan
    warnings: tuple[str, ...]
    partial: bool
    extras: Mapping[str, object]
    out: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    """A capture that was written, and what a user should know of it."""

    path: Path
    manifest: Manifest
    notes: tuple[str, ...]


def prepare(request: PullRequest, access: Access, connection: Connection) -> Prepared:
    """Return the plan; everything that can be refused without the samples is refused here.

    Raises
    ------
    CaptureError : the capture is already there.
    SourceError : the server, or the /stats page, is not reachable, refuses, or is not what it should be.
    InconclusiveError : no engine in the window.
    """
    if request.out is not None:
        refuse_existing(request.out, force=request.force)
    catalogue = PrometheusCatalogue(connection)
    backend = catalogue.backend()
    found = discover(catalogue, window=request.window, matchers=request.matchers, engine=request.engine)
    out = request.out or request.captures / default_name(found, request.window)
    refuse_existing(out, force=request.force)
    extras: Mapping[str, object] = {}
    if request.stats_url:
        extras = snapshot(
            request.stats_url, token_file=request.stats_token_file, access=access, now_ms=request.now_ms
        )
    expected = expected_samples(catalogue, found, window=request.window)
    return Prepared(
        backend=backend,
        discovery=found,
        plan=plan_queries(expected, window=request.window, matchers=found.matchers),
        warnings=tuple(connection.redact(one) for one in catalogue.warnings),
        partial=catalogue.partial,
        extras=extras,
        out=out,
    )


def pull(
    request: PullRequest, prepared: Prepared, connection: Connection, *, on_progress: Progress
) -> Pulled:
    """Fetch what was planned and write the capture.

    Raises
    ------
    SourceError : the server refuses or breaks off; nothing is left behind.
    InconclusiveError : no sample of an engine came.
    """
    fetched = fetch(prepared.plan, connection, on_progress=on_progress)
    kept = _kept(fetched, engine=request.engine)
    if not kept:
        raise InconclusiveError(
            f"no sample of {prepared.discovery.engines[0].key} from {rfc3339(request.window.start_ms)} "
            f"to {rfc3339(request.window.end_ms)}",
            hint="give another --start and --end, or more --hours",
        )
    engines = resolve_engines(facts_of(kept), engine=request.engine, names_on_server=prepared.discovery.names)
    manifest = write_capture(
        prepared.out,
        window=request.window,
        engines=engines,
        series=kept,
        backend=prepared.backend,
        way=fetched.way,
        queries=fetched.queries,
        warnings=tuple(dict.fromkeys((*prepared.warnings, *fetched.warnings))),
        partial=prepared.partial or fetched.partial,
        extras=prepared.extras,
        force=request.force,
    )
    return Pulled(path=prepared.out, manifest=manifest, notes=_notes(manifest, now_ms=request.now_ms))


def default_name(discovery: Discovery, window: Window) -> str:
    """Return ENGINE-START: the profiles found, and the start of the window."""
    profiles = "+".join(sorted({entry.profile for entry in discovery.engines}))
    return f"{profiles}-{rfc3339(window.start_ms // 1000 * 1000).replace(':', '-')}"


def _kept(fetched: Fetched, *, engine: str) -> Sequence[Series]:
    """Return the series that answer a role of an engine."""
    facts = facts_of(fetched.series)
    wanted = bound_series(resolve_engines(facts, engine=engine))
    return [fetched.series[index] for index in wanted if fetched.series[index].times_ms.size]


def _notes(manifest: Manifest, *, now_ms: int) -> tuple[str, ...]:
    """Return what a user should know: data that begins late or ends early, and several engines."""
    notes = []
    window = manifest.window
    first, last = manifest.first_ms, manifest.last_ms
    if first is None or last is None:
        return ()
    slack_ms = max(60_000, (window.end_ms - window.start_ms) // 500)
    if first - window.start_ms > slack_ms:
        late_h = (first - window.start_ms) / 3_600_000
        retention = str(manifest.backend.get("retention", ""))
        explains = now_ms - retention_ms(retention) > window.start_ms if retention else False
        kept_for = f" (this server keeps {retention})" if explains else ""
        notes.append(
            f"the data begins at {rfc3339(first)}, {late_h:.1f} h after the start asked for{kept_for}"
        )
    if window.end_ms - last > slack_ms:
        early_h = (window.end_ms - last) / 3_600_000
        notes.append(f"the data ends at {rfc3339(last)}, {early_h:.1f} h before the end asked for")
    if len(manifest.engines) > 1:
        notes.append(
            f"{len(manifest.engines)} engines, kept apart: {', '.join(e.key for e in manifest.engines)}"
        )
    return tuple(notes)


_UNIT_MS = {
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 604_800_000,
    "y": 31_536_000_000,
}


def retention_ms(text: str) -> int:
    """Return the length of a retention such as ``15d`` or ``1w2d``; 0 where bytes bound it too, or alone."""
    if not re.fullmatch(r"(\d+(ms|[smhdwy]))+", text):
        return 0
    return sum(int(count) * _UNIT_MS[unit] for count, unit in re.findall(r"(\d+)(ms|[smhdwy])", text))

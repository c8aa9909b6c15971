"""census doctor: is this server fit for a census, before a pull is made?

A short window (the last half hour) is looked at in seconds: which engines answer, which metric answers each
role, which findings will be possible and why not, what is wrong with the data, and what to change in the
Prometheus configuration. Exit 0 where an engine was found, 3 where the server is the trouble, 4 where there
is no engine or no sample.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from census.cli.source_flags import (
    BasicFlag,
    BearerFlag,
    CaFlag,
    CertFlag,
    EngineFlag,
    HeaderFlag,
    InsecureFlag,
    KeyFlag,
    MatchFlag,
    PrometheusFlag,
    TimeoutFlag,
    source_from_flags,
)
from census.cli.times import window_of
from census.model.window import rfc3339

if TYPE_CHECKING:
    from census.pipeline.doctor import Checkup, Examination
    from census.pipeline.prospects import Power

SCHEMA = "census.doctor/1"
HALF_AN_HOUR = 0.5
SETTLING_MS = 5_000
"""The last scrape may not be stored yet, so a window that ends now ends this much earlier."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("doctor")(doctor)


def doctor(  # noqa: PLR0917 - the command line calls it by name
    prometheus: PrometheusFlag = None,
    hours: Annotated[float | None, typer.Option("--hours", help="Length of the window (0.5).")] = None,
    start: Annotated[
        str | None, typer.Option("--start", metavar="TIME", help="With an offset: 2026-11-28T12:00:00Z.")
    ] = None,
    end: Annotated[
        str | None, typer.Option("--end", metavar="TIME", help="With an offset; now if it is not given.")
    ] = None,
    engine: EngineFlag = None,
    match: MatchFlag = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    bearer_token_file: BearerFlag = None,
    basic_auth_file: BasicFlag = None,
    header: HeaderFlag = None,
    ca_file: CaFlag = None,
    client_cert: CertFlag = None,
    client_key: KeyFlag = None,
    insecure: InsecureFlag = None,
    timeout: TimeoutFlag = None,
) -> None:
    """Look at a server for half a minute: what would a census find, and what should be changed first?"""
    settings = source_from_flags(
        prometheus=prometheus,
        bearer_token_file=bearer_token_file,
        basic_auth_file=basic_auth_file,
        header=header,
        ca_file=ca_file,
        client_cert=client_cert,
        client_key=client_key,
        insecure=insecure,
        timeout=timeout,
        engine=engine,
        match=match,
    )
    now_ms = time.time_ns() // 1_000_000 - SETTLING_MS
    window = window_of(hours=hours, start=start, end=end, default_hours=HALF_AN_HOUR, now_ms=now_ms)
    access = settings.access()
    from census.model.settings import Settings
    from census.pipeline.doctor import examine
    from census.queries.profile import AUTO, choose_profiles
    from census.queries.promql import parse_matchers
    from census.sources.connection import Connection

    wanted = settings.engine or AUTO
    choose_profiles(wanted)
    matchers = parse_matchers(settings.match) if settings.match else ()
    with Connection(access) as connection:
        found = examine(connection, window=window, matchers=matchers, engine=wanted, settings=Settings())
    if as_json:
        typer.echo(json.dumps(_document(found), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        typer.echo("\n".join(_lines(found)))


def _document(found: Examination) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "window": {"start": rfc3339(found.window.start_ms), "end": rfc3339(found.window.end_ms)},
        "backend": dict(found.backend),
        "partial": found.partial,
        "warnings": list(found.warnings),
        "engines": [_engine(one) for one in found.engines],
    }


def _engine(one: Checkup) -> dict[str, Any]:
    return {
        "key": one.key,
        "profile": one.profile,
        "labels": dict(one.labels),
        "scrape_interval_s": one.power.interval_s,
        "coverage": one.coverage,
        "boots": one.boots,
        "names": [asdict(row) for row in one.audits.names],
        "findings": [asdict(row) for row in one.prospects],
        "power": asdict(one.power),
        "audits": {
            name: [dict(row) for row in getattr(one.audits, name)]
            for name in ("scrapes", "liveness", "gauges", "dilution", "histograms", "duplicates")
        },
        "caveats": [asdict(row) for row in one.caveats],
        "advice": list(one.advice),
        "prometheus_config": one.config or None,
    }


def _lines(found: Examination) -> Iterator[str]:
    kind, version = found.backend.get("kind", "unknown"), found.backend.get("version", "")
    yield f"server    {kind} {version}".rstrip()
    yield f"window    {rfc3339(found.window.start_ms)} to {rfc3339(found.window.end_ms)}"
    if found.partial:
        yield "partial   the server answered in part: what is missing here may be there"
    for warning in found.warnings:
        yield f"warning   {warning}"
    for one in found.engines:
        yield ""
        yield from _engine_lines(one)


def _engine_lines(one: Checkup) -> Iterator[str]:
    answered = [row for row in one.audits.names if row.metric is not None]
    absent = [row for row in one.audits.names if row.metric is None]
    yield f"engine    {one.key} ({one.profile})"
    yield (
        f"scraped   every {one.power.interval_s:g} s, coverage {one.coverage:.0%}, "
        f"{one.boots} boot{'' if one.boots == 1 else 's'}"
    )
    yield f"roles     {len(answered)} answered, {len(absent)} not:"
    for row in absent:
        yield f"          - {row.role}: {row.note}"
    yield "findings"
    for prospect in one.prospects:
        tail = f": {prospect.reason}" if prospect.reason else ""
        yield f"          {prospect.possible:8}{prospect.finding}{tail}"
    yield "lag test"
    for power in one.power.rows:
        yield f"          {_power_line(power, now=one.power.interval_s)}"
    if one.caveats:
        yield "traps"
    for caveat in one.caveats:
        yield f"          {caveat.severity:8}{caveat.id.removeprefix('trap/')}: {caveat.summary}"
    yield "advice" if one.advice else "advice    nothing to change"
    for advice in one.advice:
        yield f"          - {advice}"
    if one.config:
        yield "          in prometheus.yml:"
        yield from (f"            {line}" for line in one.config.rstrip().split("\n"))


def _power_line(power: Power, *, now: float) -> str:
    mark = " (now)" if abs(power.interval_s - now) < 0.5 else ""
    told = f"every {power.interval_s:g} s{mark}: tells lingering from {power.shortest_lingering_s:g} s on"
    if power.quiet_share is None:
        return told
    hours = (
        ""
        if power.hours_for_a_verdict is None
        else f", a verdict after about {power.hours_for_a_verdict:.2g} h"
    )
    return f"{told}; {power.quiet_share:.0%} of intervals quiet{hours}"

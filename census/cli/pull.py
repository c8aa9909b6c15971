"""census pull: bring home what a Prometheus knows about an engine, raw, once.

The capture is whole or not there. Exit 2 where the words are wrong or the capture is already there, 3 where
the server is, 4 where there is nothing to pull.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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
from census.cli.times import DEFAULT_HOURS, window_of
from census.model.window import rfc3339

if TYPE_CHECKING:
    from census.pipeline.pull import Prepared, Pulled
    from census.sources.fetch import Progress

CAPTURES = Path("captures")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("pull")(pull_command)


def pull_command(  # noqa: PLR0917 - the command line calls it by name
    prometheus: PrometheusFlag = None,
    hours: Annotated[
        float | None,
        typer.Option("--hours", help="Length of the window (48); it ends now unless --end says else."),
    ] = None,
    start: Annotated[
        str | None, typer.Option("--start", metavar="TIME", help="With an offset: 2026-11-28T12:00:00Z.")
    ] = None,
    end: Annotated[
        str | None, typer.Option("--end", metavar="TIME", help="With an offset; not included.")
    ] = None,
    engine: EngineFlag = None,
    match: MatchFlag = None,
    stats: Annotated[
        str | None,
        typer.Option(
            "--stats", metavar="URL", help="The engine itself: adds a snapshot of /stats and /health."
        ),
    ] = None,
    stats_token_file: Annotated[
        Path | None,
        typer.Option("--stats-token-file", metavar="FILE", help="File with the engine's own bearer token."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="The capture (captures/ENGINE-START).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a capture that is already there.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would come: series, samples, bytes.")
    ] = False,
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
    """Bring home the raw samples of an engine from a Prometheus."""
    from census.capture.folder import refuse_existing

    if out is not None:
        refuse_existing(out, force=force)
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
        hours=None,
        engine=engine,
        match=match,
        stats=stats,
        stats_token_file=stats_token_file,
    )
    from census.pipeline.pull import PullRequest, prepare, pull
    from census.queries.profile import AUTO, choose_profiles
    from census.queries.promql import parse_matchers
    from census.sources.connection import Connection

    now_ms = time.time_ns() // 1_000_000
    default_hours = DEFAULT_HOURS if settings.hours is None else settings.hours
    request = PullRequest(
        window=window_of(hours=hours, start=start, end=end, default_hours=default_hours, now_ms=now_ms),
        engine=settings.engine or AUTO,
        matchers=parse_matchers(settings.match) if settings.match else (),
        out=out,
        captures=settings.captures or CAPTURES,
        force=force,
        stats_url=settings.stats,
        stats_token_file=settings.stats_token_file,
        now_ms=now_ms,
    )
    choose_profiles(request.engine)
    access = settings.access()
    with Connection(access) as connection:
        prepared = prepare(request, access, connection)
        if dry_run:
            _print(_planned(prepared), as_json=as_json, lines=_planned_lines(prepared))
            return
        with _progress(prepared.plan.samples) as on_progress:
            pulled = pull(request, prepared, connection, on_progress=on_progress)
    _print(_result(pulled), as_json=as_json, lines=_result_lines(pulled))


@contextmanager
def _progress(samples: int) -> Iterator[Progress]:
    """Show a bar with the time left on a terminal's standard error; nothing elsewhere."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("pulling"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} samples"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("pull", total=samples)

        def advance(count: int) -> None:
            bar.update(task, advance=count)

        yield advance


def _print(result: dict[str, Any], *, as_json: bool, lines: list[str]) -> None:
    typer.echo(
        json.dumps(result, indent=1, sort_keys=True, ensure_ascii=False) if as_json else "\n".join(lines)
    )


def _planned(prepared: Prepared) -> dict[str, Any]:
    plan = prepared.plan
    return {
        "dry_run": True,
        "path": str(prepared.out),
        "backend": dict(prepared.backend),
        "window": {"start": rfc3339(plan.window.start_ms), "end": rfc3339(plan.window.end_ms)},
        "engines": [_engine(entry) for entry in prepared.discovery.engines],
        "series": plan.series,
        "samples": plan.samples,
        "bytes_on_the_wire": plan.json_bytes,
        "bytes_on_disk": plan.disk_bytes,
        "queries": sum(len(batch.windows) for batch in plan.batches),
        "warnings": list(prepared.warnings),
        "partial": prepared.partial,
    }


def _planned_lines(prepared: Prepared) -> list[str]:
    plan = prepared.plan
    return [
        f"would pull  {plan.series:,} series, about {plan.samples:,} samples in "
        f"{sum(len(batch.windows) for batch in plan.batches)} queries",
        f"bytes       about {_megabytes(plan.json_bytes)} on the wire, {_megabytes(plan.disk_bytes)} on disk",
        f"into        {prepared.out} (nothing was written)",
        f"window      {rfc3339(plan.window.start_ms)} to {rfc3339(plan.window.end_ms)}",
        *_backend_lines(dict(prepared.backend)),
        *(line for entry in prepared.discovery.engines for line in _engine_lines(_engine(entry))),
        *(f"warning     {one}" for one in prepared.warnings),
    ]


def _result(pulled: Pulled) -> dict[str, Any]:
    manifest = pulled.manifest
    return {
        "path": str(pulled.path),
        "sha256": manifest.sha256,
        "backend": dict(manifest.backend),
        "way": manifest.way,
        "window": {"start": rfc3339(manifest.window.start_ms), "end": rfc3339(manifest.window.end_ms)},
        "first_sample": None if manifest.first_ms is None else rfc3339(manifest.first_ms),
        "last_sample": None if manifest.last_ms is None else rfc3339(manifest.last_ms),
        "engines": [_engine(entry) for entry in manifest.engines],
        "series": len(manifest.series),
        "samples": sum(manifest.samples),
        "notes": list(pulled.notes),
        "warnings": list(manifest.warnings),
        "partial": manifest.partial,
    }


def _result_lines(pulled: Pulled) -> list[str]:
    manifest = pulled.manifest
    return [
        f"capture     {pulled.path}",
        f"window      {rfc3339(manifest.window.start_ms)} to {rfc3339(manifest.window.end_ms)}",
        f"samples     {sum(manifest.samples):,} in {len(manifest.series):,} series, by {manifest.way}",
        *_backend_lines(dict(manifest.backend)),
        *(line for entry in manifest.engines for line in _engine_lines(_engine(entry))),
        *(["partial     the server says that its answers may be partial"] if manifest.partial else []),
        *(f"note        {one}" for one in pulled.notes),
        *(f"warning     {one}" for one in manifest.warnings),
    ]


def _engine(entry: Any) -> dict[str, Any]:
    return {
        "key": entry.key,
        "profile": entry.profile,
        "labels": dict(entry.labels),
        "roles": {binding.role: binding.metric for binding in entry.roles},
        "absent": {one.role: one.reason for one in entry.absent},
    }


def _engine_lines(engine: dict[str, Any]) -> list[str]:
    labels = ", ".join(f"{name}={value}" for name, value in engine["labels"].items())
    missing = [
        (role, why) for role, why in engine["absent"].items() if why.startswith(("not found", "found"))
    ]
    elsewhere = len(engine["absent"]) - len(missing)
    never = f"; {elsewhere} more that {engine['profile']} never exports" if elsewhere else ""
    return [
        f"engine      {engine['key']} ({labels})",
        f"            {len(engine['roles'])} quantities found, {len(missing)} not{never}",
        *(f"absent      {role}: {why}" for role, why in missing),
    ]


def _backend_lines(backend: dict[str, Any]) -> list[str]:
    return [f"server      {backend['kind']} {backend['version']}".rstrip()]


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 100_000 else f"{count / 1e3:,.1f} kB"

"""census check: does what must hold after a deploy hold?

``held``: did the knob that is believed to protect decode ever act? One line an engine on standard output, its
evidence below; ``--json`` prints an object. Exit 0 passed, 1 failed, 4 inconclusive; of several engines the
worst: 1 before 4 before 0. A capture is read without any library, a live server with few questions.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from census.cli.source_flags import (
    BasicFlag,
    BearerFlag,
    CaFlag,
    CertFlag,
    HeaderFlag,
    InsecureFlag,
    KeyFlag,
    MatchFlag,
    PrometheusFlag,
    TimeoutFlag,
    source_from_flags,
)
from census.cli.times import DEFAULT_HOURS
from census.errors import UsageError
from census.model.window import parse_time

if TYPE_CHECKING:
    from census.gates.result import Bounds, EngineVerdict, GateResult
    from census.gates.span import Since

SCHEMA = "census.check/1"
CAPTURES = Path("captures")
WORDS: Mapping[str, str] = {"pass": "PASS", "fail": "FAIL", "inconclusive": "INCONCLUSIVE"}


def register(app: typer.Typer) -> None:
    """Add the command and its gates to the application."""
    gates = typer.Typer(
        help="Check what must hold after a deploy: exit 0 it does, 1 it does not, 4 cannot be told.",
        no_args_is_help=False,
        rich_markup_mode=None,
    )
    gates.callback()(_gates)
    gates.command("held")(held)
    app.add_typer(gates, name="check")


def _gates() -> None:
    """Check what must hold after a deploy: exit 0 it does, 1 it does not, 4 cannot be told."""


def held(  # noqa: PLR0917 - the command line calls it by name
    capture: Annotated[
        Path | None,
        typer.Argument(help="A capture; without one the server, without a server the newest capture."),
    ] = None,
    prometheus: PrometheusFlag = None,
    since: Annotated[
        str,
        typer.Option("--since", metavar="TIME|boot", help="A deploy, with an offset; or the last boot seen."),
    ] = "boot",
    engine: Annotated[
        str | None,
        typer.Option("--engine", metavar="NAME", help="Only this engine (its key), or those of a profile."),
    ] = None,
    match: MatchFlag = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
    bearer_token_file: BearerFlag = None,
    basic_auth_file: BasicFlag = None,
    header: HeaderFlag = None,
    ca_file: CaFlag = None,
    client_cert: CertFlag = None,
    client_key: KeyFlag = None,
    insecure: InsecureFlag = None,
    timeout: TimeoutFlag = None,
) -> None:
    """Did held steps leave zero? The meter of a knob that protects decode from prefill."""
    if capture is not None and (prometheus is not None or match is not None):
        raise UsageError(
            f"both the capture {capture} and a server are named",
            hint="leave out the capture, or --prometheus and --match",
        )
    span = parse_since(since)
    if capture is not None:
        from census.pipeline.check import check_capture

        result = check_capture(capture, since=span, engine=engine)
    else:
        result = _check_server_or_newest(
            span,
            engine=engine,
            now_ms=time.time_ns() // 1_000_000,
            prometheus=prometheus,
            match=match,
            bearer_token_file=bearer_token_file,
            basic_auth_file=basic_auth_file,
            header=header,
            ca_file=ca_file,
            client_cert=client_cert,
            client_key=client_key,
            insecure=insecure,
            timeout=timeout,
        )
    typer.echo(json_of(result) if as_json else text_of(result))
    raise typer.Exit(int(result.exit_code))


def parse_since(text: str) -> Since:
    """Return "boot" or the moment in milliseconds.

    Raises
    ------
    UsageError : neither "boot" nor a time with an offset.
    """
    if text.strip().lower() == "boot":
        return "boot"
    try:
        return parse_time(text)
    except UsageError as error:
        raise UsageError(f"--since: {error.message}", hint=f"{error.hint}, or boot") from error


def text_of(result: GateResult) -> str:
    """Return the verdict in words: a line an engine, its evidence below."""
    lines = [f"warning from the server: {warning}" for warning in result.warnings]
    for one in result.engines:
        lines.append(f"{WORDS[one.outcome]} {one.key}: {one.state}; {one.summary}")
        lines += [f"    {evidence}" for evidence in one.evidence]
    return "\n".join(lines)


def json_of(result: GateResult) -> str:
    """Return the verdict as one JSON object."""
    document = {
        "schema": SCHEMA,
        "gate": result.id.removeprefix("gate/"),
        "outcome": result.outcome,
        "exit_code": int(result.exit_code),
        "engines": [_engine(one) for one in result.engines],
        "warnings": list(result.warnings),
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def _engine(one: EngineVerdict) -> dict[str, Any]:
    return {
        "key": one.key,
        "profile": one.profile,
        "labels": dict(one.labels),
        "outcome": one.outcome,
        "state": one.state,
        "held": _bounds(one.held),
        "opportunities": _bounds(one.opportunities),
        "since": one.since,
        "summary": one.summary,
        "evidence": list(one.evidence),
    }


def _bounds(bounds: Bounds | None) -> dict[str, int | float] | None:
    return None if bounds is None else {"low": bounds.low, "high": bounds.high}


def _check_server_or_newest(
    since: Since, *, engine: str | None, now_ms: int, prometheus: str | None, match: str | None, **flags: Any
) -> GateResult:
    """Judge the server that a flag, the environment or census.toml names; without one the newest capture."""
    settings = source_from_flags(prometheus=prometheus, engine=engine, match=match, **flags)
    if not settings.url:
        from census.capture.places import newest_capture
        from census.pipeline.check import check_capture

        if match is not None:
            raise UsageError(
                "--match chooses series on a server, and none is named", hint="give --prometheus URL"
            )
        return check_capture(newest_capture(settings.captures or CAPTURES), since=since, engine=engine)
    from census.pipeline.check import check_live
    from census.queries.promql import parse_matchers

    return check_live(
        settings.access(),
        since=since,
        hours=settings.hours or DEFAULT_HOURS,
        matchers=parse_matchers(settings.match) if settings.match else (),
        engine=settings.engine,
        now_ms=now_ms,
    )

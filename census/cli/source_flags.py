"""The flags that name a server and let us in; every command that asks a Prometheus has them all.

Each flag may stand in census.toml instead. A flag that is not given is None, so that the file and the
environment keep their say.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from census.errors import UsageError

if TYPE_CHECKING:
    from census.pipeline.config import SourceSettings

PANEL = "Reaching the server"

PrometheusFlag = Annotated[
    str | None,
    typer.Option("--prometheus", metavar="URL", help="Address of the Prometheus API, with its path prefix."),
]
EngineFlag = Annotated[
    str | None,
    typer.Option("--engine", metavar="NAME", help="auto, or the engine to look for: radiance, vllm."),
]
MatchFlag = Annotated[
    str | None,
    typer.Option(
        "--match",
        metavar="SELECTOR",
        help="""Only series that match, e.g.
    '{job="llm"}'.""",
    ),
]
BearerFlag = Annotated[
    Path | None, typer.Option("--bearer-token-file", metavar="FILE", help="File with a bearer token.")
]
BasicFlag = Annotated[
    Path | None, typer.Option("--basic-auth-file", metavar="FILE", help="File with user:password.")
]
HeaderFlag = Annotated[
    list[str] | None,
    typer.Option(
        "--header", metavar="'NAME: VALUE'", help="A further header, e.g. a tenant; may be repeated."
    ),
]
CaFlag = Annotated[
    Path | None, typer.Option("--ca-file", metavar="FILE", help="CA that signed the server's certificate.")
]
CertFlag = Annotated[
    Path | None, typer.Option("--client-cert", metavar="FILE", help="Client certificate (PEM).")
]
KeyFlag = Annotated[
    Path | None, typer.Option("--client-key", metavar="FILE", help="Key of the client certificate.")
]
InsecureFlag = Annotated[
    bool | None,
    typer.Option("--insecure", help="Do not verify the server's certificate.", show_default=False),
]
TimeoutFlag = Annotated[
    float | None, typer.Option("--timeout", metavar="SECONDS", help="Longest silence of the server (120).")
]


def source_from_flags(
    *,
    prometheus: str | None,
    bearer_token_file: Path | None,
    basic_auth_file: Path | None,
    header: Sequence[str] | None,
    ca_file: Path | None,
    client_cert: Path | None,
    client_key: Path | None,
    insecure: bool | None,
    timeout: float | None,
    hours: float | None = None,
    engine: str | None = None,
    match: str | None = None,
    stats: str | None = None,
    stats_token_file: Path | None = None,
) -> SourceSettings:
    """Return the settings that apply: these flags over the environment over census.toml.

    Raises
    ------
    UsageError : a header that is none, a timeout that is not above 0, or a census.toml that is wrong.
    """
    from census.pipeline.config import SourceSettings, source_settings

    if timeout is not None and not 0 < timeout < float("inf"):
        raise UsageError(f"--timeout {timeout:g}: give seconds above 0")
    flags = SourceSettings(
        url=prometheus,
        bearer_token_file=bearer_token_file,
        basic_auth_file=basic_auth_file,
        headers=tuple(parse_header(one) for one in header) if header else None,
        ca_file=ca_file,
        client_cert=client_cert,
        client_key=client_key,
        insecure=insecure or None,
        timeout_s=timeout,
        hours=hours,
        engine=engine,
        match=match,
        stats=stats,
        stats_token_file=stats_token_file,
    )
    return source_settings(flags, environment=os.environ, folder=Path.cwd(), home=Path.home())


def parse_header(text: str) -> tuple[str, str]:
    """Return name and value of ``Name: value``; the value is never repeated in an error."""
    name, colon, value = text.partition(":")
    if (
        not colon
        or not name.strip()
        or not value.strip()
        or not name.strip().isascii()
        or " " in name.strip()
    ):
        raise UsageError("--header: want 'Name: value'", hint="for example --header 'X-Scope-OrgID: team'")
    return name.strip(), value.strip()

"""The command line: an explicit tuple of commands, in the order in which they are used."""

from __future__ import annotations

from typing import Annotated

import typer

from census import __version__
from census.cli import captures, check, demo, doctor, explain, pull, report

COMMANDS = (doctor, pull, report, check, captures, explain, demo)


def build_app() -> typer.Typer:
    """Return the application with all its commands."""
    app = typer.Typer(
        name="census",
        help="What the prefill of an LLM inference server does to its decode, from its Prometheus history.",
        epilog="Exit codes: 0 fine, 1 a gate or check failed, 2 usage, 3 the server, 4 inconclusive.",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_root)
    for command in COMMANDS:
        command.register(app)
    return app


def _root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback has done all
        bool,
        typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"census {__version__}")
        raise typer.Exit

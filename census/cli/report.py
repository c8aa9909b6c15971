"""census report: what does a capture say? Prints the answer on one screen and writes the report's files.

One document alone goes to standard output with ``--format json --out -`` (or md, or html); ``--json`` is
short for that. Exit 0 whenever a document was printed: only gates fail.
"""

from __future__ import annotations

import contextlib
import difflib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from census.errors import UsageError

if TYPE_CHECKING:
    from census.model.census import Census
    from census.model.settings import Settings

FORMATS = ("md", "html", "json")
CAPTURES = Path("captures")
REPORTS = Path("reports")
UNWRAPPED = 100_000
"""Columns of a pipe: no line is broken, so that words can be searched for."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("report")(report)


def report(
    capture: Annotated[
        Path | None, typer.Argument(help="A capture folder; the newest in captures/ by default.")
    ] = None,
    formats: Annotated[
        str, typer.Option("--format", help="Which files: md, html, json, several with commas.")
    ] = "md,html,json",
    out: Annotated[
        str | None,
        typer.Option("--out", help="Folder for the files (default reports/CAPTURE); - prints one document."),
    ] = None,
    boot: Annotated[str, typer.Option(help="all, last, or the index of one boot, from 0.")] = "all",
    edges: Annotated[
        str | None, typer.Option(help="Inner edges of the prefill buckets, tok/s, e.g. 500,1000,2000,5000.")
    ] = None,
    engine: Annotated[
        str | None, typer.Option(help="Only this engine of the capture (its key, as pull lists it).")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the JSON document, as --format json --out - does.")
    ] = False,
) -> None:
    """Say what prefill does to decode in a capture: verdict, costs, ladder, traps."""
    wanted = parse_formats("json" if as_json else formats)
    if as_json and out is None:
        out = "-"
    if out == "-" and len(wanted) != 1:
        raise UsageError(
            f"--out - prints one document, and --format asks for {len(wanted)}",
            hint="for example --format json --out -",
        )
    which_boot = parse_boot(boot)
    settings = parse_settings(edges)
    from census.capture.places import newest_capture

    path = newest_capture(CAPTURES) if capture is None else capture
    censuses = take_census(path, settings=settings, boot=which_boot, engine=engine)
    if out == "-":
        typer.echo(render(wanted[0], censuses).encode("utf-8"), nl=False)
        return
    folder = REPORTS / _name_of(path) if out is None else Path(out)
    written = write_files(folder, wanted, censuses)
    if as_json:
        typer.echo(render("json", censuses).encode("utf-8"), nl=False)
    else:
        print_screen(censuses)
    for file in written:
        typer.echo(f"wrote {file}", err=True)


def parse_formats(text: str) -> tuple[str, ...]:
    """Return the formats asked for, each once, in the order of ``FORMATS``."""
    asked = [word.strip().lower() for word in text.split(",") if word.strip()]
    for word in asked:
        if word not in FORMATS:
            near = difflib.get_close_matches(word, [*FORMATS, "markdown"], n=1)
            meant = f"did you mean {near[0].replace('markdown', 'md')}? " if near else ""
            raise UsageError(f"no format {word!r}", hint=f"{meant}the formats are {', '.join(FORMATS)}")
    if not asked:
        raise UsageError("--format names no format", hint=f"the formats are {', '.join(FORMATS)}")
    return tuple(name for name in FORMATS if name in asked)


def parse_boot(text: str) -> str:
    """Return "all", "last" or the index as text, checked."""
    word = text.strip().lower()
    if word in {"all", "last"} or word.isdecimal():
        return word
    raise UsageError(f"no boot {text!r}", hint="--boot takes all, last, or an index from 0")


def parse_settings(edges: str | None) -> Settings:
    """Return the settings, with the edges asked for."""
    from census.model.settings import Settings

    if edges is None:
        return Settings()
    try:
        numbers = tuple(float(word) for word in edges.split(","))
    except ValueError:
        raise UsageError(
            f"--edges {edges!r} are not numbers", hint="for example --edges 500,1000,2000,5000"
        ) from None
    if not all(abs(number) < float("inf") for number in numbers):
        raise UsageError(f"--edges {edges!r} are not finite", hint="for example --edges 500,1000,2000,5000")
    return Settings(edges=numbers)


def take_census(path: Path, *, settings: Settings, boot: str, engine: str | None) -> tuple[Census, ...]:
    """Return the census of each engine of a capture, or of the one asked for."""
    from census.capture.folder import load_capture
    from census.pipeline.report import build_censuses

    entry = None if engine is None else load_capture(path).engine(engine)
    with working("reading the capture"):
        censuses = build_censuses(path, settings, boot=boot)
    if entry is None:
        return censuses
    mine = tuple(
        census
        for census in censuses
        if census.engine.profile == entry.profile and dict(census.engine.labels) == dict(entry.labels)
    )
    if not mine:
        raise UsageError(
            f"the report has no engine {engine!r}", hint="census report without --engine shows all"
        )
    return mine


def render(name: str, censuses: Sequence[Census]) -> str:
    """Return one document."""
    return _renderer(name)(censuses)


def write_files(folder: Path, names: Sequence[str], censuses: Sequence[Census]) -> tuple[Path, ...]:
    """Write report.md, report.html and report.json as asked, each whole or not at all; return their paths."""
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            path = folder / f"report.{name}"
            beside = path.with_name(f".{path.name}.partial")
            beside.write_text(render(name, censuses), encoding="utf-8", newline="\n")
            beside.replace(path)
            written.append(path)
    except OSError as error:
        raise UsageError(
            f"cannot write to {folder}: {error.strerror or error}", hint="give another --out"
        ) from error
    return tuple(written)


def print_screen(censuses: Sequence[Census]) -> None:
    """Print the one-screen answer: with colour on a terminal, plain and unwrapped in a pipe."""
    from rich.console import Console

    from census.render.terminal import render_terminal

    console = Console(highlight=False, emoji=False, markup=False)
    if not console.is_terminal:
        console = Console(highlight=False, emoji=False, markup=False, width=UNWRAPPED, color_system=None)
    console.print(render_terminal(censuses))


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Show on a terminal's standard error that work goes on."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(f"{what} …"):
        yield


def _renderer(name: str) -> Callable[[Sequence[Census]], str]:
    if name == "md":
        from census.render.markdown import render_markdown

        return render_markdown
    if name == "html":
        from census.render.html.document import render_html

        return render_html
    from census.render.report_json import report_json

    return report_json


def _name_of(path: Path) -> str:
    return path.name or Path(os.path.abspath(path)).name  # noqa: PTH100 - resolve() would follow a link

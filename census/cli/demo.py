"""census demo: the founding case from a simulated server to its report, in under a minute.

An engine is simulated step by step and calibrated to the founding text (decode-only steps of 15.5 ms, chunk
steps of 166 ms, two slots, no interleave, one restart); its metrics are served on loopback, pulled by the
same code as any Prometheus, and reported. The result is the specimen in reports/specimen/.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SPECIMEN = Path("reports/specimen")
CAPTURE = Path("captures/demo")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("demo")(demo)


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = SPECIMEN,
    capture: Annotated[Path, typer.Option(help="Where the capture is put (replaced).")] = CAPTURE,
    hours: Annotated[float, typer.Option(min=2.0, max=96.0, help="Hours to simulate.")] = 48.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the JSON document.")] = False,
) -> None:
    """Simulate the founding case, pull it, report it."""
    from census.cli.report import FORMATS, print_screen, render, write_files
    from census.model.settings import Settings
    from census.pipeline.demo import pull_demo
    from census.pipeline.report import build_censuses

    pulled = pull_demo(capture, hours=hours, on_stage=_say, on_progress=_quiet)
    _say("taking the census")
    censuses = build_censuses(pulled.path, Settings())
    written = write_files(out, FORMATS, censuses)
    if as_json:
        typer.echo(render("json", censuses).encode("utf-8"), nl=False)
    else:
        print_screen(censuses)
    for file in written:
        _say(f"wrote {file}")
    _say(f"the same from your own server: census pull --prometheus URL --hours {hours:g}, then census report")


def _say(text: str) -> None:
    typer.echo(text, err=True)


def _quiet(*_: object) -> None:
    """Say nothing: on loopback a pull is over before a bar is read."""

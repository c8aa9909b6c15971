"""census captures: which captures are here?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from census.errors import CaptureError, UsageError
from census.model.window import rfc3339

if TYPE_CHECKING:
    from census.capture.manifest import Manifest

CAPTURES = Path("captures")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("captures")(captures)


def captures(
    folder: Annotated[Path, typer.Argument(help="The folder in which captures lie.")] = CAPTURES,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the captures that are here, newest first."""
    from census.capture.places import list_captures

    if folder != CAPTURES and not folder.is_dir():
        raise UsageError(f"{folder} is no folder", hint="census captures lists the folder captures/")
    rows = [_row(path) for path in list_captures(folder)]
    if as_json:
        typer.echo(json.dumps(rows, indent=1, sort_keys=True, ensure_ascii=False))
        return
    if not rows:
        typer.echo(f"no capture in {folder}; census pull --prometheus URL makes one", err=True)
    for row in rows:
        typer.echo(_line(row))


def _row(path: Path) -> dict[str, Any]:
    from census.capture.manifest_json import read_manifest

    try:
        manifest = read_manifest(path)
    except CaptureError as error:
        return {"path": str(path), "error": str(error)}
    return _described(path, manifest)


def _described(path: Path, manifest: Manifest) -> dict[str, Any]:
    return {
        "path": str(path),
        "engines": [entry.key for entry in manifest.engines],
        "start": rfc3339(manifest.window.start_ms),
        "end": rfc3339(manifest.window.end_ms),
        "hours": round(manifest.window.seconds / 3600, 3),
        "series": len(manifest.series),
        "samples": sum(manifest.samples),
        "backend": dict(manifest.backend),
        "partial": manifest.partial,
        "sha256": manifest.sha256,
    }


def _line(row: dict[str, Any]) -> str:
    if "error" in row:
        return f"{row['path']}  unreadable: {row['error']}"
    engines = ", ".join(row["engines"]) or "no engine"
    return f"{row['path']}  {row['start']} to {row['end']}  {row['samples']:,} samples  {engines}"

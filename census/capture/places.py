"""Where are the captures, and is this folder one?

A folder is a capture if it has a manifest and its name does not end in ``.partial`` (folder.py). On the
standard library alone, so that a gate answers at once.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from census.errors import CaptureError

PARTIAL = ".partial"
MANIFEST = "manifest.json"
GATE = "gate.json"


def require_whole(path: Path) -> None:
    """Raise where ``path`` is no whole capture.

    Raises
    ------
    CaptureError : half written, not there, or without a manifest.
    """
    if path.name.endswith(PARTIAL):
        raise CaptureError(f"{path} is half written: its pull did not end", hint="pull it again")
    if not path.is_dir():
        what = "is a file, not a capture folder" if path.is_file() else "is not there"
        raise CaptureError(f"capture {path} {what}", hint="census captures lists what is here")
    if not (path / MANIFEST).is_file():
        raise CaptureError(
            f"{path} is no capture: it has no {MANIFEST}", hint="census captures lists what is here"
        )


def list_captures(root: Path) -> tuple[Path, ...]:
    """Return the whole captures under ``root``, newest first (by when they were put in place)."""
    if not root.is_dir():
        return ()
    found = [one for one in root.iterdir() if not one.name.endswith(PARTIAL) and (one / MANIFEST).is_file()]
    return tuple(sorted(found, key=lambda one: ((one / MANIFEST).stat().st_mtime_ns, one.name), reverse=True))


def newest_capture(root: Path) -> Path:
    """Return the newest capture under ``root``."""
    found = list_captures(root)
    if not found:
        raise CaptureError(f"no capture in {root}", hint="census pull --prometheus URL makes one")
    return found[0]


def read_json(path: Path) -> Any:
    """Return the document of one JSON file of a capture."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise CaptureError(f"{path} is missing", hint="pull it again") from error
    except (OSError, ValueError) as error:
        raise CaptureError(f"{path} is unreadable: {error}", hint="pull it again") from error

"""From a capture, or a live server, to a gate's verdict.

A capture's gate.json is read with the standard library alone, and a live server is asked for the gate's few
series only, so that a gate answers at once. The clock comes in as an argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from census.capture.manifest_json import manifest_from_json
from census.capture.places import GATE, MANIFEST, read_json, require_whole
from census.errors import CaptureError, UsageError
from census.gates.held import judge_held
from census.gates.result import GateResult
from census.gates.span import Since
from census.model.window import Window, rfc3339

if TYPE_CHECKING:
    from census.queries.promql import Matcher
    from census.sources.connection import Access

LEAD_MS = 600_000
"""A live check since a deploy looks this much further back, to see the process before it."""


def check_capture(path: Path, *, since: Since, engine: str | None) -> GateResult:
    """Judge the engines of a capture.

    Raises
    ------
    CaptureError : no whole capture, unreadable, or of a newer format.
    """
    require_whole(path)
    try:
        text = (path / MANIFEST).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CaptureError(f"{path / MANIFEST} is unreadable: {error}") from error
    manifest_from_json(text, where=str(path))
    return judge_held(read_json(path / GATE), since=since, engine=engine)


def check_live(
    access: Access,
    *,
    since: Since,
    hours: float,
    matchers: Sequence[Matcher],
    engine: str | None,
    now_ms: int,
) -> GateResult:
    """Judge the engines on a live server.

    Parameters
    ----------
    hours : how far back the last boot is looked for.
    engine : a profile's name, or the key of an engine; "auto" and None mean all.

    Raises
    ------
    SourceError : the server is not reachable, refuses, or is not what it should be.
    InconclusiveError : no engine on it.
    """
    from census.queries.profile import AUTO, PROFILE_NAMES
    from census.sources.connection import Connection
    from census.sources.live_gate import fetch_gate

    window = live_window(since, hours=hours, now_ms=now_ms)
    profile = engine if engine in PROFILE_NAMES else AUTO
    with Connection(access) as connection:
        gate = fetch_gate(connection, window=window, matchers=matchers, engine=profile)
    return judge_held(gate, since=since, engine=engine)


def live_window(since: Since, *, hours: float, now_ms: int) -> Window:
    """Return the window that a live check asks for."""
    if since == "boot":
        return Window(start_ms=now_ms - round(hours * 3_600_000), end_ms=now_ms)
    if since >= now_ms:
        raise UsageError(f"--since {rfc3339(since)} has not come yet", hint="give the moment of the deploy")
    return Window(start_ms=since - LEAD_MS, end_ms=now_ms)

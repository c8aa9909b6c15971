"""What does the engine itself say right now? One snapshot of its /stats and /health pages.

Counts on /stats run since the boot, those of Prometheus over the window, so the snapshot is kept with its
time and compared on the overlap alone. The page is read once: some engines' pages drain when they are read.
The Prometheus's credentials are never sent to an engine; it may have a bearer token of its own.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from census.errors import SourceError
from census.sources.connection import Access, Connection
from census.sources.refusals import ServerRefusalError

STATS = "stats.json"
HEALTH = "health.json"


def snapshot(url: str, *, token_file: Path | None, access: Access, now_ms: int) -> dict[str, Any]:
    """Return {"stats.json": …, "health.json": …} of the engine at ``url`` (its base, or its /stats page).

    Each is {"taken_ms": …, "page": …}; an engine without /health gives the first alone. ``access`` lends its
    CA file and timeouts.

    Raises
    ------
    SourceError : /stats is not reachable, refuses us, or is no JSON object.
    """
    connection = Connection(_engine_access(url, token_file=token_file, access=access), what="engine")
    try:
        stats = connection.get_json("/stats")
        if not isinstance(stats, dict):
            raise SourceError(f"{connection.base_url}/stats is no JSON object", hint="check --stats")
        found = {STATS: {"taken_ms": now_ms, "page": stats}}
        try:
            found[HEALTH] = {"taken_ms": now_ms, "page": connection.get_json("/health")}
        except ServerRefusalError as error:
            if error.status != 503:
                return found
            found[HEALTH] = {"taken_ms": now_ms, "page": {"status": f"HTTP 503: {error.words}"}}
        return found
    finally:
        connection.close()


def _engine_access(url: str, *, token_file: Path | None, access: Access) -> Access:
    parts = urlsplit(url.strip())
    path = parts.path.rstrip("/").removesuffix("/stats")
    base = urlunsplit((parts.scheme, parts.netloc, path, "", ""))
    return replace(
        access,
        url=base,
        bearer_token_file=token_file,
        bearer_token=None,
        basic_auth_file=None,
        headers={},
        client_cert=None,
        client_key=None,
    )

"""What does this Prometheus know of? Names, series and counts, through the client library, on our own
session.

The one importer of ``prometheus_api_client``. The library asks, our session decides how (connection), and a
hook on it checks each answer before the library sees it: the library would lose the server's words, its
warnings, and take an HTML page for a traceback.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import requests
from prometheus_api_client import PrometheusConnect

from census.errors import SourceError
from census.model.window import Window
from census.sources.connection import CONNECT_RETRIES, Connection
from census.sources.matrix import envelope_of
from census.sources.refusals import ServerRefusalError

NAMES_PER_CALL = 20
"""Names go in the address of a GET, and some proxies cut it at 2 kB."""


class PrometheusCatalogue:
    """Discovery on one server; remembers the warnings that came with the answers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._client = PrometheusConnect(
            url=connection.base_url,
            session=connection.session,
            timeout=connection.timeout,
            retry=CONNECT_RETRIES,
        )
        self.warnings: list[str] = []
        self.partial = False

    def metric_names(self, *, window: Window | None, match: str | None) -> tuple[str, ...]:
        """Return the metric names with a sample in the window (in all time: None) under a selector."""
        params: dict[str, Any] = _span(window)
        if match:
            params["match[]"] = match
        path = "/api/v1/label/__name__/values"
        with self._checked(path):
            names = self._client.get_label_values(label_name="__name__", params=params)
        return tuple(str(name) for name in names or ())

    def series(self, selectors: Sequence[str], *, window: Window) -> tuple[dict[str, str], ...]:
        """Return the label sets of all series that these selectors choose in the window, once each."""
        found: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
        start, end = _moment(window.start_ms), _moment(window.end_ms)
        for selector in selectors:
            with self._checked("/api/v1/series"):
                answer = self._client.get_series(start=start, end=end, params={"match[]": selector})
            for labels in answer or ():
                found[tuple(sorted(labels.items()))] = labels
        return tuple(found[key] for key in sorted(found))

    def instant(self, query: str, *, time_ms: int) -> list[tuple[dict[str, str], float]]:
        """Return the vector that a query gives at one moment."""
        with self._checked("/api/v1/query"):
            rows = self._client.custom_query(
                query, params={"time": f"{time_ms // 1000}.{time_ms % 1000:03d}"}
            )
        return [(row["metric"], float(row["value"][1])) for row in rows or ()]

    def backend(self) -> dict[str, Any]:
        """Return what kind of server this is, in which version; {"kind": "unknown"} where it does not say.

        Raises
        ------
        SourceError : the server is not reachable, refuses us, or is no Prometheus API at all.
        """
        build, build_words = self._status("/api/v1/status/buildinfo")
        flags, flag_words = self._status("/api/v1/status/flags")
        version = str(build.get("version") or "")
        application = str(build.get("application") or "")
        if "victoria" in (build_words + flag_words + application).lower() or "unsupported path" in flag_words:
            kind = "victoria-metrics"
        elif application:
            kind = application.lower().replace(" ", "-")
        elif version and flags:
            kind = "prometheus"
        else:
            kind = "unknown"
        backend: dict[str, Any] = {"kind": kind, "version": version}
        for flag in ("query.max-samples", "query.timeout"):
            if flag in flags:
                backend[flag] = str(flags[flag])
        runtime, _ = self._status("/api/v1/status/runtimeinfo")
        if runtime.get("storageRetention"):
            backend["retention"] = str(runtime["storageRetention"])
        return backend

    def _status(self, path: str) -> tuple[dict[str, Any], str]:
        """Return the data of a status page, or nothing and the server's words where it has no such page."""
        try:
            document = self._connection.get_json(path)
        except ServerRefusalError as error:
            if error.status in (400, 403, 404, 405, 501):
                return {}, error.words
            raise
        data = self._connection.api(document, path=path)
        return (data if isinstance(data, dict) else {}), ""

    @contextmanager
    def _checked(self, path: str) -> Iterator[None]:
        """Check each answer in our own words, and keep its warnings."""

        def check(response: requests.Response, **_: Any) -> None:
            self._connection.check_status(response, path=path, body=response.content)
            self._note_warnings(response.content, path=path)

        hooks = self._connection.session.hooks
        hooks["response"].append(check)
        try:
            with self._connection.explaining(path):
                yield
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise SourceError(
                f"{self._connection.base_url}{path} answered JSON of an unexpected shape ({error})",
                hint="check the address",
            ) from error
        finally:
            hooks["response"].remove(check)

    def _note_warnings(self, body: bytes, *, path: str) -> None:
        try:
            document = json.loads(body)
        except ValueError as error:
            raise self._connection.refusal(body, path=path) from error
        self._connection.api(document, path=path)
        envelope = envelope_of(document, native=())
        self.partial = self.partial or envelope.partial
        self.warnings.extend(one for one in envelope.warnings if one not in self.warnings)


def _span(window: Window | None) -> dict[str, Any]:
    if window is None:
        return {"start": "0"}
    return {"start": window.start_ms / 1000, "end": window.end_ms / 1000}


def _moment(time_ms: int) -> datetime:
    return datetime.fromtimestamp(time_ms / 1000, UTC)


def chunked(names: Sequence[str], *, size: int = NAMES_PER_CALL) -> Iterator[Sequence[str]]:
    """Yield the names in groups that fit one call."""
    for start in range(0, len(names), size):
        yield names[start : start + size]

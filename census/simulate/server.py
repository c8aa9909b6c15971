"""Who answers on the wire? A simulated target and its Prometheus, on loopback, for as long as a block runs.

Method: the standard library's HTTP server in a thread of its own; every answer is computed by ``api``. The
clock is virtual: it starts at a chosen moment and runs as fast as asked, or stands still.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from census.capture.series import Series
from census.simulate.api import Answer, SimulatedServer
from census.simulate.expose_radiance import RadianceOptions, radiance_series
from census.simulate.run import Run


def clock_at(start_ms: int, *, speed: float = 0.0) -> Callable[[], int]:
    """Return a virtual clock that shows ``start_ms`` now and goes ``speed`` times as fast as the real one."""
    begun = time.monotonic()
    return lambda: start_ms + round((time.monotonic() - begun) * speed * 1000.0)


@contextmanager
def serve(
    runs: Sequence[Run],
    *,
    series: Sequence[Series] | None = None,
    port: int = 0,
    now_ms: Callable[[], int] | None = None,
    options: RadianceOptions | None = None,
) -> Iterator[str]:
    """Serve runs of one target on 127.0.0.1 and yield the address.

    Parameters
    ----------
    series : what the Prometheus holds; by default all that radiance exposed in these runs.
    port : 0 takes a free one.
    now_ms : the virtual clock; by default it stands at the end of the last run.
    """
    held = series if series is not None else [one for run in runs for one in radiance_series(run, options)]
    clock = now_ms or clock_at(max(run.end_ms for run in runs))
    target = SimulatedServer(runs, held, now_ms=clock, options=options)
    with _Server(("127.0.0.1", port), _handler(target)) as server:
        thread = threading.Thread(target=server.serve_forever, name="simulated-server", daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over a client that went away; anything else is a bug and is shown."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def _handler(target: SimulatedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """Answer a question in the address."""
            parts = urlsplit(self.path)
            self._send(target.answer(parts.path, parse_qs(parts.query, keep_blank_values=True)))

        def do_POST(self) -> None:
            """Answer a question in a form; what stands in the address counts too."""
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            form = self.rfile.read(length).decode("utf-8", errors="replace")
            both = "&".join(text for text in (form, parts.query) if text)
            self._send(target.answer(parts.path, parse_qs(both, keep_blank_values=True)))

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the name is the base class's
            """Say nothing."""

        def _send(self, answer: Answer) -> None:
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

    return Handler

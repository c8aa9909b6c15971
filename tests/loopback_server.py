"""A small HTTP server on loopback that answers as a test says, for faults that a real server cannot show."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request as it came in; ``form`` holds the query and the form, first value of each."""

    method: str
    path: str
    form: Mapping[str, str]
    headers: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What to answer. ``cut`` sends so many bytes of the body and closes; ``before`` runs first (a wait)."""

    status: int = 200
    body: bytes | str = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    before: Callable[[], object] | None = None


Answer = Callable[[Request], Reply]


def api(data: object, **more: object) -> Reply:
    """Return a success of the Prometheus API."""
    return Reply(body=json.dumps({"status": "success", "data": data, **more}))


def api_error(status: int, error_type: str, words: str) -> Reply:
    """Return an error of the Prometheus API."""
    return Reply(status=status, body=json.dumps({"status": "error", "errorType": error_type, "error": words}))


@contextmanager
def loopback(
    answer: Answer, *, certificate: tuple[Path, Path] | None = None, client_ca: Path | None = None
) -> Iterator[str]:
    """Serve on a free port and yield the address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer("")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode())

        def _answer(self, body: str) -> None:
            parts = urlsplit(self.path)
            fields = {**parse_qs(parts.query), **parse_qs(body)}
            request = Request(
                method=self.command,
                path=parts.path,
                form={name: values[0] for name, values in fields.items()},
                headers=dict(self.headers.items()),
            )
            reply = answer(request)
            if reply.before:
                reply.before()
            content = reply.body.encode() if isinstance(reply.body, str) else reply.body
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content if reply.cut is None else content[: reply.cut])
            if reply.cut is not None:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            return

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, request: object, client_address: object) -> None:
            return

    server = Server(("127.0.0.1", 0), Handler)
    scheme = "http"
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        if client_ca:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(client_ca)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"{scheme}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)

"""How do we reach a server, and what do we say when it will not answer as it should?

One ``requests.Session`` of our own: identity encoding (gzip costs the server more than the wire does on a
LAN), no ~/.netrc (it would overwrite a bearer token), proxies and CA bundle from the environment honoured,
timeouts always, a retry for connecting only (so that a refusal keeps the server's words), no redirects
followed (they end on login pages). Each failure becomes a ``SourceError`` that says what was asked, what
came back and what to try; the words of the server are cut to one short line, and no secret that we hold can
stand in them.
"""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

import requests
from requests.adapters import HTTPAdapter
from requests.utils import get_environ_proxies
from urllib3.util.retry import Retry

from census.errors import SourceError, UsageError
from census.sources.refusals import failure_of_exception, refusal_of_answer, refusal_of_status

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 120.0
WHOLE_TIMEOUT_S = 900.0
"""No answer may take longer than this in all, so that a server that drips cannot hold a pull for ever."""

CONNECT_RETRIES = Retry(total=2, connect=2, read=0, status=0, redirect=0, other=0, backoff_factor=0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Where a server is and how to be let in. Files are named, secrets are read when a connection is made.

    Attributes
    ----------
    url : with a path prefix where there is one; user:password in it are used and never shown.
    bearer_token : a token from the environment; ``bearer_token_file`` goes before it.
    headers : further headers (a tenant), shown nowhere.
    insecure : do not verify the server's certificate.
    read_timeout_s : the longest silence.
    """

    url: str
    bearer_token_file: Path | None = None
    bearer_token: str | None = field(default=None, repr=False)
    basic_auth_file: Path | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    ca_file: Path | None = None
    client_cert: Path | None = None
    client_key: Path | None = None
    insecure: bool = False
    read_timeout_s: float = READ_TIMEOUT_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The body of an answer of status 200, and how long it took."""

    body: bytes
    seconds: float


class Connection:
    """A session with one server. ``what`` names the kind of server in errors, e.g. "Prometheus"."""

    def __init__(self, access: Access, *, what: str = "Prometheus") -> None:
        parts = _checked_url(access.url)
        self.base_url = urlunsplit((parts.scheme, _host(parts), parts.path.rstrip("/"), "", ""))
        self.what = what
        self.timeout = (CONNECT_TIMEOUT_S, access.read_timeout_s)
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers.update({"Accept-Encoding": "identity", "User-Agent": "census"})
        self.session.proxies.update(get_environ_proxies(self.base_url))
        for scheme in ("http://", "https://"):
            self.session.mount(scheme, HTTPAdapter(max_retries=CONNECT_RETRIES))
        self._set_tls(access)
        self._secrets = self._set_credentials(access, parts)

    def __repr__(self) -> str:
        """Return the address alone."""
        return f"Connection({self.base_url})"

    def __enter__(self) -> Connection:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the session."""
        self.close()

    def close(self) -> None:
        """Close the session."""
        self.session.close()

    def get(self, path: str, *, params: Mapping[str, Any] | None = None) -> Answer:
        """Return the answer to a GET of ``path`` below the base URL."""
        return self._ask("GET", path, params=params)

    def post(self, path: str, *, form: Mapping[str, Any]) -> Answer:
        """Return the answer to a POST of a form, whose length no proxy cuts."""
        return self._ask("POST", path, form=form)

    def get_json(self, path: str, *, params: Mapping[str, Any] | None = None) -> Any:
        """Return the parsed JSON of a GET."""
        return self.parse(self.get(path, params=params), path=path)

    def parse(self, answer: Answer, *, path: str) -> Any:
        """Return the parsed JSON of an answer, or say what came instead."""
        try:
            return json.loads(answer.body)
        except ValueError as error:
            raise self.refusal(answer.body, path=path) from error

    def api(self, document: Any, *, path: str) -> Any:
        """Return the data of a Prometheus API document, or say that it is none."""
        if isinstance(document, dict) and document.get("status") == "success" and "data" in document:
            return document["data"]
        raise self.refusal(json.dumps(document).encode(), path=path)

    def refusal(self, body: bytes, *, path: str) -> SourceError:
        """Return the error for a body of status 200 that is not what it should be."""
        return refusal_of_answer(body, url=f"{self.base_url}{path}", what=self.what, redact=self.redact)

    def redact(self, text: str) -> str:
        """Return the text with every secret that we hold replaced."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    @contextmanager
    def explaining(self, path: str) -> Iterator[None]:
        """Turn the exceptions of the HTTP library into errors that teach."""
        try:
            yield
        except requests.RequestException as error:
            raise failure_of_exception(
                error,
                url=f"{self.base_url}{path}",
                what=self.what,
                redact=self.redact,
                read_timeout_s=self.timeout[1],
            ) from error

    def check_status(self, response: requests.Response, *, path: str, body: bytes) -> None:
        """Raise for every status but 200."""
        if response.status_code != 200:
            raise refusal_of_status(
                response.status_code,
                body,
                url=f"{self.base_url}{path}",
                what=self.what,
                redact=self.redact,
                location=response.headers.get("Location", ""),
            )

    def _ask(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        form: Mapping[str, Any] | None = None,
    ) -> Answer:
        started = time.monotonic()
        with (
            self.explaining(path),
            self.session.request(
                method,
                f"{self.base_url}{path}",
                params=params,
                data=form,
                timeout=self.timeout,
                allow_redirects=False,
                stream=True,
            ) as response,
        ):
            pieces = []
            for piece in response.iter_content(chunk_size=1 << 20):
                pieces.append(piece)
                if time.monotonic() - started > WHOLE_TIMEOUT_S:
                    raise requests.ReadTimeout(f"the answer was not whole after {WHOLE_TIMEOUT_S:.0f} s")
            body = b"".join(pieces)
            self.check_status(response, path=path, body=body)
        return Answer(body=body, seconds=time.monotonic() - started)

    def _set_tls(self, access: Access) -> None:
        bundle = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
        for option, path in (
            ("--ca-file", access.ca_file),
            ("--client-cert", access.client_cert),
            ("--client-key", access.client_key),
        ):
            if path is not None and not path.is_file():
                raise UsageError(f"{option} {path}: no such file")
        if access.client_key is not None and access.client_cert is None:
            raise UsageError("--client-key needs --client-cert")
        self.session.verify = str(access.ca_file) if access.ca_file else (bundle or True)
        if access.insecure:
            self.session.verify = False
            _silence_insecure_warning()
        if access.client_cert is not None:
            pair = (
                (str(access.client_cert), str(access.client_key))
                if access.client_key
                else str(access.client_cert)
            )
            self.session.cert = pair

    def _set_credentials(self, access: Access, parts: SplitResult) -> tuple[str, ...]:
        """Set the headers and return the texts that no output may hold, longest first."""
        secrets: set[str] = set()
        for name, value in access.headers.items():
            self.session.headers[name] = _header_value(value, source=f"header {name}")
            secrets.add(value)
        token = read_secret(access.bearer_token_file, option="--bearer-token-file") or access.bearer_token
        pair = read_secret(access.basic_auth_file, option="--basic-auth-file")
        if token and pair:
            raise UsageError("a bearer token and basic credentials are both given", hint="give one of them")
        if pair is None and not token and parts.username:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        if token:
            self.session.headers["Authorization"] = (
                f"Bearer {_header_value(token, source='the bearer token')}"
            )
            secrets.add(token)
        if pair:
            user, colon, password = pair.partition(":")
            if not colon:
                raise UsageError("--basic-auth-file: its first line must be user:password")
            encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
            self.session.headers["Authorization"] = f"Basic {encoded}"
            secrets.update((password, encoded))
        return tuple(sorted((one for one in secrets if len(one) >= 4), key=len, reverse=True))


def read_secret(path: Path | None, *, option: str) -> str | None:
    """Return the first line of a secret file, None where no file is named."""
    if path is None:
        return None
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UsageError(f"{option} {path}: {reason}") from error
    if not lines or not lines[0].strip():
        raise UsageError(f"{option} {path}: its first line is empty")
    return lines[0].strip()


def _header_value(value: str, *, source: str) -> str:
    if not value.isprintable() or not value.isascii():
        raise UsageError(f"{source} holds characters that no HTTP header may hold")
    return value


def _checked_url(url: str) -> SplitResult:
    hint = "write for example http://localhost:9090 or https://host/prometheus"
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise UsageError(f"{_shown(url)!r} is no address ({error})", hint=hint) from error
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise UsageError(f"{_shown(url)!r} is no http:// or https:// address", hint=hint)
    return parts


def _host(parts: SplitResult) -> str:
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else (parts.hostname or "")
    return f"{host}:{parts.port}" if parts.port else host


def _shown(url: str) -> str:
    """Return the address without what stands before an @."""
    scheme, mark, rest = url.partition("://")
    text = rest if mark else scheme
    bare = text.rpartition("@")[2]
    return f"{scheme}://{bare}" if mark else bare


def _silence_insecure_warning() -> None:
    import warnings

    from urllib3.exceptions import InsecureRequestWarning

    warnings.simplefilter("ignore", InsecureRequestWarning)

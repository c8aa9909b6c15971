"""What went wrong between us and a server, in one line with the next step.

Sorted by what a user can do about it: the address, the network, TLS, credentials, a page that is no API, a
limit of the server. The server's own words are kept, first line, shortened, secrets replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import requests
from urllib3.exceptions import MaxRetryError, NameResolutionError, NewConnectionError, ReadTimeoutError

from census.errors import SourceError

Redact = Callable[[str], str]

_MOST_WORDS = 300
_LOGIN_HINT = "give --bearer-token-file, --basic-auth-file, --header or --client-cert"


class ServerRefusalError(SourceError):
    """The server understood and refused: HTTP status, error type ("bad_data", "execution", …) and words."""

    def __init__(self, message: str, *, status: int, error_type: str, words: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.error_type = error_type
        self.words = words


class BrokenAnswerError(SourceError):
    """The connection broke, or fell silent, before the answer was whole."""


def refusal_of_status(
    status: int, body: bytes, *, url: str, what: str, redact: Redact, location: str
) -> SourceError:
    """Return the error for an answer whose status is not 200."""
    error_type, words = _server_words(body)
    words = redact(words)
    said = f": {words}" if words else ""
    if status in (301, 302, 303, 307, 308):
        target = redact(location.partition("?")[0]) or "elsewhere"
        message = f"{url} redirects to {target}"
        hint = f"give the address that answers itself; where that is a login page, {_LOGIN_HINT}"
    elif status in (401, 407):
        message = f"{url} asks for credentials (HTTP {status}){said}"
        hint = _LOGIN_HINT
    elif status == 403:
        message = f"{url} refuses these credentials (HTTP 403){said}"
        hint = f"ask for the right to query, or {_LOGIN_HINT}"
    elif status == 404:
        message = f"{url} is not there (HTTP 404){said}"
        hint = (
            f"check the address of the {what}: a path prefix such as /prometheus may be missing or too much"
        )
    elif status == 429:
        message = f"{url} asks to slow down (HTTP 429){said}"
        hint = "try again later"
    elif status in (502, 503, 504) and not error_type:
        message = f"{url} is not available (HTTP {status}){said}"
        hint = f"see whether the {what} behind it runs"
    else:
        message = f"{url} answered HTTP {status}{said}"
        hint = "" if words else f"see the log of the {what}"
    return ServerRefusalError(message, status=status, error_type=error_type, words=words, hint=hint)


def refusal_of_answer(body: bytes, *, url: str, what: str, redact: Redact) -> SourceError:
    """Return the error for an answer of status 200 that is not what it should be."""
    error_type, words = _server_words(body)
    if error_type:
        return ServerRefusalError(
            f"{url} answered an error: {redact(words)}",
            status=200,
            error_type=error_type,
            words=redact(words),
        )
    text = body[:4096].decode("utf-8", "replace")
    if re.search(r"<\s*(!doctype|html|head|body)\b", text, re.IGNORECASE):
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        named = f" ({redact(_short(title.group(1)))!r})" if title and title.group(1).strip() else ""
        return SourceError(
            f"{url} answered with an HTML page{named}, so this is not a {what} API",
            hint=f"check the address; where that is a login page, {_LOGIN_HINT}",
        )
    if not body.strip():
        return SourceError(
            f"{url} answered with nothing, so this is not a {what} API", hint="check the address"
        )
    kind = "JSON of another kind" if _is_json(body) else "text that is not JSON"
    return SourceError(
        f"{url} answered with {kind} ({redact(_short(text))!r}), so this is not a {what} API",
        hint="check the address; an engine's own /metrics page is not a Prometheus",
    )


def failure_of_exception(
    error: requests.RequestException, *, url: str, what: str, redact: Redact, read_timeout_s: float
) -> SourceError:
    """Return the error for a request that brought no answer."""
    cause = _root(error)
    host = re.sub(r"^(https?://[^/]+).*", r"\1", url)
    words = redact(_short(str(cause)))
    told = _network_failure(error, cause=cause, host=host, what=what, words=words)
    if told is not None:
        return told
    if isinstance(error, requests.exceptions.ReadTimeout) or isinstance(cause, ReadTimeoutError):
        return BrokenAnswerError(
            f"{url} did not answer in time (silent for {read_timeout_s:g} s)",
            hint=f"see how busy the {what} is, or ask for fewer hours",
        )
    if isinstance(error, requests.exceptions.InvalidURL | requests.exceptions.InvalidHeader):
        return SourceError(f"{host}: {words}", hint="check the address and the headers")
    return BrokenAnswerError(
        f"{url}: the connection broke before the answer was whole ({words})", hint="try again"
    )


def _network_failure(
    error: requests.RequestException, *, cause: BaseException, host: str, what: str, words: str
) -> SourceError | None:
    """Return the error for a connection that never stood, None where it stood."""
    if isinstance(error, requests.exceptions.SSLError):
        told = (f"TLS failed: {words}", "give --ca-file with the server's CA, or --insecure if you must")
    elif isinstance(error, requests.exceptions.ProxyError):
        told = (f"the proxy failed: {words}", "check HTTP_PROXY, HTTPS_PROXY and NO_PROXY")
    elif isinstance(cause, NameResolutionError):
        told = ("this host name is not known", "check the address and your DNS")
    elif isinstance(error, requests.exceptions.ConnectTimeout):
        told = ("no connection in time", "check the address and the firewall")
    elif isinstance(cause, NewConnectionError):
        refused = "refused" in words.lower()
        told = (
            "the connection was refused" if refused else words.rpartition(": ")[2],
            f"see whether the {what} runs there, and its port",
        )
    else:
        return None
    return SourceError(f"{host}: {told[0]}", hint=told[1])


def _root(error: BaseException) -> BaseException:
    """Return what lies under the wrappings of the HTTP library."""
    seen = error
    for _ in range(8):
        reasons: list[object] = [seen.reason] if isinstance(seen, MaxRetryError) else list(seen.args[:2])
        inner = next((one for one in reasons if isinstance(one, BaseException)), None)
        if inner is None:
            return seen
        seen = inner
    return seen


def _server_words(body: bytes) -> tuple[str, str]:
    """Return error type and message of a Prometheus error document, else no type and the first line."""
    document: Any
    try:
        document = json.loads(body)
    except ValueError:
        document = None
    if isinstance(document, dict) and document.get("status") == "error":
        return str(document.get("errorType") or "unknown"), _short(
            str(document.get("error") or "no reason given")
        )
    if isinstance(document, dict):
        for key in ("error", "message", "detail"):
            inner = document.get(key)
            if isinstance(inner, dict):
                inner = inner.get("message")
            if isinstance(inner, str) and inner:
                return "", _short(inner)
        return "", ""
    text = body[:4096].decode("utf-8", "replace")
    if "<" in text:
        return "", ""
    return "", _short(text)


def _short(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    clean = "".join(letter if letter.isprintable() else " " for letter in line)
    return clean if len(clean) <= _MOST_WORDS else clean[: _MOST_WORDS - 1] + "…"


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except ValueError:
        return False
    return True

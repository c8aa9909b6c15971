"""Which server, and how to be let in? ``census.toml``, then the environment, then the words of the call.

``census.toml`` is the first one found from the working folder upward, else the one in the user's
configuration folder (``$XDG_CONFIG_HOME/census``, ``~/.config/census``). File names in it are relative to
it. No secret stands in it: it names the files that hold them. ``PROMETHEUS_URL`` and
``PROMETHEUS_BEARER_TOKEN`` come from the environment.

    [prometheus]
    url = "https://host/prometheus"
    bearer_token_file = "token"          # or basic_auth_file; ca_file, client_cert, client_key, insecure,
    timeout_s headers = { X-Scope-OrgID = "tenant" } [pull] hours = 48                           # engine,
    match, stats, stats_token_file, captures
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from census.errors import UsageError
from census.queries.names import nearest
from census.sources.connection import READ_TIMEOUT_S, Access

FILE_NAME = "census.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """What a file, the environment or a call may say of a source; None: it says nothing.

    Attributes
    ----------
    stats : base URL of the engine for one snapshot of /stats; ``stats_token_file``: its own bearer token.
    captures : folder in which captures lie.
    """

    url: str | None = None
    bearer_token_file: Path | None = None
    bearer_token: str | None = None
    basic_auth_file: Path | None = None
    headers: tuple[tuple[str, str], ...] | None = None
    ca_file: Path | None = None
    client_cert: Path | None = None
    client_key: Path | None = None
    insecure: bool | None = None
    timeout_s: float | None = None
    hours: float | None = None
    engine: str | None = None
    match: str | None = None
    stats: str | None = None
    stats_token_file: Path | None = None
    captures: Path | None = None

    def __repr__(self) -> str:
        """Return no value at all: some are secrets."""
        said = (one.name for one in fields(self) if getattr(self, one.name) is not None)
        return f"SourceSettings({', '.join(said)})"

    def over(self, lower: SourceSettings) -> SourceSettings:
        """Return these settings, with those of lower precedence where these say nothing."""
        said = {one.name: value for one in fields(self) if (value := getattr(self, one.name)) is not None}
        merged = replace(lower, **said)
        if self.headers and lower.headers:
            merged = replace(merged, headers=tuple({**dict(lower.headers), **dict(self.headers)}.items()))
        if self.basic_auth_file and not (self.bearer_token_file or self.bearer_token):
            merged = replace(merged, bearer_token_file=None, bearer_token=None)
        if (self.bearer_token_file or self.bearer_token) and not self.basic_auth_file:
            merged = replace(merged, basic_auth_file=None)
        return merged

    def access(self) -> Access:
        """Return how to reach the server.

        Raises
        ------
        UsageError : no address is known.
        """
        if not self.url:
            raise UsageError(
                "no Prometheus named", hint=f"give --prometheus URL, PROMETHEUS_URL, or url in {FILE_NAME}"
            )
        if self.timeout_s is not None and not 0 < self.timeout_s < float("inf"):
            raise UsageError(f"a timeout of {self.timeout_s:g} s is none", hint="give seconds above 0")
        return Access(
            url=self.url,
            bearer_token_file=self.bearer_token_file,
            bearer_token=self.bearer_token,
            basic_auth_file=self.basic_auth_file,
            headers=dict(self.headers or ()),
            ca_file=self.ca_file,
            client_cert=self.client_cert,
            client_key=self.client_key,
            insecure=bool(self.insecure),
            read_timeout_s=self.timeout_s if self.timeout_s is not None else READ_TIMEOUT_S,
        )


_FILES = ("bearer_token_file", "basic_auth_file", "ca_file", "client_cert", "client_key")
_TABLES: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "prometheus": {
        "url": str,
        **dict.fromkeys(_FILES, str),
        "headers": dict,
        "insecure": bool,
        "timeout_s": (int, float),
    },
    "pull": {
        "hours": (int, float),
        "engine": str,
        "match": str,
        "stats": str,
        "stats_token_file": str,
        "captures": str,
    },
}
_PATHS = (*_FILES, "stats_token_file", "captures")


def source_settings(
    flags: SourceSettings, *, environment: Mapping[str, str], folder: Path, home: Path
) -> SourceSettings:
    """Return what applies: flags over environment over the nearest ``census.toml``."""
    path = find_config(folder, environment=environment, home=home)
    from_file = read_config(path) if path else SourceSettings()
    return flags.over(from_environment(environment).over(from_file))


def from_environment(environment: Mapping[str, str]) -> SourceSettings:
    """Return what the environment says."""
    return SourceSettings(
        url=environment.get("PROMETHEUS_URL") or None,
        bearer_token=environment.get("PROMETHEUS_BEARER_TOKEN") or None,
    )


def find_config(folder: Path, *, environment: Mapping[str, str], home: Path) -> Path | None:
    """Return the ``census.toml`` that applies in ``folder``, None where there is none."""
    user = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "census"
    for place in (folder, *folder.parents, user):
        if (place / FILE_NAME).is_file():
            return place / FILE_NAME
    return None


def read_config(path: Path) -> SourceSettings:
    """Return what a ``census.toml`` says.

    Raises
    ------
    UsageError : unreadable, not TOML, an unknown key, or a value of the wrong kind.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error
    _known(document, _TABLES, where=str(path))
    said: dict[str, Any] = {}
    for table, kinds in _TABLES.items():
        entries = document.get(table, {})
        if not isinstance(entries, dict):
            raise UsageError(f"{path}: {table} is not a table", hint=f"write [{table}]")
        _known(entries, kinds, where=f"{path} [{table}]")
        for key, value in entries.items():
            said[key] = _checked(value, kinds[key], where=f"{path} [{table}] {key}")
    for key in _PATHS:
        if key in said:
            said[key] = path.parent / Path(said[key]).expanduser()
    if "headers" in said:
        said["headers"] = tuple(said["headers"].items())
    return SourceSettings(**said)


def _checked(value: object, kind: type | tuple[type, ...], *, where: str) -> object:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise UsageError(f"{where} is {type(value).__name__}, not {kinds[-1].__name__}")
    if isinstance(value, dict) and not all(isinstance(one, str) for one in value.values()):
        raise UsageError(f"{where}: each value must be text")
    return value


def _known(entries: Iterable[str], known: Iterable[str], *, where: str) -> None:
    names = list(known)
    for key in entries:
        if key not in names:
            close = nearest([key], among=names)
            raise UsageError(
                f"{where}: unknown key {key!r}",
                hint=f"did you mean {close}?" if close else f"known: {', '.join(names)}",
            )

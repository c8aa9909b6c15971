"""Flags go before the environment, the environment before census.toml; a slip in it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from census.cli.times import window_of
from census.errors import UsageError
from census.model.window import Window
from census.pipeline.config import SourceSettings, find_config, read_config, source_settings
from census.pipeline.pull import retention_ms

WHOLE = """
[prometheus]
url = "http://file:9090"
bearer_token_file = "token"
ca_file = "/etc/ca.pem"
insecure = true
timeout_s = 7
headers = { X-Scope-OrgID = "file", X-Other = "kept" }
[pull]
hours = 12
engine = "vllm"
match = '{job="x"}'
stats = "http://engine"
captures = "../captures"
"""


def test_everything_may_stand_in_the_file_and_paths_are_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "census.toml").write_text(WHOLE)
    assert read_config(tmp_path / "census.toml") == SourceSettings(
        url="http://file:9090",
        bearer_token_file=tmp_path / "token",
        ca_file=Path("/etc/ca.pem"),
        insecure=True,
        timeout_s=7,
        headers=(("X-Scope-OrgID", "file"), ("X-Other", "kept")),
        hours=12,
        engine="vllm",
        match='{job="x"}',
        stats="http://engine",
        captures=tmp_path / "../captures",
    )


def test_precedence_rises_from_file_to_environment_to_flags(tmp_path: Path) -> None:
    (tmp_path / "census.toml").write_text(WHOLE)

    def url(*, flag: str | None, environment: dict[str, str]) -> str | None:
        flags = SourceSettings(url=flag)
        return source_settings(flags, environment=environment, folder=tmp_path, home=tmp_path).url

    assert url(flag=None, environment={}) == "http://file:9090"
    assert url(flag=None, environment={"PROMETHEUS_URL": "http://env"}) == "http://env"
    assert url(flag="http://flag", environment={"PROMETHEUS_URL": "http://env"}) == "http://flag"
    merged = source_settings(
        SourceSettings(headers=(("X-Scope-OrgID", "flag"),), basic_auth_file=Path("pair")),
        environment={"PROMETHEUS_BEARER_TOKEN": "t"},
        folder=tmp_path,
        home=tmp_path,
    )
    assert merged.headers == (("X-Scope-OrgID", "flag"), ("X-Other", "kept"))
    assert (merged.basic_auth_file, merged.bearer_token_file, merged.bearer_token) == (
        Path("pair"),
        None,
        None,
    )
    access = merged.access()
    assert (access.url, access.insecure, access.read_timeout_s) == ("http://file:9090", True, 7)


def test_the_file_is_searched_upward_then_in_the_user_s_folder(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    home = tmp_path / "home"
    for folder in (home / ".config/census", home / "xdg/census"):
        folder.mkdir(parents=True)
        (folder / "census.toml").touch()

    def found(**environment: str) -> Path | None:
        return find_config(deep, environment=environment, home=home)

    assert found() == home / ".config/census/census.toml"
    assert found(XDG_CONFIG_HOME=str(home / "xdg")) == home / "xdg/census/census.toml"
    (tmp_path / "a" / "census.toml").touch()
    assert found() == tmp_path / "a/census.toml"
    assert find_config(tmp_path / "home", environment={}, home=tmp_path / "none") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("url = 'x'", "unknown key 'url'; known: prometheus, pull"),
        ("[promethius]", "unknown key 'promethius'; did you mean prometheus?"),
        ("[prometheus]\nurll = 'x'", "[prometheus]: unknown key 'urll'; did you mean url?"),
        ("[prometheus]\nbearer_token = 'secret'", "did you mean bearer_token_file?"),
        ("[prometheus]\nurl = 5", "[prometheus] url is int, not str"),
        ("[prometheus]\ninsecure = 'yes'", "insecure is str, not bool"),
        ("[prometheus]\ntimeout_s = true", "timeout_s is bool, not float"),
        ("[prometheus]\nheaders = { a = 1 }", "headers: each value must be text"),
        ("prometheus = 5", "prometheus is not a table; write [prometheus]"),
        ("[prometheus", "census.toml: Expected"),
    ],
)
def test_a_slip_in_the_file_is_a_usage_error(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "census.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        read_config(tmp_path / "census.toml")
    assert words in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    assert "secret" not in str(caught.value)


def test_settings_do_not_show_their_values() -> None:
    settings = SourceSettings(url="http://u:secret@h", bearer_token="secret", headers=(("X", "secret"),))
    assert repr(settings) == "SourceSettings(url, bearer_token, headers)"


HOUR = 3_600_000
NOW = 500_000 * HOUR


def window(hours: float | None = None, start: str | None = None, end: str | None = None) -> Window:
    return window_of(hours=hours, start=start, end=end, default_hours=48, now_ms=NOW)


def test_a_window_ends_now_unless_it_is_told_otherwise() -> None:
    assert window() == Window(start_ms=NOW - 48 * HOUR, end_ms=NOW)
    assert window(hours=0.5) == Window(start_ms=NOW - HOUR // 2, end_ms=NOW)
    start = str(NOW // 1000 - 7200)
    assert window(start=start) == Window(start_ms=NOW - 2 * HOUR, end_ms=NOW)
    assert window(start=start, hours=1) == Window(start_ms=NOW - 2 * HOUR, end_ms=NOW - HOUR)
    assert window(end=start, hours=1) == Window(start_ms=NOW - 3 * HOUR, end_ms=NOW - 2 * HOUR)
    assert window(start="2026-11-28T05:00:00-07:00", end="2026-11-28T13:00:00Z").seconds == 3600


@pytest.mark.parametrize("hours", [-1, 0, float("inf"), float("nan"), 1e9])
def test_hours_that_are_none_are_a_usage_error(hours: float) -> None:
    with pytest.raises(UsageError, match="give a number of hours above 0"):
        window(hours=hours)


def test_a_time_in_milliseconds_is_caught() -> None:
    with pytest.raises(UsageError, match="unix times are in seconds"):
        window(start=str(NOW))


@pytest.mark.parametrize(
    ("text", "days"), [("15d", 15), ("1w2d", 9), ("2y", 730), ("36h", 1.5), ("", 0), ("15d or 10GiB", 0)]
)
def test_a_retention_is_read_as_the_server_writes_it(text: str, days: float) -> None:
    assert retention_ms(text) == days * 86_400_000


def test_a_timeout_in_the_file_must_be_one() -> None:
    with pytest.raises(UsageError, match="a timeout of 0 s is none"):
        SourceSettings(url="http://x", timeout_s=0).access()

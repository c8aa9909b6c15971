"""census pull: what it prints, what it writes, and every way in which it can end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_prometheus import free_port
from loopback_server import Reply, Request, api_error, loopback
from small_api import HOST, NAMES, START_MS, SmallApi

from census.capture.folder import load_capture
from census.capture.places import list_captures
from census.cli import run
from census.model.window import rfc3339

END_MS = START_MS + 240 * 15_000
SPAN = ("--start", rfc3339(START_MS), "--end", rfc3339(END_MS))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in an empty folder, with no settings of the user's."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("PROMETHEUS_URL", "PROMETHEUS_BEARER_TOKEN", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "work"


@pytest.fixture
def url() -> Iterator[str]:
    with loopback(SmallApi()) as address:
        yield address


def test_a_pull_writes_a_capture_and_says_what_came(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["pull", "--prometheus", url, *SPAN, "--out", "one"]) == 0
    out, err = capsys.readouterr()
    assert err == "", "no progress bar where nobody looks at a terminal"
    assert out.splitlines() == [
        "capture     one",
        f"window      {rfc3339(START_MS)} to {rfc3339(END_MS)}",
        "samples     960 in 4 series, by instant query with a range selector",
        "server      prometheus 2.42.0",
        "engine      radiance-qwen-0 (engine=0, instance=gpu:8000, job=llm, model_name=qwen)",
        *out.splitlines()[5:],
    ]
    assert "            4 quantities found, 35 not; 8 more that radiance never exports" in out
    assert (
        "absent      decode_steps: not found; looked for radiance:engine_steps_decode_total; nearest on"
        in out
    )
    capture = load_capture(Path("one"))
    capture.verify()
    assert capture.manifest.samples == (240, 240, 240, 240)
    assert capture.manifest.window.end_ms == END_MS
    assert sorted(path.name for path in Path("one").iterdir()) == [
        "gate.json",
        "manifest.json",
        "samples.parquet",
    ]


def test_json_holds_the_same_result(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["pull", "--prometheus", url, *SPAN, "--out", "one", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    manifest = load_capture(Path("one")).manifest
    assert (result["samples"], result["series"], result["sha256"]) == (960, 4, manifest.sha256)
    assert result["engines"][0]["roles"]["held_steps"] == "radiance:engine_steps_held_total"
    assert result["window"] == {"start": rfc3339(START_MS), "end": rfc3339(END_MS)}
    assert (result["partial"], result["warnings"], result["notes"]) == (False, [], [])


def test_the_default_name_is_the_engine_and_the_start(url: str) -> None:
    assert run(["pull", "--prometheus", url, *SPAN]) == 0
    stamp = rfc3339(START_MS).replace(":", "-")
    assert [str(path) for path in list_captures(Path("captures"))] == [f"captures/radiance-{stamp}"]


def test_a_dry_run_says_what_would_come_and_writes_nothing(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["pull", "--prometheus", url, *SPAN, "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "would pull  4 series, about 960 samples in 1 queries" in out
    assert "bytes       about 24.0 kB on the wire, 3.8 kB on disk" in out
    assert list(Path().iterdir()) == []
    assert run(["pull", "--prometheus", url, *SPAN, "--dry-run", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["series"], result["samples"], result["bytes_on_the_wire"]) == (4, 960, 24_000)


def test_an_existing_capture_is_refused_before_anything_is_asked(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["pull", "--prometheus", url, *SPAN, "--out", "one"]) == 0
    before = (Path("one") / "manifest.json").read_bytes()
    nobody = f"http://127.0.0.1:{free_port()}"
    assert run(["pull", "--prometheus", nobody, *SPAN, "--out", "one"]) == 2
    assert capsys.readouterr().err == (
        "census: one is already there; give another --out, or --force to replace it\n"
    )
    assert run(["pull", "--prometheus", nobody, *SPAN, "--out", "one", "--force"]) == 3
    assert (Path("one") / "manifest.json").read_bytes() == before, "a failed pull replaces nothing"
    assert run(["pull", "--prometheus", url, *SPAN, "--out", "one", "--force"]) == 0


def test_several_engines_are_pulled_kept_apart_and_listed(capsys: pytest.CaptureFixture[str]) -> None:
    hosts = [HOST, {**HOST, "engine": "1"}, {**HOST, "instance": "gpu2:8000", "model_name": "other/model"}]
    with loopback(SmallApi(hosts=hosts)) as url:
        assert run(["pull", "--prometheus", url, *SPAN, "--out", "one"]) == 0
    out = capsys.readouterr().out
    keys = ["radiance-other-model-0", "radiance-qwen-0", "radiance-qwen-1"]
    assert [engine.key for engine in load_capture(Path("one")).manifest.engines] == keys
    assert f"note        3 engines, kept apart: {', '.join(keys)}" in out


def test_a_window_that_reaches_before_the_data_is_told_with_the_real_start(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    early = rfc3339(START_MS - 36_000_000)
    assert run(["pull", "--prometheus", url, "--start", early, "--end", rfc3339(END_MS), "--out", "one"]) == 0
    assert (
        f"note        the data begins at {rfc3339(START_MS)}, 10.0 h after the start asked for "
        "(this server keeps 15d)" in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ([], 2, "no Prometheus named; give --prometheus URL, PROMETHEUS_URL, or url in census.toml"),
        (["--prometheus", "localhost:9090"], 2, "is no http:// or https:// address"),
        (["--prometheus", "URL", "--hours", "0"], 2, "--hours 0: give a number of hours above 0"),
        (["--prometheus", "URL", "--hours", "nan"], 2, "--hours nan: give a number of hours above 0"),
        (["--prometheus", "URL", "--hours", "many"], 2, "Invalid value for '--hours'"),
        (["--prometheus", "URL", "--start", "yesterday"], 2, "--start 'yesterday' is not a time"),
        (
            ["--prometheus", "URL", "--start", "2026-11-28T12:00:00"],
            2,
            "has no offset, so it names no moment",
        ),
        (
            ["--prometheus", "URL", "--start", "2026-11-28T12:00:00Z", "--end", "2026-11-27T12:00:00Z"],
            2,
            "ends",
        ),
        (["--prometheus", "URL", *SPAN, "--hours", "3"], 2, "together say too much"),
        (["--prometheus", "URL", "--match", "{job=x}"], 2, "character 6: expected a quoted value"),
        (["--prometheus", "URL", "--engine", "vlm"], 2, "did you mean vllm?"),
        (["--prometheus", "URL", "--header", "X"], 2, "--header: want 'Name: value'"),
        (["--prometheus", "URL", "--bearer-token-file", "none"], 2, "--bearer-token-file none: No such file"),
        (["--prometheus", "URL", "--timeout", "0"], 2, "--timeout 0: give seconds above 0"),
        (["--prometheus", "URL", "--hors", "3"], 2, "No such option: --hors"),
        (["--prometheus", "URL/elsewhere", *SPAN], 3, "is not there (HTTP 404)"),
        (
            ["--prometheus", "URL", "--start", "2020-01-01T00:00:00Z", "--hours", "3"],
            4,
            "the first one after it is",
        ),
        (
            ["--prometheus", "URL", "--start", "2036-01-01T00:00:00Z", "--hours", "3"],
            4,
            "the last one before it is",
        ),
        (
            ["--prometheus", "URL", *SPAN, "--engine", "vllm", "--stats", "URL"],
            3,
            "/stats is not there (HTTP 404)",
        ),
        (["--prometheus", "URL", *SPAN, "--out", "file/inside"], 2, "cannot write the capture"),
    ],
)
def test_each_slip_is_one_line_with_its_exit_code(
    url: str, capsys: pytest.CaptureFixture[str], words: list[str], code: int, told: str
) -> None:
    Path("file").write_text("")
    assert run(["pull", *(word.replace("URL", url) for word in words)]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("census: ")
    assert err.count("\n") == 1
    assert told in err
    assert [path.name for path in Path().iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("reply", "code", "told"),
    [
        (Reply(body="<html><title>Log in</title></html>"), 3, "answered with an HTML page ('Log in')"),
        (
            Reply(status=401, body="who?"),
            3,
            "asks for credentials (HTTP 401): who?; give --bearer-token-file",
        ),
        (Reply(status=500, body="boom"), 3, "answered HTTP 500: boom"),
        (Reply(body="{}"), 3, "answered with JSON of another kind"),
        (Reply(status=302, headers={"Location": "https://sso/login"}), 3, "redirects to https://sso/login"),
    ],
)
def test_a_server_that_is_no_prometheus_exits_3(
    capsys: pytest.CaptureFixture[str], reply: Reply, code: int, told: str
) -> None:
    with loopback(lambda _: reply) as url:
        assert run(["pull", "--prometheus", url]) == code
    assert told in capsys.readouterr().err
    assert list(Path().iterdir()) == []


def test_no_engine_exits_4_and_names_what_came_near(capsys: pytest.CaptureFixture[str]) -> None:
    with loopback(SmallApi(names=["radiant:engine_steps_total", "up"])) as url:
        assert run(["pull", "--prometheus", url, *SPAN]) == 4
    err = capsys.readouterr().err
    assert "no engine found; looked for radiance:*, vllm:num_requests_running" in err
    assert list(Path().iterdir()) == []


def test_a_fault_in_the_middle_leaves_nothing_behind(capsys: pytest.CaptureFixture[str]) -> None:
    with loopback(SmallApi(before_query=lambda _: api_error(500, "internal", "disk gone"))) as url:
        assert run(["pull", "--prometheus", url, *SPAN, "--out", "one"]) == 3
    err = capsys.readouterr().err
    assert "radiance:engine_steps_held_total and 3 more from" in err
    assert "disk gone" in err
    assert list(Path().iterdir()) == []


def test_a_partial_answer_is_told_and_kept(capsys: pytest.CaptureFixture[str]) -> None:
    from loopback_server import api

    row = {"metric": {"__name__": NAMES[0], **HOST}, "values": [[START_MS / 1000, "1"]]}
    answer = api({"resultType": "matrix", "result": [row]}, warnings=["store-2 did not answer"])
    with loopback(SmallApi(before_query=lambda _: answer)) as url:
        assert run(["pull", "--prometheus", url, *SPAN, "--out", "one"]) == 0
    out = capsys.readouterr().out
    assert "partial     the server says that its answers may be partial" in out
    assert "warning     store-2 did not answer" in out
    assert load_capture(Path("one")).manifest.partial


def census(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "census", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_pull_that_is_ended_in_the_middle_leaves_no_capture(how: signal.Signals) -> None:
    reached, over = threading.Event(), threading.Event()

    def hang(_: Request) -> Reply | None:
        reached.set()
        over.wait(20)
        return None

    with loopback(SmallApi(before_query=hang)) as url:
        process = census("pull", "--prometheus", url, *SPAN)
        assert reached.wait(20)
        process.send_signal(how)
        _, err = process.communicate(timeout=20)
        over.set()
    assert process.returncode == (130 if how is signal.SIGINT else -how)
    assert "Traceback" not in err
    assert list_captures(Path("captures")) == ()
    assert not Path("captures").exists() or list(Path("captures").iterdir()) == []
    assert run(["captures"]) == 0


def test_a_pull_killed_while_writing_leaves_only_what_no_command_reads(
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = (
        "import os, sys, signal, census.capture.folder as folder\n"
        "folder.manifest_to_json = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "from census.cli import run\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    with loopback(SmallApi()) as url:
        words = ["pull", "--prometheus", url, *SPAN, "--out", "captures/one"]
        done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, check=False)
        assert done.returncode == -signal.SIGKILL
        assert [path.name for path in Path("captures").iterdir()] == ["one.partial"]
        assert list_captures(Path("captures")) == ()
        assert run(["report", "captures/one.partial"]) == 2
        assert "captures/one.partial is half written: its pull did not end" in capsys.readouterr().err
        assert run(["report"]) == 2
        assert run(words) == 0, "the next pull clears it away"
    assert [path.name for path in Path("captures").iterdir()] == ["one"]


def test_a_snapshot_of_the_engine_is_added_and_gets_none_of_our_credentials(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("engine-key")
    seen: list[Request] = []

    def engine(request: Request) -> Reply:
        seen.append(request)
        return Reply(body=json.dumps({"uptime_s": 5} if request.path == "/stats" else {"status": "ok"}))

    with loopback(SmallApi()) as url, loopback(engine) as engine_url:
        words = ["pull", "--prometheus", url, *SPAN, "--out", "one", "--header", "X-Tenant: secret-tenant"]
        words += ["--stats", f"{engine_url}/stats", "--stats-token-file", str(tmp_path / "key")]
        assert run(words) == 0
    capture = load_capture(Path("one"))
    assert capture.extra("stats.json")["page"] == {"uptime_s": 5}
    assert capture.extra("health.json")["page"] == {"status": "ok"}
    assert [one.path for one in seen] == ["/stats", "/health"]
    assert {one.headers["Authorization"] for one in seen} == {"Bearer engine-key"}
    assert all("X-Tenant" not in one.headers for one in seen)


def test_no_secret_and_no_address_stands_in_a_capture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "token").write_text("t0p-s3cret-token")
    with loopback(SmallApi()) as url:
        words = ["pull", "--prometheus", url, *SPAN, "--out", "one", "--header", "X-Key: sesame-open"]
        assert run([*words, "--bearer-token-file", str(tmp_path / "token")]) == 0
    written = "".join(path.read_text() for path in Path("one").iterdir() if path.suffix == ".json") + "".join(
        capsys.readouterr()
    )
    for secret in ("t0p-s3cret", "sesame", url.removeprefix("http://")):
        assert secret not in written


def test_captures_are_listed_newest_first(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        assert run(["pull", "--prometheus", url, *SPAN, "--out", f"captures/{name}"]) == 0
        time.sleep(0.01)
    (Path("captures") / "b" / "manifest.json").write_text('{"format": "census.capture/9"}')
    os.utime(Path("captures") / "b" / "manifest.json", (1, 1))
    capsys.readouterr()
    assert run(["captures"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (f"captures/a  {rfc3339(START_MS)} to {rfc3339(END_MS)}  960 samples  radiance-qwen-0")
    assert lines[1].startswith("captures/b  unreadable: captures/b is a capture of format 9")
    assert run(["captures", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["path"] for row in rows] == ["captures/a", "captures/b"]
    assert (rows[0]["samples"], rows[0]["hours"], rows[0]["engines"]) == (960, 1.0, ["radiance-qwen-0"])

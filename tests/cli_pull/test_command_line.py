"""The entrance: help at once, one handler of errors, exit codes that scripts can trust."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from census import __version__
from census.cli import app, run


def census(*words: str, **how: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "census", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, **how)  # type: ignore[call-overload,no-any-return]


def test_help_lists_every_command_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    for command in ("pull", "report", "captures"):
        assert f"\n  {command}" in out
    assert "Exit codes: 0 fine, 1 a gate or check failed, 2 usage, 3 the server, 4" in out


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"census {__version__}\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "Usage: census [OPTIONS] COMMAND [ARGS]..."),
        (["pul"], "census: No such command 'pul'. Did you mean 'pull'? See census --help"),
        (["--nope"], "census: No such option: --nope"),
        (["pull", "extra"], "see census pull --help"),
        (["captures", "nowhere"], "census: nowhere is no folder"),
    ],
)
def test_a_slip_in_the_words_exits_2(capsys: pytest.CaptureFixture[str], words: list[str], told: str) -> None:
    assert run(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err


def test_help_imports_nothing_that_takes_long_to_load() -> None:
    script = (
        "import sys\n"
        "from census.cli import run\n"
        "run(['--help'])\n"
        "heavy = {'numpy', 'pandas', 'pyarrow', 'scipy', 'plotly', 'rich', 'requests'} & set(sys.modules)\n"
        "print(sorted(heavy))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_reader_that_leaves_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "census", "--help"],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupt_exits_130_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("census.cli.captures._line", interrupted)
    monkeypatch.setattr("census.capture.places.list_captures", lambda _: [Path("x")])
    assert run(["captures"]) == 130
    assert capsys.readouterr().err == "census: interrupted; nothing half-written is left behind\n"


def test_a_folder_that_may_not_be_read_is_told_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def denied(_: object) -> None:
        raise PermissionError(13, "Permission denied", "captures")

    monkeypatch.setattr("census.capture.places.list_captures", denied)
    assert run(["captures"]) == 2
    assert capsys.readouterr().err == "census: cannot use captures: Permission denied\n"


def test_the_module_and_the_function_are_the_same_entrance(tmp_path: Path) -> None:
    done = census("captures", "--json", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def test_commands_are_an_explicit_tuple_in_reading_order() -> None:
    names = [module.__name__.rpartition(".")[2] for module in app.COMMANDS]
    assert names.index("pull") < names.index("report") < names.index("check")

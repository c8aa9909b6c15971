"""The only place that prints: commands, and the one handler of errors.

``census: what was asked, what came back; what to try`` on standard error, and the exit code of design: 0
fine, 1 a gate or check failed, 2 usage, 3 source, 4 inconclusive; 130 when interrupted. A traceback is a bug
of ours.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from census.errors import CensusError, ExitCode

INTERRUPTED = 130


def run(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    import typer

    from census.cli.app import build_app

    try:
        code = build_app()(args=list(argv), prog_name="census", standalone_mode=False)
        sys.stdout.flush()
    except CensusError as error:
        return _fail(str(error), code=error.exit_code)
    except typer.TyperException as error:
        return _fail(_usage_words(error), code=ExitCode.USAGE)
    except BrokenPipeError:
        return _reader_left()
    except SystemExit as left:  # the command line library's own answer to a closed pipe
        if isinstance(left.__context__, BrokenPipeError):
            return _reader_left()
        raise
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except OSError as error:
        place = f" {error.filename}" if error.filename else ""
        return _fail(f"cannot use{place}: {error.strerror or error}", code=ExitCode.USAGE)
    if code == INTERRUPTED:
        print("census: interrupted; nothing half-written is left behind", file=sys.stderr)
    return code if isinstance(code, int) else ExitCode.FINE


def _fail(words: str, *, code: ExitCode) -> int:
    print(f"census: {words}", file=sys.stderr)
    return int(code)


def _usage_words(error: Exception) -> str:
    message = getattr(error, "format_message", error.__str__)()
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "census"
    joint = " See" if message.endswith("?") else "; see"
    return f"{message.rstrip('.')}{joint} {path} --help"


def _reader_left() -> int:
    """Whoever read our output has closed it: nobody is left to tell, and nothing went wrong."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return int(ExitCode.FINE)

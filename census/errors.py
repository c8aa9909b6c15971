"""Errors say what was asked, what came back, and what to try; each class has one exit code.

The exit codes are interface (docs/commands): 0 fine, 1 a gate or check failed, 2 usage,
3 source unreachable, refused or not what it should be, 4 inconclusive.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of every command."""

    FINE = 0
    FAILED = 1
    USAGE = 2
    SOURCE = 3
    INCONCLUSIVE = 4


class CensusError(Exception):
    """Anything that a user can cause, told in one line with the next step.

    Parameters
    ----------
    message : what was asked and what came back, one sentence without a final full stop.
    hint : what to try next; may be empty.
    """

    exit_code: ExitCode = ExitCode.FAILED

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        """Return the line that the command line prints after ``census: ``."""
        return f"{self.message}; {self.hint}" if self.hint else self.message


class UsageError(CensusError):
    """The words of the call, a setting, or a file that the user named are wrong (exit 2)."""

    exit_code = ExitCode.USAGE


class CaptureError(UsageError):
    """A capture is not there, unreadable, half written, or of a newer format (exit 2)."""


class SourceError(CensusError):
    """A server is unreachable, refuses, or is not what it should be (exit 3)."""

    exit_code = ExitCode.SOURCE


class InconclusiveError(CensusError):
    """Not enough, partial or absent data: no sample, no such metric or engine (exit 4)."""

    exit_code = ExitCode.INCONCLUSIVE

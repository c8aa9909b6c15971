"""What did a gate find? Pass, fail or inconclusive, with the evidence; never a bare boolean.

Exit codes: 0 passed, 1 failed, 4 inconclusive. Of several engines the worst counts: one that failed, else one
that is inconclusive, else all passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from census.errors import ExitCode

Outcome = Literal["pass", "fail", "inconclusive"]
State = Literal["moving", "zero", "no opportunity", "not exported", "unknown"]

EXIT_CODES: Mapping[Outcome, ExitCode] = {
    "pass": ExitCode.FINE,
    "fail": ExitCode.FAILED,
    "inconclusive": ExitCode.INCONCLUSIVE,
}
WORST_FIRST: tuple[Outcome, ...] = ("fail", "inconclusive", "pass")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a counter counted, at least and at most; whole numbers are ints."""

    low: int | float
    high: int | float

    def __str__(self) -> str:
        """Return "5", "at least 3" or, where nothing is certain, "between 0 and 5"."""
        if self.low == self.high:
            return f"{self.low:,}"
        return f"at least {self.low:,}" if self.low > 0 else f"between 0 and {self.high:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineVerdict:
    """A gate's verdict on one engine.

    Attributes
    ----------
    key, profile, labels : which engine.
    state : what the meter does; "unknown" where it cannot be told, and the summary says why.
    held, opportunities : what was counted over the span; None where it is not known.
    since : the span that was judged, in words.
    summary : one sentence without a final full stop. evidence : further sentences.
    """

    key: str
    profile: str
    labels: Mapping[str, str]
    outcome: Outcome
    state: State
    held: Bounds | None
    opportunities: Bounds | None
    since: str
    summary: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """A gate's verdict on all engines asked for. ``warnings`` are the server's own."""

    id: str
    outcome: Outcome
    engines: tuple[EngineVerdict, ...]
    warnings: tuple[str, ...]

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the command."""
        return EXIT_CODES[self.outcome]


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the worst of these outcomes."""
    found = set(outcomes)
    return next(outcome for outcome in WORST_FIRST if outcome in found)

"""What a trap has to say about the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Severity = Literal["info", "warning", "error"]
Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Caveat:
    """One trap that applies to this capture.

    Attributes
    ----------
    id : "trap/<kebab-name>", the ID of its module.
    severity : "error" where a number was removed, "warning" where a reader could be misled, "info" otherwise.
    summary : one sentence with numbers, without a final full stop.
    evidence : what the naive way would have said, what is true, how far apart; plain values.
    touches : ids of the findings that it bears on.
    """

    id: str
    severity: Severity
    summary: str
    evidence: Mapping[str, Scalar]
    touches: tuple[str, ...]

"""A metric that is renamed inside the window is two halves of one series.

Why it fools: a query by the new name sees half of the window, one by a pattern adds the overlap twice.

How it is found: the profile knows both names; the series follow one another, or overlap for some scrapes.

What is done: they are stitched, the overlap is taken once.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.traps.evidence import Evidence, fact_time

ID = "trap/renamed-metric"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of stitched series whose name changed."""
    renamed = [one for one in evidence.timeline.facts.stitched if len(_names(one["metrics"])) > 1]
    if not renamed:
        return ()
    first = renamed[0]
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                f"{' became '.join(_names(first['metrics']))} at {fact_time(first, 'at_ms')}"
                f"{_others(len(renamed) - 1)}: stitched into one"
            ),
            evidence={
                "roles": ", ".join(sorted({str(one["role"]) for one in renamed})),
                "names": ", ".join(_names(first["metrics"])),
                "at": fact_time(first, "at_ms"),
            },
            touches=("fitness",),
        ),
    )


def _names(metrics: object) -> tuple[str, ...]:
    """Return the distinct names in their order."""
    listed = metrics.split(", ") if isinstance(metrics, str) else [str(one) for one in _sequence(metrics)]
    return tuple(dict.fromkeys(listed))


def _sequence(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _others(count: int) -> str:
    return f" (and {count} more)" if count else ""

"""Gate documents written by hand: roles as (seconds, value)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Points = Sequence[tuple[float, float]]

FAR = 10_000_000


def engine(
    roles: Mapping[str, Points | Sequence[tuple[Mapping[str, str], Points]]],
    *,
    key: str = "radiance-0",
    absent: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return one engine; a role is points, or several duplicate series as (labels, points)."""
    return {
        "key": key,
        "profile": "radiance",
        "labels": {"job": "llm"},
        "roles": {
            role: {"metric": f"radiance:{role}", "series": _series(role, points)}
            for role, points in roles.items()
        },
        "absent": dict(absent or {}),
    }


def document(*engines: dict[str, Any], start: float = 0, partial: bool = False) -> dict[str, Any]:
    """Return a gate document."""
    return {
        "format": "census.gate/1",
        "window": {"start_ms": round(start * 1000), "end_ms": FAR * 1000},
        "partial": partial,
        "warnings": ["store 3 is down"] if partial else [],
        "engines": list(engines),
    }


def steady(start: float, end: float, *, value: float = 0.0, rise: float = 0.0, step: float = 15.0) -> Points:
    """Return a counter at even times in [start, end) that rises evenly."""
    count = int((end - start) // step) + (1 if (end - start) % step else 0)
    return [(start + step * place, value + rise * place) for place in range(count)]


def _series(role: str, points: Points | Sequence[tuple[Mapping[str, str], Points]]) -> list[dict[str, Any]]:
    several = points if points and isinstance(points[0][0], Mapping) else [({}, points)]
    return [
        {
            "part": 0,
            "labels": {"__name__": f"radiance:{role}", **labels},
            "times_ms": [round(time * 1000) for time, _ in one],
            "values": [float(value) for _, value in one],
        }
        for labels, one in several
    ]

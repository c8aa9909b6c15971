"""What does a gate need of a capture? Raw samples of a few counters, as JSON that needs no library to read.

``gate.json`` (format census.gate/1) holds, for each engine, the protection meter, its opportunities, and
what tells boots apart. ``census check`` reads it with the standard library alone, so it answers at once; a
gate on a live server builds the same document from the server's answers (sources/live_gate). This module
holds no array.

    {"format": "census.gate/1", "window": {"start_ms", "end_ms"}, "partial", "warnings",
     "engines": [{"key", "profile", "labels", "roles": {role: {"metric", "series":
         [{"part", "labels", "times_ms", "values"}]}}, "absent": {role: reason}}]}

Series of one "part" are duplicates of one another and are never added; values of different parts are.

Samples that are no finite number cannot stand in JSON and are left out; "not_finite" counts them where there
are any.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from census.capture.manifest import EngineEntry, RoleBinding
from census.model.window import Window

FORMAT = "census.gate/1"

GATE_ROLES = (
    "held_steps",
    "mixed_steps",
    "prefill_steps",
    "decode_steps",
    "steps",
    "process_start",
    "uptime",
    "prefill_tokens",
    "decode_tokens",
)

SamplesOf = Callable[[int], tuple[Mapping[str, str], Sequence[int], Sequence[float]]]


def gate_document(
    *,
    window: Window,
    engines: Iterable[EngineEntry],
    samples_of: SamplesOf,
    partial: bool,
    warnings: Sequence[str],
) -> dict[str, Any]:
    """Return the gate document; ``samples_of(id)`` gives labels, times and values of one series."""
    return {
        "format": FORMAT,
        "window": {"start_ms": window.start_ms, "end_ms": window.end_ms},
        "partial": partial,
        "warnings": list(warnings),
        "engines": [_gate_engine(engine, samples_of=samples_of) for engine in engines],
    }


def _gate_engine(engine: EngineEntry, *, samples_of: SamplesOf) -> dict[str, Any]:
    bound = {role: binding for role in GATE_ROLES if (binding := engine.binding(role)) is not None}
    return {
        "key": engine.key,
        "profile": engine.profile,
        "labels": dict(engine.labels),
        "roles": {role: _gate_role(binding, samples_of=samples_of) for role, binding in bound.items()},
        "absent": {one.role: one.reason for one in engine.absent if one.role in GATE_ROLES},
    }


def _gate_role(binding: RoleBinding, *, samples_of: SamplesOf) -> dict[str, Any]:
    places = [(index, one) for index, part in enumerate(binding.parts) for one in part.series]
    series = [{"part": index, **_gate_series(*samples_of(one))} for index, one in places]
    return {"metric": binding.metric, "series": series}


def _gate_series(labels: Mapping[str, str], times: Sequence[int], values: Sequence[float]) -> dict[str, Any]:
    kept = [(time, value) for time, value in zip(times, values, strict=True) if math.isfinite(value)]
    document: dict[str, Any] = {
        "labels": dict(labels),
        "times_ms": [time for time, _ in kept],
        "values": [value for _, value in kept],
    }
    if len(kept) < len(times):
        document["not_finite"] = len(times) - len(kept)
    return document

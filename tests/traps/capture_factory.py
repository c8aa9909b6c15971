"""Captures made by hand from a few series, and the evidence that traps get from them by the real code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from census.capture.manifest import Manifest
from census.capture.series import Series
from census.model.estimate import Absent
from census.model.findings import Findings
from census.model.settings import Settings
from census.model.window import Window
from census.queries.resolve import resolve_series
from census.timeline.build import build_timeline
from census.timeline.corrections import correct
from census.traps.catalogue import inspect_all
from census.traps.evidence import Evidence

BASE = {"job": "llm", "instance": "a:8000"}
RADIANCE = {**BASE, "model_name": "m", "engine": "0"}
VLLM = RADIANCE
NO_FINDINGS = Findings(**{field.name: Absent("not measured here") for field in fields(Findings)})  # type: ignore[arg-type]


def every(seconds: float, count: int, *, start: float = 0.0) -> list[float]:
    return [start + seconds * place for place in range(count)]


def line(name: str, pairs: Sequence[tuple[float, float]], **labels: str) -> Series:
    """Return a series of (seconds, value) pairs, of the radiance engine unless labels say otherwise."""
    return Series(
        labels={"__name__": name, **RADIANCE, **labels},
        times_ms=np.array([round(time * 1000) for time, _ in pairs], dtype=np.int64),
        values=np.array([value for _, value in pairs], dtype=np.float64),
    )


def curve(name: str, times: Sequence[float], values: Sequence[float] | np.ndarray, **labels: str) -> Series:
    return line(name, list(zip(times, np.asarray(values, dtype=float).tolist(), strict=True)), **labels)


def process_start(times: Sequence[float], starts: Sequence[float] | float) -> Series:
    values = (
        np.full(len(times), starts) if isinstance(starts, int | float) else np.asarray(starts, dtype=float)
    )
    return Series(
        labels={"__name__": "process_start_time_seconds", **BASE},
        times_ms=np.array([round(time * 1000) for time in times], dtype=np.int64),
        values=values,
    )


def buckets(
    name: str,
    times: Sequence[float],
    counts: np.ndarray,
    edges: Sequence[float],
    *,
    sums: np.ndarray,
    **labels: str,
) -> list[Series]:
    """Return a histogram; ``counts``: a row a scrape, running totals per bucket, not cumulative over le."""
    cumulative = np.cumsum(np.asarray(counts, dtype=float), axis=1)
    found = [
        curve(
            f"{name}_bucket",
            times,
            cumulative[:, place],
            le="+Inf" if np.isinf(edge) else f"{edge:g}",
            **labels,
        )
        for place, edge in enumerate(edges)
    ]
    found.append(curve(f"{name}_sum", times, sums, **labels))
    found.append(curve(f"{name}_count", times, cumulative[:, -1], **labels))
    return found


def evidence_of(
    series: Sequence[Series],
    *,
    window: tuple[float, float] | None = None,
    engine: int = 0,
    findings: Findings | Mapping[str, Any] = NO_FINDINGS,
    stats_page: Mapping[str, object] | None = None,
    warnings: tuple[str, ...] = (),
    partial: bool = False,
    settings: Settings | None = None,
) -> Evidence:
    entries = resolve_series(series)
    first = min(int(one.times_ms[0]) for one in series if one.times_ms.size)
    last = max(int(one.times_ms[-1]) for one in series if one.times_ms.size)
    span = (
        Window(start_ms=first, end_ms=last + 1)
        if window is None
        else Window(start_ms=round(window[0] * 1000), end_ms=round(window[1] * 1000))
    )
    used = settings or Settings()
    by_id = dict(enumerate(series))
    timeline = build_timeline(entries[engine], by_id, window=span, settings=used)
    found = findings if isinstance(findings, Findings) else replace(NO_FINDINGS, **findings)
    return Evidence(
        manifest=Manifest(
            format="census.capture/1",
            census_version="test",
            window=span,
            first_ms=first,
            last_ms=last,
            engines=entries,
            series=tuple(one.labels for one in series),
            samples=tuple(one.times_ms.size for one in series),
            backend={"kind": "prometheus"},
            way="by hand",
            queries=(),
            warnings=warnings,
            partial=partial,
            sha256="0" * 64,
        ),
        entry=entries[engine],
        timeline=correct(timeline),
        findings=found,
        settings=used,
        read_series=lambda ids: tuple(by_id[one] for one in ids),
        stats_page=stats_page,
    )


def named(evidence: Evidence) -> dict[str, list[Mapping[str, Any]]]:
    """Return the evidence of every caveat, by trap."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for caveat in inspect_all(evidence):
        found.setdefault(caveat.id.removeprefix("trap/"), []).append(caveat.evidence)
    return found

"""From a gate document to counters that can be judged.

Method: the document's series are cut to its window, merged (timeline/merge.py) and scanned for boots as a
report's are, on the standard library alone. Values of different parts of one role are added; series of one
part are duplicates and are not.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from census.errors import CaptureError
from census.gates.result import Bounds
from census.gates.span import Since, add_bounds, counted_since
from census.timeline.boots import BootScan, scan_boots
from census.timeline.merge import merge_series, process_changes
from census.timeline.pieces import cut_counter
from census.timeline.replicas import rank_names
from census.timeline.samples import Counter, Samples

FORMAT = "census.gate/1"
PROCESS_ROLES = ("process_start", "uptime")


@dataclass(frozen=True, slots=True, kw_only=True)
class Meters:
    """One engine's counters and boots.

    Attributes
    ----------
    counters : by role, one a part. metrics : role -> metric. absent : role -> reason.
    scan : None where the engine has no sample in the window.
    """

    key: str
    profile: str
    labels: Mapping[str, str]
    counters: Mapping[str, Sequence[Counter]]
    metrics: Mapping[str, str]
    absent: Mapping[str, str]
    scan: BootScan | None

    def counted(self, role: str, *, since: Since) -> Bounds | None:
        """Return what a role counted, None where it has no sample in the span."""
        if self.scan is None:
            return None
        return add_bounds(
            counted_since(cut_counter(one, scan=self.scan), scan=self.scan, since=since)
            for one in self.counters.get(role, ())
        )

    def unreadable(self, *roles: str) -> str:
        """Return why a counter of these roles cannot be read, or nothing."""
        if self.scan is None:
            return ""
        found = [
            self.scan.alternating[one.key]
            for role in roles
            for one in self.counters.get(role, ())
            if one.key in self.scan.alternating
        ]
        return found[0] if found else ""


def read_meters(gate: Mapping[str, Any]) -> tuple[Meters, ...]:
    """Return the engines of a gate document.

    Raises
    ------
    CaptureError : the document is of another format or not whole.
    """
    if gate.get("format") != FORMAT:
        raise CaptureError(
            f"the gate file is of format {gate.get('format')!r}; this version reads {FORMAT!r}",
            hint="pull the capture again with this version",
        )
    try:
        start_ms, end_ms = gate["window"]["start_ms"], gate["window"]["end_ms"]
        return tuple(_read_engine(engine, start_ms=start_ms, end_ms=end_ms) for engine in gate["engines"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CaptureError(
            f"the gate file is not whole: {type(error).__name__} {error}", hint="pull it again"
        ) from error


def _read_engine(engine: Mapping[str, Any], *, start_ms: int, end_ms: int) -> Meters:
    parts = {
        role: _read_parts(content, start_ms=start_ms, end_ms=end_ms)
        for role, content in engine["roles"].items()
    }
    ranking = rank_names(
        part for role, found in parts.items() if role not in PROCESS_ROLES for part in found if len(part) > 1
    )
    merged = {
        role: [merge_series(part, ranking=ranking, is_counter=role not in PROCESS_ROLES) for part in found]
        for role, found in parts.items()
    }
    metrics = {role: str(content["metric"]) for role, content in engine["roles"].items()}
    counters = {
        role: [
            Counter(
                key=f"{role}/{place}",
                family=metrics[role],
                times_ms=one.samples.times_ms,
                values=one.samples.values,
            )
            for place, one in enumerate(found)
        ]
        for role, found in merged.items()
        if role not in PROCESS_ROLES and found
    }
    process = {
        role: max((one.samples for one in merged[role]), key=lambda one: len(one.times_ms))
        for role in PROCESS_ROLES
        if merged.get(role)
    }
    every = [one for found in counters.values() for one in found]
    scan = scan_boots(
        every,
        process_start=process.get("process_start"),
        uptime=process.get("uptime"),
        new_process_ms=process_changes(
            one for role, found in merged.items() if role not in PROCESS_ROLES for one in found
        ),
        window_start_ms=start_ms,
    )
    return Meters(
        key=engine["key"],
        profile=engine["profile"],
        labels=dict(engine["labels"]),
        counters=counters,
        metrics=metrics,
        absent=dict(engine["absent"]),
        scan=scan if scan.boots else None,
    )


def _read_parts(content: Mapping[str, Any], *, start_ms: int, end_ms: int) -> list[list[Samples]]:
    """Return the series with samples, gathered by part."""
    parts: dict[int, list[Samples]] = defaultdict(list)
    for series in content["series"]:
        kept = [
            (int(time), float(value))
            for time, value in zip(series["times_ms"], series["values"], strict=True)
            if start_ms <= time < end_ms and math.isfinite(value)
        ]
        if kept:
            samples = Samples(
                labels=series["labels"],
                times_ms=[time for time, _ in kept],
                values=[value for _, value in kept],
            )
            parts[int(series.get("part", 0))].append(samples)
    return [parts[place] for place in sorted(parts)]

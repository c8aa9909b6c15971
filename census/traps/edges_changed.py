"""Bucket edges change with an upgrade, are written in two ways, or go missing.

Why it fools: adding buckets by the text of ``le`` counts "0.1" and "0.10000000000000001" as two edges, and a
histogram whose edges changed half-way has buckets that hold half of the window: quantiles come out of holes.

How it is found: an edge has fewer samples than its siblings, or one edge has two spellings.

What is done: ``le`` is read as a number; histograms are merged on the edges that all of them share, which
costs resolution and invents nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from census.capture.manifest import RoleBinding
from census.model.caveat import Caveat
from census.traps.evidence import Evidence

ID = "trap/edges-changed"

FULL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edges:
    binding: RoleBinding
    all: tuple[float, ...]
    partial: tuple[float, ...]
    spellings: tuple[str, ...]


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of histograms whose edges are not the same throughout."""
    found = [_edges(evidence, one) for one in evidence.entry.roles if one.kind == "histogram"]
    return tuple(_caveat(evidence, one) for one in found if one.partial or one.spellings)


def _edges(evidence: Evidence, binding: RoleBinding) -> _Edges:
    """Return the edges of one histogram, those with fewer samples than the fullest, and double spellings."""
    manifest = evidence.manifest
    counts: dict[float, int] = {}
    spelled: dict[float, set[str]] = {}
    for part in binding.parts:
        if part.component != "bucket" or part.le is None:
            continue
        counts[part.le] = counts.get(part.le, 0) + sum(manifest.samples[one] for one in part.series)
        spelled.setdefault(part.le, set()).update(manifest.series[one].get("le", "") for one in part.series)
    fullest = max(counts.values(), default=0)
    return _Edges(
        binding=binding,
        all=tuple(sorted(counts)),
        partial=tuple(edge for edge, count in sorted(counts.items()) if count < FULL * fullest),
        spellings=tuple(" = ".join(sorted(words)) for _, words in sorted(spelled.items()) if len(words) > 1),
    )


def _caveat(evidence: Evidence, found: _Edges) -> Caveat:
    merged = evidence.timeline.histograms.get(found.binding.role)
    kept = len(found.all) if merged is None else merged.edges.size
    parts = []
    if found.partial:
        parts.append(f"{len(found.partial)} of {len(found.all)} edges are not there throughout")
    if found.spellings:
        parts.append(f"{len(found.spellings)} edge(s) are written in two ways ({found.spellings[0]})")
    return Caveat(
        id=ID,
        severity="warning" if found.partial else "info",
        summary=f"{found.binding.metric}: {' and '.join(parts)}; merged on {kept} common edges",
        evidence={
            "metric": found.binding.metric,
            "edges_seen": len(found.all),
            "edges_common": kept,
            "edges_in_part": ", ".join(f"{edge:g}" for edge in found.partial) or None,
            "spellings": "; ".join(found.spellings) or None,
        },
        touches=("arrival_wait",)
        if found.binding.role in ("ttft", "queue_time", "prefill_time")
        else ("fitness",),
    )

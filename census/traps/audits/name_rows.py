"""Which metric answers each role, and what is known of it?

Method: one row a role, bound ones first, in the order of the profile. The clock is the one the findings go
by: where the data contradict the profile, the note says so. Absent roles stand with their reason and samples
0.
"""

from __future__ import annotations

from census.capture.manifest import RoleBinding
from census.model.census import ResolvedName
from census.traps.evidence import Evidence


def audit_names(evidence: Evidence) -> tuple[ResolvedName, ...]:
    """Return a row for every role, answered or not."""
    bound = tuple(_row(evidence, binding) for binding in evidence.entry.roles)
    absent = tuple(
        ResolvedName(role=one.role, metric=None, kind="", clock="", series=0, samples=0, note=one.reason)
        for one in evidence.entry.absent
    )
    return bound + absent


def _row(evidence: Evidence, binding: RoleBinding) -> ResolvedName:
    series = {one for part in binding.parts for one in part.series}
    clock = evidence.timeline.clocks.get(binding.role, binding.clock)
    notes = [binding.note] if binding.note else []
    if clock != binding.clock:
        notes.append(f"declared to move at {binding.clock}, seen to move at {clock} end")
    removed = next((one for one in evidence.timeline.facts.unusable if one["role"] == binding.role), None)
    if removed is not None:
        notes.append(f"not used: {removed['reason']}")
    return ResolvedName(
        role=binding.role,
        metric=binding.metric,
        kind=binding.kind,
        clock=clock,
        series=len(series),
        samples=sum(evidence.manifest.samples[one] for one in series),
        note="; ".join(notes),
    )

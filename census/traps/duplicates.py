"""The same quantity often arrives several times, and a sum counts it several times.

Why it fools: replica labels of a Prometheus pair, a pid label of a multi-process client, tensor-parallel
ranks that each count every token, a deprecated gauge twin beside a counter: ``sum by (instance)`` doubles
the work.

How it is found: several overlapping series answer one part of one role.

What is done: they are collapsed by rule to one, never summed, and listed in the audit, documented twins of a
gauge or histogram among them. Where they disagree, that is said.
"""

from __future__ import annotations

from collections.abc import Mapping

from census.model.caveat import Caveat
from census.traps.evidence import Evidence

ID = "trap/duplicates"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of duplicates, with what a sum would have said."""
    found = [one for one in evidence.timeline.facts.duplicates if not _is_known_twin(evidence, one)]
    if not found:
        return ()
    disagree = sorted({str(one["role"]) for one in found if not one["agree"]})
    roles = sorted({str(one["role"]) for one in found})
    rules = sorted({str(one["rule"]) for one in found})
    told = f"; they disagree for {', '.join(disagree)}" if disagree else ""
    numbers = _summed(evidence, roles)
    sum_told = (
        f"; a sum says {numbers['naive_sum']:.6g} {numbers['role']}, it is {numbers['true']:.6g}"
        if numbers
        else ""
    )
    return (
        Caveat(
            id=ID,
            severity="warning" if disagree else "info",
            summary=(
                f"{len(roles)} role(s) come in duplicate ({'; '.join(rules)}), collapsed to "
                f"one{sum_told}{told}"
            ),
            evidence={
                "roles": ", ".join(roles),
                "rules": "; ".join(rules),
                "disagree": ", ".join(disagree) or None,
                **numbers,
            },
            touches=("fitness",),
        ),
    )


def _is_known_twin(evidence: Evidence, fact: Mapping[str, object]) -> bool:
    """Tell whether a gauge or histogram is merely exported under two names that agree: nobody sums those."""
    binding = evidence.entry.binding(str(fact["role"]))
    kept, dropped = (str(fact[key]).partition("{")[0] for key in ("kept", "dropped"))
    return binding is not None and binding.kind != "counter" and bool(fact["agree"]) and kept != dropped


def _summed(evidence: Evidence, roles: list[str]) -> dict[str, str | float]:
    """Return what the sum of the rises of all series of one counter says, beside the increase taken."""
    for role in roles:
        binding = evidence.entry.binding(role)
        if binding is None or binding.kind != "counter" or role not in evidence.timeline.totals.columns:
            continue
        ids = [series for part in binding.parts for series in part.series]
        rises = [
            float(one.values[1:][step > 0].sum() - one.values[:-1][step > 0].sum())
            for one in evidence.read_series(ids)
            if one.values.size > 1
            for step in [one.values[1:] - one.values[:-1]]
        ]
        return {"role": role, "naive_sum": sum(rises), "true": evidence.timeline.total(role)}
    return {}

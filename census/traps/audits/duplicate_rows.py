"""Which series carried the same quantity, and by what rule were they collapsed?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from census.traps.evidence import Evidence, fact_time


def audit_duplicates(evidence: Evidence) -> tuple[Mapping[str, Any], ...]:
    """Return a row for each kind of duplicate and each stitched rename; roles of one kind stand together."""
    facts = evidence.timeline.facts
    grouped: dict[tuple[str, str, str, bool], list[str]] = {}
    for one in facts.duplicates:
        key = (_family(one["kept"]), _family(one["dropped"]), str(one["rule"]), bool(one["agree"]))
        grouped.setdefault(key, []).append(str(one["role"]))
    rows: list[Mapping[str, Any]] = [
        {"roles": _named(roles), "kept": kept, "dropped": dropped, "rule": rule, "agree": agree}
        for (kept, dropped, rule, agree), roles in grouped.items()
    ]
    rows += [
        {
            "roles": str(one["role"]),
            "kept": _joined(one["metrics"]),
            "dropped": None,
            "rule": f"stitched at {fact_time(one, 'at_ms')}",
            "agree": True,
        }
        for one in facts.stitched
    ]
    return tuple(rows)


def _family(series: object) -> str:
    """Return a series as it is written, its histogram suffix left out."""
    name, brace, labels = str(series).partition("{")
    suffix = next((one for one in ("_bucket", "_sum", "_count") if name.endswith(one)), "")
    return name.removesuffix(suffix) + brace + labels


def _named(roles: list[str]) -> str:
    distinct = list(dict.fromkeys(roles))
    return ", ".join(distinct[:3]) + (f" and {len(distinct) - 3} more" if len(distinct) > 3 else "")


def _joined(metrics: object) -> str:
    return " then ".join(str(one) for one in metrics) if isinstance(metrics, tuple) else str(metrics)

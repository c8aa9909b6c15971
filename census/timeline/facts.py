"""What did the timeline do to the samples? One plain row a deed, for the traps and the audits.

Buckets of one histogram that were mended at the same moment are one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from census.timeline.boots import BootScan
from census.timeline.drops import Drop
from census.timeline.intervals import Increases
from census.timeline.quantities import Quantity
from census.timeline.timeline import Facts

Row = Mapping[str, object]


def gather_facts(
    quantities: Sequence[Quantity],
    *,
    scan: BootScan,
    increases: Mapping[str, Increases],
    clamped: Mapping[str, int],
    unusable: Mapping[str, str],
) -> Facts:
    """Return all that was done to these quantities."""
    by_key = {one.key: one for one in quantities}
    return Facts(
        dips=_unique(_drop_row(drop, by_key) for drop in scan.dips),
        bad_samples=_unique(
            {"role": by_key[key].binding.role, "at_ms": by_key[key].counter.times_ms[place]}
            for key, places in scan.bad.items()
            for place in places
        ),
        resets=tuple(
            {
                "boot": one.boot,
                "after_ms": one.after_ms,
                "before_ms": one.before_ms,
                "counters": one.counters,
                "evidence": one.evidence,
            }
            for one in scan.resets
        ),
        lone_resets=_unique(
            {**_drop_row(drop, by_key), "boot": scan.boot_at(drop.at_ms)} for drop in scan.lone_resets
        ),
        late_born=_unique(
            row for key, one in increases.items() for row in _late_rows(by_key[key], increases=one)
        ),
        duplicates=_unique(row for one in quantities for row in _duplicate_rows(one)),
        stitched=_unique(
            {
                "role": one.binding.role,
                "metrics": tuple(labels.get("__name__", "") for labels in (stitch.before, stitch.after)),
                "at_ms": stitch.at_ms,
                "edge": stitch.edge,
            }
            for one in quantities
            for stitch in one.merged.stitches
        ),
        clamped=tuple({"role": role, "intervals": count} for role, count in clamped.items() if count),
        unusable=_unique(
            {"role": by_key[key].binding.role, "reason": reason} for key, reason in unusable.items()
        ),
        hidden_resets=scan.hidden_resets,
    )


def _drop_row(drop: Drop, by_key: Mapping[str, Quantity]) -> Row:
    return {
        "role": by_key[drop.key].binding.role,
        "at_ms": drop.at_ms,
        "from_value": drop.high,
        "to_value": drop.low,
    }


def _late_rows(quantity: Quantity, *, increases: Increases) -> Iterable[Row]:
    for piece in increases.pieces:
        if piece.born_late:
            yield {
                "role": quantity.binding.role,
                "boot": piece.boot,
                "at_ms": piece.born_ms,
                "first_value": piece.first_value,
                "counted": piece.counted,
            }


def _duplicate_rows(quantity: Quantity) -> Iterable[Row]:
    for one in quantity.merged.duplicates:
        yield {
            "role": quantity.binding.role,
            "kept": _written(one.kept),
            "dropped": _written(one.dropped),
            "rule": one.rule,
            "agree": one.agree,
        }


def _written(labels: Mapping[str, str]) -> str:
    inner = ", ".join(
        f'{label}="{value}"' for label, value in sorted(labels.items()) if label not in ("__name__", "le")
    )
    return f"{labels.get('__name__', '')}{{{inner}}}"


def _unique(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return one row for each role (or series) and moment, the first, in order."""
    kept: dict[tuple[object, ...], Row] = {}
    for row in rows:
        name = tuple(row.get(key) for key in ("role", "at_ms", "kept", "dropped"))
        kept.setdefault(name, row)
    return tuple(kept.values())

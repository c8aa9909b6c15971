"""What does a program read of a census? The report as JSON, by the contract of docs/report-json.md.

Method: the field names of the frozen findings are the keys, in their order; a reading is its six parts or
``{"absent": reason}``; floats carry twelve significant digits and a whole number is written as one. NaN and
infinity are refused, never written. The timeline track is a picture's data and stays out.
"""

from __future__ import annotations

import dataclasses
import json
import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

from census.model.boot import Boot
from census.model.census import Census
from census.model.estimate import Absent
from census.model.window import rfc3339

SCHEMA = "census.report/1"
SIGNIFICANT_DIGITS = 12
KEYS = {"lambda_": "lambda"}
"""Field names that Python reserves, and the keys that they stand for."""


def report_document(censuses: Sequence[Census]) -> dict[str, Any]:
    """Return the document: one engine's report itself, several engines' reports in a list."""
    reports = [_report(census) for census in censuses]
    if len(reports) == 1:
        return reports[0]
    return {"schema": SCHEMA, "engines": reports}


def report_json(censuses: Sequence[Census]) -> str:
    """Return the document as text that ends in a newline; the same censuses give the same bytes."""
    return json.dumps(report_document(censuses), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _report(census: Census) -> dict[str, Any]:
    covered = census.coverage
    return {
        "schema": SCHEMA,
        "engine": {
            "profile": census.engine.profile,
            "labels": {key: census.engine.labels[key] for key in sorted(census.engine.labels)},
            "pooled": census.pooled,
        },
        "window": {
            "start": rfc3339(covered.window.start_ms),
            "end": rfc3339(covered.window.end_ms),
            "scrape_interval_s": plain_value(covered.scrape_interval_s, at="window.scrape_interval_s"),
            "coverage": plain_value(covered.coverage, at="window.coverage"),
            "intervals": census.intervals,
            "loaded_intervals": census.loaded_intervals,
        },
        "boots": [_boot(boot) for boot in census.boots],
        "findings": plain_value(census.findings, at="findings"),
        "attribution": plain_value(census.attribution, at="attribution"),
        "audits": plain_value(census.audits, at="audits"),
        "caveats": plain_value(census.caveats, at="caveats"),
        "provenance": plain_value(census.provenance, at="provenance"),
    }


def _boot(boot: Boot) -> dict[str, Any]:
    return {
        "index": boot.index,
        "start": rfc3339(boot.start_ms),
        "end": rfc3339(boot.end_ms),
        "start_seen": boot.start_seen,
        "evidence": boot.evidence,
    }


def plain_value(value: Any, *, at: str) -> Any:
    """Return a value of the model as JSON has it; ``at`` names it in an error.

    Raises
    ------
    ValueError : a number is NaN or infinite.
    TypeError : the value is of no kind that a report holds.
    """
    if isinstance(value, Absent):
        return {"absent": plain_value(value.reason, at=at)}
    if dataclasses.is_dataclass(value):
        return {
            KEYS.get(field.name, field.name): plain_value(getattr(value, field.name), at=f"{at}.{field.name}")
            for field in dataclasses.fields(value)
        }
    if isinstance(value, Mapping):
        return {str(key): plain_value(item, at=f"{at}.{key}") for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain_value(item, at=f"{at}[{place}]") for place, item in enumerate(value)]
    return _scalar(value, at=at)


def _scalar(value: Any, *, at: str) -> str | bool | int | float | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate cannot be written
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return _rounded(float(value), at=at)
    raise TypeError(f"{at} is a {type(value).__name__}, which no report holds")


def _rounded(value: float, *, at: str) -> int | float:
    if not math.isfinite(value):
        raise ValueError(f"{at} is {value}: a report says Absent(reason) or null instead")
    rounded = float(f"{value:.{SIGNIFICANT_DIGITS}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded

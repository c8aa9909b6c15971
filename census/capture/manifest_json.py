"""How is a manifest written down? Sorted, indented JSON that a person can read, checked when it is read back.

Times stand twice, as RFC 3339 for people and as integer milliseconds for us. The open edge of a histogram is
"+Inf".
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from census.capture.manifest import FORMAT, AbsentRole, EngineEntry, Manifest, Part, RoleBinding
from census.capture.places import MANIFEST, require_whole
from census.errors import CaptureError
from census.model.window import Window, rfc3339


def manifest_to_json(manifest: Manifest) -> str:
    """Return the text of manifest.json."""
    window = manifest.window
    document: dict[str, Any] = {
        "format": manifest.format,
        "census_version": manifest.census_version,
        "window": {
            "start": rfc3339(window.start_ms),
            "end": rfc3339(window.end_ms),
            "start_ms": window.start_ms,
            "end_ms": window.end_ms,
        },
        "first_ms": manifest.first_ms,
        "last_ms": manifest.last_ms,
        "engines": [_engine_to_dict(engine) for engine in manifest.engines],
        "series": [
            {"id": index, "labels": dict(labels), "samples": samples}
            for index, (labels, samples) in enumerate(zip(manifest.series, manifest.samples, strict=True))
        ],
        "backend": dict(manifest.backend),
        "way": manifest.way,
        "queries": list(manifest.queries),
        "warnings": list(manifest.warnings),
        "partial": manifest.partial,
        "sha256": manifest.sha256,
    }
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def read_manifest(path: Path) -> Manifest:
    """Return the manifest of the capture in this folder, without a look at its samples.

    Raises
    ------
    CaptureError : no whole capture, or its manifest is unreadable or of a newer format.
    """
    require_whole(path)
    try:
        text = (path / MANIFEST).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CaptureError(f"{path / MANIFEST} is unreadable: {error}") from error
    return manifest_from_json(text, where=str(path))


def manifest_from_json(text: str, *, where: str) -> Manifest:
    """Return the manifest; ``where`` names the capture in errors.

    Raises
    ------
    CaptureError : no JSON, another format, a newer format, or a key that is missing or of the wrong kind.
    """
    try:
        document = json.loads(text)
    except ValueError as error:
        raise CaptureError(f"{where}: manifest.json is not JSON ({error})", hint="pull it again") from error
    _refuse_other_formats(document, where=where)
    try:
        return _manifest_from_dict(document)
    except KeyError as error:
        raise CaptureError(f"{where}: manifest.json lacks {error}", hint="pull it again") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise CaptureError(f"{where}: manifest.json is damaged ({error})", hint="pull it again") from error


def _refuse_other_formats(document: object, *, where: str) -> None:
    found = document.get("format") if isinstance(document, dict) else None
    if found == FORMAT:
        return
    name, _, version = str(found).rpartition("/")
    ours, _, newest = FORMAT.rpartition("/")
    if name == ours and version.isdigit() and int(version) > int(newest):
        raise CaptureError(
            f"{where} is a capture of format {version}, and this census reads up to {newest}",
            hint="update census",
        )
    raise CaptureError(f"{where} is no census capture: its manifest says format {found!r}")


def _manifest_from_dict(document: Mapping[str, Any]) -> Manifest:
    return Manifest(
        format=document["format"],
        census_version=document["census_version"],
        window=Window(start_ms=int(document["window"]["start_ms"]), end_ms=int(document["window"]["end_ms"])),
        first_ms=document["first_ms"],
        last_ms=document["last_ms"],
        engines=tuple(_engine_from_dict(engine) for engine in document["engines"]),
        series=tuple(dict(one["labels"]) for one in document["series"]),
        samples=tuple(int(one["samples"]) for one in document["series"]),
        backend=dict(document["backend"]),
        way=document["way"],
        queries=tuple(document["queries"]),
        warnings=tuple(document["warnings"]),
        partial=bool(document["partial"]),
        sha256=document["sha256"],
    )


def _engine_to_dict(engine: EngineEntry) -> dict[str, Any]:
    return {
        "key": engine.key,
        "profile": engine.profile,
        "labels": dict(engine.labels),
        "roles": [
            {
                "role": binding.role,
                "metric": binding.metric,
                "kind": binding.kind,
                "clock": binding.clock,
                "unit": binding.unit,
                "note": binding.note,
                "parts": [_part_to_dict(part) for part in binding.parts],
            }
            for binding in engine.roles
        ],
        "absent": [{"role": absent.role, "reason": absent.reason} for absent in engine.absent],
    }


def _part_to_dict(part: Part) -> dict[str, Any]:
    le = "+Inf" if part.le is not None and math.isinf(part.le) else part.le
    return {"component": part.component, "le": le, "labels": dict(part.labels), "series": list(part.series)}


def _engine_from_dict(document: Mapping[str, Any]) -> EngineEntry:
    return EngineEntry(
        key=document["key"],
        profile=document["profile"],
        labels=dict(document["labels"]),
        roles=tuple(
            RoleBinding(
                role=role["role"],
                metric=role["metric"],
                kind=role["kind"],
                clock=role["clock"],
                unit=role["unit"],
                note=role["note"],
                parts=tuple(_part_from_dict(part) for part in role["parts"]),
            )
            for role in document["roles"]
        ),
        absent=tuple(AbsentRole(role=one["role"], reason=one["reason"]) for one in document["absent"]),
    )


def _part_from_dict(document: Mapping[str, Any]) -> Part:
    le = document["le"]
    return Part(
        component=document["component"],
        le=None if le is None else float(le),
        labels=dict(document["labels"]),
        series=tuple(int(one) for one in document["series"]),
    )

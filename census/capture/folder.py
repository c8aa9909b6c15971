"""What did one pull bring home? A folder that is either whole or not there.

    DIR/manifest.json     what was asked, found and absent, from which server, by which queries; the sha256
    DIR/samples.parquet   the raw samples (samples_file)
    DIR/gate.json         what ``census check`` needs, readable without any library (gate_file)
    DIR/stats.json, DIR/health.json   one snapshot of the engine's own pages, where it was asked for

A capture is written as ``DIR.partial`` beside its place, the manifest last, and renamed when it is whole. So
a pull that is killed leaves nothing that any command reads: ``.partial`` folders are refused by name, and a
folder without a manifest is no capture.

History of the format: census.capture/1, the first.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from census import __version__
from census.capture.gate_file import gate_document
from census.capture.hashing import canonical_sha256, combine_digests, series_digest
from census.capture.manifest import FORMAT, EngineEntry, Manifest
from census.capture.manifest_json import manifest_to_json, read_manifest
from census.capture.places import (
    GATE,
    MANIFEST,
    PARTIAL,
    list_captures,
    newest_capture,
    read_json,
)
from census.capture.samples_file import SamplesWriter, count_rows, read_samples
from census.capture.series import Series
from census.errors import CaptureError, UsageError
from census.model.window import Window

SAMPLES = "samples.parquet"

__all__ = [
    "Capture",
    "list_captures",
    "load_capture",
    "newest_capture",
    "read_json",
    "refuse_existing",
    "write_capture",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """A capture on disk: its manifest, and its samples on demand."""

    path: Path
    manifest: Manifest

    def series(self, ids: Sequence[int]) -> tuple[Series, ...]:
        """Return these series in the order asked; a series without samples comes empty."""
        unknown = [one for one in ids if not 0 <= one < len(self.manifest.series)]
        if unknown:
            raise CaptureError(f"{self.path} has no series {unknown[0]}")
        found = dict(self._read(set(ids)))
        return tuple(found[one] if one in found else self._empty(one) for one in ids)

    def iter_series(self) -> Iterator[tuple[int, Series]]:
        """Yield (id, series) of all series that have samples, holding one row group at a time."""
        yield from self._read(range(len(self.manifest.series)))

    def engine(self, key: str) -> EngineEntry:
        """Return the engine of this key."""
        for entry in self.manifest.engines:
            if entry.key == key:
                return entry
        known = ", ".join(entry.key for entry in self.manifest.engines) or "none"
        raise UsageError(f"{self.path} has no engine {key!r}", hint=f"its engines: {known}")

    def gate(self) -> dict[str, Any]:
        """Return the document of gate.json."""
        document: dict[str, Any] = read_json(self.path / GATE)
        return document

    def extra(self, name: str) -> Any | None:
        """Return an optional JSON file such as "stats.json", None where the pull was not asked for it."""
        path = self.path / name
        return read_json(path) if path.exists() else None

    def verify(self) -> None:
        """Hash all samples anew and compare with the manifest.

        Raises
        ------
        CaptureError : the samples are not the ones that were pulled.
        """
        labels = self.manifest.series
        digests = {index: series_digest(one) for index, one in self.iter_series()}
        found = combine_digests(
            (labels[index], digests.get(index) or series_digest(self._empty(index)))
            for index in range(len(labels))
        )
        if found != self.manifest.sha256:
            raise CaptureError(
                f"{self.path} does not hold the samples that were pulled (sha256 {found[:12]}…, "
                f"its manifest says {self.manifest.sha256[:12]}…)",
                hint="pull it again",
            )

    def _read(self, wanted: Collection[int]) -> Iterator[tuple[int, Series]]:
        labels = self.manifest.series
        for index, times, values in read_samples(self.path / SAMPLES, wanted=wanted):
            yield index, Series(labels=labels[index], times_ms=times, values=values)

    def _empty(self, index: int) -> Series:
        return Series.empty(self.manifest.series[index])


def write_capture(
    path: Path,
    *,
    window: Window,
    engines: Sequence[EngineEntry],
    series: Sequence[Series],
    backend: Mapping[str, Any],
    way: str,
    queries: Sequence[str],
    warnings: Sequence[str] = (),
    partial: bool = False,
    extras: Mapping[str, object] | None = None,
    force: bool = False,
) -> Manifest:
    """Write a capture, whole or not at all, and return its manifest.

    Parameters
    ----------
    path : the capture's folder; an existing one is refused without ``force``.
    engines : their parts hold indices into ``series``.
    extras : further JSON files by name, e.g. {"stats.json": {...}}.
    """
    refuse_existing(path, force=force)
    ends = [(int(one.times_ms[0]), int(one.times_ms[-1])) for one in series if one.times_ms.size]
    manifest = Manifest(
        format=FORMAT,
        census_version=__version__,
        window=window,
        first_ms=min((first for first, _ in ends), default=None),
        last_ms=max((last for _, last in ends), default=None),
        engines=tuple(engines),
        series=tuple(dict(one.labels) for one in series),
        samples=tuple(int(one.times_ms.size) for one in series),
        backend=dict(backend),
        way=way,
        queries=tuple(queries),
        warnings=tuple(warnings),
        partial=partial,
        sha256=canonical_sha256(series),
    )
    beside = path.with_name(path.name + PARTIAL)
    try:
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        with SamplesWriter(beside / SAMPLES) as writer:
            for one in series:
                writer.add(one)
        write_json(beside / GATE, _gate_of(manifest, series))
        for name, content in (extras or {}).items():
            write_json(beside / name, content)
        (beside / MANIFEST).write_text(manifest_to_json(manifest), encoding="utf-8")
        _put_in_place(beside, path)
    except OSError as error:
        shutil.rmtree(beside, ignore_errors=True)
        raise CaptureError(f"cannot write the capture {path}: {error.strerror or error}") from error
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
    return manifest


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise where ``path`` may not become a capture, before any work is done for it."""
    if path.name.endswith(PARTIAL):
        raise CaptureError(f"{path}: names that end in {PARTIAL} are for captures being written")
    if not path.exists() and not path.is_symlink():
        return
    if not force:
        raise CaptureError(f"{path} is already there", hint="give another --out, or --force to replace it")
    if not (path / MANIFEST).is_file() and not _is_empty_folder(path):
        raise CaptureError(f"{path} is no capture, so --force does not replace it", hint="give another --out")


def load_capture(path: Path) -> Capture:
    """Return the capture in this folder, checked for what is cheap to check.

    Raises
    ------
    CaptureError : not there, half written, unreadable, of a newer format, or with samples missing.
    """
    manifest = read_manifest(path)
    rows = count_rows(path / SAMPLES)
    if rows != sum(manifest.samples):
        raise CaptureError(
            f"{path} is damaged: {rows:,} samples, its manifest says {sum(manifest.samples):,}",
            hint="pull it again",
        )
    return Capture(path=path, manifest=manifest)


def write_json(path: Path, content: object) -> None:
    """Write one JSON file of a capture, keys sorted."""
    path.write_text(
        json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8"
    )


def _gate_of(manifest: Manifest, series: Sequence[Series]) -> dict[str, Any]:
    def samples_of(index: int) -> tuple[Mapping[str, str], Sequence[int], Sequence[float]]:
        one = series[index]
        return one.labels, one.times_ms.tolist(), one.values.tolist()

    return gate_document(
        window=manifest.window,
        engines=manifest.engines,
        samples_of=samples_of,
        partial=manifest.partial,
        warnings=manifest.warnings,
    )


def _put_in_place(beside: Path, path: Path) -> None:
    if not path.exists():
        beside.rename(path)
        return
    aside = path.with_name(path.name + ".old" + PARTIAL)
    shutil.rmtree(aside, ignore_errors=True)
    path.rename(aside)
    beside.rename(path)
    shutil.rmtree(aside)


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())

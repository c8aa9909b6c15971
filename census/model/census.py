"""A census: everything that one capture says about one engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from census.model.boot import Boot
from census.model.caveat import Caveat
from census.model.estimate import Absent
from census.model.findings import Attribution, Findings
from census.model.settings import Settings
from census.model.track import Track
from census.model.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Which engine: the profile's name and the labels that tell this engine from others on the target."""

    profile: str
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The window and how much of it the scrapes cover."""

    window: Window
    scrape_interval_s: float | None
    coverage: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedName:
    """Audit row: one role, the metric that answers it, and what is known of it."""

    role: str
    metric: str | None
    kind: str
    clock: str
    series: int
    samples: int
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Audits:
    """What stands in every report about the fitness of the data.

    Each value is a tuple of plain rows (mappings of str to scalars), in the order that they are read.
    """

    names: tuple[ResolvedName, ...]
    scrapes: tuple[Mapping[str, Any], ...]
    liveness: tuple[Mapping[str, Any], ...]
    gauges: tuple[Mapping[str, Any], ...]
    dilution: tuple[Mapping[str, Any], ...]
    histograms: tuple[Mapping[str, Any], ...]
    duplicates: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where the numbers come from. No port, no wall clock of the run."""

    census_version: str
    capture_sha256: str
    settings: Settings
    queries: tuple[str, ...]
    backend: Mapping[str, Any]
    way: str
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """One engine's census, ready to render."""

    engine: Engine
    coverage: Coverage
    boots: tuple[Boot, ...]
    loaded_intervals: int
    intervals: int
    findings: Findings
    attribution: Attribution | Absent
    audits: Audits
    caveats: tuple[Caveat, ...]
    provenance: Provenance
    pooled: bool
    track: Track | None = None
    """For the timeline figure alone; not part of the report JSON."""

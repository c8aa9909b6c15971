"""What would a pull of this server bring, what is wrong with its data, and what should be changed first?

Method: discovery, then the raw samples of a short window, then the same timeline, audits and traps as a
report. Nothing is written. Amounts of data are not judged; a short window is short.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from census.capture.manifest import FORMAT, EngineEntry, Manifest
from census.capture.series import Series
from census.errors import InconclusiveError
from census.model.caveat import Caveat
from census.model.census import Audits
from census.model.estimate import Absent
from census.model.findings import Findings
from census.model.settings import Settings
from census.model.window import Window
from census.pipeline.prospects import Prospect, ScrapePower, list_prospects, measure_power
from census.queries.facts import facts_of
from census.queries.plan import plan_queries
from census.queries.promql import Matcher
from census.queries.resolve import resolve_engines
from census.sources.connection import Connection
from census.sources.discover import bound_series, discover, expected_samples
from census.sources.fetch import Fetched, fetch
from census.sources.prometheus import PrometheusCatalogue
from census.timeline.build import build_timeline
from census.timeline.corrections import correct
from census.timeline.timeline import Timeline
from census.traps.audits import audit
from census.traps.catalogue import inspect_all
from census.traps.evidence import Evidence

ABOUT_AMOUNT = ("trap/too-little", "trap/short-retention")
MISSED_SHARE = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """One engine, as far as a short window shows it.

    Attributes
    ----------
    advice : what to change, one sentence each; empty where nothing is to be changed.
    config : the scrape configuration that would serve, YAML; empty where the present one does.
    """

    key: str
    profile: str
    labels: Mapping[str, str]
    coverage: float
    boots: int
    prospects: tuple[Prospect, ...]
    power: ScrapePower
    audits: Audits
    caveats: tuple[Caveat, ...]
    advice: tuple[str, ...]
    config: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """All engines of one server, and the server itself."""

    window: Window
    backend: Mapping[str, Any]
    engines: tuple[Checkup, ...]
    warnings: tuple[str, ...]
    partial: bool


def examine(
    connection: Connection, *, window: Window, matchers: Sequence[Matcher], engine: str, settings: Settings
) -> Examination:
    """Return a checkup of every engine on this server that has two scrapes in the window.

    Raises
    ------
    SourceError : the server is not reachable, refuses, or is not what it should be.
    InconclusiveError : no engine, or none with two scrapes in the window.
    """
    catalogue = PrometheusCatalogue(connection)
    backend = catalogue.backend()
    found = discover(catalogue, window=window, matchers=matchers, engine=engine)
    expected = expected_samples(catalogue, found, window=window)
    plan = plan_queries(expected, window=window, matchers=found.matchers)
    fetched = fetch(plan, connection, on_progress=lambda _: None)
    kept = [one for one in fetched.series if one.times_ms.size]
    entries = resolve_engines(facts_of(kept), engine=engine, names_on_server=found.names)
    manifest = _manifest(fetched, kept, entries, window=window, backend=backend)
    engines, reasons = [], []
    for entry in entries:
        try:
            engines.append(_checkup(entry, manifest, kept, settings))
        except InconclusiveError as error:
            reasons.append(error)
    if not engines:
        raise (
            reasons[0]
            if reasons
            else InconclusiveError(
                f"no sample of {found.engines[0].key} in the window", hint="give more --hours"
            )
        )
    return Examination(
        window=window,
        backend=backend,
        engines=tuple(engines),
        warnings=tuple(dict.fromkeys((*map(connection.redact, catalogue.warnings), *fetched.warnings))),
        partial=catalogue.partial or fetched.partial,
    )


def _checkup(entry: EngineEntry, manifest: Manifest, kept: Sequence[Series], settings: Settings) -> Checkup:
    by_id = {one: kept[one] for one in bound_series([entry])}
    timeline = correct(build_timeline(entry, by_id, window=manifest.window, settings=settings))
    evidence = Evidence(
        manifest=manifest,
        entry=entry,
        timeline=timeline,
        findings=Findings(**{one.name: Absent("not measured by the doctor") for one in fields(Findings)}),
        settings=settings,
        read_series=lambda ids: tuple(kept[one] for one in ids),
        stats_page=None,
    )
    caveats = tuple(one for one in inspect_all(evidence) if one.id not in ABOUT_AMOUNT)
    audits = audit(evidence)
    power = measure_power(timeline, settings)
    return Checkup(
        key=entry.key,
        profile=entry.profile,
        labels=dict(entry.labels),
        coverage=timeline.coverage,
        boots=len(timeline.boots),
        prospects=list_prospects(timeline, settings),
        power=power,
        audits=audits,
        caveats=caveats,
        advice=_advice(timeline, manifest, entry, audits, power),
        config=_config(entry.labels, power) if power.wanted_s < power.interval_s else "",
    )


def _advice(
    timeline: Timeline, manifest: Manifest, entry: EngineEntry, audits: Audits, power: ScrapePower
) -> tuple[str, ...]:
    """Return what to change, the most telling first."""
    found = []
    if timeline.facts.unusable:
        found.append("scrape each worker by itself: several answer this target in turn")
    if power.wanted_s < power.interval_s:
        found.append(
            f"scrape every {power.wanted_s:g} s instead of {power.interval_s:g} s: the lag test then "
            "tells lingering "
            f"of {2 * power.wanted_s:g} s, now {2 * power.interval_s:g} s"
        )
    scrapes = sum(int(row["scrapes"]) for row in audits.scrapes)
    missed = sum(int(row["missed"]) + int(row["gaps"]) for row in audits.scrapes)
    if missed > MISSED_SHARE * scrapes:
        found.append(
            f"{missed} of {scrapes + missed} scrapes are missing: look at scrape_timeout and the target's "
            "load"
        )
    if any(not row["agree"] for row in audits.duplicates):
        found.append("series of one quantity disagree: export one process's metrics, or pull with --match")
    twins = [
        one.key
        for one in manifest.engines
        if one.key != entry.key
        and one.labels.get("instance") == entry.labels.get("instance")
        and one.labels.get("job") != entry.labels.get("job")
    ]
    if twins:
        found.append(f"the same instance is scraped by two jobs ({', '.join(twins)}): pull one with --match")
    if timeline.facts.hidden_resets != "excluded":
        found.append(
            "the engine exports no process start time: pull with --stats URL, or note restarts yourself"
        )
    return tuple(found)


def _config(labels: Mapping[str, str], power: ScrapePower) -> str:
    """Return a scrape configuration with the interval that would serve."""
    job, instance = labels.get("job", "llm"), labels.get("instance", "host:port")
    timeout = max(1.0, 0.8 * power.wanted_s) if power.wanted_s > 1 else power.wanted_s
    return (
        "scrape_configs:\n"
        f"  - job_name: {json.dumps(job)}\n"
        f"    scrape_interval: {power.wanted_s:g}s\n"
        f"    scrape_timeout: {timeout:g}s\n"
        "    static_configs:\n"
        f"      - targets: [{json.dumps(instance)}]\n"
    )


def _manifest(
    fetched: Fetched,
    kept: Sequence[Series],
    entries: Sequence[EngineEntry],
    *,
    window: Window,
    backend: Mapping[str, Any],
) -> Manifest:
    """Return the manifest that a capture of these samples would have; nothing is hashed, nothing written."""
    return Manifest(
        format=FORMAT,
        census_version="",
        window=window,
        first_ms=min(int(one.times_ms[0]) for one in kept) if kept else None,
        last_ms=max(int(one.times_ms[-1]) for one in kept) if kept else None,
        engines=tuple(entries),
        series=tuple(one.labels for one in kept),
        samples=tuple(int(one.times_ms.size) for one in kept),
        backend=backend,
        way=fetched.way,
        queries=fetched.queries,
        warnings=fetched.warnings,
        partial=fetched.partial,
        sha256="",
    )

"""From a capture to censuses: every finding of every engine, in the order in which each needs the last.

Randomness is seeded from the samples' increases and the finding's name: one capture, one report.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from census import __version__
from census.capture.folder import Capture, load_capture
from census.capture.manifest import EngineEntry, Manifest
from census.errors import InconclusiveError, UsageError
from census.findings import (
    arrival_wait,
    attribution,
    decode_under_prefill,
    lag_structure,
    mechanism,
    pending,
    preemptions,
    protection_meter,
    step_phases,
)
from census.findings.interval_rates import IntervalRates, measure_rates
from census.knobs import ladder
from census.model.census import Census, Coverage, Engine, Provenance
from census.model.estimate import Absent
from census.model.findings import Findings
from census.model.settings import Settings
from census.pipeline.track import draw_track
from census.timeline.load import load_timeline
from census.timeline.timeline import Timeline
from census.traps.audits import audit
from census.traps.catalogue import inspect_all
from census.traps.evidence import Evidence

Finding = TypeVar("Finding")


def build_censuses(path: Path, settings: Settings, *, boot: str = "all") -> tuple[Census, ...]:
    """Return one census for each engine of the capture in ``path``.

    Parameters
    ----------
    boot : "all", "last", or the index of one boot as text.

    Raises
    ------
    CaptureError : no such capture, or it cannot be read.
    UsageError : the capture has no such boot.
    InconclusiveError : no engine of the capture has two scrapes in the window.
    """
    capture = load_capture(path)
    if not capture.manifest.engines:
        raise InconclusiveError(f"{path} holds no engine", hint="pull again with a wider window")
    read = [_read(capture, entry, settings, boot=boot) for entry in capture.manifest.engines]
    return tuple(
        _take(capture, one, settings, others=[other for other in read if other is not one]) for one in read
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Read:
    """One engine of the capture, as far as all findings need it."""

    entry: EngineEntry
    timeline: Timeline
    only: int | None
    rates: IntervalRates | Absent


def _read(capture: Capture, entry: EngineEntry, settings: Settings, *, boot: str) -> _Read:
    whole = load_timeline(capture, entry.key, settings=settings)
    only = _which_boot(whole, boot, engine=entry.key)
    timeline = whole if only is None else whole.only_boot(only)
    return _Read(entry=entry, timeline=timeline, only=only, rates=measure_rates(timeline, settings))


def _take(capture: Capture, read: _Read, settings: Settings, *, others: Sequence[_Read]) -> Census:
    manifest, entry, timeline, rates = capture.manifest, read.entry, read.timeline, read.rates
    draw = _Draws(timeline)
    neighbours = [(one.timeline, one.rates) for one in others if isinstance(one.rates, IntervalRates)]
    findings = _of_boot(_measure(timeline, rates, settings, draw, others=neighbours), read.only)
    lost = _with_rates(
        rates,
        lambda known: attribution.measure(timeline, known, findings.mechanism, settings, draw("attribution")),
    )
    evidence = Evidence(
        manifest=manifest,
        entry=entry,
        timeline=timeline,
        findings=findings,
        settings=settings,
        read_series=capture.series,
        stats_page=_stats_page(capture),
    )
    known = rates if isinstance(rates, IntervalRates) else None
    return Census(
        engine=Engine(profile=entry.profile, labels=dict(entry.labels)),
        coverage=Coverage(
            window=manifest.window,
            scrape_interval_s=timeline.scrape_interval_s,
            coverage=timeline.coverage,
        ),
        boots=timeline.boots,
        loaded_intervals=_count_loaded(known),
        intervals=len(timeline.clean()),
        findings=findings,
        attribution=lost,
        audits=audit(evidence),
        caveats=inspect_all(evidence),
        provenance=_provenance(manifest, settings),
        pooled=False,
        track=draw_track(timeline, known),
    )


def _measure(
    timeline: Timeline,
    rates: IntervalRates | Absent,
    settings: Settings,
    draw: _Draws,
    *,
    others: Sequence[tuple[Timeline, IntervalRates]],
) -> Findings:
    phases = step_phases.measure(timeline, settings, draw("step_phases"))
    lag = _with_rates(rates, lambda known: lag_structure.measure(timeline, known, settings, draw("lag")))
    verdict = _with_rates(
        rates,
        lambda known: mechanism.measure(
            timeline, known, phases, lag, settings, draw("mechanism"), others=others
        ),
    )
    return Findings(
        step_phases=phases,
        decode_under_prefill=_with_rates(
            rates, lambda known: decode_under_prefill.measure(timeline, known, settings, draw("buckets"))
        ),
        pending=_with_rates(rates, lambda known: pending.measure(timeline, known, settings, draw("pending"))),
        lag_structure=lag,
        mechanism=verdict,
        arrival_wait=_with_rates(rates, lambda known: arrival_wait.measure(timeline, known, settings)),
        protection_meter=protection_meter.measure(timeline),
        preemptions=preemptions.measure(timeline, settings),
        ladder=_with_rates(
            rates, lambda known: ladder.price(timeline, known, verdict, settings, draw("ladder"))
        ),
    )


class _Draws:
    """One generator a finding, seeded from the timeline's whole-number columns and the finding's name.

    Not from the capture's hash, which a replica, a renamed prefix or another zero of a counter changes: such
    a change must leave every digit as it is. Seconds are left out for the same reason: another zero moves
    their last bits.
    """

    def __init__(self, timeline: Timeline) -> None:
        digest = hashlib.sha256()
        for column in sorted(set(timeline.frame.columns) - {"start_ms", "end_ms"}):
            values = np.nan_to_num(timeline.frame[column].to_numpy(dtype=np.float64), nan=-1.0)
            if bool((values == np.rint(values)).all()):
                digest.update(column.encode("utf-8") + values.tobytes())
        self._seed = int.from_bytes(digest.digest()[:8], "big")

    def __call__(self, finding: str) -> np.random.Generator:
        return np.random.default_rng((self._seed, zlib.crc32(finding.encode("utf-8"))))


def _with_rates(
    rates: IntervalRates | Absent, measure: Callable[[IntervalRates], Finding | Absent]
) -> Finding | Absent:
    """Measure what needs interval rates; where there are none their reason is the finding's."""
    return rates if isinstance(rates, Absent) else measure(rates)


def _which_boot(timeline: Timeline, boot: str, *, engine: str) -> int | None:
    """Return the index of the boot asked for, None for all."""
    if boot == "all":
        return None
    known = [one.index for one in timeline.boots]
    index = known[-1] if boot == "last" else int(boot)
    if index not in known:
        raise UsageError(f"{engine} has no boot {index}", hint=f"its boots are 0 to {known[-1]}")
    return index


def _of_boot(findings: Findings, index: int | None) -> Findings:
    """Say in the step phases which boot they are of."""
    phases = findings.step_phases
    if index is None or isinstance(phases, Absent):
        return findings
    return replace(findings, step_phases=replace(phases, boot=index))


def _count_loaded(rates: IntervalRates | None) -> int:
    if rates is None:
        return 0
    frame = rates.frame
    return int((frame["decode_work"] & (frame["prefill_tok_s"] > 0)).sum())


def _stats_page(capture: Capture) -> Mapping[str, object] | None:
    page = capture.extra("stats.json")
    return page if isinstance(page, Mapping) else None


def _provenance(manifest: Manifest, settings: Settings) -> Provenance:
    return Provenance(
        census_version=__version__,
        capture_sha256=manifest.sha256,
        settings=settings,
        queries=manifest.queries,
        backend=manifest.backend,
        way=manifest.way,
        warnings=manifest.warnings,
    )

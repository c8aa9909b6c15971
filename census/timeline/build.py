"""What happened between the scrapes of one engine? From raw samples to a timeline.

Method: the samples of each role inside the window, replicas collapsed and renames stitched (quantities.py);
boots from all counters, process start and uptime together (boots.py); increases and heads of each counter
(pieces.py, intervals.py), histograms on common edges (histograms.py), gaps by local spacing (gaps.py). What
was done to the samples stands in ``Facts``. All deltas are last minus first on raw samples; nothing is
extrapolated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from census.capture.manifest import EngineEntry, RoleBinding
from census.errors import InconclusiveError
from census.model.settings import Settings
from census.model.window import Window, rfc3339
from census.timeline.boots import BootScan, scan_boots
from census.timeline.facts import gather_facts
from census.timeline.gaps import find_gaps
from census.timeline.histograms import HistogramPart, measure_histogram
from census.timeline.intervals import (
    Floats,
    Grid,
    Increases,
    add_increases,
    make_grid,
    measure_counter,
    show_gauges,
)
from census.timeline.merge import process_changes
from census.timeline.quantities import PROCESS_ROLES, Quantity, SeriesById, find_quantities
from census.timeline.timeline import Facts, HistogramIntervals, Timeline


def build_timeline(entry: EngineEntry, series: SeriesById, *, window: Window, settings: Settings) -> Timeline:
    """Return the timeline of one engine.

    Parameters
    ----------
    series : the capture's series by id, a mapping or a function.
    window : half-open; samples outside it do not count.

    Raises
    ------
    InconclusiveError : fewer than two scrapes in the window.
    """
    quantities = find_quantities(entry, series, window=window)
    scan = _scan(quantities, window=window)
    if len(scan.scrapes.times_ms) < 2:
        raise InconclusiveError(
            f"{entry.key} was scraped {len(scan.scrapes.times_ms)} times between "
            f"{rfc3339(window.start_ms)} and {rfc3339(window.end_ms)}: no interval to measure",
            hint="choose a window in which it was scraped",
        )
    grid = make_grid(scan)
    unusable = _unusable(quantities, scan=scan)
    usable = [one for one in quantities if one.key not in unusable]
    increases = {
        one.key: measure_counter(one.counter, scan=scan, grid=grid) for one in usable if one.is_counter
    }
    counters = _counters(entry, quantities, increases=increases)
    histograms, clamped, missing = _histograms(entry, quantities, increases=increases)
    frame = _frame(grid, counters=counters, gauges=_gauges(entry, usable, grid=grid), settings=settings)
    inside_s = frame.loc[~frame["gap"], "seconds"].sum()
    facts = gather_facts(quantities, scan=scan, increases=increases, clamped=clamped, unusable=unusable)
    bound = {one.binding.role: one.binding for one in quantities}
    return Timeline(
        window=window,
        boots=scan.boots,
        scrape_interval_s=_usual_spacing(frame, grid=grid),
        coverage=float(inside_s / window.seconds),
        frame=frame,
        totals=pd.DataFrame({role: one.totals for role, one in counters.items()}, index=range(grid.boots)),
        heads=pd.DataFrame({role: one.heads for role, one in counters.items()}, index=range(grid.boots)),
        histograms=histograms,
        metrics={role: binding.metric for role, binding in bound.items()},
        clocks={role: binding.clock for role, binding in bound.items()},
        absent=_absent(entry, bound=bound, facts=facts) | missing,
        facts=facts,
    )


def _scan(quantities: Sequence[Quantity], *, window: Window) -> BootScan:
    process = {
        role: max(found, key=lambda one: len(one.times_ms))
        for role in PROCESS_ROLES
        if (found := [one.merged.samples for one in quantities if one.binding.role == role])
    }
    counters = [one for one in quantities if one.is_counter]
    return scan_boots(
        [one.counter for one in counters],
        process_start=process.get("process_start"),
        uptime=process.get("uptime"),
        other_times=[one.merged.samples.times_ms for one in quantities if not one.is_counter],
        new_process_ms=process_changes(one.merged for one in counters),
        window_start_ms=window.start_ms,
    )


def _unusable(quantities: Sequence[Quantity], *, scan: BootScan) -> Mapping[str, str]:
    """Return quantity -> reason: counters that alternate, and the gauges too where all counters do."""
    counters = [one.key for one in quantities if one.is_counter]
    if not counters or any(key not in scan.alternating for key in counters):
        return scan.alternating
    return dict.fromkeys((one.key for one in quantities), scan.alternating[counters[0]])


def _counters(
    entry: EngineEntry, quantities: Sequence[Quantity], *, increases: Mapping[str, Increases]
) -> dict[str, Increases]:
    """Return the counter roles whose parts can all be read."""
    found = {}
    for binding in entry.roles:
        parts = [one for one in quantities if one.binding.role == binding.role and one.is_counter]
        if binding.kind == "counter" and parts and all(one.key in increases for one in parts):
            found[binding.role] = add_increases([increases[one.key] for one in parts])
    return found


def _gauges(
    entry: EngineEntry, quantities: Sequence[Quantity], *, grid: Grid
) -> dict[str, tuple[Floats, Floats]]:
    found = {}
    for binding in entry.roles:
        parts = [one for one in quantities if one.binding.role == binding.role and not one.is_counter]
        if parts:
            found[binding.role] = show_gauges([one.merged.samples for one in parts], grid=grid)
    return found


def _histograms(
    entry: EngineEntry, quantities: Sequence[Quantity], *, increases: Mapping[str, Increases]
) -> tuple[dict[str, HistogramIntervals], dict[str, int], dict[str, str]]:
    """Return the histograms, how many intervals of each were clamped, and why others are missing."""
    found: dict[str, HistogramIntervals] = {}
    clamped: dict[str, int] = {}
    missing: dict[str, str] = {}
    for binding in entry.roles:
        parts = [one for one in quantities if one.binding.role == binding.role]
        if binding.kind != "histogram" or not parts or any(one.key not in increases for one in parts):
            continue
        measured = measure_histogram(
            [
                HistogramPart(
                    component=one.part.component,
                    le=one.part.le,
                    group=tuple(sorted(one.part.labels.items())),
                    increases=increases[one.key],
                )
                for one in parts
            ],
            role=binding.role,
            metric=binding.metric,
            clock=binding.clock,
        )
        if isinstance(measured, str):
            missing[binding.role] = measured
        else:
            found[binding.role], clamped[binding.role] = measured
    return found, clamped, missing


def _frame(
    grid: Grid,
    *,
    counters: Mapping[str, Increases],
    gauges: Mapping[str, tuple[Floats, Floats]],
    settings: Settings,
) -> pd.DataFrame:
    start, end = grid.times_ms[grid.begins], grid.times_ms[grid.begins + 1]
    boot = grid.boot[grid.begins]
    seconds = (end - start) / 1000.0
    columns: dict[str, object] = {
        "boot": boot,
        "start_ms": start,
        "end_ms": end,
        "seconds": seconds,
        "gap": find_gaps(seconds, boot, settings=settings),
    }
    columns |= {role: one.intervals for role, one in counters.items()}
    for role, (at_start, at_end) in gauges.items():
        columns |= {f"{role}:start": at_start, f"{role}:end": at_end}
    return pd.DataFrame(columns)


def _usual_spacing(frame: pd.DataFrame, *, grid: Grid) -> float:
    """Return the median spacing of scrapes; across boot edges only where no boot has two."""
    return (
        float(frame["seconds"].median()) if len(frame) else float(np.median(np.diff(grid.times_ms))) / 1000.0
    )


def _absent(entry: EngineEntry, *, bound: Mapping[str, RoleBinding], facts: Facts) -> dict[str, str]:
    without = {
        binding.role: f"{binding.metric} has no samples in the window"
        for binding in entry.roles
        if binding.role not in bound
    }
    unusable = {str(row["role"]): str(row["reason"]) for row in facts.unusable}
    return {one.role: one.reason for one in entry.absent} | without | unusable

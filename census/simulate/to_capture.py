"""How does a simulated world become a capture, without a server between?

Method: the series that a pull would have kept (those that answer a role) are written as a capture, through
the same resolution of names and the same writer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from census.capture.folder import write_capture
from census.capture.manifest import EngineEntry, Manifest
from census.capture.series import Series
from census.errors import InconclusiveError
from census.model.window import Window
from census.queries.resolve import resolve_series
from census.simulate.expose_radiance import radiance_series
from census.simulate.run import Run

WAY = "simulated"
BACKEND = {"kind": "simulated", "version": ""}


def write_capture_of(
    runs: Sequence[Run], path: Path, *, window: Window | None = None, force: bool = False
) -> Manifest:
    """Write what radiance exposed in these runs as a capture.

    Parameters
    ----------
    runs : engines of one or more targets. window : by default that of the first run's world.
    """
    chosen = window or Window(start_ms=runs[0].start_ms, end_ms=runs[0].end_ms)
    series = [one for run in runs for one in radiance_series(run)]
    return write_capture_of_series(series, path, window=chosen, force=force)


def write_capture_of_series(
    series: Sequence[Series], path: Path, *, window: Window, force: bool = False
) -> Manifest:
    """Write series, cut to a window, as a capture.

    Raises
    ------
    InconclusiveError : there is no engine in these series, or no sample in the window.
    """
    cut = [short for one in series if (short := cut_series(one, window)).times_ms.size]
    engines = resolve_series(cut)
    if not engines:
        raise InconclusiveError("no engine in these series", hint="simulate a longer window")
    kept = sorted(
        {one for engine in engines for role in engine.roles for part in role.parts for one in part.series}
    )
    place = {index: new for new, index in enumerate(kept)}
    return write_capture(
        path,
        window=window,
        engines=[_renumbered(engine, place) for engine in engines],
        series=[cut[index] for index in kept],
        backend=BACKEND,
        way=WAY,
        queries=(),
        force=force,
    )


def cut_series(series: Series, window: Window) -> Series:
    """Return the samples of a series in [start, end)."""
    low, high = np.searchsorted(series.times_ms, [window.start_ms, window.end_ms])
    return Series(labels=series.labels, times_ms=series.times_ms[low:high], values=series.values[low:high])


def _renumbered(engine: EngineEntry, place: dict[int, int]) -> EngineEntry:
    roles = tuple(
        replace(
            role,
            parts=tuple(
                replace(part, series=tuple(place[index] for index in part.series)) for part in role.parts
            ),
        )
        for role in engine.roles
    )
    return replace(engine, roles=roles)

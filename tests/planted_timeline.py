"""The timeline of a simulated radiance, and what truly happened in its intervals."""

from __future__ import annotations

import numpy as np

from census.model.settings import Settings
from census.model.window import Window
from census.queries.resolve import resolve_series
from census.simulate.engine import simulate
from census.simulate.expose_radiance import radiance_series
from census.simulate.run import Run
from census.simulate.truth import Truth, truth_between
from census.simulate.world import World
from census.timeline.build import build_timeline
from census.timeline.timeline import Timeline


def plant(world: World, seed: int) -> tuple[Run, Timeline]:
    """Simulate a world and read it back as an engine's timeline."""
    run = simulate(world, seed)
    series = radiance_series(run)
    (entry,) = resolve_series(series)
    window = Window(start_ms=run.start_ms, end_ms=run.end_ms)
    return run, build_timeline(entry, dict(enumerate(series)), window=window, settings=Settings())


def truth_of_intervals(run: Run, timeline: Timeline, which: np.ndarray) -> Truth:
    """Return what truly happened in the clean intervals marked, pooled."""
    clean = timeline.clean()
    edges = np.unique(np.column_stack([clean["start_ms"], clean["end_ms"]]).ravel())
    place = np.searchsorted(edges, clean["start_ms"].to_numpy())
    chosen = np.zeros(edges.size - 1, dtype=bool)
    chosen[place[which]] = True
    return truth_between(run, edges).pooled(chosen)

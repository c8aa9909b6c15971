"""Is the mechanism named right? Planted worlds, many seeds, every verdict counted.

Each cell is one world at one size: hours, scrape interval, streams, prefill duty. A run simulates it, reads
it back through the same code as a real capture, and compares the verdict with the planted mechanism.
``wrong`` is any other mechanism's name; ``open`` is "inconclusive". Batch growth is planted so that it
matters: with 2 or 64 slots its default costs streams less than the 5 % from which an effect is named.
``--quick`` runs a few cells with few seeds.

    python benchmarks/truth_mechanism.py [--quick] [--seeds 30] [--jobs 1] [--only TEXT]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from census.findings import lag_structure, mechanism, step_phases
from census.findings.interval_rates import IntervalRates, measure_rates
from census.model.estimate import Absent
from census.model.settings import Settings
from census.model.window import Window
from census.queries.resolve import resolve_series
from census.simulate import worlds
from census.simulate.engine import simulate
from census.simulate.expose_radiance import radiance_series
from census.simulate.world import World
from census.timeline.build import build_timeline
from census.timeline.timeline import Timeline

TRUTH = {
    "founding": "shared-step",
    "shared_step": "shared-step",
    "held_steps": "shared-step",
    "exclusive_prefill": "exclusive-prefill",
    "residency": "residency",
    "batch_growth": "batch-growth",
    "preemption_storms": "preemption",
    "no_interference": "none",
    "load_alone": "load",
    "two_engines_0": "shared-step",
    "two_engines_1": "none",
}
"""Planted mechanism by world."""

MATTERS = {
    ("batch_growth", 2): {"prefill_duty": 0.05, "load": 0.05},
    ("batch_growth", 64): {"load": 0.03, "growth": 12.0},
    ("preemption_storms", 16): {"count": 120},
    ("preemption_storms", 64): {"count": 480, "prefill_duty": 0.001},
}
"""What makes an effect large enough to be named at an unusual size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One world at one size; ``main`` cells get all seeds, others a third."""

    world: str
    size: dict[str, Any] = field(default_factory=dict)
    main: bool = False

    @property
    def name(self) -> str:
        """Return what the table calls it."""
        return f"{self.world} " + " ".join(f"{key}={value}" for key, value in self.size.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One run."""

    verdict: str
    lag: str
    reason: str
    cpu_s: float


def list_cells(*, quick: bool) -> Iterator[Cell]:
    """Yield the cells, the main ones first."""
    six = {"hours": 6.0, "scrape_interval_s": 15.0}
    names = [name for name in TRUTH if name != "founding"]
    for name in names:
        yield Cell(world=name, size=six, main=True)
    yield Cell(world="founding", size=six, main=True)
    for tau_s in (5.0, 60.0, 300.0):
        yield Cell(world="residency", size={**six, "tau_s": tau_s}, main=True)
    yield Cell(world="residency", size={**six, "saturated": True}, main=True)
    if quick:
        return
    for name in names:
        for hours, scrape_s in (
            (2.0, 5.0),
            (2.0, 15.0),
            (6.0, 5.0),
            (6.0, 60.0),
            (24.0, 30.0),
            (48.0, 15.0),
            (48.0, 60.0),
        ):
            yield Cell(world=name, size={"hours": hours, "scrape_interval_s": scrape_s})
        for streams in (2, 16, 64):
            yield Cell(world=name, size={**six, "streams": streams, **MATTERS.get((name, streams), {})})
    for name in ("shared_step", "exclusive_prefill", "residency", "no_interference"):
        for duty in (0.03, 0.05, 0.4, 0.8):
            yield Cell(world=name, size={**six, "prefill_duty": duty})
    for tau_s in (5.0, 15.0, 60.0, 120.0, 300.0):
        for scrape_s in (5.0, 30.0, 60.0):
            yield Cell(world="residency", size={"hours": 6.0, "scrape_interval_s": scrape_s, "tau_s": tau_s})
    for slowdown in (0.3, 3.0):
        yield Cell(world="residency", size={**six, "slowdown": slowdown})
    for interleave in (1, 8):
        yield Cell(world="held_steps", size={**six, "interleave": interleave, "deploy_at": None})


def build_world(cell: Cell) -> World:
    """Return the world of a cell."""
    if cell.world.startswith("two_engines"):
        return worlds.two_engines(**cell.size)[int(cell.world[-1])]
    make: Callable[..., World] = worlds.WORLDS[cell.world]
    return make(**cell.size)


def read_back(world: World, seed: int, settings: Settings) -> tuple[Timeline, IntervalRates]:
    """Simulate a world and return its timeline and rates, as from a capture."""
    run = simulate(world, seed)
    series = radiance_series(run)
    (entry,) = resolve_series(series)
    window = Window(start_ms=run.start_ms, end_ms=run.end_ms)
    timeline = build_timeline(entry, dict(enumerate(series)), window=window, settings=settings)
    rates = measure_rates(timeline, settings)
    assert isinstance(rates, IntervalRates), rates
    return timeline, rates


def judge(task: tuple[Cell, int]) -> Outcome:
    """Run one cell with one seed."""
    cell, seed = task
    begun = time.process_time()
    settings = Settings()
    timeline, rates = read_back(build_world(cell), seed, settings)
    phases = step_phases.measure(timeline, settings, np.random.default_rng(seed))
    lag = lag_structure.measure(timeline, rates, settings, np.random.default_rng(seed))
    found = mechanism.measure(timeline, rates, phases, lag, settings, np.random.default_rng(seed))
    taken = time.process_time() - begun
    lag_verdict = "absent" if isinstance(lag, Absent) else lag.verdict
    if isinstance(found, Absent):
        return Outcome(verdict="absent", lag=lag_verdict, reason=found.reason, cpu_s=taken)
    return Outcome(verdict=found.verdict, lag=lag_verdict, reason=found.reason, cpu_s=taken)


def report(cell: Cell, outcomes: list[Outcome]) -> tuple[int, int]:
    """Print one row; return how many were right, and how many wrong."""
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    right = verdicts[TRUTH[cell.world]]
    still_open = verdicts["inconclusive"] + verdicts["absent"]
    wrong = len(outcomes) - right - still_open
    lags = Counter(outcome.lag for outcome in outcomes)
    others = {key: count for key, count in verdicts.items() if key != TRUTH[cell.world]}
    reasons = Counter(outcome.reason for outcome in outcomes if outcome.verdict != TRUTH[cell.world])
    cpu_s = sum(outcome.cpu_s for outcome in outcomes) / len(outcomes)
    print(
        f"{cell.name:62} {right:3}/{len(outcomes):<3} open {still_open:<3} wrong {wrong:<3} {cpu_s:5.1f} s  "
        f"lags {dict(lags)}  {others or ''} {reasons.most_common(2) or ''}",
        flush=True,
    )
    return right, wrong


def main() -> int:
    """Run all cells; exit 1 if the promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    seeds = min(chosen.seeds, 3) if chosen.quick else chosen.seeds
    runs = right = wrong = main_runs = main_right = 0
    with ProcessPoolExecutor(max_workers=chosen.jobs) as pool:
        for cell in list_cells(quick=chosen.quick):
            if chosen.only not in cell.name:
                continue
            count = seeds if cell.main else max(seeds // 3, 1)
            outcomes = list(pool.map(judge, [(cell, seed) for seed in range(1, count + 1)]))
            cell_right, cell_wrong = report(cell, outcomes)
            runs, right, wrong = runs + count, right + cell_right, wrong + cell_wrong
            if cell.main:
                main_runs, main_right = main_runs + count, main_right + cell_right
    print(f"all: {right} of {runs} right, {wrong} wrong ({wrong / max(runs, 1):.2%}, promised 2 %)")
    share = main_right / max(main_runs, 1)
    print(f"6 h at 15 s: {main_right} of {main_runs} right ({share:.1%}, promised 95 %)")
    return int(wrong > 0.02 * runs or main_right < 0.95 * main_runs)


if __name__ == "__main__":
    sys.exit(main())

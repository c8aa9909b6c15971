"""On a clean planted world nothing is cried: false alarms are counted over many seeds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from capture_factory import evidence_of

from census.capture.folder import write_capture
from census.capture.series import Series
from census.model.caveat import Caveat
from census.model.settings import Settings
from census.model.window import Window
from census.pipeline.report import build_censuses
from census.queries.resolve import resolve_series
from census.simulate.engine import simulate
from census.simulate.expose_radiance import radiance_series
from census.simulate.worlds import WORLDS
from census.traps.catalogue import inspect_all

CLEAN = (
    "shared_step",
    "exclusive_prefill",
    "residency",
    "batch_growth",
    "no_interference",
    "load_alone",
    "held_steps",
)


def made(world: str, seed: int, *, hours: float, interval_s: float, streams: int) -> list[Series]:
    """Return what a Prometheus scrapes of one clean world."""
    planted = WORLDS[world](hours=hours, scrape_interval_s=interval_s, streams=streams)
    return radiance_series(simulate(planted, seed))


def loud(world: str, caveats: tuple[Caveat, ...]) -> list[str]:
    """Return what is said louder than info; that lanes starve is the truth of an exclusive world."""
    return [
        f"{one.id}: {one.summary}"
        for one in caveats
        if one.severity != "info" and not (world == "exclusive_prefill" and one.id == "trap/starved-lanes")
    ]


def reported(series: list[Series], folder: Path) -> tuple[Caveat, ...]:
    """Return the caveats of a whole report."""
    first = min(int(one.times_ms[0]) for one in series if one.times_ms.size)
    last = max(int(one.times_ms[-1]) for one in series if one.times_ms.size)
    write_capture(
        folder,
        window=Window(start_ms=first, end_ms=last + 1),
        engines=resolve_series(series),
        series=series,
        backend={"kind": "simulated"},
        way="simulated",
        queries=(),
        force=True,
    )
    (census,) = build_censuses(folder, Settings())
    return census.caveats


@pytest.mark.parametrize("world", CLEAN)
def test_a_clean_world_raises_no_warning(world: str) -> None:
    series = made(world, CLEAN.index(world), hours=3.0, interval_s=15.0, streams=8)
    assert loud(world, inspect_all(evidence_of(series))) == []


def test_a_whole_report_on_a_clean_world_raises_no_warning(tmp_path: Path) -> None:
    series = made("shared_step", 40, hours=6.0, interval_s=15.0, streams=8)
    caveats = reported(series, tmp_path / "capture")
    assert loud("shared_step", caveats) == []
    assert {"trap/diluted-step", "trap/aliased-gauge"} <= {one.id for one in caveats}


@pytest.mark.truth
def test_a_hundred_clean_worlds_raise_no_warning(tmp_path: Path) -> None:
    rng = np.random.default_rng(100)
    cried: Counter[str] = Counter()
    for seed in range(100):
        world = CLEAN[seed % len(CLEAN)]
        series = made(
            world,
            seed,
            hours=float(rng.choice([3, 6, 12])),
            interval_s=float(rng.choice([5, 15, 30, 60])),
            streams=int(rng.choice([2, 4, 8, 16])),
        )
        said = loud(world, reported(series, tmp_path / "capture"))
        for one in said:
            print(f"{world} {seed}: {one}")
        cried.update(one.partition(":")[0] for one in said)
    print(f"false alarms over 100 clean worlds: {sum(cried.values())} {dict(cried)}")
    assert not cried

"""On a clean planted world nothing is cried: false alarms are counted over many seeds."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from capture_factory import evidence_of

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


def cries(world: str, seed: int, *, hours: float, interval_s: float, streams: int) -> list[str]:
    """Return what is said louder than info of one clean world."""
    made = WORLDS[world](hours=hours, scrape_interval_s=interval_s, streams=streams)
    evidence = evidence_of(radiance_series(simulate(made, seed)))
    loud = [caveat for caveat in inspect_all(evidence) if caveat.severity != "info"]
    if world == "exclusive_prefill":
        loud = [caveat for caveat in loud if caveat.id != "trap/starved-lanes"]
    return [f"{caveat.id}: {caveat.summary}" for caveat in loud]


@pytest.mark.parametrize("world", CLEAN)
def test_a_clean_world_raises_no_warning(world: str) -> None:
    assert cries(world, CLEAN.index(world), hours=3.0, interval_s=15.0, streams=8) == []


@pytest.mark.truth
def test_a_hundred_clean_worlds_raise_no_warning() -> None:
    rng = np.random.default_rng(100)
    cried: Counter[str] = Counter()
    for seed in range(100):
        said = cries(
            CLEAN[seed % len(CLEAN)],
            seed,
            hours=float(rng.choice([3, 6, 12])),
            interval_s=float(rng.choice([5, 15, 30, 60])),
            streams=int(rng.choice([2, 4, 8, 16])),
        )
        cried.update(one.partition(":")[0] for one in said)
    print(f"false alarms over 100 clean worlds: {sum(cried.values())} {dict(cried)}")
    assert not cried

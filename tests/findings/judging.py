"""From a world or a timeline to its mechanism, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from planted_timeline import plant

from census.findings import attribution, lag_structure, mechanism, step_phases
from census.findings.interval_rates import IntervalRates, measure_rates
from census.model.estimate import Absent
from census.model.findings import Attribution, Mechanism, Rival
from census.model.settings import Settings
from census.simulate.run import Run
from census.simulate.world import World
from census.timeline.timeline import Timeline

SETTINGS = Settings()


def rates_of(timeline: Timeline) -> IntervalRates:
    """Return the rates; they must exist."""
    rates = measure_rates(timeline, SETTINGS)
    assert isinstance(rates, IntervalRates)
    return rates


def mechanism_of(timeline: Timeline, others: Sequence[Timeline] = ()) -> Mechanism:
    """Return the mechanism; it must exist."""
    rates = rates_of(timeline)
    rng = np.random.default_rng(1)
    lag = lag_structure.measure(timeline, rates, SETTINGS, rng)
    phases = step_phases.measure(timeline, SETTINGS, rng)
    found = mechanism.measure(
        timeline, rates, phases, lag, SETTINGS, rng, others=[(other, rates_of(other)) for other in others]
    )
    assert isinstance(found, Mechanism), found
    return found


@lru_cache(maxsize=20)
def plant_once(world: World, seed: int) -> tuple[Run, Timeline]:
    """Return a run and its timeline; several tests look at the same one."""
    return plant(world, seed)


@lru_cache(maxsize=20)
def judge_world(world: World, seed: int) -> Mechanism:
    """Return the mechanism of one run of a world."""
    return mechanism_of(plant_once(world, seed)[1])


def attribute_world(world: World, seed: int) -> Attribution | Absent:
    """Return where the lost time of one run of a world went."""
    timeline = plant_once(world, seed)[1]
    found = judge_world(world, seed)
    return attribution.measure(timeline, rates_of(timeline), found, SETTINGS, np.random.default_rng(1))


def rival(found: Mechanism, name: str) -> Rival:
    """Return one rival by its id."""
    return next(one for one in found.rivals if one.id == name)

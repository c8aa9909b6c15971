"""How does the engine run? Boot by boot, the whole of a world.

Method: traffic and pools are drawn, each process lifetime is run by its scheduler, and the scrape times
are laid over it. ``simulate`` is a function of the world and the seed alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from census.simulate.boot_log import build_log
from census.simulate.engine_state import EngineState
from census.simulate.machine import Machine
from census.simulate.pools import draw_acceptance, draw_drift, draw_noise
from census.simulate.run import DECODE, BootLog, Run
from census.simulate.scheduler import play
from census.simulate.scraping import scrape_plan
from census.simulate.traffic import draw_requests
from census.simulate.world import World


def simulate(world: World, seed: int, *, stalls: Sequence[tuple[float, float]] = ()) -> Run:
    """Run a world and return everything that happened.

    Parameters
    ----------
    world : the engine, its traffic and its scraper.
    seed : the same world and seed give the same run; engines of one target draw apart under one seed.
    stalls : (start, end) in seconds since the epoch, in time order: a decode-only step that begins in one
        lasts to its end.
    """
    identity = f"{world.labels.instance} {world.labels.engine}".encode()
    rng = np.random.default_rng([seed, zlib.crc32(identity)])
    pool = draw_acceptance(world.acceptance, rng=rng)
    noise = draw_noise(world.costs.noise_cv, rng=rng)
    drift_s, drift = draw_drift(
        world.costs.drift_cv,
        tau_s=world.costs.drift_tau_s,
        span_s=world.warm_up_s + world.duration_s,
        rng=rng,
    )
    requests = draw_requests(world, pool=pool, rng=rng)
    machine = Machine(
        world=world,
        requests=requests,
        pool=pool,
        noise=noise,
        drift_s=drift_s,
        drift=drift.tolist(),
        following=list(zip(requests.following.tolist(), requests.think_s.tolist(), strict=True)),
        stalls=list(stalls),
    )
    boots = tuple(
        run_boot(machine, index, process_start_s=start, ready_s=ready, end_s=end)
        for index, (start, ready, end) in enumerate(world.lifetimes())
    )
    spans = tuple((boot.ready_s, boot.end_s) for boot in boots)
    scrape_ms, scrape_boot = scrape_plan(world, seed=seed, boots=spans)
    return Run(
        world=world,
        seed=seed,
        noise=noise,
        requests=requests,
        boots=boots,
        scrape_ms=scrape_ms,
        scrape_boot=scrape_boot,
    )


def simulate_group(worlds: Sequence[World], seed: int) -> tuple[Run, ...]:
    """Run engines that step together: while the first one carries a chunk, the decode of the others waits."""
    leader = simulate(worlds[0], seed)
    stalls = [
        window
        for boot in leader.boots
        for window in zip(
            boot.segments.start_s[boot.segments.kind != DECODE].tolist(),
            boot.segments.end_s[boot.segments.kind != DECODE].tolist(),
            strict=True,
        )
    ]
    return (leader, *(simulate(world, seed, stalls=stalls) for world in worlds[1:]))


def run_boot(
    machine: Machine, index: int, *, process_start_s: float, ready_s: float, end_s: float
) -> BootLog:
    """Run one process lifetime."""
    interleave = machine.world.interleave[min(index, len(machine.world.interleave) - 1)]
    state = EngineState(machine, interleave=interleave, ready_s=ready_s, end_s=end_s)
    play(state)
    return build_log(state, index, process_start_s=process_start_s)

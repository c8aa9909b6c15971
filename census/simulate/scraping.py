"""When is the engine scraped?

Method: a grid with late, failed and missing scrapes; nothing answers between a process's end and its
successor. Engines of one instance are scraped at the same moments, whatever their own randomness.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from census.simulate.world import World


def scrape_plan(
    world: World, *, seed: int, boots: tuple[tuple[float, float], ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the scrape times (integer ms since 1970) inside the window and the boot that answers each.

    Parameters
    ----------
    boots : (ready, end) of each process, seconds since the epoch.
    """
    plan = world.scraping
    rng = np.random.default_rng([seed, zlib.crc32(f"scrape {world.labels.instance}".encode())])
    count = int((world.duration_s - plan.offset_s) // plan.interval_s) + 1
    times = plan.offset_s + np.arange(count) * plan.interval_s
    late = rng.random(count) < plan.jitter_share
    times = times + np.where(late, rng.uniform(0.0, min(plan.jitter_s, plan.interval_s / 2), count), 0.0)
    kept = rng.random(count) >= plan.missed_share
    kept &= times < world.duration_s
    for start, length in plan.gaps:
        kept &= ~((times >= start) & (times < start + length))
    boot = np.full(count, -1, dtype=np.int64)
    for index, (ready, end) in enumerate(boots):
        boot[(times >= ready) & (times < end)] = index
    kept &= boot >= 0
    times_ms = world.epoch_ms + np.round(times[kept] * 1000.0).astype(np.int64)
    return times_ms, boot[kept]

"""What do all boots of a simulated engine share?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.simulate.pools import AcceptancePool
from census.simulate.traffic import Requests
from census.simulate.world import World


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Machine:
    """The world, its requests, and the pools that steps draw from.

    ``noise`` is the running sum of step noise; ``drift`` the slow factor on a grid of ``drift_s`` from the
    start of the warm-up. ``following`` has each request's next turn (-1: none) and the time between them;
    ``stalls`` when the rest of its group holds it up, (start, end) in time order.
    """

    world: World
    requests: Requests
    pool: AcceptancePool
    noise: NDArray[np.float64]
    drift_s: float
    drift: list[float]
    following: list[tuple[int, float]]
    stalls: list[tuple[float, float]]

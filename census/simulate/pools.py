"""Where does the randomness of single steps come from, without a draw for each?

Method: a pool of outcomes is drawn once. Step noise is used in turn, its running sum tells by bisection
which step ends first after a given moment. Acceptance is balanced to the planted rates exactly, and each
request reads it from a place of its own.
When it misleads: beyond ``NOISE_SIZE`` steps the noise repeats; its mean is off 1 by cv / 1024.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

NOISE_SIZE = 1 << 20
ACCEPTANCE_SIZE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AcceptancePool:
    """What decode rows commit.

    Attributes
    ----------
    accepted : int8, shape (size,): drafts kept by a row.
    tokens_before : int64, shape (size + 1,): tokens of all rows before a place.
    """

    accepted: NDArray[np.int8]
    tokens_before: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Rows in the pool."""
        return int(self.accepted.size)

    def rows_for(
        self, tokens: NDArray[np.int64], offset: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many rows from each offset on reach so many tokens, and what they commit."""
        if tokens.size and int(tokens.max()) > self.size // 2:
            raise ValueError(f"outputs above {self.size // 2} tokens do not fit the acceptance pool")
        before = self.tokens_before[offset]
        stop = np.searchsorted(self.tokens_before, before + np.maximum(tokens, 0))
        stop = np.maximum(stop, offset)
        return stop - offset, self.tokens_before[stop] - before


def draw_acceptance(acceptance: tuple[float, ...], *, rng: np.random.Generator) -> AcceptancePool:
    """Return a pool whose mean is the planted one, in random order."""
    reach = [1.0]
    for chance in acceptance:
        reach.append(reach[-1] * chance)
    shares = [high - low for high, low in pairwise(reach)] + [reach[-1]]
    edges = np.round(np.cumsum(shares) * ACCEPTANCE_SIZE).astype(np.int64)
    counts = np.diff(edges, prepend=0)
    accepted = np.repeat(np.arange(len(shares), dtype=np.int8), counts)
    rng.shuffle(accepted)
    before = np.zeros(ACCEPTANCE_SIZE + 1, dtype=np.int64)
    np.cumsum(accepted + np.int64(1), out=before[1:])
    return AcceptancePool(accepted=accepted, tokens_before=before)


def draw_noise(cv: float, *, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the running sum of gamma noise of mean 1, shape (NOISE_SIZE + 1,), from 0."""
    noise = np.ones(NOISE_SIZE) if cv == 0.0 else rng.gamma(1.0 / cv**2, cv**2, NOISE_SIZE)
    running = np.zeros(NOISE_SIZE + 1)
    np.cumsum(noise, out=running[1:])
    return running


def draw_drift(
    cv: float, *, tau_s: float, span_s: float, rng: np.random.Generator
) -> tuple[float, NDArray[np.float64]]:
    """Return the grid spacing and the values of a slow factor exp(Ornstein-Uhlenbeck), mean about 1."""
    spacing = tau_s / 10.0
    count = int(span_s / spacing) + 2
    if cv == 0.0:
        return span_s + spacing, np.ones(2)
    keep = float(np.exp(-spacing / tau_s))
    shocks = rng.standard_normal(count) * cv * np.sqrt(1.0 - keep**2)
    level = np.empty(count)
    level[0] = rng.standard_normal() * cv
    for place in range(1, count):
        level[place] = keep * level[place - 1] + shocks[place]
    return spacing, np.exp(level - cv**2 / 2.0)

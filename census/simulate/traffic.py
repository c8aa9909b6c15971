"""Which requests come, when, and how long are they?

Method: sessions begin as a Poisson process of bursts, thinned by a sine; lengths are lognormal mixtures. How
many decode rows a request needs is fixed here, from the acceptance pool, so that the engine knows each end
in advance. A request ends with the row that reaches its wanted length; by Wald's identity tokens per row
stay unbiased.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from census.simulate.pools import AcceptancePool
from census.simulate.world import Mixture, Traffic, World

REASONS = ("stop", "length", "tool_calls", "abort", "error")
REASON_SHARES = (0.297, 0.050, 0.631, 0.021, 0.001)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Requests:
    """All requests of a world, vectors of one length; the first turns of sessions stand first, in order of
    arrival.

    ``submit_s`` is NaN for later turns: request ``following[i]`` (-1: none) is sent ``think_s[i]`` after i
    ends.

    ``offset`` is where in the acceptance pool the request's rows begin, ``rows`` how many it needs after
    its first token, ``tokens`` what these commit. ``traffic`` is the class it came from, ``reason`` an
    index into ``REASONS``.
    """

    submit_s: NDArray[np.float64]
    following: NDArray[np.int64]
    think_s: NDArray[np.float64]
    prompt: NDArray[np.int64]
    cached: NDArray[np.int64]
    offset: NDArray[np.int64]
    rows: NDArray[np.int64]
    tokens: NDArray[np.int64]
    max_tokens: NDArray[np.int64]
    reason: NDArray[np.int64]
    traffic: NDArray[np.int64]


def draw_requests(world: World, *, pool: AcceptancePool, rng: np.random.Generator) -> Requests:
    """Draw every request of a world."""
    columns = [
        _draw_class(world, traffic, index, pool=pool, rng=rng) for index, traffic in enumerate(world.traffic)
    ]
    shift = 0
    for column in columns:
        column["following"] = np.where(column["following"] >= 0, column["following"] + shift, -1)
        shift += column["following"].size
    joined = {name: np.concatenate([column[name] for column in columns]) for name in columns[0]}
    order = np.argsort(joined["submit_s"], kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    following = joined["following"][order]
    ordered = {name: values[order] for name, values in joined.items() if name != "following"}
    return Requests(**ordered, following=np.where(following >= 0, rank[following], -1))


def _draw_class(
    world: World, traffic: Traffic, index: int, *, pool: AcceptancePool, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    begun = draw_arrivals(traffic, begin_s=-world.warm_up_s, end_s=world.duration_s, rng=rng)
    turns = rng.geometric(1.0 / traffic.turns_mean, begun.size)
    for _, ready, end in world.lifetimes():
        begun = np.concatenate([begun, ready + rng.uniform(0.0, 1.0, traffic.population)])
        lasting = int((end - ready) / traffic.think_s) + 1
        turns = np.concatenate([turns, np.full(traffic.population, lasting)])
    count = int(turns.sum())
    heads = np.cumsum(turns) - turns
    submit = np.full(count, np.nan)
    submit[heads] = begun
    following = np.arange(1, count + 1)
    following[heads + turns - 1] = -1
    think = traffic.think_s * np.exp(traffic.think_sigma * rng.standard_normal(count))
    prompt = draw_lengths(traffic.prompts, count, rng=rng)
    share = rng.uniform(traffic.cached_low, traffic.cached_high, count)
    share[rng.random(count) < traffic.cold_share] = 0.0
    output = draw_lengths(traffic.outputs, count, rng=rng)
    offset = rng.integers(0, pool.size // 2, count)
    rows, tokens = pool.rows_for(output - 1, offset)
    reason = rng.choice(len(REASONS), size=count, p=REASON_SHARES)
    ceiling = np.maximum(2.0 ** rng.integers(8, 15, count), output + 1)
    return {
        "submit_s": submit,
        "following": following,
        "think_s": think,
        "prompt": prompt,
        "cached": np.minimum((prompt * share).astype(np.int64), prompt - 1),
        "offset": offset,
        "rows": rows,
        "tokens": tokens,
        "max_tokens": np.where(reason == REASONS.index("length"), tokens + 1, ceiling).astype(np.int64),
        "reason": reason,
        "traffic": np.full(count, index, dtype=np.int64),
    }


def draw_arrivals(
    traffic: Traffic, *, begin_s: float, end_s: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the rising arrival times of one class in [begin_s, end_s)."""
    span = end_s - begin_s
    peak_rate = traffic.rate_per_s / traffic.burst_mean * (1.0 + traffic.cycle_amplitude)
    parents = rng.uniform(begin_s, end_s, rng.poisson(peak_rate * span))
    phase = 2.0 * np.pi * (parents - traffic.cycle_peak_s) / traffic.cycle_s
    chance = (1.0 + traffic.cycle_amplitude * np.cos(phase)) / (1.0 + traffic.cycle_amplitude)
    parents = parents[rng.random(parents.size) < chance]
    sizes = rng.geometric(1.0 / traffic.burst_mean, parents.size)
    waits = rng.exponential(traffic.burst_spacing_s, int(sizes.sum()))
    heads = np.cumsum(sizes) - sizes
    waits[heads] = 0.0
    since = np.cumsum(waits)
    since -= np.repeat(since[heads], sizes)
    times = np.repeat(parents, sizes) + since
    surges = [
        surge.at_s + (np.arange(surge.count) + rng.random(surge.count)) * surge.span_s / surge.count
        for surge in traffic.surges
    ]
    times = np.sort(np.concatenate([times, *surges]))
    return times[(times >= begin_s) & (times < end_s)]


def draw_lengths(mixture: Mixture, count: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return ``count`` token lengths of a mixture."""
    weights = np.array([weight for weight, _ in mixture])
    part = rng.choice(len(mixture), size=count, p=weights / weights.sum())
    normal = rng.standard_normal(count)
    lengths = np.empty(count)
    for index, (_, shape) in enumerate(mixture):
        here = part == index
        raw = shape.median * np.exp(shape.sigma * normal[here])
        lengths[here] = np.clip(raw, shape.low, shape.high)
    return lengths.astype(np.int64)

"""Which counter tells how much prefill was computed, and how much was it in each interval?

Method, first that applies: computed tokens themselves; prompt tokens less cached ones, where both are booked
at the same moment; prefix lookups less prefix hits, both booked when a prompt is first scheduled; prompt
tokens less hits booked at another moment; prompt tokens with the hits in them. A difference of two counters
is taken on running totals and held at its running maximum within a boot, so hits that are booked an interval
before their prompt are still taken off it.

Where the axis is built from prompt counters, an interval that may hold a hidden recompute
(``hidden_recompute``) is unknown, not zero.

Misleads: prompts are booked whole, at the start or at the end of their prefill, so a long prefill stands in
one interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from census.timeline.hidden_recompute import find_hidden_recompute
from census.timeline.timeline import Timeline

FloatArray = NDArray[np.float64]

Hits = Literal["left out", "included"]

LOOKED_UP = 0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prefill:
    """Prefill tokens per clean interval.

    Attributes
    ----------
    tokens : float64, shape (clean intervals,); NaN where unknown.
    roles : the counters that it is made of, what counts first.
    hits : whether cache hits are in it.
    """

    tokens: FloatArray
    roles: tuple[str, ...]
    hits: Hits


def prefill_roles(timeline: Timeline) -> tuple[str, ...]:
    """Return the counters that the axis is made of, what counts work first; empty where there is none."""
    if timeline.has("prefill_tokens"):
        return ("prefill_tokens",)
    if not timeline.has("prompt_tokens"):
        return ()
    clocks = timeline.clocks
    if timeline.has("cached_tokens") and clocks["cached_tokens"] == clocks["prompt_tokens"]:
        return ("prompt_tokens", "cached_tokens")
    if timeline.has("prefix_queries", "prefix_hits") and _looks_up(timeline):
        return ("prefix_queries", "prefix_hits")
    hits = next((role for role in ("cached_tokens", "prefix_hits") if timeline.has(role)), None)
    return ("prompt_tokens",) if hits is None else ("prompt_tokens", hits)


def measure_prefill_tokens(timeline: Timeline) -> Prefill | None:
    """Return prefill tokens per clean interval, None where no counter tells them."""
    roles = prefill_roles(timeline)
    if not roles:
        return None
    clean = timeline.clean()
    columns = [clean[role].to_numpy(dtype=np.float64) for role in roles]
    boots = clean["boot"].to_numpy()
    tokens = columns[0] if len(columns) == 1 else _difference(columns[0], columns[1], boots=boots)
    return Prefill(
        tokens=np.where(find_hidden_recompute(timeline, role=roles[0]), np.nan, tokens),
        roles=roles,
        hits="included" if roles == ("prompt_tokens",) else "left out",
    )


def _looks_up(timeline: Timeline) -> bool:
    """Tell whether prompts are looked up in the cache at all; without a cache the counter stands at 0."""
    return timeline.total("prefix_queries") >= LOOKED_UP * timeline.total("prompt_tokens")


def _difference(whole: FloatArray, part: FloatArray, *, boots: NDArray[np.int64]) -> FloatArray:
    """Return the increments of whole - part, its running total held at the maximum within each boot."""
    found = np.full(whole.shape, np.nan)
    known = np.isfinite(whole) & np.isfinite(part)
    for boot in np.unique(boots):
        rows = known & (boots == boot)
        total = np.concatenate(([0.0], np.cumsum(whole[rows] - part[rows])))
        found[rows] = np.diff(np.maximum.accumulate(total))
    return found

"""How much prefill work did the engine do in each interval?

Method: increase of computed prefill tokens over the length of the interval (``timeline.prefill``). Where the
engine counts prompt tokens only, cache hits are taken off where they are counted, and stay in (and the axis
says so) where they are not.

Misleads: prompt counters show no recompute after preemption; a zero beside a preemption is unknown there. A
counter that moves at request end says when a request ended, not when its prompt was computed: no axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.model.estimate import Absent
from census.timeline.prefill import measure_prefill_tokens
from census.timeline.timeline import Timeline

NEEDS = ("prefill_tokens", "prompt_tokens", "cached_tokens", "prefix_queries", "prefix_hits")
COUNTERS = ("prefill_tokens", "prompt_tokens")

COMPUTED = "computed prefill tokens per second"
WITH_HITS = "prompt tokens per second, cache hits included"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PrefillAxis:
    """Prefill tokens per clean interval (float64, shape (n,)), and what they are in words."""

    tokens: NDArray[np.float64]
    text: str


def measure_prefill(timeline: Timeline) -> PrefillAxis | Absent:
    """Return the prefill tokens of every clean interval, or why no counter tells them."""
    found = measure_prefill_tokens(timeline)
    if found is None:
        unusable = {row["role"] for row in timeline.facts.unusable}
        removed = next((role for role in COUNTERS if role in unusable), COUNTERS[0])
        return Absent(timeline.why_absent(removed))
    late = next((role for role in found.roles if timeline.clocks.get(role) == "request"), None)
    if late is not None:
        metric = timeline.metrics.get(late, late)
        return Absent(f"{metric} moves when a request ends, so it does not say when its prompt was computed")
    return PrefillAxis(tokens=found.tokens, text=WITH_HITS if found.hits == "included" else COMPUTED)

"""How much prefill work did the engine do in each interval?

Method: increase of computed prefill tokens over the length of the interval. Where the engine counts prompt
tokens only, cache hits are taken off where they are counted, and stay in (and the axis says so) where they
are not.

Misleads: prompt counters show no recompute after preemption. A counter that moves at request end says when
a request ended, not when its prompt was computed: it gives no axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.model.estimate import Absent
from census.timeline.timeline import Timeline

NEEDS = ("prefill_tokens", "prompt_tokens", "cached_tokens", "prefix_hits")
HIT_ROLES = ("cached_tokens", "prefix_hits")

COMPUTED = "computed prefill tokens per second"
WITH_HITS = "prompt tokens per second, cache hits included"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PrefillAxis:
    """Prefill tokens per clean interval (float64, shape (n,)), and what they are in words."""

    tokens: NDArray[np.float64]
    text: str


def measure_prefill(timeline: Timeline) -> PrefillAxis | Absent:
    """Return the prefill tokens of every clean interval, or why no counter tells them."""
    if timeline.has("prefill_tokens"):
        return _axis(timeline, "prefill_tokens", text=COMPUTED)
    if not timeline.has("prompt_tokens"):
        return Absent(timeline.why_absent("prefill_tokens"))
    cached = next((role for role in HIT_ROLES if timeline.has(role)), None)
    if cached is None:
        return _axis(timeline, "prompt_tokens", text=WITH_HITS)
    prompt = _axis(timeline, "prompt_tokens", text=COMPUTED)
    hits = _axis(timeline, cached, text=COMPUTED)
    if isinstance(prompt, Absent) or isinstance(hits, Absent):
        return prompt if isinstance(prompt, Absent) else hits
    return PrefillAxis(tokens=np.maximum(prompt.tokens - hits.tokens, 0.0), text=COMPUTED)


def _axis(timeline: Timeline, role: str, *, text: str) -> PrefillAxis | Absent:
    if timeline.clocks.get(role) == "request":
        metric = timeline.metrics.get(role, role)
        return Absent(f"{metric} moves when a request ends, so it does not say when its prompt was computed")
    return PrefillAxis(tokens=timeline.clean()[role].to_numpy(dtype=np.float64), text=text)

"""When were requests preempted, and how much prefill was their recompute?

Method: the windows are the intervals in which a preemption was counted and those that begin within a minute
after. Recompute is the prefill in them beyond what the same time outside brings; where the engine counts
prompt tokens (at request end) and cache hits, no more than the contexts admitted again: prefill + cache
hits - prompts. What preempted requests waited is the sampled depth of the queue of preempted ones.

Misleads: preemptions come under load, so prefill in their windows may be higher for that reason alone; the
first bound is then too high, and the second one holds it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.findings.interval_arrays import IntervalArrays
from census.timeline.timeline import Timeline

NEEDS = ("preemptions", "preempted_now", "prefill_tokens", "cached_tokens", "prompt_tokens")

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

AFTER_S = 60.0
"""A preempted request comes back within about this time."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreemptionWindows:
    """Preemptions of the clean intervals.

    Attributes
    ----------
    known : the engine counts preemptions.
    count : how many.
    inside : shape (n,), intervals in a window.
    recompute_share : share of the prefill inside the windows that is recompute.
    recompute_tokens : likewise in tokens.
    waited_s : shape (n,), seconds that preempted streams waited: in the queue (sampled) and through their own
        recompute.
    """

    known: bool
    count: float
    inside: Flags
    recompute_share: float
    recompute_tokens: float
    waited_s: Floats


def find_windows(timeline: Timeline, arrays: IntervalArrays) -> PreemptionWindows:
    """Return the windows and what was computed again in them."""
    clean = timeline.clean()
    size = arrays.intervals.size
    if not timeline.has("preemptions"):
        return PreemptionWindows(
            known=False,
            count=0.0,
            inside=np.zeros(size, dtype=bool),
            recompute_share=0.0,
            recompute_tokens=0.0,
            waited_s=np.zeros(size),
        )
    events = np.nan_to_num(clean["preemptions"].to_numpy(dtype=np.float64))
    inside = _mark(events > 0, arrays)
    tokens = np.nan_to_num(arrays.prefill_tok_s) * arrays.intervals.seconds
    within, seconds = float(tokens[inside].sum()), float(arrays.intervals.seconds[inside].sum())
    outside_s = float(arrays.intervals.seconds[~inside].sum())
    usual = float(tokens[~inside].sum()) / outside_s if outside_s > 0 else 0.0
    again = float(np.clip(within - usual * seconds, 0.0, within))
    contexts = _admitted_again(timeline)
    if contexts is not None:
        again = min(again, max(contexts, 0.0))
    return PreemptionWindows(
        known=True,
        count=float(events.sum()),
        inside=inside,
        recompute_share=again / within if within > 0 else 0.0,
        recompute_tokens=again,
        waited_s=_waited(timeline, arrays)
        + _recomputing(arrays, inside, again / within if within > 0 else 0.0),
    )


def _mark(hit: Flags, arrays: IntervalArrays) -> Flags:
    """Return the intervals with an event and those that begin within ``AFTER_S`` after one ended."""
    intervals = arrays.intervals
    last_s = np.where(hit, intervals.end_s, -np.inf)
    last_s = np.maximum.accumulate(last_s) if last_s.size else last_s
    return hit | (intervals.start_s - last_s <= AFTER_S)


def _admitted_again(timeline: Timeline) -> float | None:
    """Return the tokens of contexts that were admitted again, None where the engine does not tell."""
    roles = ("prefill_tokens", "cached_tokens", "prompt_tokens")
    if not timeline.has(*roles) or timeline.clocks.get("prompt_tokens") != "request":
        return None
    return (
        timeline.total("prefill_tokens") + timeline.total("cached_tokens") - timeline.total("prompt_tokens")
    )


def _recomputing(arrays: IntervalArrays, inside: Flags, share: float) -> Floats:
    """Return the seconds that preempted streams spend in their own recompute: no row is theirs meanwhile."""
    return np.where(inside, share * np.nan_to_num(arrays.chunk_seconds), 0.0)


def _waited(timeline: Timeline, arrays: IntervalArrays) -> Floats:
    if not timeline.has("preempted_now"):
        return np.zeros(arrays.intervals.size)
    clean = timeline.clean()
    start, end = (
        np.nan_to_num(clean[f"preempted_now:{edge}"].to_numpy(dtype=np.float64)) for edge in ("start", "end")
    )
    waited: Floats = (start + end) / 2 * arrays.intervals.seconds
    return waited

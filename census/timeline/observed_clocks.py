"""Does each token counter move when its profile says that it moves?

Method: for each token counter, the intervals in which work ran that must move it (steps of the right kind
where they are counted, else a request running at both ends) and the requests that ended
(``stats.liveness``). A counter that stands still through the work and jumps when a request ends has clock
"request", whatever the profile says.

Misleads where every interval holds the end of a request: then nothing contradicts the profile, and it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from census.stats.liveness import Liveness, measure_liveness
from census.timeline.timeline import Timeline

DECODE_ROLES = ("decode_tokens", "generation_tokens")
PREFILL_ROLES = ("prefill_tokens", "prompt_tokens")

FEWEST_DECODE_STEPS = 10.0
FEWEST_CHUNK_STEPS = 3.0


def observe_clocks(timeline: Timeline) -> Mapping[str, Liveness]:
    """Return how each token counter moved, by role."""
    ended = _ended(timeline)
    return {
        role: measure_liveness(
            timeline.clean()[role].to_numpy(dtype=np.float64),
            working=_requests_at_work(timeline),
            must_move=_work_that_moves(timeline, role),
            ended=ended,
        )
        for role in DECODE_ROLES + PREFILL_ROLES
        if timeline.has(role)
    }


def correct_clocks(timeline: Timeline) -> Timeline:
    """Return the timeline with clock "request" on every counter that was seen to move at request end only."""
    late = {role for role, seen in observe_clocks(timeline).items() if seen.at_request_end}
    if all(timeline.clocks.get(role) == "request" for role in late):
        return timeline
    return replace(timeline, clocks={**timeline.clocks, **dict.fromkeys(late, "request")})


def _requests_at_work(timeline: Timeline) -> NDArray[np.bool_]:
    """Return the clean intervals with a request running at both ends (with steps, where that is unknown)."""
    clean = timeline.clean()
    if timeline.has("running"):
        both = np.minimum(clean["running:start"].to_numpy(), clean["running:end"].to_numpy())
        return np.asarray(both >= 1)
    if timeline.has("steps"):
        return np.asarray(clean["steps"].to_numpy(dtype=np.float64) >= FEWEST_DECODE_STEPS)
    return np.zeros(len(clean), dtype=bool)


def _work_that_moves(timeline: Timeline, role: str) -> NDArray[np.bool_]:
    """Return the clean intervals in which the very work was done that this counter counts."""
    is_prefill = role in PREFILL_ROLES
    steps = ["prefill_steps" if is_prefill else "decode_steps", "mixed_steps"]
    if timeline.has(*steps):
        count = timeline.clean()[steps].sum(axis=1).to_numpy(dtype=np.float64)
        return np.asarray(count >= (FEWEST_CHUNK_STEPS if is_prefill else FEWEST_DECODE_STEPS))
    at_work = _requests_at_work(timeline)
    return np.zeros_like(at_work) if is_prefill else at_work


def _ended(timeline: Timeline) -> NDArray[np.float64] | None:
    """Return requests that ended per clean interval; None where nothing counts them."""
    clean = timeline.clean()
    if timeline.has("requests_finished"):
        return np.asarray(clean["requests_finished"].to_numpy(dtype=np.float64))
    rows = timeline.frame.index.get_indexer(clean.index)
    for histogram in timeline.histograms.values():
        if histogram.clock == "request":
            return np.asarray(histogram.counts[rows].sum(axis=1))
    return None

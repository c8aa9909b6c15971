"""In which intervals may a preempted prompt have been computed again without any counter that shows it?

Method: an engine that counts computed tokens per step books recompute as the prefill that it is. Prompt
counters book a prompt once. There, an interval with a preemption whose prefill counter stands still holds
unknown prefill work, and so do its neighbours: the event is booked when the request next emits, so the
recompute lies before it as well as in it.

Misleads where a recompute lasts longer than an interval on either side.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from census.timeline.timeline import Timeline

LIVE = "step"


def find_hidden_recompute(timeline: Timeline, *, role: str) -> NDArray[np.bool_]:
    """Return the clean intervals in which a zero of this prefill counter is not known to be zero."""
    clean = timeline.clean()
    nowhere = np.zeros(len(clean), dtype=bool)
    live = role == "prefill_tokens" and timeline.clocks.get(role) == LIVE
    if live or not timeline.has("preemptions", role):
        return nowhere
    events = np.nan_to_num(clean["preemptions"].to_numpy(dtype=np.float64)) > 0
    near = events.copy()
    starts, ends = clean["start_ms"].to_numpy(), clean["end_ms"].to_numpy()
    adjoining = starts[1:] == ends[:-1]
    near[1:] |= events[:-1] & adjoining
    near[:-1] |= events[1:] & adjoining
    still = clean[role].to_numpy(dtype=np.float64) == 0
    return np.asarray(near & still)

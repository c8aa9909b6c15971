"""After a preemption the engine computes a prompt again, and prompt counters never show it.

Why it fools: decode drops while "no prefill" runs. Such a window in the zero-prefill baseline makes the
baseline slow, and the interference small.

How it is found: preemptions in intervals whose prefill axis is built from prompt counters. An engine that
counts computed tokens (radiance) shows the recompute as the prefill that it is.

What is done: these intervals, and their neighbours (the event is booked when the request next emits), leave
the zero-prefill bucket: their prefill is unknown, not zero.
"""

from __future__ import annotations

import numpy as np

from census.model.caveat import Caveat
from census.timeline.hidden_recompute import find_hidden_recompute
from census.timeline.prefill import prefill_roles
from census.traps.evidence import Evidence

ID = "trap/recompute-as-prefill"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of intervals that look free of prefill and held a recompute."""
    roles = prefill_roles(evidence.timeline)
    if not roles or not evidence.timeline.has("decode_tokens"):
        return ()
    hidden = find_hidden_recompute(evidence.timeline, role=roles[0])
    if not hidden.any():
        return ()
    rates = evidence.increase("decode_tokens") / evidence.seconds()
    quiet = (evidence.increase(roles[0]) == 0) & (rates > 0)
    with_them, without = _median(rates[quiet]), _median(rates[quiet & ~hidden])
    told = (
        ""
        if with_them is None or without is None
        else f"; the baseline would be {with_them:.4g} tok/s with them, it is {without:.4g}"
    )
    preemptions = float(np.nansum(evidence.increase("preemptions")))
    return (
        Caveat(
            id=ID,
            severity="warning",
            summary=(
                f"{int(hidden.sum())} interval(s) beside {preemptions:.0f} preemption(s) look free of "
                "prefill and "
                "may hold a recompute that "
                f"{evidence.timeline.metrics[roles[0]]} "
                f"never shows{told}"
            ),
            evidence={
                "intervals": int(hidden.sum()),
                "preemptions": preemptions,
                "baseline_with_tok_s": with_them,
                "baseline_tok_s": without,
            },
            touches=("decode_under_prefill", "lag_structure"),
        ),
    )


def _median(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float | None:
    return float(np.median(values)) if values.size else None

"""Too few loaded intervals, or a load that never varies, carry no verdict.

Why it fools: a correlation or a ratio can always be computed. Three loaded windows in 48 h give an r of -0.9
by chance, and a constant prefill gives NaN, or a division by nearly nothing.

How it is found: loaded intervals are counted, and the spread of the prefill rate is measured.

What is done: mechanism and lag structure are inconclusive, without a number.
"""

from __future__ import annotations

import numpy as np

from census.model.caveat import Caveat
from census.traps.evidence import Evidence

ID = "trap/too-little"

CONSTANT = 0.05


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of too few loaded intervals, or of a prefill rate without spread."""
    prefill = evidence.prefill_increase()
    if prefill is None or not evidence.timeline.has("decode_tokens"):
        return ()
    rates = prefill / evidence.seconds()
    rates = rates[np.isfinite(rates)]
    loaded = int((rates > 0).sum())
    needed = evidence.settings.min_loaded_intervals
    spread = float(rates.std() / rates.mean()) if loaded and rates.mean() > 0 else None
    if loaded < needed:
        summary = f"only {loaded} of {rates.size} intervals hold prefill, {needed} are needed for a verdict"
    elif spread is not None and spread < CONSTANT:
        summary = (
            f"the prefill rate hardly varies (spread {spread:.1%} of its mean), so nothing can be related "
            "to it"
        )
    else:
        return ()
    return (
        Caveat(
            id=ID,
            severity="warning",
            summary=summary,
            evidence={
                "loaded_intervals": loaded,
                "needed": needed,
                "intervals": int(rates.size),
                "spread_over_mean": spread,
                "naive_correlation": _naive_r(evidence, prefill),
            },
            touches=("lag_structure", "mechanism", "decode_under_prefill"),
        ),
    )


def _naive_r(evidence: Evidence, prefill: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float | None:
    """Return the plain correlation that a notebook would print; None where a side does not vary."""
    decode = evidence.increase("decode_tokens")
    known = np.isfinite(prefill) & np.isfinite(decode)
    x, y = prefill[known], decode[known]
    if x.size < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])

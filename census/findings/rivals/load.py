"""Load alone: decode as a whole falls while prefill runs, and no stream is slower.

Predicts: visible decode is lower under heavy prefill because fewer streams decode then; the per-stream rate
is not. Nothing that a scheduler knob could give back. This describes what was seen; it needs no cause.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from census.findings.rivals.evidence import Evidence, percent
from census.model.estimate import Absent
from census.model.findings import Rival

ID = "load"
PREDICTION = "visible decode falls under prefill because fewer streams decode then; no stream is slower"


def judge(evidence: Evidence, others: Sequence[Rival]) -> Rival:
    """Judge load alone, once the mechanisms are judged."""
    change = visible_change(evidence)
    how = f"{percent(abs(change))} {'lower' if change < 0 else 'higher'}"
    seen = f"visible decode is {how} in the more loaded half of the loaded intervals than otherwise"
    falls = change < -evidence.settings.rival_share
    holds = falls and all(rival.holds is False for rival in others)
    undecided = falls and not holds and not any(rival.holds for rival in others)
    return Rival(
        id=ID,
        prediction=PREDICTION,
        observed=seen,
        holds=None if undecided else holds,
        share_of_loss=Absent("load is no loss of a stream"),
    )


def visible_change(evidence: Evidence) -> float:
    """Return visible decode in the more loaded half of the loaded intervals over all others, less 1."""
    arrays = evidence.arrays
    known = np.isfinite(arrays.visible_tok_s) & np.isfinite(arrays.prefill_tok_s)
    loaded = arrays.prefill_tok_s[arrays.loaded]
    heavy = known & (arrays.prefill_tok_s > np.median(loaded))
    rest = known & ~heavy
    seconds = arrays.intervals.seconds
    if not heavy.any() or not rest.any():
        return 0.0
    under = float(np.average(arrays.visible_tok_s[heavy], weights=seconds[heavy]))
    otherwise = float(np.average(arrays.visible_tok_s[rest], weights=seconds[rest]))
    return under / otherwise - 1.0 if otherwise > 0 else 0.0

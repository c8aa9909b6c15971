"""No interference: prefill costs streams nothing that matters.

Predicts: no mechanism holds, and the whole loss of stream time is small.
"""

from __future__ import annotations

from collections.abc import Sequence

from census.findings.rivals.evidence import Evidence, ends, span
from census.model.estimate import Absent
from census.model.findings import Rival

ID = "none"
PREDICTION = "streams lose less than what matters, whatever prefill does"


def judge(evidence: Evidence, others: Sequence[Rival]) -> Rival:
    """Judge that there is none, once all else is judged."""
    lost = evidence.shares.lost
    small = not isinstance(lost, Absent) and ends(lost)[1] < evidence.settings.practical_share
    fail = all(rival.holds is False for rival in others)
    found = any(rival.holds for rival in others)
    holds = True if small and fail else (False if found else None)
    return Rival(
        id=ID,
        prediction=PREDICTION,
        observed=f"streams lose {span(lost)} of their time against the quiet rate",
        holds=holds,
        share_of_loss=Absent("it explains no loss"),
    )

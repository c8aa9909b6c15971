"""Preemption and recompute: requests lose their place, wait, and their context is computed again.

Predicts: the loss lies in and just after the intervals with preemptions; the chunks there are recompute.
"""

from __future__ import annotations

from census.findings.rivals.evidence import Evidence, percent, span, weigh
from census.model.estimate import Absent
from census.model.findings import Rival

ID = "preemption"
PREDICTION = "the loss lies around preemptions, and the chunks there compute again what was computed before"


def judge(evidence: Evidence) -> Rival:
    """Judge preemption."""
    share, windows = evidence.shares.of_loss["preemption"], evidence.windows
    if not windows.known:
        return Rival(
            id=ID,
            prediction=PREDICTION,
            observed="this engine exports no count of preemptions",
            holds=None,
            share_of_loss=Absent("preemptions are not counted"),
        )
    if windows.count == 0:
        return Rival(id=ID, prediction=PREDICTION, observed="no preemption", holds=False, share_of_loss=share)
    seen = (
        f"{windows.count:,.0f} preemptions; {percent(float(windows.inside.mean()))} of the time lies around "
        f"them, and {percent(windows.recompute_share)} of the prefill there is recompute; share of the loss "
        f"{span(share)}"
    )
    holds = weigh(share, evidence.shares.of_loaded["preemption"], evidence.settings, acts=True)
    return Rival(id=ID, prediction=PREDICTION, observed=seen, holds=holds, share_of_loss=share)

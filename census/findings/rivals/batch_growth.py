"""Batch growth: after a prefill one more row decodes, and every decode-only step is slower for its rows.

Predicts: rows rise with prefill; the decode-only step rises with rows, and with nothing else. It always
coexists a little with any other mechanism.
"""

from __future__ import annotations

from census.findings.rivals.evidence import Evidence, percent, span, weigh
from census.model.findings import Rival

ID = "batch-growth"
PREDICTION = "prefill brings rows, and decode-only steps are slower for their rows alone"


def judge(evidence: Evidence) -> Rival:
    """Judge batch growth."""
    share = evidence.shares.of_loss["batch-growth"]
    time = evidence.shares.of_loaded["batch-growth"]
    rows, half = evidence.loss.grown_rows
    per_row = evidence.loss.seconds_per_grown_row / max(float(evidence.loss.decode_only_s.sum()), 1e-9)
    seen = (
        f"prefill brings {rows:.2f} rows (± {half:.2f}) to a step; one more row makes decode-only steps "
        f"{percent(per_row)} slower; together {span(time)} of stream time under prefill"
    )
    holds = weigh(share, time, evidence.settings, acts=False)
    return Rival(id=ID, prediction=PREDICTION, observed=seen, holds=holds, share_of_loss=share)

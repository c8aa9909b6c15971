"""Exclusive prefill run: prefill has the engine to itself, and every decoder waits it out.

Predicts: the lag picture of shared steps, but no mixed step while chunks and decoders run; the loss is the
time that decoders wait. How many wait is bounded by the running requests.
"""

from __future__ import annotations

import numpy as np

from census.findings.rivals.evidence import Evidence, span, weigh
from census.model.findings import Rival

ID = "exclusive-prefill"
PREDICTION = (
    "no chunk step carries decode rows although requests decode; streams wait out the prefill-only steps"
)


def judge(evidence: Evidence) -> Rival:
    """Judge the exclusive prefill run."""
    share = evidence.shares.of_loss["exclusive-prefill"]
    counted = evidence.arrays.stalls_counted
    waited = float(np.nansum(evidence.arrays.prefill_steps))
    seen = f"{evidence.mixed_steps:,.0f} of {evidence.chunk_steps:,.0f} chunk steps carried decode rows"
    if counted:
        seen += f"; decoders waited out {waited:,.0f} prefill-only steps; share of the loss {span(share)}"
    holds = weigh(share, evidence.shares.of_loaded["exclusive-prefill"], evidence.settings, acts=True)
    few = evidence.chunk_steps < evidence.settings.min_class_steps
    if not counted:
        holds = False if few or evidence.mixed_steps > 0 else None
    return Rival(id=ID, prediction=PREDICTION, observed=seen, holds=holds, share_of_loss=share)

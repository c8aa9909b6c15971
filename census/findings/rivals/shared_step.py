"""Shared step: a chunk and decode rows ride in one step, and each stream gets one step's tokens for it.

Predicts: chunk steps carry decode rows and take longer; they carry the loss; the decode-only step, rows
held, stays as it is; nothing lingers. Independent of the step counters, the decode time that requests report
at their end must show the same loss.
"""

from __future__ import annotations

from census.findings.rivals.evidence import Evidence, ends, span, weigh
from census.findings.stalls import EXCLUDING_SHARE
from census.model.estimate import Absent, Estimate
from census.model.findings import Rival

ID = "shared-step"
PREDICTION = (
    "chunk steps carry decode rows, take longer than decode-only steps and make the loss; "
    "the decode-only step given rows stays flat"
)


def judge(evidence: Evidence) -> Rival:
    """Judge the shared step."""
    share = evidence.shares.of_loss["shared-chunks"]
    seen = (
        f"{evidence.mixed_steps:,.0f} of {evidence.chunk_steps:,.0f} chunk steps carried decode rows; a "
        f"chunk step takes {evidence.chunk_step_s * 1e3:.1f} ms, a quiet decode-only step "
        f"{evidence.quiet_step_s * 1e3:.1f} ms; share of the loss {span(share)}"
    )
    return Rival(id=ID, prediction=PREDICTION, observed=seen, holds=_holds(evidence), share_of_loss=share)


def _holds(evidence: Evidence) -> bool | None:
    settings = evidence.settings
    if evidence.chunk_steps < settings.min_class_steps:
        return False
    if evidence.mixed_steps < EXCLUDING_SHARE * evidence.chunk_steps:
        return False
    if evidence.chunk_step_s < (1.0 + settings.practical_share) * evidence.quiet_step_s:
        return False
    share = evidence.shares.of_loss["shared-chunks"]
    holds = weigh(share, evidence.shares.of_loaded["shared-chunks"], settings, acts=True)
    if holds and _something_else(evidence):
        return None
    return holds


def _something_else(evidence: Evidence) -> bool:
    """Tell whether decode lingers although its steps do not, or requests lose more than steps explain."""
    rest = evidence.shares.of_loss["rest"]
    lost_elsewhere = isinstance(rest, Estimate) and ends(rest)[0] > evidence.settings.rival_share
    lag = evidence.lag
    lingers = not isinstance(lag, Absent) and lag.verdict == "lingering"
    return lost_elsewhere or lingers

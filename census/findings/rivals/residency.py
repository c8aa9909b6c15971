"""Residency or eviction: prefill pushes out what decode wants near; decode-only steps pay until it is back.

Predicts: the decode-only step, rows held, rises with prefill in the same interval or before. It is judged on
that step alone, never on the per-stream rate.
"""

from __future__ import annotations

import numpy as np

from census.findings.rivals.evidence import Evidence, ends, span, weigh
from census.model.findings import Rival

ID = "residency"
PREDICTION = "decode-only steps, rows held, are slower during or after prefill, and recover"


def judge(evidence: Evidence) -> Rival:
    """Judge residency."""
    given, settings = evidence.given_rows, evidence.settings
    share = evidence.shares.of_loss["residency"]
    seen = (
        f"rows held, prefill adds {span(given.slowdown)} to decode-only step time; typical prefill adds "
        f"{span(given.effect_at_0)} in its own interval, {span(given.lingering)} later"
    )
    if ends(given.slowdown)[0] > 0:
        seen += f", time constant about {given.tau_s:.0f} s"
    if not given.has_reference:
        few = f"only {given.quiet_intervals} intervals without prefill"
        seen += f"; {few}: a constant slowdown cannot be excluded"
    elif given.quiet_stretch_s < settings.max_lag_s:
        seen += (
            f"; no stretch without prefill is longer than {given.quiet_stretch_s:.0f} s: a slowdown that "
            "fades more slowly, or is constant, cannot be excluded"
        )
    holds: bool | None
    if ends(given.slowdown)[1] < settings.practical_share:
        holds = False
    elif ends(given.slowdown)[0] > 0 and _may_be_spill(evidence):
        holds = None
        seen += "; seconds of prefill-only steps that are booked on the next step would look the same"
    else:
        holds = weigh(share, evidence.shares.of_loaded["residency"], settings, acts=False)
    return Rival(id=ID, prediction=PREDICTION, observed=seen, holds=holds, share_of_loss=share)


def _may_be_spill(evidence: Evidence) -> bool:
    """Tell whether prefill-only steps, booked on the decode-only step after them, could make all of it.

    A prefill-only step that samples nothing may be committed without waiting; the next step then pays for it.
    Only a response in the same interval can come from that.
    """
    if evidence.given_rows.lingers:
        return False
    arrays = evidence.arrays
    added = evidence.given_rows.slowdown.value * float(np.nansum(arrays.decode_seconds))
    spilled = float(np.nansum(arrays.prefill_steps)) * evidence.chunk_step_s
    return added <= spilled

"""Queueing for a slot: requests wait for their turn.

Predicts: first tokens come late; a stream that already decodes is slower while others wait, prefill and rows
held. The first alone is a wait of arriving requests, not of decode.
"""

from __future__ import annotations

from census.findings.rivals.evidence import Evidence, over_loss, percent, span, weigh_effect
from census.model.estimate import Absent, Reading
from census.model.findings import Rival

ID = "queueing"
PREDICTION = "streams decode slower while requests wait for a slot, prefill and rows held"


def judge(evidence: Evidence) -> Rival:
    """Judge queueing."""
    queue = evidence.queue
    if isinstance(queue, Absent):
        return _rival(queue.reason, holds=None, share=queue)
    seen = f"a request waited at a scrape in {percent(queue.waiting_share)} of the intervals"
    if isinstance(queue.effect, Absent):
        if queue.waiting_share == 0:
            return _rival(queue.effect.reason, holds=False, share=queue.effect)
        return _rival(f"{seen}; {queue.effect.reason}", holds=None, share=queue.effect)
    share = over_loss(queue.effect, evidence)
    holds = weigh_effect(queue.effect, share, evidence.settings)
    return _rival(
        f"{seen}; the mean queue changes the rate by {span(queue.effect)}", holds=holds, share=share
    )


def _rival(seen: str, *, holds: bool | None, share: Reading) -> Rival:
    return Rival(id=ID, prediction=PREDICTION, observed=seen, holds=holds, share_of_loss=share)

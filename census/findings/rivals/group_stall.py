"""A stall shared by a group: engines of one data-parallel group wait for whichever of them prefills.

Predicts: this engine's streams slow down under another engine's prefill, their own prefill and rows held.
"""

from __future__ import annotations

from census.findings.rivals.evidence import Evidence, ends, span, weigh_effect
from census.model.estimate import Absent, Estimate, Reading
from census.model.findings import Rival

ID = "group-stall"
PREDICTION = "streams slow down under the prefill of another engine of the group"


def judge(evidence: Evidence) -> Rival:
    """Judge a stall shared by the group."""
    if not evidence.others:
        return _rival("no other engine in this capture", holds=False, share=Absent("no other engine"))
    known = [(one.effect, one.mean_effect) for one in evidence.others]
    effects = [
        (effect, mean)
        for effect, mean in known
        if isinstance(effect, Estimate) and isinstance(mean, Estimate)
    ]
    if not effects:
        return _rival("the other engines' prefill does not vary enough", holds=None, share=Absent("not told"))
    effect, mean = min(effects, key=lambda pair: pair[0].value)
    share = _share_of_loss(mean, evidence)
    seen = f"the typical load of another engine changes the rate by {span(effect)}"
    return _rival(seen, holds=weigh_effect(effect, share, evidence.settings), share=share)


def _share_of_loss(mean: Estimate, evidence: Evidence) -> Estimate:
    """Return what the other engine costs over that and the own loss, which holds nothing of it.

    The quiet rate is that without own prefill, so the other engine's stalls are in it.
    """
    lost = evidence.shares.lost
    own = 0.0 if isinstance(lost, Absent) else max(lost.value, 0.0)
    low, high = ends(mean)
    value, least, most = (cost / (own + cost) if cost > 0 else 0.0 for cost in (-mean.value, -high, -low))
    return Estimate(
        value=value,
        low=least,
        high=most,
        level=mean.level,
        n=mean.n,
        unit="1",
        method=mean.method,
    )


def _rival(seen: str, *, holds: bool | None, share: Reading) -> Rival:
    return Rival(id=ID, prediction=PREDICTION, observed=seen, holds=holds, share_of_loss=share)

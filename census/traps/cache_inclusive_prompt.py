"""Prompt counters count what the client sent, not what the engine computed.

Why it fools: with a warm prefix cache most of a prompt is never computed. In 15 s, prompt +60000 with 57000
hits is 200 tok/s of work, not 4000: load looks huge, and interference looks cheap.

How it is found: by what the profile says of each counter.

What is done: the prefill axis takes computed tokens, or prompt tokens less hits. With no hit counter the
axis says "prompt tokens, cache hits included".
"""

from __future__ import annotations

import numpy as np

from census.model.caveat import Caveat
from census.timeline.prefill import measure_prefill_tokens
from census.traps.evidence import Evidence

ID = "trap/cache-inclusive-prompt"

WORTH_TELLING = 1.1


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell how far prompt tokens are from computed tokens, or that nothing tells them apart."""
    timeline = evidence.timeline
    prefill = measure_prefill_tokens(timeline)
    if prefill is None or not timeline.has("prompt_tokens"):
        return ()
    seconds, prompt = float(evidence.seconds().sum()), evidence.increase("prompt_tokens")
    if not seconds > 0 or not np.nansum(prompt) > 0:
        return ()
    prompt_rate = float(np.nansum(prompt)) / seconds
    if prefill.hits == "included":
        return (_unknown(timeline.metrics["prompt_tokens"], prompt_rate),)
    computed_rate = float(np.nansum(prefill.tokens)) / seconds
    if prompt_rate < WORTH_TELLING * computed_rate:
        return ()
    return (_known(timeline.metrics["prompt_tokens"], prompt_rate, computed_rate),)


def _unknown(metric: str, prompt_rate: float) -> Caveat:
    return Caveat(
        id=ID,
        severity="warning",
        summary=(
            f"the prefill axis is {metric}, cache hits included: {prompt_rate:.4g} tok/s on average, of "
            "which an unknown part was computed"
        ),
        evidence={"metric": metric, "prompt_tok_s": prompt_rate, "computed_tok_s": None},
        touches=("decode_under_prefill", "lag_structure", "ladder"),
    )


def _known(metric: str, prompt_rate: float, computed_rate: float) -> Caveat:
    share = 1 - computed_rate / prompt_rate
    return Caveat(
        id=ID,
        severity="info",
        summary=(
            f"had you used {metric}: {prompt_rate:.4g} tok/s of prefill; computed: {computed_rate:.4g} "
            f"({share:.0%} were cache hits)"
        ),
        evidence={
            "metric": metric,
            "prompt_tok_s": prompt_rate,
            "computed_tok_s": computed_rate,
            "hit_share": share,
        },
        touches=("decode_under_prefill",),
    )

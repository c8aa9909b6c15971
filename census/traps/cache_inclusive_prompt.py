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
from census.traps.evidence import Evidence

ID = "trap/cache-inclusive-prompt"

WORTH_TELLING = 1.1


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell how far prompt tokens are from computed tokens, or that nothing tells them apart."""
    timeline = evidence.timeline
    if not timeline.has("prompt_tokens"):
        return ()
    computed = evidence.prefill_increase()
    prompt = evidence.increase("prompt_tokens")
    seconds = float(evidence.seconds().sum())
    if computed is None or not seconds > 0 or not np.nansum(prompt) > 0:
        return ()
    prompt_rate = float(np.nansum(prompt)) / seconds
    metric = timeline.metrics["prompt_tokens"]
    if not timeline.has("prefill_tokens") and not timeline.has("cached_tokens"):
        return (
            Caveat(
                id=ID,
                severity="warning",
                summary=(
                    f"the prefill axis is {metric}, cache hits included: {prompt_rate:.4g} tok/s on "
                    "average, of "
                    "which an unknown part was computed"
                ),
                evidence={"metric": metric, "prompt_tok_s": prompt_rate, "computed_tok_s": None},
                touches=("decode_under_prefill", "lag_structure", "ladder"),
            ),
        )
    computed_rate = float(np.nansum(computed)) / seconds
    if prompt_rate < WORTH_TELLING * computed_rate:
        return ()
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                f"had you used {metric}: {prompt_rate:.4g} tok/s of prefill; computed: {computed_rate:.4g} "
                f"({1 - computed_rate / prompt_rate:.0%} were cache hits)"
            ),
            evidence={
                "metric": metric,
                "prompt_tok_s": prompt_rate,
                "computed_tok_s": computed_rate,
                "hit_share": 1 - computed_rate / prompt_rate,
            },
            touches=("decode_under_prefill",),
        ),
    )

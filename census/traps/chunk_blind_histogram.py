"""A histogram of tokens per iteration that books a prompt whole cannot see its chunks.

Why it fools: a 10-token prompt in 4-token chunks with 2 outputs is booked as [11, 1]; the engine ran [4, 4,
2, 1]. Counting the large observations gives the steps that *ended* a prompt: half of the steps here, where
three quarters carried a chunk.

How it is found: the engine exports this histogram and no count of steps by what they carried.

What is done: a share of chunk steps from it is refused; the count is a lower bound, and said to be one.
"""

from __future__ import annotations

import numpy as np

from census.model.caveat import Caveat
from census.traps.evidence import Evidence

ID = "trap/chunk-blind-histogram"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell what the histogram would have said."""
    timeline = evidence.timeline
    histogram = timeline.histograms.get("tokens_per_iteration")
    if histogram is None or timeline.has("mixed_steps", "prefill_steps"):
        return ()
    counts = histogram.total_counts
    total = float(counts.sum())
    if not total > 0:
        return ()
    rows = _most_rows(evidence)
    lower = np.concatenate(([0.0], histogram.edges[:-1]))
    ended = float(counts[lower >= rows].sum())
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                f"{histogram.metric} books a prompt whole at its first token: {ended:.0f} of {total:.0f} "
                "iterations "
                f"({ended / total:.2%}) hold more than {rows:.0f} tokens, and that is a lower bound of "
                "the chunk "
                "steps, not their share"
            ),
            evidence={
                "metric": histogram.metric,
                "iterations": total,
                "iterations_that_end_a_prompt": ended,
                "naive_share_of_chunk_steps": ended / total,
                "true_share": None,
                "decode_rows_at_most": rows,
            },
            touches=("step_phases",),
        ),
    )


def _most_rows(evidence: Evidence) -> float:
    """Return the most tokens that decode rows alone can book in one iteration."""
    timeline = evidence.timeline
    most = 1.0
    if timeline.has("running"):
        start, end = evidence.ends("running")
        most = max(most, float(np.nanmax(np.maximum(start, end), initial=1.0)))
    if timeline.has("draft_tokens", "drafts"):
        drafts = float(np.nansum(evidence.increase("drafts")))
        depth = float(np.nansum(evidence.increase("draft_tokens"))) / drafts if drafts > 0 else 0.0
        most *= 1 + depth
    return most

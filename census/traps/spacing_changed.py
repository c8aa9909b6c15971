"""A scrape interval that changes inside the window changes what one sample weighs.

Why it fools: a mean over samples counts the finely scraped hours several times; a lag of "four samples" is a
minute before the change and four minutes after.

How it is found: the median spacing of stretches of 40 intervals, boot by boot.

What is done: every mean is weighted by time, lags are in seconds, and gaps are judged against the local
spacing.
"""

from __future__ import annotations

import numpy as np

from census.model.caveat import Caveat
from census.traps.evidence import Evidence

ID = "trap/spacing-changed"

STRETCH = 40
CHANGED = 1.4


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of changes of the scrape interval, with what they do to a mean over samples."""
    clean = evidence.timeline.clean()
    seconds = clean["seconds"].to_numpy(dtype=np.float64)
    if seconds.size < 2 * STRETCH:
        return ()
    stretches = np.array_split(seconds, seconds.size // STRETCH)
    medians = np.array([float(np.median(one)) for one in stretches])
    if medians.max() < CHANGED * medians.min():
        return ()
    changes = int((np.abs(np.diff(np.log(medians))) > np.log(CHANGED)).sum())
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                f"the scrape interval changes inside the window, between {medians.min():.3g} and "
                f"{medians.max():.3g} s"
                f"{_weights(evidence, seconds)}"
            ),
            evidence={
                "shortest_s": float(medians.min()),
                "longest_s": float(medians.max()),
                "changes": changes,
                **_means(evidence, seconds),
            },
            touches=("decode_under_prefill", "lag_structure"),
        ),
    )


def _means(evidence: Evidence, seconds: np.ndarray[tuple[int], np.dtype[np.float64]]) -> dict[str, float]:
    """Return the mean decode rate over samples and over time."""
    if not evidence.timeline.has("decode_tokens"):
        return {}
    tokens = evidence.increase("decode_tokens")
    known = np.isfinite(tokens)
    if not known.any():
        return {}
    return {
        "mean_over_samples_tok_s": float((tokens[known] / seconds[known]).mean()),
        "mean_over_time_tok_s": float(tokens[known].sum() / seconds[known].sum()),
    }


def _weights(evidence: Evidence, seconds: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    means = _means(evidence, seconds)
    if not means:
        return ""
    over_samples, over_time = means["mean_over_samples_tok_s"], means["mean_over_time_tok_s"]
    return f"; decode is {over_samples:.4g} tok/s over samples, {over_time:.4g} over time"

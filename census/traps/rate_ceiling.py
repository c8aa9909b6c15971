"""No stream gets more than one row a step, so the engine's own step time bounds every decode rate.

Why it fools: a counter that is merged from replicas, booked late or counted twice gives rates that look like
a fast server.

How it is found: the ceiling is (most requests running) x (1 + draft depth) / (mean seconds of a decode-only
step); an interval a quarter above it is impossible. Draft depth is drafted tokens over drafting rows.

What is done: the interval is named; a rate above the ceiling means that the counter, the gauge of running
requests or the step time is not what it is taken for.
"""

from __future__ import annotations

import numpy as np

from census.model.caveat import Caveat
from census.traps.evidence import Evidence

ID = "trap/rate-ceiling"

TOLERANCE = 1.25
FEWEST_STEPS = 100.0


def measure_ceiling(evidence: Evidence) -> float | None:
    """Return the highest decode rate, tok/s, that the step time allows; None where a part is unknown."""
    timeline = evidence.timeline
    if not timeline.has("decode_steps", "decode_seconds", "running"):
        return None
    steps, seconds = evidence.increase("decode_steps"), evidence.increase("decode_seconds")
    known = np.isfinite(steps) & np.isfinite(seconds)
    if steps[known].sum() < FEWEST_STEPS or not seconds[known].sum() > 0:
        return None
    start, end = evidence.ends("running")
    most = float(np.nanmax(np.maximum(start, end)))
    depth = _draft_depth(evidence)
    return most * (1 + depth) * float(steps[known].sum() / seconds[known].sum()) if most > 0 else None


def _draft_depth(evidence: Evidence) -> float:
    """Return drafted tokens per drafting row; 0 where nothing is drafted."""
    timeline = evidence.timeline
    if not timeline.has("draft_tokens"):
        return 0.0
    drafted = float(np.nansum(evidence.increase("draft_tokens")))
    if timeline.has("drafts"):
        rows = float(np.nansum(evidence.increase("drafts")))
    elif timeline.has("decode_tokens", "draft_accepted"):
        tokens, accepted = (
            float(np.nansum(evidence.increase(role))) for role in ("decode_tokens", "draft_accepted")
        )
        has_plain = timeline.has("unspeculated_rows")
        plain = float(np.nansum(evidence.increase("unspeculated_rows"))) if has_plain else 0.0
        rows = tokens - accepted - plain
    else:
        return 0.0
    return max(1.0, drafted / rows) if drafted > 0 and rows > 0 else 0.0


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of intervals whose decode rate the step time cannot produce."""
    ceiling = measure_ceiling(evidence)
    if ceiling is None or not evidence.timeline.has("decode_tokens"):
        return ()
    rates = evidence.increase("decode_tokens") / evidence.seconds()
    above = np.flatnonzero(rates > TOLERANCE * ceiling)
    if above.size == 0:
        return ()
    peak = float(rates[above].max())
    return (
        Caveat(
            id=ID,
            severity="warning",
            summary=(
                f"{above.size} interval(s) decode up to {peak:.4g} tok/s, and the engine's own step time "
                "allows "
                f"{ceiling:.4g}: one of the counters is not what it is taken for"
            ),
            evidence={
                "intervals": int(above.size),
                "highest_tok_s": peak,
                "ceiling_tok_s": ceiling,
                "clock": evidence.timeline.clocks["decode_tokens"],
            },
            touches=("decode_under_prefill", "lag_structure"),
        ),
    )

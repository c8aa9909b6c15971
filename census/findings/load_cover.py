"""Does load hide from the visible rate what prefill does to each stream?

Method: the fall of the pooled per-stream rate from intervals without prefill (or, where there are none,
with the least) to intervals at or above the first edge, beside the same fall of the visible rate. Load
hides it where streams lose a share that matters and the visible rate shows less than half of that, or a
rise.

Misleads: says nothing of why; a visible rate may also fall more than the streams, when sessions end.
"""

from __future__ import annotations

import numpy as np

from census.findings.buckets import count_episodes, place_in_buckets
from census.findings.interval_rates import IntervalRates
from census.model.settings import Settings

NEEDS = ("prefill_tokens", "decode_tokens")


def judge_cover(rates: IntervalRates, settings: Settings) -> bool:
    """Tell whether the visible rate hides at least half of what streams lose."""
    frame = rates.frame
    place = place_in_buckets(frame["prefill_tok_s"].to_numpy(dtype=np.float64), settings)
    known = frame["decode_work"].to_numpy(dtype=bool) & np.isfinite(frame["per_stream_tok_s"].to_numpy())
    segments = frame["segment"].to_numpy(dtype=np.int64)
    loaded = known & (place >= 2)
    quiet = known & (place == 0)
    if count_episodes(quiet, segments) < settings.min_episodes:
        quiet = known & ((place == 0) | (place == 1))
    if min(count_episodes(part, segments) for part in (quiet, loaded)) < settings.min_episodes:
        return False
    tokens = (frame["visible_tok_s"] * frame["seconds"]).to_numpy(dtype=np.float64)
    falls = {}
    for name in ("stream_seconds", "seconds"):
        span = frame[name].to_numpy(dtype=np.float64)
        before, after = (tokens[part].sum() / max(span[part].sum(), 1e-9) for part in (quiet, loaded))
        falls[name] = 1 - after / before if before > 0 else 0.0
    return bool(
        falls["stream_seconds"] >= settings.practical_share and falls["seconds"] < falls["stream_seconds"] / 2
    )

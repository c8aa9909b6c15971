"""Do decoders wait while prefill-only steps run?

Method: if chunk steps can carry decode rows, a prefill-only step beside a decoder would have carried its
row; so where mixed steps are a share that matters of all chunk steps, or of those while two requests or more
run, prefill-only steps are nobody's time. Where they never occur, prefill runs exclude decode, and every
decoder that runs meanwhile stalls: its wait is counted.

Misleads: an engine that can mix but lets an old prefill take the whole budget lies between; so does too
little evidence. Then both bounds are given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from census.model.settings import Settings
from census.timeline.timeline import Timeline

NEEDS = ("mixed_steps", "prefill_steps", "running")

Stalls = Literal["counted", "nobody's", "both bounds"]

EXCLUDING_SHARE = 0.001
"""Below this share of mixed steps there are none: a step in a thousand may be booked across a scrape."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StallEvidence:
    """The verdict, and the chunk and mixed steps that it rests on (intervals with two requests or more)."""

    stalls: Stalls
    chunk_steps: float
    mixed_steps: float
    text: str


def judge_stalls(timeline: Timeline, settings: Settings) -> StallEvidence:
    """Return whether prefill-only steps are time that decoders lost."""
    clean = timeline.clean()
    mixed = clean["mixed_steps"].to_numpy(dtype=np.float64)
    chunks = mixed + clean["prefill_steps"].to_numpy(dtype=np.float64)
    known = np.isfinite(chunks) & (chunks > 0)
    sees_running = timeline.has("running")
    beside = "chunk steps"
    if sees_running:
        start = clean["running:start"].to_numpy(dtype=np.float64)
        end = clean["running:end"].to_numpy(dtype=np.float64)
        known &= np.minimum(start, end) >= 2
        beside = "chunk steps while two requests or more ran"
    chunk_steps, mixed_steps = float(chunks[known].sum()), float(mixed[known].sum())
    return StallEvidence(
        stalls=_verdict(chunk_steps, mixed_steps, sees_running=sees_running, settings=settings),
        chunk_steps=chunk_steps,
        mixed_steps=mixed_steps,
        text=f"{mixed_steps:.0f} of {chunk_steps:.0f} {beside} carried decode rows",
    )


def _verdict(chunk_steps: float, mixed_steps: float, *, sees_running: bool, settings: Settings) -> Stalls:
    """Without ``running`` a lone prompt looks like an excluding one, so only "nobody's" can be told."""
    if chunk_steps < settings.min_class_steps:
        return "both bounds"
    share = mixed_steps / chunk_steps
    if share > settings.practical_share:
        return "nobody's"
    if share < EXCLUDING_SHARE and sees_running:
        return "counted"
    return "both bounds"

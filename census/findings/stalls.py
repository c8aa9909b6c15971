"""Do decoders wait while prefill-only steps run?

Method: if chunk steps can carry decode rows, a prefill-only step beside a decoder would have carried its row;
so where mixed steps occur at all, prefill-only steps are nobody's time. Where they never occur although
chunks ran while two requests or more did, prefill runs exclude decode, and every decoder that runs
meanwhile stalls: its wait is counted.

Misleads: an engine that can mix but lets an old prefill take the whole budget lies between. Where chunks
met no second request too little is known: then both bounds are given.
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
    """The verdict, and the steps that it rests on."""

    stalls: Stalls
    text: str


def judge_stalls(timeline: Timeline, settings: Settings) -> StallEvidence:
    """Return whether prefill-only steps are time that decoders lost."""
    clean = timeline.clean()
    mixed = clean["mixed_steps"].to_numpy(dtype=np.float64)
    chunks = mixed + clean["prefill_steps"].to_numpy(dtype=np.float64)
    known = np.isfinite(chunks) & (chunks > 0)
    mixed_steps, chunk_steps = float(mixed[known].sum()), float(chunks[known].sum())
    if mixed_steps >= settings.min_class_steps and mixed_steps > EXCLUDING_SHARE * chunk_steps:
        return StallEvidence(
            stalls="nobody's", text=f"{mixed_steps:.0f} of {chunk_steps:.0f} chunk steps carried decode rows"
        )
    if not timeline.has("running"):
        return StallEvidence(
            stalls="both bounds", text="no gauge tells whether decoders ran beside the chunks"
        )
    least = np.minimum(clean["running:start"].to_numpy(float), clean["running:end"].to_numpy(float))
    beside = known & (least >= 2)
    met, shared = float(chunks[beside].sum()), float(mixed[beside].sum())
    text = f"{shared:.0f} of {met:.0f} chunk steps while two requests or more ran carried decode rows"
    excluded = met >= settings.min_class_steps and shared <= EXCLUDING_SHARE * met
    return StallEvidence(stalls="counted" if excluded else "both bounds", text=text)

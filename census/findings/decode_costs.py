"""What did each interval spend on decode rows and on chunks?

Method: the step counters of the clean intervals as columns, so that every cost is a ratio of column sums
and all of them can be resampled together: decode-only steps and seconds, mixed, prefill-only and held
steps, chunk seconds (all step seconds less decode-only ones), rows, tokens, prefill tokens, stalled stream
seconds, stream seconds.

Misleads: an interval in which any of the counters is unknown takes part in none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from census.findings.interval_rates import STEP_ROLES, IntervalRates, accepted_tokens
from census.model.estimate import Absent
from census.model.settings import Settings
from census.timeline.timeline import Timeline

NEEDS = (*STEP_ROLES, "decode_tokens")

Floats = NDArray[np.float64]

COLUMNS = (
    "decode_steps",
    "decode_seconds",
    "mixed_steps",
    "prefill_steps",
    "chunk_seconds",
    "held_steps",
    "rows",
    "tokens",
    "prefill_tokens",
    "seconds",
    "stream_seconds",
    "stalled_seconds",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecodeCosts:
    """Columns of the clean intervals, shape (n, len(COLUMNS)), and their segments, shape (n,)."""

    table: Floats
    segments: NDArray[np.int64]
    has_held: bool

    def column(self, name: str) -> Floats:
        """Return one column."""
        return self.table[:, COLUMNS.index(name)]


def pick(sums: Floats, *names: str) -> tuple[Floats, ...]:
    """Return named columns of sums, shape (..., len(COLUMNS))."""
    return tuple(sums[..., COLUMNS.index(name)] for name in names)


def gather_enough_costs(timeline: Timeline, rates: IntervalRates, settings: Settings) -> DecodeCosts | Absent:
    """Return the columns where k, C and D can be told from them, or why they cannot."""
    costs = gather_costs(timeline, rates)
    if isinstance(costs, Absent):
        return costs
    too_little = _why_too_little(costs, settings)
    return Absent(too_little) if too_little else costs


def _why_too_little(costs: DecodeCosts, settings: Settings) -> str:
    """Return why k, C and D cannot be told, "" where they can."""
    totals = dict(zip(COLUMNS, costs.table.sum(axis=0).tolist(), strict=True))
    chunk_steps, fewest = totals["mixed_steps"] + totals["prefill_steps"], settings.min_class_steps
    if min(chunk_steps, totals["decode_steps"]) < fewest:
        return (
            f"{chunk_steps:.0f} chunk steps and {totals['decode_steps']:.0f} decode-only steps: "
            f"want {fewest} of each"
        )
    empty = next((n for n in ("rows", "tokens", "decode_seconds", "chunk_seconds") if totals[n] <= 0), "")
    return f"{empty.replace('_', ' ')} stood still while steps were taken" if empty else ""


def gather_costs(timeline: Timeline, rates: IntervalRates) -> DecodeCosts | Absent:
    """Return the columns, or why there are none."""
    if not timeline.has(*STEP_ROLES, "decode_tokens"):
        return Absent(timeline.why_absent(*STEP_ROLES, "decode_tokens"))
    clean, frame = timeline.clean(), rates.frame
    tokens = clean["decode_tokens"].to_numpy(dtype=np.float64)
    has_held = timeline.has("held_steps")
    held = clean["held_steps"].to_numpy(dtype=np.float64) if has_held else np.zeros(len(clean))
    decode_seconds = clean["decode_seconds"].to_numpy(dtype=np.float64)
    chunk_seconds = np.maximum(clean["step_seconds"].to_numpy(dtype=np.float64) - decode_seconds, 0.0)
    by_name = {
        "decode_steps": clean["decode_steps"],
        "decode_seconds": decode_seconds,
        "mixed_steps": clean["mixed_steps"],
        "prefill_steps": clean["prefill_steps"],
        "chunk_seconds": chunk_seconds,
        "held_steps": np.where(np.isfinite(held), held, 0.0),
        "rows": np.maximum(tokens - accepted_tokens(timeline), 0.0),
        "tokens": tokens,
        "prefill_tokens": frame["prefill_tok_s"] * frame["seconds"],
        "seconds": frame["seconds"],
        "stream_seconds": frame["stream_seconds"].fillna(0.0),
        "stalled_seconds": _stalled_seconds(frame, chunk_seconds)
        if rates.stalls == "counted"
        else 0.0 * tokens,
    }
    table = np.column_stack([np.asarray(by_name[name], dtype=np.float64) for name in COLUMNS])
    table[~np.isfinite(table).all(axis=1)] = 0.0
    return DecodeCosts(table=table, segments=frame["segment"].to_numpy(dtype=np.int64), has_held=has_held)


def _stalled_seconds(frame: pd.DataFrame, chunk_seconds: Floats) -> Floats:
    """Return the chunk seconds during which a decoder waited: all where one or more wait on average."""
    waited = np.nan_to_num(frame["chunk_stream_seconds"].to_numpy(dtype=np.float64))
    stalled: Floats = np.minimum(waited, chunk_seconds)
    return stalled

"""What does the ladder rest on, measured, with intervals that move together?

Method: k, C, D, lambda from column sums of the clean intervals; s = mixed over all chunk steps; q = 1 -
first tokens / chunk steps, since each prompt's last chunk leaves nothing pending (first tokens from the
first-token histogram over whole boots); u between the chunk share of wall time and the share of scrapes at
which a request waited, or ran beyond the rows of decode-only steps. Where held steps were taken already, u
is divided by the stretch that they caused, so that all inputs are those of N = 0.

Misleads: another prompt may be pending after a last chunk, where a slot is free for it; q then lies between
that and 1 - (1 - q) (1 - u), and the ladder's intervals reach from one to the other. The rows of an
interval are a mean, so the upper bound of u also counts decoders that came and went.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from census.findings.decode_costs import DecodeCosts, gather_enough_costs, pick
from census.findings.interval_rates import IntervalRates
from census.findings.readings import draw_for
from census.knobs.interleave import Costs, stretch_prefill
from census.model.estimate import Absent
from census.model.findings import Range
from census.model.settings import Settings
from census.stats.block_bootstrap import Blocks
from census.timeline.timeline import Timeline

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Inputs:
    """Point values at N = 0, and what resampling needs.

    Attributes
    ----------
    costs : k, C, D, q. s, u, lambda_, chunk_tokens : as in the ladder.
    q_most : q if every prompt that waited could follow at once.
    held_per_mixed : h as measured; None where no counter tells it.
    first_tokens, chunk_steps : what q rests on, over whole boots.
    table : shape (n, columns + 1), the columns of ``decode_costs`` and first tokens. blocks : resamples.
    """

    costs: Costs
    q_most: float
    s: float
    u: Range
    lambda_: float
    chunk_tokens: float | None
    held_per_mixed: float | None
    first_tokens: float
    chunk_steps: float
    table: Floats
    blocks: Blocks


def measure_inputs(
    timeline: Timeline, rates: IntervalRates, settings: Settings, rng: np.random.Generator
) -> Inputs | Absent:
    """Return the inputs, or why there are none."""
    costs = gather_enough_costs(timeline, rates, settings)
    if isinstance(costs, Absent):
        return costs
    ttft = timeline.histograms.get("ttft")
    if ttft is None:
        return Absent(f"no count of first tokens, so q is unknown: {timeline.why_absent('ttft')}")
    sums = costs.table.sum(axis=0)
    mixed, prefill, held, tokens = (
        float(value) for value in pick(sums, "mixed_steps", "prefill_steps", "held_steps", "prefill_tokens")
    )
    at = timeline.frame.index.get_indexer(rates.frame.index)
    table = np.column_stack([costs.table, np.nan_to_num(ttft.counts[at]).sum(axis=1)])
    first_tokens = float(np.nansum(ttft.total_counts))
    chunk_steps = timeline.total("mixed_steps") + timeline.total("prefill_steps")
    at_zero = replace(costs_of(table.sum(axis=0)), q=share_pending_after(first_tokens, chunk_steps))
    s = mixed / (mixed + prefill)
    per_mixed = held / mixed if costs.has_held and mixed > 0 else None
    taken = float(stretch_prefill(replace(at_zero, q=per_mixed or 0.0), 1, s=s))
    u = _pending_share(timeline, rates, costs, stretch=taken)
    return Inputs(
        costs=at_zero,
        q_most=1 - (1 - float(at_zero.q)) * (1 - (u.high if u.high is not None else 1.0)),
        s=s,
        u=u,
        lambda_=float(mixed_per_decoding_second(sums)),
        chunk_tokens=tokens / (mixed + prefill) if tokens > 0 else None,
        held_per_mixed=per_mixed,
        first_tokens=first_tokens,
        chunk_steps=chunk_steps,
        table=table,
        blocks=draw_for(
            [costs.column("chunk_seconds"), costs.column("decode_seconds")],
            costs.segments,
            settings=settings,
            rng=rng,
        ),
    )


def costs_of(sums: Floats) -> Costs:
    """Return k, C, D and q of column sums, shape (..., columns + 1), first tokens last."""
    tokens, rows, chunk_seconds, mixed, prefill, decode_seconds, decode_steps = pick(
        sums,
        "tokens",
        "rows",
        "chunk_seconds",
        "mixed_steps",
        "prefill_steps",
        "decode_seconds",
        "decode_steps",
    )
    return Costs(
        k=tokens / rows,
        C=chunk_seconds / (mixed + prefill),
        D=decode_seconds / decode_steps,
        q=np.clip(1 - sums[..., -1] / (mixed + prefill), 0.0, 1.0),
    )


def mixed_per_decoding_second(sums: Floats) -> Floats:
    """Return mixed steps per second of decode-only and mixed steps."""
    chunk_seconds, mixed, prefill, decode_seconds = pick(
        sums, "chunk_seconds", "mixed_steps", "prefill_steps", "decode_seconds"
    )
    rate: Floats = mixed / (decode_seconds + mixed * chunk_seconds / (mixed + prefill))
    return rate


def share_pending_after(first_tokens: float, chunk_steps: float) -> float:
    """Return 1 - first tokens / chunk steps, inside 0..1.

    Examples
    --------
    >>> share_pending_after(20.0, 100.0)
    0.8
    """
    return min(max(1 - first_tokens / chunk_steps, 0.0), 1.0)


def _pending_share(timeline: Timeline, rates: IntervalRates, costs: DecodeCosts, *, stretch: float) -> Range:
    """Bound the share of wall time with prefill pending, as it would be without held steps."""
    wall = float(rates.frame["seconds"].sum())
    least = min(float(costs.column("chunk_seconds").sum()) / wall, 1.0)
    if not timeline.has("running", "waiting"):
        return Range(low=least, high=1.0)
    clean = timeline.clean()
    rows = rates.frame["rows_per_decode_step"].fillna(0.0).to_numpy(dtype=np.float64)
    beyond = [
        (clean[f"waiting:{edge}"].to_numpy(dtype=np.float64) > 0)
        | (clean[f"running:{edge}"].to_numpy(dtype=np.float64) > rows + 0.5)
        for edge in ("start", "end")
    ]
    most = float(np.mean(np.concatenate(beyond))) / stretch
    return Range(low=least, high=min(max(most, least), 1.0))

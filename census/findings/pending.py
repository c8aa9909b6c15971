"""What does a stream get while prefill work is pending, and how much of its life is that?

Method: with k tokens per row and step, C and D the mean seconds of chunk and decode-only steps, and h held
steps per mixed step: pending rate = k (1 + h) / (C + h D); pending share = (mixed C + held D) /
(decode-only seconds + mixed C), of the time in steps with decode rows (stalls added where counted);
exchange = k (C - D) / (D c) x 1000 tokens that a stream loses per 1,000 prefill tokens, c tokens a chunk;
quiet rate = k / D. All bounds come from one set of block resamples of the column sums, so they move
together.

Misleads: an engine whose prefill excludes decode gives nothing while prefill is pending; its share is the
time that decoders wait. C is the mean of all chunk steps where the engine does not split them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from census.findings.decode_costs import DecodeCosts, gather_enough_costs, pick
from census.findings.interval_rates import IntervalRates
from census.findings.readings import draw_for, to_reading
from census.model.estimate import Absent, Reading
from census.model.findings import Pending
from census.model.settings import Settings
from census.stats.bounds import OfSums, bound_all
from census.timeline.timeline import Timeline

NEEDS = (
    "decode_steps",
    "mixed_steps",
    "prefill_steps",
    "held_steps",
    "step_seconds",
    "decode_seconds",
    "decode_tokens",
    "prefill_tokens",
)

Floats = NDArray[np.float64]


def measure(
    timeline: Timeline, rates: IntervalRates, settings: Settings, rng: np.random.Generator
) -> Pending | Absent:
    """Return the pair that an interleave can move, the exchange rate and the quiet rate."""
    costs = gather_enough_costs(timeline, rates, settings)
    if isinstance(costs, Absent):
        return costs
    chunk_steps = float(costs.column("mixed_steps").sum() + costs.column("prefill_steps").sum())
    decode_steps = float(costs.column("decode_steps").sum())
    fewest = settings.min_class_steps
    blocks = draw_for(
        [costs.column("chunk_seconds"), costs.column("decode_seconds")],
        costs.segments,
        settings=settings,
        rng=rng,
    )
    asked: dict[str, Callable[[Floats], Floats]] = {"quiet": quiet_rate}
    if costs.column("prefill_tokens").sum() > 0:
        asked |= {"exchange": exchange_rate}
    mixed_steps = float(costs.column("mixed_steps").sum())
    if mixed_steps >= fewest:
        asked |= {"rate": pending_rate}
    if mixed_steps >= fewest or rates.stalls == "counted":
        asked |= {"share": pending_share}
    questions = [OfSums(columns=costs.table, statistic=statistic) for statistic in asked.values()]
    found = dict(zip(asked, bound_all(questions, blocks=blocks, level=settings.level), strict=True))

    def read(name: str, *, n: float, unit: str, method: str, otherwise: str) -> Reading:
        if name not in found:
            return Absent(otherwise)
        return to_reading(found[name], n=round(n), unit=unit, method=method, settings=settings)

    never_beside = f"{mixed_steps:.0f} mixed steps, fewer than {fewest}: no stream got tokens beside a chunk"
    return Pending(
        rate_tok_s=read(
            "rate", n=mixed_steps, unit="tok/s", method=_rate_method(costs), otherwise=never_beside
        ),
        share_of_stream_time=read(
            "share",
            n=mixed_steps if mixed_steps >= fewest else chunk_steps,
            unit="1",
            method="measured: seconds of mixed and held steps over those of all steps with decode rows",
            otherwise=never_beside,
        ),
        exchange_tok_per_1000=read(
            "exchange",
            n=chunk_steps,
            unit="tokens",
            method="computed: k (C - D) / (D c) x 1000",
            otherwise="no prefill tokens",
        ),
        quiet_tok_s=read(
            "quiet", n=decode_steps, unit="tok/s", method="computed: k / D", otherwise="no decode-only steps"
        ),
        held_per_mixed=_held_per_mixed(costs, mixed_steps),
    )


def pending_rate(sums: Floats) -> Floats:
    """Return k (1 + h) / (C + h D) of column sums, shape (..., columns)."""
    k, chunk_s, decode_s, held = _inputs(sums)
    rate: Floats = k * (1 + held) / (chunk_s + held * decode_s)
    return rate


def quiet_rate(sums: Floats) -> Floats:
    """Return k / D of column sums."""
    k, _, decode_s, _ = _inputs(sums)
    rate: Floats = k / decode_s
    return rate


def exchange_rate(sums: Floats) -> Floats:
    """Return k (C - D) / (D c) x 1000 of column sums."""
    k, chunk_s, decode_s, _ = _inputs(sums)
    mixed, prefill, tokens = pick(sums, "mixed_steps", "prefill_steps", "prefill_tokens")
    chunk_tokens = tokens / (mixed + prefill)
    rate: Floats = k * (chunk_s - decode_s) / (decode_s * chunk_tokens) * 1000
    return rate


def pending_share(sums: Floats) -> Floats:
    """Return (mixed C + held D + stalls) / (decode-only seconds + mixed C + stalls) of column sums."""
    _, chunk_s, decode_s, _ = _inputs(sums)
    mixed, held, decode_seconds, stalled = pick(
        sums, "mixed_steps", "held_steps", "decode_seconds", "stalled_seconds"
    )
    beside = mixed * chunk_s + stalled
    share: Floats = (beside + held * decode_s) / (decode_seconds + beside)
    return share


def _inputs(sums: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return k, C, D and h of column sums; h is 0 where no step is mixed."""
    tokens, rows, chunk_seconds, mixed, prefill, decode_seconds, decode_steps, held = pick(
        sums,
        "tokens",
        "rows",
        "chunk_seconds",
        "mixed_steps",
        "prefill_steps",
        "decode_seconds",
        "decode_steps",
        "held_steps",
    )
    per_mixed = np.divide(held, mixed, out=np.zeros_like(held), where=mixed > 0)
    return tokens / rows, chunk_seconds / (mixed + prefill), decode_seconds / decode_steps, per_mixed


def _held_per_mixed(costs: DecodeCosts, mixed_steps: float) -> float | None:
    if not costs.has_held or mixed_steps == 0:
        return None
    return float(costs.column("held_steps").sum()) / mixed_steps


def _rate_method(costs: DecodeCosts) -> str:
    known = "" if costs.has_held else "; no counter of held steps, h = 0"
    return f"computed: k (1 + h) / (C + h D){known}"

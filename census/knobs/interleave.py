"""What would N held steps after each chunk step beside decoders give? Arithmetic alone.

Method: pure functions of k (tokens per row and step), C and D (seconds of a mixed and of a decode-only
step), q (share of mixed steps with prefill still pending after them), s (mixed over all chunk steps), u
(share of wall time with prefill pending) and lambda (mixed steps per second of decoding time), all of them
as measured without the knob.

Misleads: k, C, D and the chunks' number are taken to stay as they are. Where prefill queues back to back,
the ranges are wide: a simulation is the better answer. The founding text's own form is the case q = s = 1
with prefill always pending; below saturation it promises up to 1.8 x slowdown where 1.25 x comes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Number = float | Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """k, C, D and q, as numbers or as arrays of resampled ones."""

    k: Number
    C: Number
    D: Number
    q: Number


def pending_rate(costs: Costs, n: int) -> Number:
    """Return k (1 + q N) / (C + q N D), what a stream gets while prefill is pending, tokens per second."""
    held = costs.q * n
    return costs.k * (1 + held) / (costs.C + held * costs.D)


def stretch_prefill(costs: Costs, n: int, *, s: float) -> Number:
    """Return 1 + s q N D / C: a prefill takes so many times as long."""
    return 1 + s * costs.q * n * costs.D / costs.C


def mean_gap(costs: Costs, n: int) -> Number:
    """Return (C + q N D) / (1 + q N), the mean seconds between a stream's steps while prefill is pending."""
    held = costs.q * n
    return (costs.C + held * costs.D) / (1 + held)


def all_time_rates(costs: Costs, n: int, *, lambda_: float) -> tuple[float, float]:
    """Return the least and the most of a stream's mean rate over all its life, tokens per second.

    The same chunks are paid for whatever N, unless the stretch lets fewer of them run per second of
    decoding (least: they all run; most: they run in the time that the stretch leaves).
    """
    k, C, D, q = (float(value) for value in (costs.k, costs.C, costs.D, costs.q))
    crowded = min(lambda_, 1 / (C + n * D))
    thinned = lambda_ * C / (C + q * n * D)
    rates = [k / D * (1 - rate * (C - D)) for rate in (crowded, thinned)]
    return min(rates), max(rates)


def break_even(*, C: float, D: float, lambda_: float) -> float | None:
    """Return N* = (1/lambda - C) / D, above which the mean rate gains surely; None where no step is mixed."""
    return max((1 / lambda_ - C) / D, 0.0) if lambda_ > 0 else None


def ttft_factors(*, stretch: float, u: float) -> tuple[float, float | None]:
    """Return by which factor waits for the first token grow: at least, and at most.

    ``u`` is the share of wall time with prefill pending, without the knob. The most is None where the
    stretched prefill no longer fits ("unstable": the queue grows).
    """
    if u * stretch >= 1:
        return stretch, None
    return stretch, stretch * (1 - u) / (1 - u * stretch)


def naive_rate(*, rate_0: float, C: float, D: float, n: int) -> float:
    """Return the founding text's R0 (N + 1) C / (C + N D).

    Examples
    --------
    >>> [round(naive_rate(rate_0=13, C=0.166, D=0.0155, n=n), 1) for n in (1, 2, 8)]
    [23.8, 32.9, 67.0]
    """
    return rate_0 * (n + 1) * C / (C + n * D)


def naive_slowdown(*, C: float, D: float, n: int) -> float:
    """Return the founding text's (C + N D) / C.

    Examples
    --------
    >>> [round(naive_slowdown(C=0.166, D=0.0155, n=n), 3) for n in (1, 2, 8)]
    [1.093, 1.187, 1.747]
    """
    return (C + n * D) / C

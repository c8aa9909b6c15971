"""What would each rung of the interleave give, and what would it cost?

Method: the arithmetic of ``interleave`` on the inputs of ``ladder_inputs``, rung by rung, with the interval
of the pending rate from the same block resamples as k, C and D. Everything is computed, nothing measured.
Beside it stands the founding text's own form, which takes prefill to be always pending.

Misleads: the knob acts on steps that chunks and decoders share; where that is not the mechanism, the ladder
is refused and has no rows. Where held steps were taken already, the inputs are turned back to N = 0. With
two slots arrivals wait for a slot more than for prefill, and slots come free sooner: their waits then grow
by less than the stretch. Averages weigh steps, not streams: where fewer streams sit in mixed steps than in
others, a stream's all-time rate is higher.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from census.findings.decode_costs import pick
from census.findings.interval_rates import IntervalRates
from census.findings.readings import to_reading
from census.knobs.interleave import (
    all_time_rates,
    break_even,
    mean_gap,
    naive_rate,
    naive_slowdown,
    pending_rate,
    stretch_prefill,
    ttft_factors,
)
from census.knobs.ladder_inputs import Inputs, costs_of, measure_inputs, mixed_per_decoding_second
from census.model.estimate import Absent, Reading
from census.model.findings import Ladder, LadderInputs, LadderReadings, LadderRow, Mechanism, Range
from census.model.settings import Settings
from census.stats.bounds import OfSums, Statistic, bound_all
from census.stats.interval import Interval
from census.timeline.timeline import Timeline

NEEDS = (
    "decode_steps",
    "mixed_steps",
    "prefill_steps",
    "held_steps",
    "step_seconds",
    "decode_seconds",
    "decode_tokens",
    "ttft",
    "running",
    "waiting",
)

Floats = NDArray[np.float64]

FLAG = "--prefill-interleave N"
FORMULA = (
    "pending rate k (1 + qN) / (C + qND); stretch x = 1 + sqND/C; TTFT factor x to x (1 - u) / (1 - u x); "
    "all-time rate k/D (1 - l (C - D)), l between min(lambda, 1/(C + ND)) and lambda C / (C + qND); "
    "mean gap (C + qND) / (1 + qN), worst gap C; N* = (1/lambda - C) / D; "
    "naive: k/C (N + 1) C / (C + ND), slowdown (C + ND) / C"
)


def price(
    timeline: Timeline,
    rates: IntervalRates,
    verdict: Mechanism | Absent,
    settings: Settings,
    rng: np.random.Generator,
) -> Ladder | Absent:
    """Return the priced ladder; without rows where the verdict is not the shared step."""
    inputs = measure_inputs(timeline, rates, settings, rng)
    if isinstance(inputs, Absent):
        return inputs
    accepted, reason = _judge(verdict)
    bounds = _bound(inputs, settings)
    C, D = float(inputs.costs.C), float(inputs.costs.D)
    return Ladder(
        basis="computed",
        accepted=accepted,
        reason=reason + _already_held(inputs),
        flag=FLAG,
        formula=FORMULA,
        inputs=LadderInputs(
            k=float(inputs.costs.k),
            C=C,
            D=D,
            q=float(inputs.costs.q),
            s=inputs.s,
            u=inputs.u,
            lambda_=inputs.lambda_,
            chunk_tokens=inputs.chunk_tokens,
        ),
        readings=_readings(inputs, bounds, settings),
        n_star=break_even(C=C, D=D, lambda_=inputs.lambda_),
        rows=(
            tuple(
                _row(inputs, n, least=bounds[f"rate {n}"], most=bounds[f"most {n}"]) for n in settings.ladder
            )
            if accepted
            else ()
        ),
    )


def _judge(verdict: Mechanism | Absent) -> tuple[bool, str]:
    """Tell whether the knob acts on the mechanism, and why (not)."""
    if isinstance(verdict, Absent):
        return False, f"refused: the mechanism is unknown ({verdict.reason})"
    if verdict.verdict != "shared-step":
        return False, f"refused: the knob acts on shared steps, and the mechanism is {verdict.verdict}"
    return True, "accepted: decode rows share steps with chunks, and the knob acts on those"


def _bound(inputs: Inputs, settings: Settings) -> dict[str, Interval]:
    """Bound every input and every rung's rate with one set of resamples."""
    asked: dict[str, Statistic] = {
        "k": lambda sums: np.asarray(costs_of(sums).k),
        "C": lambda sums: np.asarray(costs_of(sums).C),
        "D": lambda sums: np.asarray(costs_of(sums).D),
        "q": lambda sums: np.asarray(costs_of(sums).q),
        "lambda": mixed_per_decoding_second,
        **{f"rate {n}": _rate_statistic(n) for n in settings.ladder},
        **{f"most {n}": _rate_statistic(n, q=inputs.q_most) for n in settings.ladder},
    }
    questions = [OfSums(columns=inputs.table, statistic=statistic) for statistic in asked.values()]
    return dict(zip(asked, bound_all(questions, blocks=inputs.blocks, level=settings.level), strict=True))


def _rate_statistic(n: int, *, q: float | None = None) -> Statistic:
    """Return the pending rate at N as a function of column sums, with their own q or a given one."""

    def rate(sums: Floats) -> Floats:
        costs = costs_of(sums)
        return np.asarray(pending_rate(costs if q is None else replace(costs, q=q), n))

    return rate


def _row(inputs: Inputs, n: int, *, least: Interval, most: Interval) -> LadderRow:
    costs = inputs.costs
    C, D = float(costs.C), float(costs.D)
    point = float(pending_rate(costs, n))
    stretch = float(stretch_prefill(costs, n, s=inputs.s))
    u_high = inputs.u.high if inputs.u.high is not None else 1.0
    shortest, longest = ttft_factors(stretch=stretch, u=u_high if n else 0.0)
    slowest, fastest = all_time_rates(costs, n, lambda_=inputs.lambda_)
    return LadderRow(
        n=n,
        pending_tok_s=point,
        pending_interval=_reach(point, least, most),
        all_time_tok_s=Range(low=slowest, high=fastest),
        stretch=stretch,
        u=Range(low=min(1.0, inputs.u.low * stretch), high=min(1.0, u_high * stretch)),
        ttft_factor=Range(low=shortest, high=longest),
        unstable=inputs.u.low * stretch >= 1,
        mean_gap_s=float(mean_gap(costs, n)),
        worst_gap_s=C,
        naive_tok_s=naive_rate(rate_0=float(costs.k) / C, C=C, D=D, n=n),
        naive_slowdown=naive_slowdown(C=C, D=D, n=n),
    )


def _reach(point: float, least: Interval, most: Interval) -> Range | None:
    """Return from the lower end at the least q to the upper end at the most."""
    if least.low is None or most.high is None:
        return None
    return Range(low=min(least.low, point), high=max(most.high, point))


def _readings(inputs: Inputs, bounds: dict[str, Interval], settings: Settings) -> LadderReadings:
    sums = inputs.table.sum(axis=0)
    rows, mixed, decode_steps = (float(value) for value in pick(sums, "rows", "mixed_steps", "decode_steps"))

    def read(name: str, *, n: float, unit: str, method: str, value: float | None = None) -> Reading:
        return to_reading(bounds[name], n=round(n), unit=unit, method=method, settings=settings, value=value)

    return LadderReadings(
        k=read("k", n=rows, unit="tokens", method="measured: decode tokens over rows"),
        C=read("C", n=inputs.chunk_steps, unit="s", method="measured: chunk seconds over chunk steps"),
        D=read("D", n=decode_steps, unit="s", method="measured: decode-only seconds over steps"),
        q=_widen(
            read(
                "q",
                n=inputs.chunk_steps,
                unit="1",
                method=f"estimated: 1 - {inputs.first_tokens:.0f} first tokens / chunk steps, more if queued",
                value=float(inputs.costs.q),
            ),
            high=inputs.q_most,
        ),
        lambda_=read(
            "lambda", n=mixed, unit="1/s", method="measured: mixed steps per second of decoding time"
        ),
    )


def _widen(reading: Reading, *, high: float) -> Reading:
    """Return a reading whose upper end reaches at least so far."""
    if isinstance(reading, Absent) or reading.high is None:
        return reading
    return replace(reading, high=max(reading.high, high))


def _already_held(inputs: Inputs) -> str:
    """Say where the server stands, if held steps were taken."""
    held, q = inputs.held_per_mixed, float(inputs.costs.q)
    if not held or q <= 0:
        return ""
    least, most = held / inputs.q_most, held / q
    return f"; {held:.2f} held steps followed each mixed step, so N was {least:.1f} to {most:.1f}"

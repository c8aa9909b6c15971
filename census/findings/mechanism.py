"""By which mechanism does prefill slow decode?

Method: nine rivals (``findings/rivals``), each with a prediction and what was observed. One is named only if
it holds and every other fails: its effect is surely too small to matter (5 % of stream time), or it does not
surely explain a fifth of the loss. A rival that the engine's metrics cannot show does not stand in the way
where the one that holds explains four fifths. The loss is the time of streams against the quiet rate, and
divides over the rivals without remainder (``stream_loss``); residency is decided on the decode-only step
given rows. Otherwise the verdict is inconclusive, and says what measurement would settle it.

Misleads: fewer than about 50 loaded intervals say nothing. An engine without step counters gives no verdict.
A slowdown that never ceases has no reference to show against: where no time without prefill was seen, the
residency row says so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from census.findings.cross_engine import CrossEngine, measure_across
from census.findings.decode_given_rows import measure_given_rows
from census.findings.interval_arrays import read_arrays
from census.findings.interval_rates import IntervalRates
from census.findings.loss_shares import divide_loss
from census.findings.predicted_loss import predict_over_measure
from census.findings.preemption_windows import find_windows
from census.findings.queue_effect import measure_queue
from census.findings.rivals import (
    batch_growth,
    exclusive_prefill,
    group_stall,
    load,
    no_interference,
    preemption,
    queueing,
    residency,
    shared_step,
)
from census.findings.rivals.evidence import Evidence
from census.findings.stream_loss import account
from census.model.estimate import Absent, Estimate, Reading
from census.model.findings import LagStructure, Mechanism, Rival, StepPhases
from census.model.settings import Settings
from census.timeline.timeline import Timeline

NEEDS = ("decode_steps", "mixed_steps", "prefill_steps", "step_seconds", "decode_seconds", "decode_tokens")

MECHANISMS = (
    shared_step.judge,
    exclusive_prefill.judge,
    residency.judge,
    batch_growth.judge,
    preemption.judge,
    queueing.judge,
    group_stall.judge,
)
"""In reading order; load and none are judged after them."""

WOULD_SETTLE = {
    "shared-step": "an hour with prefill held back (--prefill-interleave 8), to compare the same traffic",
    "exclusive-prefill": "the number of running requests at every scrape, or a trace of steps",
    "residency": "ten minutes of decode without any prefill, as a reference for the decode-only step; or "
    "shorter scrapes",
    "batch-growth": "a longer window: rows and prefill must vary apart from one another",
    "preemption": "a window without preemptions at the same load",
    "queueing": "a window in which slots are free at the same prefill",
    "group-stall": "the other engines of the group over the same window",
    "load": "a longer window, so that load and prefill vary apart from one another",
}


def measure(
    timeline: Timeline,
    rates: IntervalRates,
    phases: StepPhases | Absent,
    lag: LagStructure | Absent,
    settings: Settings,
    rng: np.random.Generator,
    *,
    others: Sequence[tuple[Timeline, IntervalRates]] = (),
) -> Mechanism | Absent:
    """Return the verdict with its rivals, or why none can be given.

    Parameters
    ----------
    others : the other engines of the group, for a stall that all share.
    """
    if isinstance(phases, Absent):
        return Absent(f"no step classes: {phases.reason}")
    arrays = read_arrays(timeline, rates)
    if not arrays.has_steps:
        return Absent(f"no step counters tell mixed from decode-only steps: {timeline.why_absent(*NEEDS)}")
    loaded = int(arrays.loaded.sum())
    if loaded < settings.min_loaded_intervals:
        return _undecided(
            f"{loaded} intervals with prefill and decode work; "
            f"at least {settings.min_loaded_intervals} are needed",
            would_settle="a longer window, or shorter scrapes",
        )
    given_rows = measure_given_rows(arrays, settings)
    if isinstance(given_rows, Absent):
        return _undecided(given_rows.reason, would_settle=WOULD_SETTLE["residency"])
    loss = account(timeline, rates, arrays, given_rows, settings)
    windows = find_windows(timeline, arrays)
    shares = divide_loss(loss, windows, given_rows, arrays=arrays, settings=settings, rng=rng)
    evidence = Evidence(
        arrays=arrays,
        lag=lag,
        given_rows=given_rows,
        loss=loss,
        shares=shares,
        windows=windows,
        queue=measure_queue(timeline, arrays, settings),
        others=_across((timeline, rates), others, settings),
        settings=settings,
    )
    mechanisms = [judge(evidence) for judge in MECHANISMS]
    by_load = load.judge(evidence, mechanisms)
    rivals = (*mechanisms, by_load, no_interference.judge(evidence, [*mechanisms, by_load]))
    verdict, closest, reason = decide(rivals, settings)
    return Mechanism(
        verdict=verdict,
        closest=closest,
        reason=reason,
        would_settle=_what_would_settle(rivals) if verdict == "inconclusive" else "",
        predicted_over_measured=predict_over_measure(rates, arrays, loss, settings, rng),
        decode_step_given_rows=given_rows.slowdown,
        rivals=rivals,
    )


def decide(rivals: Sequence[Rival], settings: Settings) -> tuple[str, str | None, str]:
    """Return verdict, the rival that came closest, and the reason in one sentence."""
    holding = [rival for rival in rivals if rival.holds]
    unknown = [rival for rival in rivals if rival.holds is None and rival.id not in ("load", "none")]
    unseen = [rival for rival in unknown if isinstance(rival.share_of_loss, Absent)]
    explains_all = len(holding) == 1 and _share(holding[0]) >= 1.0 - settings.rival_share
    open_ones = [rival for rival in unknown if not (explains_all and rival in unseen)]
    if len(holding) == 1 and not open_ones:
        (found,) = holding
        closest = _largest([rival for rival in rivals if rival.id != found.id])
        without = f"; not measured: {', '.join(rival.id for rival in unseen)}" if unseen else ""
        return found.id, closest, f"its rivals fail, or explain too little{without}"
    if len(holding) > 1:
        names = " and ".join(f"{rival.id}{_weight(rival)}" for rival in holding)
        return "inconclusive", _largest(holding), f"more than one explains a good part of the loss: {names}"
    if holding:
        (found,) = holding
        doubts = ", ".join(rival.id for rival in open_ones)
        return "inconclusive", found.id, f"{found.id} holds, but not told: {doubts}"
    if open_ones:
        doubts = ", ".join(rival.id for rival in open_ones)
        return "inconclusive", _largest(open_ones), f"no rival surely holds; not told: {doubts}"
    return "inconclusive", _largest(rivals), "no rival explains what streams lose"


def _largest(rivals: Sequence[Rival]) -> str | None:
    known = [rival for rival in rivals if isinstance(rival.share_of_loss, Estimate)]
    return max(known, key=_share).id if known else None


def _share(rival: Rival) -> float:
    return rival.share_of_loss.value if isinstance(rival.share_of_loss, Estimate) else 0.0


def _weight(rival: Rival) -> str:
    return f" ({_share(rival):.0%})" if isinstance(rival.share_of_loss, Estimate) else ""


def _what_would_settle(rivals: Sequence[Rival]) -> str:
    doubts = [rival for rival in rivals if rival.holds is None and rival.id in WOULD_SETTLE]
    doubts = doubts or [rival for rival in rivals if rival.holds and rival.id in WOULD_SETTLE]
    return "; ".join(WOULD_SETTLE[rival.id] for rival in doubts) or WOULD_SETTLE["load"]


def _across(
    own: tuple[Timeline, IntervalRates],
    others: Sequence[tuple[Timeline, IntervalRates]],
    settings: Settings,
) -> tuple[CrossEngine, ...]:
    found = (measure_across(own, other, settings) for other in others)
    return tuple(
        CrossEngine(effect=one, mean_effect=one, n=0) if isinstance(one, Absent) else one for one in found
    )


def _undecided(reason: str, *, would_settle: str) -> Mechanism:
    nothing: Reading = Absent(reason)
    return Mechanism(
        verdict="inconclusive",
        closest=None,
        reason=reason,
        would_settle=would_settle,
        predicted_over_measured=nothing,
        decode_step_given_rows=nothing,
        rivals=(),
    )

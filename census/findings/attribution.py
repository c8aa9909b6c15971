"""Where did the lost decode time go?

Method: the loss of stream time against the quiet rate (``stream_loss``) divides into steps shared with a
chunk, waiting out prefill runs, preemption and recompute, slower decode-only steps (exposure to prefill and
rows that it brought), and the rest, which is what the others leave: the shares sum to 1. Weighted by time as
lost seconds, and by tokens as the loss of the interval that a token came from.

Misleads: a part may be below zero where its opposite was seen; parts are no causes, the mechanism is.
"""

from __future__ import annotations

import numpy as np

from census.findings.decode_given_rows import measure_given_rows
from census.findings.interval_arrays import read_arrays
from census.findings.interval_rates import IntervalRates
from census.findings.loss_shares import divide_loss, part_columns, seconds_beyond, seconds_waited
from census.findings.preemption_windows import PreemptionWindows, find_windows
from census.findings.stream_loss import StreamLoss, account
from census.model.estimate import Absent, Estimate
from census.model.findings import Attribution, AttributionPart, Mechanism
from census.model.settings import Settings
from census.timeline.timeline import Timeline

NEEDS = ("decode_steps", "mixed_steps", "prefill_steps", "step_seconds", "decode_seconds", "decode_tokens")

PARTS = ("shared-chunks", "exclusive-prefill", "preemption", "slower-decode", "rest")
"""In reading order; they sum to the whole loss."""


def measure(
    timeline: Timeline,
    rates: IntervalRates,
    mechanism: Mechanism | Absent,
    settings: Settings,
    rng: np.random.Generator,
) -> Attribution | Absent:
    """Return the parts of the loss, or why it cannot be divided."""
    if isinstance(mechanism, Absent):
        return mechanism
    arrays = read_arrays(timeline, rates)
    given_rows = measure_given_rows(arrays, settings)
    if isinstance(given_rows, Absent):
        return given_rows
    loss = account(timeline, rates, arrays, given_rows, settings)
    windows = find_windows(timeline, arrays)
    shares = divide_loss(loss, windows, given_rows, arrays=arrays, settings=settings, rng=rng)
    by_tokens = _weigh_by_tokens(loss, windows)
    return Attribution(
        unit="stream seconds",
        lost_share=shares.lost,
        parts=tuple(
            AttributionPart(
                id=name,
                share=shares.of_loss[name],
                tokens_share=by_tokens[name] if isinstance(shares.of_loss[name], Estimate) else None,
            )
            for name in PARTS
        ),
    )


def _weigh_by_tokens(loss: StreamLoss, windows: PreemptionWindows) -> dict[str, float | None]:
    """Return each part of the loss that the average token met in its interval; they sum to 1.

    What lies beyond steps is known over the whole window only, so it is the same for each token.
    """
    rate = np.divide(loss.tokens, loss.spent_s, out=np.zeros(loss.tokens.shape), where=loss.spent_s > 0)
    columns = part_columns(loss, windows)
    parts = {name: float((columns[name] * rate).sum()) for name in PARTS}
    mean_rate = float(loss.tokens.sum()) / max(float(loss.spent_s.sum()), 1e-9)
    waited_s = seconds_waited(loss, windows)
    parts["preemption"] += waited_s * mean_rate
    parts["rest"] += (seconds_beyond(loss) - waited_s) * mean_rate
    whole = sum(parts.values())
    return {name: part / whole if whole > 0 else None for name, part in parts.items()}

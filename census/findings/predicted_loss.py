"""Do the two step costs foretell what streams lost?

Method: predicted = rows of chunk steps x (mean chunk step - mean decode-only step), with the two pooled step
costs alone; measured = the decode time that requests report at their end, against the quiet rate. The second
is not the algebra of the first: it is booked by another part of the engine, and holds all time from first to
last token. Where requests report nothing, the step counters stand in, and the reading says so.

Misleads: requests that the window cuts report all or nothing; over hours that cancels.
"""

from __future__ import annotations

import numpy as np

from census.findings.interval_arrays import IntervalArrays
from census.findings.interval_rates import IntervalRates
from census.findings.loss_shares import LEAST_LOSS
from census.findings.readings import draw_for, to_reading
from census.findings.stream_loss import StreamLoss
from census.model.estimate import Absent, Reading
from census.model.settings import Settings
from census.stats.bounds import OfSums, bound_all
from census.stats.lag_pairs import Floats


def predict_over_measure(
    rates: IntervalRates,
    arrays: IntervalArrays,
    loss: StreamLoss,
    settings: Settings,
    rng: np.random.Generator,
) -> Reading:
    """Return predicted over measured loss, or why there is none to compare."""
    in_chunks = np.nan_to_num(rates.frame["chunk_stream_seconds"].to_numpy(dtype=np.float64))
    chunk_steps = arrays.mixed_steps + arrays.prefill_steps
    names = (in_chunks, arrays.chunk_seconds, chunk_steps, arrays.decode_seconds, arrays.decode_steps)
    table = np.column_stack(
        [
            *(np.nan_to_num(column) for column in names),
            loss.spent_s,
            loss.quiet_s,
            loss.tokens,
            loss.reported_s,
            loss.reported_tokens,
        ]
    )
    sums = table.sum(axis=0)
    if sums[2] <= 0 or sums[4] <= 0:
        return Absent("no chunk step, or no decode-only step")
    if float(_measured(sums)) < LEAST_LOSS * sums[5]:
        return Absent("streams lose too little to compare with")
    blocks = draw_for(
        [loss.spent_s - loss.quiet_s, loss.reported_s],
        arrays.intervals.segment,
        settings=settings,
        rng=rng,
    )
    question = OfSums(columns=table, statistic=lambda drawn: _predicted(drawn) / _measured(drawn))
    (found,) = bound_all([question], blocks=blocks, level=settings.level)
    against = (
        "decode time that requests report at their end" if loss.has_reports else "the same step counters"
    )
    return to_reading(
        found,
        n=int((loss.spent_s > 0).sum()),
        unit="1",
        method=f"estimated: chunk stream time x (1 - D / C) over the loss by {against}",
        settings=settings,
    )


def _predicted(sums: Floats) -> Floats:
    """Return chunk stream seconds less what their steps would have cost without a chunk."""
    chunk_step = sums[..., 1] / sums[..., 2]
    decode_step = sums[..., 3] / sums[..., 4]
    predicted: Floats = sums[..., 0] * (1.0 - decode_step / chunk_step)
    return predicted


def _measured(sums: Floats) -> Floats:
    """Return the whole loss."""
    spent, quiet, tokens, reported_s, reported_tokens = (sums[..., place] for place in range(5, 10))
    per_token = np.divide(reported_s, reported_tokens, out=np.zeros(tokens.shape), where=reported_tokens > 0)
    whole: Floats = np.where(reported_tokens > 0, per_token * tokens, spent) - quiet
    return whole

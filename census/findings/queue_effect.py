"""Does a stream decode slower while requests wait for a slot, prefill and rows held?

Method: the regression of ``lag_response`` with the mean number of waiting requests (of the two scrapes) as a
further covariate; its coefficient times the mean number waiting is the share of the rate that goes with the
queue.

Misleads: the queue is sampled at scrapes only; a short one is missed. Preempted requests count as waiting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from census.findings.interval_arrays import IntervalArrays
from census.findings.lag_response import fit_response
from census.model.estimate import Absent, Estimate, Reading
from census.model.settings import Settings
from census.timeline.timeline import Timeline

NEEDS = ("waiting",)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueEffect:
    """What goes with a queue.

    Attributes
    ----------
    waiting_share : share of intervals with a request waiting at either end.
    effect : change of the per-stream rate at the mean queue, as a share of the mean rate.
    """

    waiting_share: float
    effect: Reading


def measure_queue(timeline: Timeline, arrays: IntervalArrays, settings: Settings) -> QueueEffect | Absent:
    """Return what goes with a queue, or why that cannot be told."""
    if not timeline.has("waiting"):
        return Absent(timeline.why_absent("waiting"))
    clean = timeline.clean()
    start, end = (clean[f"waiting:{edge}"].to_numpy(dtype=np.float64) for edge in ("start", "end"))
    waiting = (start + end) / 2
    share = float(np.mean(np.nan_to_num(waiting) > 0)) if waiting.size else 0.0
    if share == 0.0:
        return QueueEffect(waiting_share=0.0, effect=Absent("no request waited at any scrape"))
    response = fit_response(
        arrays,
        arrays.stream_tok_s,
        at_zero=arrays.met_tok_s,
        covariates=np.column_stack([waiting, arrays.rows_per_step]),
        weights=arrays.row_seconds,
        settings=settings,
    )
    if isinstance(response, str):
        return QueueEffect(waiting_share=share, effect=Absent(response))
    place = 1 + len(response.bins)
    if response.fit.coefficients.size < place + 1 or np.ptp(waiting[response.used]) == 0:
        return QueueEffect(waiting_share=share, effect=Absent("the queue does not vary"))
    weights = arrays.row_seconds[response.used]
    mean_rate = float(np.average(arrays.stream_tok_s[response.used], weights=weights))
    if mean_rate <= 0:
        return QueueEffect(waiting_share=share, effect=Absent("streams hardly ever got a token"))
    mix = np.zeros(response.fit.coefficients.size)
    mix[place] = float(np.average(waiting[response.used], weights=weights)) / mean_rate
    value, half = response.fit.combine(mix)
    effect = Estimate(
        value=value,
        low=value - half,
        high=value + half,
        level=settings.level,
        n=response.fit.n,
        unit="1",
        method="estimated: regression on the queue, prefill at several lags and rows held, HAC errors",
    )
    return QueueEffect(waiting_share=share, effect=effect)

"""Does a rate gauge say what its counter says?

Method: the gauge at the end of each interval beside the counter's own rate over that interval: the ratio of
their means (the aliasing ratio), Pearson's r, the scrapes at which the gauge repeats itself while nothing
runs (stale), and the scrapes amid work at which it reads exactly zero.

Misleads when the counter itself moves at request end: then the counter is wrong, not the gauge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

LOWEST_RATIO, HIGHEST_RATIO, LOWEST_CORRELATION = 0.8, 1.25, 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class GaugeAgreement:
    """A gauge measured against its counter.

    Attributes
    ----------
    intervals : intervals that both are known in.
    gauge_mean, counter_mean : in the gauge's unit; the counter's is total over time.
    ratio : gauge_mean / counter_mean; None where the counter did not move.
    correlation : Pearson's r over the intervals; None where either does not vary.
    scrapes : scrapes seen. idle: with nothing running. stale: idle, and the gauge repeats a value above zero.
    zero_while_moving : scrapes amid work (the counter moved before; requests run, or it moves after) at
        exactly zero.
    nonzero_error : median of |gauge / counter's rate - 1| where both are above zero; None if never.
    accepted : ratio within 0.8 .. 1.25 and r of 0.9 at least.
    """

    intervals: int
    gauge_mean: float
    counter_mean: float
    ratio: float | None
    correlation: float | None
    scrapes: int
    idle: int
    stale: int
    zero_while_moving: int
    nonzero_error: float | None
    accepted: bool


def compare_gauge(
    gauge: FloatArray, increase: FloatArray, seconds: FloatArray, *, running: FloatArray | None = None
) -> GaugeAgreement:
    """Measure a gauge against the counter that it should be the rate of.

    Parameters
    ----------
    gauge : float64, shape (n + 1,), at the scrapes, per second; NaN where not scraped.
    increase : float64, shape (n,), of the counter between the scrapes; NaN where unknown.
    seconds : float64, shape (n,), lengths of the intervals.
    running : float64, shape (n + 1,), requests running at the scrapes; None: the counter stood still.

    Returns
    -------
    GaugeAgreement

    Notes
    -----
    A gauge with a short window that is read every 15 s samples a few percent of the time: where work comes in
    bursts its mean depends on the phase of the scrapes (0.03 or 4323 where the truth is 666.7). Several
    boots go in one call with an interval of NaN increase between them.

    Examples
    --------
    >>> running = np.array([2.0, 2, 0, 0, 0])
    >>> tokens = np.array([540.0, 540, 0, 0])
    >>> stuck = compare_gauge(np.full(5, 36.0), tokens, np.full(4, 15.0), running=running)
    >>> stuck.stale, stuck.scrapes, stuck.ratio, stuck.accepted
    (3, 5, 2.0, False)
    """
    known = ~np.isnan(increase) & ~np.isnan(gauge[1:])
    rates = increase[known] / seconds[known]
    read = gauge[1:][known]
    weights = seconds[known]
    gauge_mean = float(np.average(read, weights=weights)) if read.size else 0.0
    counter_mean = float(np.average(rates, weights=weights)) if read.size else 0.0
    ratio = gauge_mean / counter_mean if counter_mean > 0 else None
    correlation = _pearson(read, rates)
    idle = running == 0 if running is not None else np.concatenate(([False], increase == 0))
    repeats = np.concatenate(([False], (gauge[1:] == gauge[:-1]) & (gauge[1:] > 0)))
    moved = increase > 0
    before = np.concatenate(([False], moved))
    amid = running > 0 if running is not None else np.concatenate((moved, [False]))
    both = (read > 0) & (rates > 0)
    return GaugeAgreement(
        intervals=int(read.size),
        gauge_mean=gauge_mean,
        counter_mean=counter_mean,
        ratio=ratio,
        correlation=correlation,
        scrapes=int(np.sum(~np.isnan(gauge))),
        idle=int(np.sum(idle)),
        stale=int(np.sum(idle & repeats)),
        zero_while_moving=int(np.sum(before & amid & (gauge == 0))),
        nonzero_error=float(np.median(np.abs(read[both] / rates[both] - 1))) if both.any() else None,
        accepted=(
            ratio is not None
            and correlation is not None
            and LOWEST_RATIO <= ratio <= HIGHEST_RATIO
            and correlation >= LOWEST_CORRELATION
        ),
    )


def _pearson(left: FloatArray, right: FloatArray) -> float | None:
    """Return Pearson's r; None where a side does not vary or fewer than three pairs stand."""
    if left.size < 3 or np.ptp(left) == 0 or np.ptp(right) == 0:
        return None
    return float(np.corrcoef(left, right)[0, 1])

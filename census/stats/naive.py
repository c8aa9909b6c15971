"""What would the usual queries have said? PromQL's own arithmetic, to show how far it is off.

Method: ``rate`` and ``increase`` with their extrapolation to the edges of the range, ``avg_over_time``,
``histogram_quantile`` and the mean of quantiles, each as Prometheus 2.42 computes them on raw samples;
a range is closed on both sides, as there.

Misleads by design: nothing here is a result. ``increase`` of whole events gives fractions, a reset between
two samples loses what was counted before it, an average over two minutes mixes what it should tell apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
TimeArray = NDArray[np.int64]


def _range_bounds(
    times_ms: TimeArray, at_ms: TimeArray, *, range_ms: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places of the first and last sample of each range (last < first: none)."""
    first = np.searchsorted(times_ms, at_ms - range_ms, side="left")
    last = np.searchsorted(times_ms, at_ms, side="right") - 1
    return first, last


def promql_increase(
    times_ms: TimeArray, values: FloatArray, *, at_ms: TimeArray, range_ms: int
) -> FloatArray:
    """Return ``increase(counter[range])`` at each moment.

    Parameters
    ----------
    times_ms : int64, shape (n,), rising, milliseconds.
    values : float64, shape (n,), the raw counter.
    at_ms : int64, shape (m,), the moments of evaluation, milliseconds.
    range_ms : length of the range, milliseconds.

    Returns
    -------
    float64, shape (m,), in the counter's unit; NaN where the range holds fewer than two samples (PromQL gives
    no result there).

    Notes
    -----
    Resets are counted as PromQL does: every fall adds the value before it. The result is scaled to the whole
    range unless a sample is missing at its edge (more than 1.1 mean spacings away), and never reaches back
    below a counter's zero.

    References
    ----------
    Prometheus 2.42, promql/functions.go, extrapolatedRate.

    Examples
    --------
    >>> times = np.array([0, 15_000, 30_000, 45_000])
    >>> one = promql_increase(times, np.array([0.0, 0, 108, 108]), at_ms=np.array([50_000]), range_ms=50_000)
    >>> float(np.round(one[0], 6))
    120.0
    """
    first, last = _range_bounds(times_ms, at_ms, range_ms=range_ms)
    enough = last > first
    result = np.full(at_ms.shape, np.nan)
    if not np.any(enough):
        return result
    first, last, at = first[enough], last[enough], at_ms[enough]
    unfallen = values + np.concatenate(([0.0], np.cumsum(np.where(np.diff(values) < 0, values[:-1], 0.0))))
    gain = unfallen[last] - unfallen[first]
    span = (times_ms[last] - times_ms[first]) / 1000.0
    spacing = span / (last - first)
    to_start = (times_ms[first] - (at - range_ms)) / 1000.0
    to_end = (at - times_ms[last]) / 1000.0
    rising = (gain > 0) & (values[first] >= 0)
    to_zero = np.divide(span * values[first], gain, out=np.full(gain.shape, np.inf), where=rising)
    to_start = np.minimum(to_start, to_zero)
    near = spacing * 1.1
    reach = (
        span + np.where(to_start < near, to_start, spacing / 2) + np.where(to_end < near, to_end, spacing / 2)
    )
    result[enough] = gain * reach / span
    return result


def promql_rate(times_ms: TimeArray, values: FloatArray, *, at_ms: TimeArray, range_ms: int) -> FloatArray:
    """Return ``rate(counter[range])``, per second, at each moment; see ``promql_increase``.

    Examples
    --------
    >>> times = np.array([0, 15_000, 30_000])
    >>> rate = promql_rate(times, np.array([0.0, 150, 300]), at_ms=np.array([30_000]), range_ms=30_000)
    >>> float(rate[0])
    10.0
    """
    return promql_increase(times_ms, values, at_ms=at_ms, range_ms=range_ms) / (range_ms / 1000.0)


def promql_avg_over_time(
    times_ms: TimeArray, values: FloatArray, *, at_ms: TimeArray, range_ms: int
) -> FloatArray:
    """Return ``avg_over_time(gauge[range])`` at each moment: the plain mean of the samples in the range.

    Parameters
    ----------
    times_ms, values, at_ms, range_ms : as for ``promql_increase``.

    Returns
    -------
    float64, shape (m,); NaN where the range is empty.

    Notes
    -----
    A mean over samples, not over time: samples that stand closer together weigh more.

    Examples
    --------
    >>> times = np.array([0, 15_000, 30_000])
    >>> mean = promql_avg_over_time(times, np.array([1.0, 2, 6]), at_ms=np.array([30_000]), range_ms=15_000)
    >>> float(mean[0])
    4.0
    """
    first, last = _range_bounds(times_ms, at_ms, range_ms=range_ms)
    count = last - first + 1
    running = np.concatenate(([0.0], np.cumsum(values)))
    total = running[last + 1] - running[np.minimum(first, last + 1)]
    result: FloatArray = np.divide(total, count, out=np.full(at_ms.shape, np.nan), where=count > 0)
    return result


def last_minus_first(values: FloatArray) -> float:
    """Return the last sample minus the first, resets ignored: negative after a restart.

    Examples
    --------
    >>> last_minus_first(np.array([1000.0, 1150, 1300, 40, 190]))
    -810.0
    """
    return float(values[-1] - values[0])


def promql_histogram_quantile(edges: FloatArray, counts: FloatArray, *, q: float) -> float:
    """Return ``histogram_quantile(q, …)`` of counts per bucket.

    Parameters
    ----------
    edges : float64, shape (b,), rising, last inf.
    counts : float64, shape (b,), observations in each bucket, not cumulative.
    q : 0..1.

    Returns
    -------
    The interpolated quantile in the unit of the edges; NaN without observations, as PromQL says. In the
    overflow bucket PromQL returns the last finite edge: the cap that a reader takes for a measurement.

    References
    ----------
    Prometheus 2.42, promql/quantile.go, bucketQuantile.

    Examples
    --------
    >>> edges = np.array([0.5, 5.0, 10.0, np.inf])
    >>> round(promql_histogram_quantile(edges, np.array([990.0, 0, 10, 0]), q=0.9), 4)
    0.4545
    """
    cumulative = np.cumsum(counts)
    total = cumulative[-1]
    if not total > 0:
        return float("nan")
    rank = q * total
    place = int(np.searchsorted(cumulative[:-1], rank, side="left"))
    if place == edges.size - 1:
        return float(edges[-2])
    if place == 0 and edges[0] <= 0:
        return float(edges[0])
    low = float(edges[place - 1]) if place else 0.0
    below = float(cumulative[place - 1]) if place else 0.0
    inside = float(cumulative[place]) - below
    return float(low + (edges[place] - low) * (rank - below) / inside)


def average_of_quantiles(edges: FloatArray, counts: FloatArray, *, q: float) -> float:
    """Return the mean of the quantiles of several histograms: a dashboard's average, never a quantile.

    Parameters
    ----------
    edges : float64, shape (b,), rising, last inf.
    counts : float64, shape (rows, b): one row a replica or an interval; empty rows are left out.
    q : 0..1.

    Examples
    --------
    >>> edges = np.array([0.5, 5.0, 10.0, np.inf])
    >>> round(average_of_quantiles(edges, np.array([[990.0, 0, 0, 0], [0, 0, 10, 0]]), q=0.9), 3)
    4.975
    """
    heard = counts[counts.sum(axis=1) > 0]
    if not heard.size:
        return float("nan")
    return float(np.mean([promql_histogram_quantile(edges, row, q=q) for row in heard]))


def evaluation_grid(times_ms: TimeArray, *, range_ms: int, step_ms: int) -> TimeArray:
    """Return the moments of a range query, from one range after the first sample to the last sample.

    Examples
    --------
    >>> evaluation_grid(np.array([0, 60_000, 120_000]), range_ms=60_000, step_ms=30_000).tolist()
    [60000, 90000, 120000]
    """
    if times_ms.size == 0 or times_ms[-1] < times_ms[0] + range_ms:
        return np.empty(0, dtype=np.int64)
    return np.arange(times_ms[0] + range_ms, times_ms[-1] + 1, step_ms, dtype=np.int64)

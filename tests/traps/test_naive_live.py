"""The naive ways agree with a real Prometheus, number by number."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request

import numpy as np
import pytest
from capture_factory import curve
from live_prometheus import PrometheusFactory

from census.capture.series import Series
from census.stats.naive import (
    promql_avg_over_time,
    promql_histogram_quantile,
    promql_increase,
    promql_rate,
)

pytestmark = pytest.mark.live

EPOCH_S = 1_795_824_000
EDGES = [0.1, 0.5, 2.5, 10.0, np.inf]


def scraped() -> tuple[Series, Series, list[Series]]:
    """Return a counter with restarts, jitter and a gap, a gauge, and the buckets of a histogram."""
    rng = np.random.default_rng(20)
    times = EPOCH_S + np.cumsum(np.rint(rng.normal(15.0, 0.4, 400) * 1000) / 1000)
    kept = np.delete(np.arange(400), np.r_[100:115, 230, 231])
    work = np.cumsum(rng.poisson(40, 400)).astype(float) - 40
    work[150:] -= work[150] - 3
    work[300:] -= work[300]
    gauge = rng.uniform(0, 90, 400)
    counts = np.cumsum(rng.poisson([3, 8, 4, 1, 0.3], size=(400, 5)), axis=0).cumsum(axis=1)
    buckets = [
        curve(
            "waits_bucket",
            times[kept].tolist(),
            counts[kept, place],
            le="+Inf" if np.isinf(edge) else f"{edge:g}",
        )
        for place, edge in enumerate(EDGES)
    ]
    return (
        curve("work_total", times[kept].tolist(), work[kept]),
        curve("load", times[kept].tolist(), gauge[kept]),
        buckets,
    )


def ask(address: str, query: str, at_ms: int) -> float | None:
    form = urllib.parse.urlencode({"query": query, "time": f"{at_ms / 1000:.3f}"}).encode()
    with urllib.request.urlopen(f"{address}/api/v1/query", data=form, timeout=10) as answer:
        result = json.loads(answer.read())["data"]["result"]
    return float(result[0]["value"][1]) if result else None


def test_rate_increase_average_and_quantile_are_what_prometheus_says(prometheus: PrometheusFactory) -> None:
    counter, gauge, buckets = scraped()
    rng = np.random.default_rng(21)
    first, last = int(counter.times_ms[0]), int(counter.times_ms[-1])
    moments = np.sort(rng.integers(first - 60_000, last + 240_000, 60))
    address = prometheus([counter, gauge, *buckets])
    compared = 0
    for seconds in (40, 120, 300, 3600):
        mine = {
            f"increase(work_total[{seconds}s])": (promql_increase, counter),
            f"rate(work_total[{seconds}s])": (promql_rate, counter),
            f"avg_over_time(load[{seconds}s])": (promql_avg_over_time, gauge),
        }
        for query, (naive, one) in mine.items():
            values = naive(one.times_ms, one.values, at_ms=moments, range_ms=seconds * 1000)
            for moment, value in zip(moments.tolist(), values.tolist(), strict=True):
                said = ask(address, query, moment)
                if said is None:
                    assert np.isnan(value), (query, moment, value)
                    continue
                assert value == pytest.approx(said, rel=1e-9, abs=1e-9), (query, moment)
                compared += 1
    assert compared > 500


def test_a_quantile_is_what_prometheus_says(prometheus: PrometheusFactory) -> None:
    _, _, buckets = scraped()
    address = prometheus(buckets)
    last = int(buckets[0].times_ms[-1])
    counts = np.diff(np.array([one.values[-1] for one in buckets]), prepend=0.0)
    for q in (0.0, 0.05, 0.5, 0.9, 0.99, 1.0):
        said = ask(address, f"histogram_quantile({q}, waits_bucket)", last)
        assert promql_histogram_quantile(np.array(EDGES), counts, q=q) == pytest.approx(said), q

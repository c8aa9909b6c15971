"""Histograms: caps, floors, averages of quantiles, edges that change, means that fall."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from capture_factory import RADIANCE, buckets, curve, every, evidence_of, named

from census.capture.series import Series
from census.traps.audits import audit

N = 241
TIMES = every(15, N)
TTFT = "vllm:time_to_first_token_seconds"
INF = float("inf")
STEPS = curve("radiance:engine_steps_total", TIMES, np.arange(N) * 1000.0)


def steady(counts: list[float], edges: list[float], *, total_sum: float) -> list[Any]:
    """Return a histogram that grows evenly to these counts."""
    grown = np.outer(np.linspace(0, 1, N), counts)
    return [STEPS, *buckets(TTFT, TIMES, np.round(grown, 9), edges, sums=np.linspace(0, total_sum, N))]


def test_a_quantile_above_the_last_edge_is_no_measurement() -> None:
    evidence = evidence_of(steady([70, 14, 6, 10], [5.0, 10.0, 15.0, INF], total_sum=700.0))
    (found,) = named(evidence)["histogram-cap"]
    assert (found["quantile"], found["naive_s"], found["last_edge_s"]) == (0.99, 15.0, 15.0)
    assert found["share_above"] == pytest.approx(0.10)


def test_a_quantile_below_the_first_edge_is_interpolated_from_nothing() -> None:
    evidence = evidence_of(steady([1000, 0, 0], [0.01, 0.02, INF], total_sum=3.3))
    (found,) = named(evidence)["histogram-floor"]
    assert found["mean_s"] == pytest.approx(0.0033)
    assert (found["naive_median_s"], found["naive_p99_s"]) == (pytest.approx(0.005), pytest.approx(0.0099))


def test_no_traffic_is_no_trap_and_no_number() -> None:
    evidence = evidence_of(steady([0, 0, 0], [0.01, 0.02, INF], total_sum=0.0))
    assert not {"histogram-cap", "histogram-floor", "quantile-average"} & set(named(evidence))
    (row,) = audit(evidence).histograms
    assert (row["observations"], row["mean"], row["widest_bucket_used"]) == (0, None, None)


def test_an_average_of_five_minute_quantiles_is_no_quantile() -> None:
    counts = np.zeros((N, 4))
    work = np.zeros((N - 1, 4))
    work[:20, 0] = 49.5
    work[20::2, 2] = 10 / 110
    counts[1:] = np.cumsum(work, axis=0)
    series = [STEPS, *buckets(TTFT, TIMES, counts, [0.5, 5.0, 10.0, INF], sums=np.arange(N) * 1.0)]
    (found,) = named(evidence_of(series))["quantile-average"]
    assert found["true_s"] == pytest.approx(0.4545, abs=1e-3)
    assert found["naive_s"] > 4.98


@pytest.mark.parametrize(
    ("old", "new", "common"),
    [
        pytest.param([0.5, 1.0, 5.0, INF], [0.5, 2.0, 5.0, INF], 3, id="one edge moved"),
        pytest.param([1.0, 10.0, INF], [0.1, 1.0, 10.0, 100.0, INF], 3, id="finer after the upgrade"),
        pytest.param([0.25, 1.0, 4.0, INF], [0.25, 1.0, INF], 3, id="one edge gone, mild"),
    ],
)
def test_edges_that_change_with_an_upgrade_meet_on_the_common_ones(
    old: list[float], new: list[float], common: int
) -> None:
    before, after = every(15, 120), every(15, 120, start=1860)
    grown = [np.outer(np.arange(120), np.ones(len(edges))) for edges in (old, new)]
    series = [
        *buckets(TTFT, before, grown[0] + 50, old, sums=np.arange(120) * 1.0 + 500),
        *buckets(TTFT, after, grown[1], new, sums=np.arange(120) * 1.0),
    ]
    by_labels: dict[tuple[tuple[str, str], ...], list[Series]] = {}
    for one in series:
        by_labels.setdefault(tuple(sorted(one.labels.items())), []).append(one)
    joined = [
        Series(
            labels=dict(labels),
            times_ms=np.concatenate([one.times_ms for one in parts]),
            values=np.concatenate([one.values for one in parts]),
        )
        for labels, parts in by_labels.items()
    ]
    steps = np.concatenate((np.arange(120) + 5000.0, np.arange(120) + 1.0))
    evidence = evidence_of([*joined, curve("radiance:engine_steps_total", before + after, steps)])
    (found,) = named(evidence)["edges-changed"]
    assert found["edges_common"] == common
    assert evidence.timeline.histograms["ttft"].edges.tolist() == sorted(set(old) & set(new))
    total = 119 * len(old) + 119 * len(new)
    assert float(evidence.timeline.histograms["ttft"].counts.sum()) == pytest.approx(total)


def test_an_edge_written_in_two_ways_is_one_edge() -> None:
    counts = np.outer(np.arange(N), [3.0, 1.0, 0.0])
    series = buckets(TTFT, TIMES, counts, [0.1, 1.0, INF], sums=np.arange(N) * 1.0)
    half = N // 2
    first, rest = series[0], series[1:]
    early = Series(
        labels={**first.labels, "le": "0.1"}, times_ms=first.times_ms[:half], values=first.values[:half]
    )
    late = Series(
        labels={**first.labels, "le": "0.10000000000000001"},
        times_ms=first.times_ms[half:],
        values=first.values[half:],
    )
    evidence = evidence_of([STEPS, early, late, *rest])
    (found,) = named(evidence)["edges-changed"]
    assert found["spellings"] == "0.1 = 0.10000000000000001"
    assert evidence.timeline.histograms["ttft"].edges.tolist() == [0.1, 1.0, INF]
    assert float(evidence.timeline.histograms["ttft"].counts.sum()) == 4.0 * (N - 1)
    assert RADIANCE["engine"] == "0"


@pytest.mark.parametrize(
    ("cheap", "slow"),
    [
        pytest.param(40.0, 3.0, id="many cheap ones"),
        pytest.param(8.0, 1.5, id="some"),
        pytest.param(4.0, 1.2, id="mild"),
    ],
)
def test_the_mean_wait_falls_while_more_requests_wait_too_long(cheap: float, slow: float) -> None:
    times = every(15, 1441)
    busy = (np.arange(1440) // 240) % 2 == 1
    quick = np.where(busy, cheap, 1.0)
    waits = np.where(busy, 0.5 * slow, 0.5)
    counts = np.zeros((1441, 4))
    counts[1:] = np.cumsum(np.column_stack((quick, np.zeros(1440), waits, np.zeros(1440))), axis=0)
    sums = np.concatenate(([0.0], np.cumsum(quick * 0.2 + waits * 15.0)))
    series = buckets(TTFT, times, counts, [0.5, 10.0, 20.0, INF], sums=sums)
    evidence = evidence_of([curve("radiance:engine_steps_total", times, np.arange(1441.0)), *series])
    (found,) = named(evidence)["mean-ttft"]
    assert found["mean_busy_s"] < 0.9 * found["mean_quiet_s"]
    assert found["slow_per_hour_busy"] > found["slow_per_hour_quiet"]
    assert found["threshold_s"] == 10.0

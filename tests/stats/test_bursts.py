"""Bursts: gap clustering and the scan statistic."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from census.stats.bursts import Cluster, cluster_events, count_most_in_window


def _intervals(n: int, *, seconds: float = 15.0):
    starts = np.arange(n, dtype=np.int64) * int(seconds * 1000)
    return starts, starts + int(seconds * 1000)


def test_the_founding_burst_is_one_cluster_of_108_in_105_s_among_264():
    counts = np.zeros(200)
    counts[50:57] = [10, 20, 30, 5, 13, 10, 20]
    counts[100:178:2] = 4
    starts, ends = _intervals(200)
    clusters = cluster_events(starts, ends, counts, gap_ms=120_000)
    assert clusters[0] == Cluster(start_ms=750_000, end_ms=855_000, count=108)
    assert sum(cluster.count for cluster in clusters) == 264
    assert count_most_in_window(starts, ends, counts, window_ms=120_000) == 108


def test_quiet_longer_than_the_distance_parts_two_clusters():
    counts = np.zeros(30)
    counts[[3, 12]] = 1
    starts, ends = _intervals(30)
    assert len(cluster_events(starts, ends, counts, gap_ms=120_000)) == 1
    assert len(cluster_events(starts, ends, counts, gap_ms=119_000)) == 2


def test_no_events_are_no_clusters_and_unknown_intervals_hold_none():
    starts, ends = _intervals(3)
    assert cluster_events(starts, ends, np.array([0.0, np.nan, 0.0]), gap_ms=60_000) == ()
    assert count_most_in_window(starts, ends, np.array([0.0, np.nan, 0.0]), window_ms=60_000) == 0


def test_a_gap_longer_than_the_window_counts_by_its_fullest_window():
    starts, ends = np.array([0, 15_000]), np.array([15_000, 330_000])
    assert count_most_in_window(starts, ends, np.array([1.0, 30.0]), window_ms=120_000) == 10


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.integers(1, 10))
def test_the_scan_agrees_with_every_window_tried_one_by_one(counts, width):
    starts, ends = _intervals(len(counts))
    slow = max(sum(counts[i : i + width]) for i in range(len(counts)))
    assert count_most_in_window(starts, ends, np.array(counts, dtype=float), window_ms=width * 15_000) == slow

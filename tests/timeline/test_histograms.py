"""Histogram increments per interval and over the window."""

from __future__ import annotations

import math

import numpy as np
from planted_counters import Engine, every

INF = math.inf


def test_buckets_become_counts_per_interval() -> None:
    timeline = (
        Engine()
        .add_histogram(
            "ttft",
            buckets={0.5: every(15, [1, 2, 4]), 1.0: every(15, [3, 5, 7]), INF: every(15, [3, 6, 9])},
            total=every(15, [1.0, 3.0, 6.0]),
        )
        .timeline()
    )
    found = timeline.histograms["ttft"]
    assert found.edges.tolist() == [0.5, 1.0, INF]
    assert found.counts.tolist() == [[1, 1, 1], [2, 0, 1]]
    assert found.sums.tolist() == [2, 3]
    assert (found.total_counts.tolist(), found.total_sum) == ([3, 1, 2], 5)


def test_boots_whose_edges_differ_meet_on_common_edges_and_heads_count() -> None:
    timeline = (
        Engine()
        .add("steps", every(15, [9000, 9100, 100, 200]))
        .add_histogram(
            "ttft",
            buckets={
                0.5: every(15, [10, 20]),
                1.0: every(15, [20, 40, 5, 7]),
                2.0: every(15, [6, 9], start=30),
                INF: every(15, [30, 60, 7, 10]),
            },
        )
        .timeline()
    )
    found = timeline.histograms["ttft"]
    assert found.edges.tolist() == [1.0, INF]
    assert found.counts.tolist() == [[20, 10], [2, 1]]
    assert found.boot_counts.tolist() == [[20, 10], [7, 3]]
    assert math.isnan(found.total_sum)


def test_a_missing_overflow_bucket_is_the_count() -> None:
    timeline = (
        Engine().add_histogram("ttft", buckets={1.0: every(15, [1, 2])}, count=every(15, [1, 5])).timeline()
    )
    assert timeline.histograms["ttft"].counts.tolist() == [[1, 3]]


def test_without_overflow_bucket_and_count_the_histogram_is_absent() -> None:
    timeline = (
        Engine()
        .add("steps", every(15, [1, 2]))
        .add_histogram("ttft", buckets={1.0: every(15, [1, 2])})
        .timeline()
    )
    assert "ttft" not in timeline.histograms
    assert "neither a +Inf bucket nor a count" in timeline.why_absent("ttft")


def test_an_edge_that_stops_being_exported_is_left_out() -> None:
    whole = every(15, range(40))
    timeline = Engine().add_histogram("ttft", buckets={0.5: whole[:20], 1.0: whole, INF: whole}).timeline()
    assert timeline.histograms["ttft"].edges.tolist() == [1.0, INF]
    assert not np.isnan(timeline.histograms["ttft"].counts).any()


def test_buckets_that_do_not_add_up_are_held_and_counted() -> None:
    timeline = (
        Engine()
        .add_histogram(
            "ttft", buckets={0.5: every(15, [0, 4, 5]), 1.0: every(15, [0, 3, 6]), INF: every(15, [0, 5, 8])}
        )
        .timeline()
    )
    assert timeline.histograms["ttft"].counts.tolist() == [[4, 0, 1], [1, 2, 0]]
    assert timeline.facts.clamped == ({"role": "ttft", "intervals": 1},)


def test_labelled_histograms_of_one_role_are_added() -> None:
    engine = Engine()
    for label in "ab":
        engine.add_histogram(
            "ttft", buckets={1.0: every(15, [1, 2]), INF: every(15, [1, 4])}, labels={"m": label}
        )
    first, second = engine.roles
    from dataclasses import replace

    engine.roles = [replace(first, parts=first.parts + second.parts)]
    assert engine.timeline().histograms["ttft"].counts.tolist() == [[2, 4]]


def test_a_histogram_of_alternating_workers_is_unusable() -> None:
    buckets = {edge: every(15, [1000, 400, 1010, 405, 1020, 410]) for edge in (1.0, INF)}
    timeline = Engine().add_histogram("ttft", buckets=buckets).timeline()
    assert "several workers" in timeline.why_absent("ttft")

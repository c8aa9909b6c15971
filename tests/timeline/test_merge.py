"""Several series of one quantity: renames, replicas, workers, rolling restarts."""

from __future__ import annotations

import pytest
from planted_counters import Engine, Points, every

STEADY = every(15, range(1000, 1400, 10))
OTHER = every(15, range(90_000, 98_000, 200))


def test_a_metric_renamed_in_the_window_is_stitched() -> None:
    engine = Engine().add(
        "kv",
        [
            ({"__name__": "kv_old"}, every(15, [0.1, 0.2, 0.3, 0.4, 0.5])),
            ({"__name__": "kv_new"}, every(15, [0.6, 0.7, 0.8], start=75)),
        ],
        kind="gauge",
    )
    timeline = engine.add("steps", every(15, range(8))).timeline()
    assert timeline.frame["kv:end"].tolist() == [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    assert timeline.facts.stitched == (
        {"role": "kv", "metrics": ("kv_old", "kv_new"), "at_ms": 75_000, "edge": ""},
    )


def test_both_names_for_a_while_count_once() -> None:
    old = every(15, [100, 110, 120, 130, 140, 150])
    new = every(15, [130, 140, 150, 160, 170], start=45)
    timeline = Engine().add("steps", [({"__name__": "old"}, old), ({"__name__": "new"}, new)]).timeline()
    assert timeline.frame["steps"].tolist() == [10] * 7
    assert (timeline.total("steps"), len(timeline.boots)) == (70, 1)
    assert [row["metrics"] for row in timeline.facts.stitched] == [("old", "new")]


def replicas(points: Points, other: Points) -> Engine:
    """Return an engine scraped by two Prometheus servers."""
    return Engine().add("steps", [({"replica": "a"}, points), ({"replica": "b"}, other)])


def test_an_identical_replica_changes_nothing() -> None:
    alone = Engine().add("steps", [({"replica": "a"}, STEADY)]).timeline()
    both = replicas(STEADY, STEADY).timeline()
    assert both.frame.equals(alone.frame)
    assert both.totals.equals(alone.totals)
    assert both.boots == alone.boots
    assert [row["agree"] for row in both.facts.duplicates] == [True]


def test_of_two_replicas_scraped_at_other_times_the_fuller_one_is_taken_whole() -> None:
    shifted = [(time + 7, value + 4) for time, value in STEADY if time not in (45, 90)]
    both = replicas(shifted, STEADY).timeline()
    assert both.frame["end_ms"].tolist() == [1000 * time for time, _ in STEADY[1:]]
    assert both.total("steps") == 390


def test_a_long_hole_of_the_replica_is_filled_by_the_other_one() -> None:
    holed = [(time, value) for time, value in STEADY if not 150 < time < 300]
    shifted = [(time + 7, value + 4) for time, value in STEADY[8:22]]
    timeline = replicas(holed, shifted).timeline()
    assert not timeline.frame["gap"].any()
    assert timeline.total("steps") == 390
    inside = timeline.frame.loc[timeline.frame["start_ms"] > 150_000, "start_ms"].tolist()
    assert inside[:3] == [157_000, 172_000, 187_000]


def test_workers_of_several_pids_are_never_added() -> None:
    engine = Engine()
    for role, busy in (("steps", OTHER), ("rows", every(15, range(70_000, 78_000, 200)))):
        engine.add(role, [({"pid": "7"}, STEADY), ({"pid": "9"}, busy)])
    timeline = engine.timeline()
    assert timeline.total("steps") == 39 * 200
    assert [(row["agree"], row["dropped"]) for row in timeline.facts.duplicates] == [
        (False, 'planted:steps{pid="7"}'),
        (False, 'planted:rows{pid="7"}'),
    ]


def test_one_worker_is_taken_for_all_roles() -> None:
    engine = (
        Engine()
        .add("steps", [({"pid": "7"}, STEADY), ({"pid": "9"}, OTHER)])
        .add("rows", [({"pid": "7"}, STEADY), ({"pid": "9"}, OTHER)])
        .add("held", [({"pid": "7"}, every(15, range(40))), ({"pid": "9"}, every(15, range(500, 540)))])
        .add(
            "running",
            [({"pid": "7"}, every(15, [7] * 40)), ({"pid": "9"}, every(15, [9] * 40))],
            kind="gauge",
        )
    )
    timeline = engine.timeline()
    assert timeline.total("steps") == 39 * 200
    assert set(timeline.frame["running:end"]) == {9}
    assert 'planted:held{pid="7"}' in {row["dropped"] for row in timeline.facts.duplicates}


def test_ranks_that_count_the_same_are_one() -> None:
    timeline = Engine().add("steps", [({"tp_rank": str(rank)}, STEADY) for rank in range(4)]).timeline()
    assert timeline.total("steps") == 390


def test_a_new_pid_is_a_new_process_though_its_counter_is_past_the_old_one() -> None:
    timeline = (
        Engine()
        .add(
            "steps",
            [
                ({"pid": "7"}, every(15, [100, 110, 120])),
                ({"pid": "9"}, every(15, [130, 140, 150], start=45)),
            ],
        )
        .timeline()
    )
    assert [boot.evidence for boot in timeline.boots] == ["window start", "pid label changed"]
    assert timeline.totals["steps"].tolist() == [20, 150]


def test_a_label_that_names_no_process_changes_without_a_restart() -> None:
    parts = [
        ({"team": "a"}, every(15, [100, 110, 120])),
        ({"team": "b"}, every(15, [130, 140, 150], start=45)),
    ]
    timeline = Engine().add("steps", parts).timeline()
    assert (len(timeline.boots), timeline.total("steps")) == (1, 50)


def test_a_counter_that_the_new_pid_exports_later_is_no_further_boot() -> None:
    timeline = (
        Engine()
        .add("steps", [({"pid": "7"}, every(15, range(4))), ({"pid": "9"}, every(15, range(4), start=60))])
        .add("held", [({"pid": "7"}, every(15, [2, 2, 2, 2])), ({"pid": "9"}, every(15, [5, 6], start=90))])
        .timeline()
    )
    assert [boot.first_ms for boot in timeline.boots] == [0, 60_000]
    assert timeline.totals["held"].tolist() == [0, 6]


@pytest.mark.parametrize("overlap", [1, 3])
def test_a_rolling_restart_counts_both_processes(overlap: int) -> None:
    old = every(15, range(1000, 1400, 10))
    new = every(15, range(0, 400, 10), start=600 - 15 * overlap)
    timeline = Engine().add("steps", [({"pod": "x-1"}, old), ({"pod": "x-2"}, new)]).timeline()
    assert len(timeline.boots) == 2
    assert timeline.total("steps") == 390 + 390

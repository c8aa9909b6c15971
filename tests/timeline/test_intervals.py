"""Intervals, totals and heads from series written by hand."""

from __future__ import annotations

import numpy as np
import pytest
from planted_counters import Engine, every

from census.errors import InconclusiveError, UsageError


def increases(engine: Engine, role: str, **window: float) -> list[float]:
    """Return the increases of a role, interval by interval."""
    found: list[float] = engine.timeline(**window).frame[role].tolist()
    return found


def test_a_plain_restart_counts_the_head_in_totals_and_in_no_rate() -> None:
    timeline = Engine().add("gen", [(0, 1000), (15, 1150), (30, 1300), (45, 40), (60, 190)]).timeline()
    assert timeline.total("gen") == 490
    assert timeline.heads["gen"].tolist() == [0, 40]
    assert timeline.totals["gen"].tolist() == [300, 190]
    assert (timeline.frame["gen"] / timeline.frame["seconds"]).tolist() == [10, 10, 10]
    assert timeline.frame[["boot", "start_ms", "end_ms"]].to_numpy().tolist() == [
        [0, 0, 15_000],
        [0, 15_000, 30_000],
        [1, 45_000, 60_000],
    ]


def test_a_hidden_restart_excludes_its_interval() -> None:
    timeline = (
        Engine()
        .add("steps", [(1000, 100), (1015, 120), (1030, 500)])
        .add("process_start", [(1000, 400), (1015, 400), (1030, 1022)], kind="gauge")
        .timeline(start=1000)
    )
    assert timeline.frame["steps"].tolist() == [20]
    assert timeline.totals["steps"].tolist() == [20, 500]
    assert [boot.start_ms for boot in timeline.boots] == [1_000_000, 1_022_000]


def test_whole_numbers_stay_whole() -> None:
    engine = Engine().add("preemptions", [(0, 0), (15, 0), (30, 108), (45, 108)])
    assert engine.timeline().total("preemptions") == 108
    assert increases(engine, "preemptions") == [0, 108, 0]


def test_a_dip_is_held_at_the_running_maximum_and_counted() -> None:
    engine = Engine().add("steps", every(15, [1000, 1010, 1008, 1009, 1030]))
    assert increases(engine, "steps") == [10, 0, 0, 20]
    assert engine.timeline().facts.dips == (
        {"role": "steps", "at_ms": 30_000, "from_value": 1010.0, "to_value": 1008.0},
    )


def test_a_bad_zero_leaves_its_two_intervals_unknown_and_the_total_whole() -> None:
    timeline = Engine().add("steps", every(15, [1000, 1010, 0, 1030, 1040])).timeline()
    np.testing.assert_array_equal(timeline.frame["steps"], [10, np.nan, np.nan, 10])
    assert timeline.total("steps") == 40
    assert timeline.facts.bad_samples == ({"role": "steps", "at_ms": 30_000},)


def test_the_first_boot_counts_from_zero_where_its_process_began_inside_the_window() -> None:
    engine = (
        Engine()
        .add("steps", every(15, [40, 190], start=15))
        .add("process_start", every(15, [5, 5], start=15), kind="gauge")
    )
    assert engine.timeline().totals["steps"].tolist() == [190]
    assert engine.timeline(start=10).totals["steps"].tolist() == [150]
    assert engine.timeline().boots[0].start_seen
    assert not engine.timeline(start=10).boots[0].start_seen


def test_a_counter_born_late_counts_from_zero_but_in_no_interval() -> None:
    timeline = Engine().add("steps", every(15, [10, 20, 30, 40])).add("held", [(30, 5), (45, 7)]).timeline()
    np.testing.assert_array_equal(timeline.frame["held"], [np.nan, np.nan, 2])
    assert (timeline.total("held"), timeline.heads["held"].tolist()) == (7, [5])
    assert timeline.facts.late_born == (
        {"role": "held", "boot": 0, "at_ms": 30_000, "first_value": 5.0, "counted": True},
    )


@pytest.mark.parametrize("birth", [1, 40])
def test_a_counter_that_appears_with_more_than_it_could_have_counted_is_not_born(birth: int) -> None:
    steps = every(15, [100 * place for place in range(100)])
    held = [(time, 10_000_000 + time) for time, _ in steps[birth:]]
    timeline = Engine().add("steps", steps).add("held", held).timeline()
    assert timeline.total("held") == 15 * (99 - birth)
    assert [row["counted"] for row in timeline.facts.late_born] == [False]


def test_a_counter_that_alone_started_anew_counts_on_from_there() -> None:
    timeline = (
        Engine()
        .add("a", every(15, [1000, 1010, 40, 50, 60, 70, 80, 90]))
        .add("b", every(15, range(5000, 5400, 50)))
        .timeline()
    )
    np.testing.assert_array_equal(timeline.frame["a"], [10, np.nan, 10, 10, 10, 10, 10])
    assert (timeline.total("a"), timeline.total("b")) == (100, 350)
    assert [row["role"] for row in timeline.facts.lone_resets] == ["a"]


def test_a_missed_scrape_leaves_the_total_whole() -> None:
    timeline = (
        Engine().add("a", every(15, [0, 1, 2, 3, 4])).add("b", [(0, 0), (15, 7), (45, 9), (60, 9)]).timeline()
    )
    np.testing.assert_array_equal(timeline.frame["b"], [7, np.nan, np.nan, 0])
    assert timeline.total("b") == 9


def test_parts_of_a_role_are_added_and_one_not_yet_exported_counts_nothing() -> None:
    timeline = Engine().add("ended", every(15, [10, 11, 12, 13, 14]), [(45, 2), (60, 3)]).timeline()
    np.testing.assert_array_equal(timeline.frame["ended"], [1, 1, np.nan, 2])
    assert timeline.total("ended") == 4 + 3


def test_a_boot_of_one_scrape_has_totals_and_no_interval() -> None:
    engine = Engine()
    for role in "abc":
        engine.add(role, every(15, [500, 510, 7, 3, 9]))
    timeline = engine.timeline()
    assert timeline.totals["a"].tolist() == [10, 7, 9]
    assert timeline.frame["boot"].tolist() == [0, 2]


def test_a_counter_that_the_new_build_lacks_is_absent_in_that_boot_and_not_zero() -> None:
    timeline = Engine().add("steps", every(15, [500, 510, 7, 13])).add("held", every(15, [3, 5])).timeline()
    np.testing.assert_array_equal(timeline.totals["held"], [2, np.nan])
    assert timeline.total("held") == 2


def test_alternating_workers_leave_the_role_absent_with_a_reason() -> None:
    timeline = (
        Engine()
        .add("steps", every(15, [1000, 400, 1010, 405, 1020, 410]))
        .add("running", every(15, [1, 2, 1, 2, 1, 2]), kind="gauge")
        .timeline()
    )
    assert not timeline.has("steps")
    assert "several workers" in timeline.why_absent("steps")
    assert not timeline.has("running")


def test_gauges_stand_at_both_ends() -> None:
    engine = Engine().add("steps", every(15, [1, 2, 3])).add("running", [(0, 2), (30, 5)], kind="gauge")
    frame = engine.timeline().frame
    np.testing.assert_array_equal(frame["running:start"], [2, np.nan])
    np.testing.assert_array_equal(frame["running:end"], [np.nan, 5])


def test_a_window_is_half_open_and_a_role_without_samples_in_it_is_absent() -> None:
    engine = Engine().add("steps", every(15, [1, 2, 4, 8, 16])).add("late", every(15, [1, 2], start=60))
    timeline = engine.timeline(end=60)
    assert timeline.total("steps") == 7
    assert timeline.why_absent("late") == "planted:late has no samples in the window"
    assert timeline.why_absent("held_steps") == "not found"


def test_samples_that_are_no_number_are_left_out() -> None:
    engine = Engine().add("steps", every(15, [1, 2, float("nan"), float("inf"), 16]))
    assert engine.timeline().total("steps") == 15


@pytest.mark.parametrize("points", [[(0.0, 1.0)], [(0.0, 1.0), (90.0, 2.0)]])
def test_fewer_than_two_scrapes_are_inconclusive(points: list[tuple[float, float]]) -> None:
    with pytest.raises(InconclusiveError, match="no interval to measure"):
        Engine().add("steps", points).timeline(end=60)


def test_one_boot_can_be_cut_out() -> None:
    timeline = (
        Engine()
        .add("gen", [(0, 1000), (15, 1150), (30, 1300), (45, 40), (60, 190)])
        .add_histogram(
            "ttft",
            buckets={1.0: every(15, [1, 2, 3, 1, 1]), np.inf: every(15, [10, 20, 30, 2, 4])},
            total=every(15, [1.5, 2.5, 3.5, 0.5, 1.0]),
        )
        .timeline()
    )
    last = timeline.only_boot(1)
    assert [boot.index for boot in last.boots] == [1]
    assert (last.total("gen"), last.coverage, len(last.frame)) == (190, 1.0, 1)
    assert last.histograms["ttft"].total_counts.tolist() == [1, 3]
    assert last.histograms["ttft"].total_sum == 1.0
    with pytest.raises(UsageError, match="no boot 2; the boots are 0, 1"):
        timeline.only_boot(2)

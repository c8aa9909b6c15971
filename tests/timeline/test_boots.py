"""Where one process ends and the next begins, told from counters written by hand."""

from __future__ import annotations

import subprocess
import sys

import pytest
from planted_counters import boot_spans, every, scan

RISING = every(15, [10_000, 10_100, 10_200, 10_300, 10_400])


def test_a_fall_below_half_is_one_reset_between_two_scrapes() -> None:
    found = scan({"gen": [(0, 1000), (15, 1150), (30, 1300), (45, 40), (60, 190)]})
    assert boot_spans(found) == [(0, 30), (45, 60)]
    assert [(one.after_ms, one.before_ms, one.counters) for one in found.resets] == [(30_000, 45_000, 1)]
    assert [boot.start_seen for boot in found.boots] == [False, True]
    assert found.hidden_resets == "cannot be excluded"


def test_a_restart_that_no_counter_shows_is_told_by_the_process_start() -> None:
    found = scan(
        {"steps": [(1000, 100), (1015, 120), (1030, 500)]},
        process_start=[(1000, 400), (1015, 400), (1030, 1022)],
        window_start=1000,
    )
    assert boot_spans(found) == [(1000, 1015), (1030, 1030)]
    assert found.boots[1].start_ms == 1_022_000
    assert found.resets[0].counters == 0
    assert found.hidden_resets == "excluded"


def test_without_process_start_a_hidden_restart_cannot_be_excluded() -> None:
    found = scan({"steps": [(1000, 100), (1015, 120), (1030, 500)]})
    assert (len(found.boots), found.hidden_resets) == (1, "cannot be excluded")


@pytest.mark.parametrize(
    "starts",
    [
        pytest.param([400, 400.6, 400.2, 401], id="it moves by less than a second"),
        pytest.param([400, 402, 400, 402], id="it wobbles by two seconds and comes back"),
        pytest.param([400, 0, 400, 400], id="a zero sample"),
    ],
)
def test_a_process_start_that_is_the_same_is_no_edge(starts: list[float]) -> None:
    found = scan({"steps": every(15, [10, 20, 30, 40])}, process_start=every(15, starts))
    assert len(found.boots) == 1
    assert found.alternating == {}


def test_a_process_start_that_changes_without_any_fall_is_a_boot() -> None:
    found = scan({"steps": every(15, [0, 0, 0, 0])}, process_start=every(15, [1, 1, 22, 22]))
    assert [boot.evidence for boot in found.boots][1] == "process start time changed"
    assert boot_spans(found) == [(0, 15), (30, 45)]


def test_the_edge_lies_at_the_first_scrape_after_the_new_process_began() -> None:
    found = scan(
        {"steps": every(15, [100, 110, 5, 20, 30])},
        process_start=[(0, 1), (15, 1), (45, 25), (60, 25)],
        window_start=-100,
    )
    assert boot_spans(found) == [(0, 15), (30, 60)]
    assert found.resets[0].counters == 1


@pytest.mark.parametrize(
    ("uptime", "boots"),
    [
        pytest.param([500, 515, 3, 18], 2, id="it falls"),
        pytest.param([1, 16, 5, 20], 2, id="it falls while young"),
        pytest.param([1, 15.2, 30.5, 46], 1, id="it is late by a second"),
        pytest.param([500, 0, 530, 545], 1, id="a zero sample"),
    ],
)
def test_uptime_tells_boots(uptime: list[float], boots: int) -> None:
    found = scan({"steps": every(15, [1, 2, 3, 4])}, uptime=every(15, uptime))
    assert len(found.boots) == boots


def test_an_uptime_shorter_than_the_time_since_the_last_scrape_is_another_process() -> None:
    found = scan({"steps": every(15, [1, 2, 3])}, uptime=[(0, 2), (15, 9), (30, 24)])
    assert boot_spans(found) == [(0, 0), (15, 30)]
    assert found.boots[1].start_ms == 6_000


@pytest.mark.parametrize(
    ("drops", "boots"),
    [
        pytest.param([1_000, 900], 1, id="two siblings fall a little"),
        pytest.param([1_000, 900, 500], 2, id="three siblings fall a little"),
        pytest.param([1_000, 1, 1], 2, id="three siblings fall, two of them by one"),
        pytest.param([2, 1, 1, 2], 1, id="four siblings fall by one or two: two replicas merged"),
    ],
)
def test_a_common_fall_is_an_edge_whatever_its_size(drops: list[float], boots: int) -> None:
    counters = {
        f"c{place}": every(15, [10_000, 10_100, 10_100 - drop, 10_400]) for place, drop in enumerate(drops)
    }
    assert len(scan(counters).boots) == boots


def test_merged_replicas_dip_in_small_counters_too() -> None:
    found = scan(
        {
            "steps": every(15, [10_000, 10_100, 10_098, 10_400]),
            "preemptions": every(15, [3, 3, 1, 3]),
            "ended": every(15, [1, 2, 1, 2]),
            "rejected": every(15, [5, 5, 3, 5]),
        }
    )
    assert (len(found.boots), len(found.dips), found.lone_resets) == (1, 4, ())


def test_a_common_fall_of_small_counters_that_are_all_there_is_a_restart() -> None:
    found = scan({name: every(15, [3, 3, 1, 1]) for name in "abc"})
    assert boot_spans(found) == [(0, 15), (30, 45)]


def test_a_common_fall_above_half_is_no_edge_where_the_process_start_is_the_same() -> None:
    counters = {name: every(15, [10_000, 10_100, 10_000, 10_400]) for name in "abc"}
    found = scan(counters, process_start=every(15, [7, 7, 7, 7]))
    assert (len(found.boots), len(found.dips)) == (1, 3)


def test_a_common_fall_within_a_second_is_two_replicas_merged() -> None:
    times = [0, 15, 15.4, 30, 45]
    counters = {name: list(zip(times, [900, 1000, 980, 1100, 1200], strict=True)) for name in "abc"}
    found = scan(counters)
    assert (len(found.boots), len(found.dips)) == (1, 3)


def test_buckets_of_one_histogram_are_one_sibling() -> None:
    from planted_counters import counter

    from census.timeline.boots import scan_boots
    from census.timeline.samples import Counter

    dipping = every(15, [10_000, 10_100, 10_050, 10_400])
    buckets = [
        Counter(key=f"ttft/{place}", family="ttft", times_ms=one.times_ms, values=one.values)
        for place in range(6)
        for one in [counter("ttft", dipping)]
    ]
    assert len(scan_boots(buckets, window_start_ms=0).boots) == 1


def test_a_series_that_misses_a_scrape_falls_at_the_next_one_with_its_siblings() -> None:
    found = scan(
        {
            "a": [(0, 1000), (15, 1010), (30, 990), (45, 1020)],
            "b": [(0, 1000), (15, 1010), (45, 990)],
            "c": [(0, 1000), (15, 1010), (30, 985), (45, 1020)],
        }
    )
    assert boot_spans(found) == [(0, 15), (30, 45)]
    assert found.resets[0].counters == 3


def test_series_with_slightly_different_times_are_one_scrape() -> None:
    found = scan(
        {
            "a": [(0, 900), (15, 1000), (30, 20), (45, 40)],
            "b": [(0.02, 900), (15.03, 1000), (30.01, 10), (45.02, 40)],
            "c": [(0.01, 900), (15.01, 1000), (30.02, 30), (45.01, 40)],
        }
    )
    assert list(found.scrapes.times_ms) == [0, 15_000, 30_000, 45_000]
    assert boot_spans(found) == [(0, 15), (30, 45)]


@pytest.mark.parametrize("dip", [1, 2, 1e-9, 300])
def test_a_dip_of_one_counter_is_no_reset(dip: float) -> None:
    found = scan({"steps": every(15, [1000, 1010, 1010 - dip, 1030]), "rows": RISING})
    assert (len(found.boots), len(found.dips), found.lone_resets) == (1, 1, ())


def test_one_counter_that_falls_below_half_while_its_siblings_run_on_started_anew_alone() -> None:
    found = scan(
        {"a": every(15, [1000, 1010, 40, 50, 60, 70, 80, 90]), "b": every(15, range(5000, 5400, 50))}
    )
    assert (len(found.boots), [drop.low for drop in found.lone_resets]) == (1, [40.0])


def test_one_wrong_sample_of_a_counter_whose_siblings_run_on_is_a_dip() -> None:
    found = scan({"a": every(15, [1000, 1010, 40, 1050, 1060]), "b": every(15, range(5000, 5250, 50))})
    assert (len(found.boots), [drop.low for drop in found.dips]) == (1, [40.0])


def test_siblings_that_could_have_climbed_past_do_not_rule_a_restart_out() -> None:
    found = scan({"a": every(15, [10_000, 10_010, 40, 50]), "b": every(15, [120, 130, 300, 310])})
    assert boot_spans(found) == [(0, 15), (30, 45)]


def test_idle_siblings_at_zero_do_not_rule_a_restart_out() -> None:
    found = scan({"a": every(15, [10_000, 10_010, 40, 50]), "b": every(15, [0, 0, 0, 0])})
    assert len(found.boots) == 2


def test_lower_values_after_missing_scrapes_are_a_restart() -> None:
    found = scan({"a": [*every(15, [1000, 1010, 1020, 1030]), (600, 900), (615, 910)]})
    assert boot_spans(found) == [(0, 45), (600, 615)]
    assert found.resets[0].evidence == "a fell across missing scrapes"


@pytest.mark.parametrize(
    ("values", "bad"),
    [
        pytest.param([1000, 1010, 0, 1020], (2,), id="one zero between large values"),
        pytest.param([1000, 1010, 0, 1010], (2,), id="its successor equals its predecessor"),
        pytest.param(
            [1000, 1010, 0, 0, 1020, 1030], (2, 3), id="a run of zeros no process can leave so fast"
        ),
    ],
)
def test_a_transient_zero_is_a_bad_sample(values: list[float], bad: tuple[int, ...]) -> None:
    found = scan({"steps": every(15, values)})
    assert (len(found.boots), found.bad) == (1, {"steps": bad})


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([1000, 1010, 0, 300, 600], id="its successor is below its predecessor"),
        pytest.param([3, 4, 0, 0, 4, 8], id="a run of zeros before a rise that is usual"),
        pytest.param([1000, 1010, 0], id="nothing follows"),
    ],
)
def test_a_zero_that_may_be_a_new_process_is_an_edge(values: list[float]) -> None:
    found = scan({"steps": every(15, values)})
    assert (len(found.boots), found.bad) == (2, {})


def test_zero_in_a_fresh_boot_is_no_bad_sample_though_the_counter_is_soon_past_its_old_value() -> None:
    found = scan(
        {"preemptions": every(15, [3, 3, 0, 4, 4]), "steps": every(15, [100_000, 100_100, 0, 300, 600])}
    )
    assert boot_spans(found) == [(0, 15), (30, 60)]
    assert found.bad == {}


def test_counters_that_are_all_zero_in_a_fresh_boot_are_that_boots_start() -> None:
    counters = {name: every(15, [500, 510, 0, 0, 0, 20]) for name in "abc"}
    found = scan(counters)
    assert boot_spans(found) == [(0, 15), (30, 75)]
    assert found.bad == {}


def test_one_scrape_of_zeros_in_all_counters_is_a_bad_scrape() -> None:
    found = scan({name: every(15, [500, 510, 0, 520]) for name in "abc"})
    assert (len(found.boots), found.bad) == (1, {"a": (2,), "b": (2,), "c": (2,)})


def test_boots_of_one_scrape_stand() -> None:
    counters = {name: every(15, [500, 510, 7, 3, 9]) for name in "abc"}
    assert boot_spans(scan(counters)) == [(0, 15), (30, 30), (45, 60)]


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([1000, 400, 1010, 405, 1020, 410], id="two workers in strict turn"),
        pytest.param([1000, 400, 1010, 405], id="two workers, four scrapes"),
        pytest.param([1000, 980, 1010, 990, 1020, 1000], id="two workers close together"),
        pytest.param([1000, 400, 700, 1010, 405, 708, 1020, 410, 715], id="three workers"),
        pytest.param([1000, 1010, 400, 405, 1020, 410, 1030, 1040, 415], id="two workers at random"),
        pytest.param([1000, 0, 1010, 0, 1020, 0], id="one of them has counted nothing yet"),
    ],
)
def test_alternating_workers_make_the_counter_unusable(values: list[float]) -> None:
    found = scan({"steps": every(15, values), "held": every(15, [0] * len(values))})
    assert len(found.boots) == 1
    assert set(found.alternating) == {"steps", "held"}


def test_a_process_start_that_comes_back_is_proof_of_workers() -> None:
    found = scan({"steps": every(15, [10, 20, 30, 40])}, process_start=every(15, [400, 500, 400, 500]))
    assert (len(found.boots), set(found.alternating)) == (1, {"steps"})


def test_a_crash_loop_is_boots_and_no_alternation() -> None:
    values = [3, 50, 80, 120, 2, 40, 90, 130, 4, 60, 85, 119, 1, 50, 70]
    found = scan({"steps": every(15, values), "rows": every(15, [10 * value for value in values])})
    assert boot_spans(found) == [(0, 45), (60, 105), (120, 165), (180, 210)]
    assert found.alternating == {}


def test_a_crash_loop_with_process_starts_is_boots_even_scrape_by_scrape() -> None:
    found = scan(
        {"steps": every(15, [5, 3, 6, 4, 7])}, process_start=every(15, [1, 16, 31, 46, 61]), window_start=-9
    )
    assert (len(found.boots), found.alternating) == (5, {})


def test_no_counter_at_all_gives_no_boot() -> None:
    assert scan({}).boots == ()


def test_boots_need_no_library() -> None:
    code = (
        "import sys, census.timeline.boots, census.timeline.merge, census.timeline.pieces\n"
        "print([name for name in ('numpy', 'pandas', 'pyarrow', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

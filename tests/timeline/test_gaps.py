"""Which intervals are gaps, and how much of the window is covered."""

from __future__ import annotations

import pytest
from planted_counters import Engine


def gaps(times: list[float], **window: float) -> list[tuple[float, float]]:
    """Return the gaps of a counter scraped at these times, in seconds."""
    frame = Engine().add("steps", [(time, 10 * time) for time in times]).timeline(**window).frame
    return [
        tuple(row) for row in (frame.loc[frame["gap"], ["start_ms", "end_ms"]] / 1000).to_numpy().tolist()
    ]


def steady(start: float, end: float, step: float = 15.0) -> list[float]:
    """Return even times in [start, end)."""
    return [start + step * place for place in range(int((end - start) / step))]


def test_two_missed_scrapes_are_a_gap_and_one_is_not() -> None:
    times = [time for time in steady(0, 3000) if time not in (600, 1200, 1215)]
    assert gaps(times) == [(1185, 1230)]


def test_lookback_cannot_hide_a_gap() -> None:
    timeline = Engine().add("steps", [(0, 100), (15, 200), (30, 300), (345, 4200), (360, 4300)]).timeline()
    frame = timeline.frame
    assert frame.loc[frame["gap"], ["seconds", "steps"]].to_numpy().tolist() == [[315, 3900]]
    assert timeline.clean()["steps"].tolist() == [100, 100, 100]
    assert timeline.total("steps") == 4200


@pytest.mark.parametrize("steps", [(15, 60), (60, 15), (5, 15)])
def test_a_changed_scrape_interval_is_no_gap(steps: tuple[float, float]) -> None:
    times = steady(0, 7200, steps[0]) + steady(7200, 14_400, steps[1])
    assert gaps(times) == []


def test_missed_scrapes_after_a_change_of_the_interval_are_judged_by_the_new_one() -> None:
    times = steady(0, 7200) + [time for time in steady(7200, 14_400, 60.0) if not 10_000 < time < 10_200]
    assert gaps(times) == [(9960, 10_200)]


def test_a_window_edge_is_no_gap_but_is_not_covered() -> None:
    timeline = Engine().add("steps", [(time, time) for time in steady(1000, 2000)]).timeline(end=4000)
    assert not timeline.frame["gap"].any()
    assert timeline.coverage == 975 / 4000


def test_a_short_boot_is_judged_by_the_spacing_around_it() -> None:
    before = [(time, 1000 + time) for time in steady(0, 900)]
    after = [(time, time - 899) for time in (900, 915, 1200)]
    frame = Engine().add("steps", before + after).timeline().frame
    assert frame.loc[frame["gap"], ["boot", "seconds"]].to_numpy().tolist() == [[1, 285]]


def test_the_scrape_interval_is_measured() -> None:
    assert (
        Engine().add("steps", [(time, time) for time in steady(0, 900, 7.5)]).timeline().scrape_interval_s
        == 7.5
    )


def test_coverage_leaves_gaps_and_edges_out() -> None:
    times = [time for time in steady(0, 3600) if not 1000 <= time < 1900]
    timeline = Engine().add("steps", [(time, time) for time in times]).timeline(end=3600)
    assert timeline.coverage == pytest.approx((3585 - (1905 - 990)) / 3600)

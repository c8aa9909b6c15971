"""Laws that hold for any counters."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_counters import Engine

STEP = 15

histories = st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=4, max_size=30)
restarts = st.none() | st.integers(2, 20)


def engine_of(
    history: list[list[int]],
    *,
    restart: int | None = None,
    start: float = 0.0,
    offset: int = 1_000_000,
    prefix: str = "planted",
    keep: np.ndarray | None = None,
    replica: bool = False,
) -> Engine:
    """Return an engine with three counters that count these increments, restarted at one scrape."""
    table = np.array([[offset] * 3, *history], dtype=float)
    begin = min(restart, len(history)) if restart is not None else len(history) + 1
    old, new = table[:begin].cumsum(axis=0), table[begin:].cumsum(axis=0)
    values = np.concatenate([old, new]) if len(new) else old
    rows = np.arange(len(values)) if keep is None else keep
    engine = Engine()
    for column, role in enumerate(("steps", "rows", "tokens")):
        points = [(start + STEP * int(row), float(values[row, column])) for row in rows]
        series = [({"replica": "b"}, points)] + ([({"replica": "a"}, points)] if replica else [])
        engine.add(role, series, metric=f"{prefix}:{role}")
    return engine


@given(history=histories, restart=restarts, cut=st.integers(1, 29))
@settings(max_examples=60, deadline=None)
def test_increments_add_over_windows_that_share_a_scrape(
    history: list[list[int]], restart: int | None, cut: int
) -> None:
    engine = engine_of(history, restart=restart)
    at = min(cut, len(history) - 1)
    whole = engine.timeline()
    first, second = engine.timeline(end=STEP * at + 0.001), engine.timeline(start=STEP * at)
    for role in whole.totals.columns:
        assert whole.total(role) == first.total(role) + second.total(role)
        joined = np.concatenate([first.frame[role], second.frame[role]])
        np.testing.assert_array_equal(whole.frame[role], joined)


@given(history=histories, restart=restarts, shift=st.integers(-100_000, 100_000))
@settings(max_examples=60, deadline=None)
def test_shifting_all_times_changes_nothing(
    history: list[list[int]], restart: int | None, shift: int
) -> None:
    start = 200_000.0
    here = engine_of(history, restart=restart, start=start).timeline(start=start)
    there = engine_of(history, restart=restart, start=start + shift).timeline(start=start + shift)
    moved = there.frame.assign(
        start_ms=there.frame["start_ms"] - 1000 * shift, end_ms=there.frame["end_ms"] - 1000 * shift
    )
    assert here.frame.equals(moved)
    assert here.totals.equals(there.totals)


@given(history=histories, restart=restarts)
@settings(max_examples=60, deadline=None)
def test_an_identical_replica_changes_no_number(history: list[list[int]], restart: int | None) -> None:
    alone, both = (
        engine_of(history, restart=restart, replica=replica).timeline() for replica in (False, True)
    )
    assert alone.frame.equals(both.frame)
    assert alone.totals.equals(both.totals)
    assert alone.heads.equals(both.heads)
    for name in ("resets", "dips", "bad_samples", "lone_resets", "late_born", "stitched", "unusable"):
        assert getattr(alone.facts, name) == getattr(both.facts, name)


@given(history=histories, data=st.data())
@settings(max_examples=60, deadline=None)
def test_thinning_samples_without_a_reset_leaves_totals(
    history: list[list[int]], data: st.DataObject
) -> None:
    inner = data.draw(st.sets(st.integers(1, len(history) - 1)))
    keep = np.array(sorted({0, len(history)} | inner))
    whole, thin = engine_of(history).timeline(), engine_of(history, keep=keep).timeline()
    assert whole.totals.equals(thin.totals)
    assert len(thin.frame) == len(keep) - 1


@given(history=histories, restart=restarts)
@settings(max_examples=30, deadline=None)
def test_renaming_the_prefix_changes_only_names(history: list[list[int]], restart: int | None) -> None:
    one, other = (
        engine_of(history, restart=restart, prefix=prefix).timeline() for prefix in ("planted", "ray_planted")
    )
    assert one.frame.equals(other.frame)
    assert one.totals.equals(other.totals)
    assert [boot.first_ms for boot in one.boots] == [boot.first_ms for boot in other.boots]
    assert other.metrics["steps"] == "ray_planted:steps"


@given(history=histories, constant=st.integers(0, 10**9))
@settings(max_examples=60, deadline=None)
def test_what_a_counter_held_before_the_window_changes_no_delta(
    history: list[list[int]], constant: int
) -> None:
    one, other = engine_of(history).timeline(), engine_of(history, offset=1_000_000 + constant).timeline()
    assert one.frame.equals(other.frame)
    assert one.totals.equals(other.totals)


@given(history=histories, restart=st.integers(1, 29))
@settings(max_examples=60, deadline=None)
def test_totals_are_intervals_and_heads(history: list[list[int]], restart: int) -> None:
    timeline = engine_of(history, restart=min(restart, len(history))).timeline()
    for role in timeline.totals.columns:
        assert timeline.total(role) == np.nansum(timeline.frame[role]) + timeline.heads[role].sum()
        assert (timeline.frame[role].dropna() >= 0).all()

"""A residency that never recovers has nothing to compare with, and the report says so."""

from __future__ import annotations

import pandas as pd
import pytest
from judging import judge_world, plant_once, rates_of

from census.simulate.world import World
from census.simulate.worlds import residency, shared_step


def longest_quiet_s(frame: pd.DataFrame) -> float:
    """Return the seconds of the longest run without prefill, counted one interval after another."""
    longest = run = 0.0
    segment = -1
    for row in frame.itertuples():
        run = 0.0 if row.prefill_tok_s > 0 or row.segment != segment else run
        segment = row.segment
        run += row.seconds if row.prefill_tok_s == 0 else 0.0
        longest = max(longest, run)
    return longest


def observed(world: World, rival: str) -> str:
    found = judge_world(world, 2)
    return next(one.observed for one in found.rivals if one.id == rival)


@pytest.mark.parametrize("tau_s", [60.0, 300.0])
def test_without_a_quiet_span_a_constant_slowdown_is_not_excluded(tau_s: float) -> None:
    text = observed(residency(hours=6, tau_s=tau_s, saturated=True), "residency")
    assert "cannot be excluded" in text


def test_the_longest_stretch_without_prefill_is_told_where_it_is_shorter_than_the_longest_lag() -> None:
    world = shared_step(hours=6, prefill_duty=0.5)
    frame = rates_of(plant_once(world, 2)[1]).frame
    longest = longest_quiet_s(frame)
    assert longest < 300
    assert f"no stretch without prefill is longer than {longest:.0f} s" in observed(world, "residency")


def test_with_a_long_quiet_span_nothing_is_held_back() -> None:
    world = shared_step(hours=6, streams=2, prefill_duty=0.03, load=0.2)
    frame = rates_of(plant_once(world, 2)[1]).frame
    assert longest_quiet_s(frame) >= 300
    assert "cannot be excluded" not in observed(world, "residency")

"""The protection meter's four states, and preemption bursts."""

from __future__ import annotations

import numpy as np
import pytest
from timeline_factory import make_timeline

from census.findings import preemptions, protection_meter
from census.model.estimate import Absent
from census.model.findings import Burst, Preemptions, ProtectionBoot, ProtectionMeter
from census.model.settings import Settings


@pytest.mark.parametrize(
    ("held_steps", "mixed_steps", "state", "held", "opportunities"),
    [
        pytest.param([0, 5], [3, 4], "moving", 5, 7, id="held steps were taken"),
        pytest.param([0, 0], [3, 4], "zero", 0, 7, id="none, with opportunities"),
        pytest.param([0, 0], [0, 0], "no opportunity", 0, 0, id="nothing to act on"),
        pytest.param(None, [3, 4], "not exported", None, 7, id="absent is never zero"),
    ],
)
def test_the_meter_has_four_states(held_steps, mixed_steps, state, held, opportunities):
    counters = {"mixed_steps": mixed_steps} | ({"held_steps": held_steps} if held_steps else {})
    meter = protection_meter.measure(make_timeline(counters))
    assert isinstance(meter, ProtectionMeter)
    assert (meter.state, meter.held, meter.opportunities) == (state, held, opportunities)
    assert meter.by_boot == (ProtectionBoot(boot=0, state=state, held=held, opportunities=opportunities),)


def test_boots_are_judged_one_by_one_and_a_boot_without_the_counter_is_not_exported():
    meter = protection_meter.measure(
        make_timeline(
            {"held_steps": [np.nan, 0.0, 4.0], "mixed_steps": [9.0, 2.0, 3.0]},
            boot=[0, 1, 2],
            heads={"held_steps": [np.nan, 0.0, 1.0], "mixed_steps": [0.0, 0.0, 0.0]},
        )
    )
    assert isinstance(meter, ProtectionMeter)
    assert [boot.state for boot in meter.by_boot] == ["not exported", "zero", "moving"]
    assert (meter.state, meter.held, meter.opportunities) == ("moving", 5, 5)


def test_zero_held_without_a_counter_of_opportunities_is_no_verdict():
    meter = protection_meter.measure(make_timeline({"held_steps": [0.0, 0.0]}))
    assert isinstance(meter, Absent)


def test_the_founding_burst_stands_in_the_table():
    counts = np.zeros(480)
    counts[100:107] = [10, 20, 30, 5, 13, 10, 20]
    counts[300] = 156
    found = preemptions.measure(make_timeline({"preemptions": counts}, start_ms=0), Settings())
    assert found == Preemptions(
        total=264,
        bursts=(
            Burst(start="1970-01-01T00:25:00Z", span_s=105.0, count=108),
            Burst(start="1970-01-01T01:15:00Z", span_s=15.0, count=156),
        ),
        most_in_120_s=156,
        per_hour=pytest.approx(132.0),
    )


def test_whole_numbers_stay_whole():
    found = preemptions.measure(make_timeline({"preemptions": [0.0, 108.0, 0.0]}), Settings())
    assert isinstance(found, Preemptions)
    assert (found.total, found.most_in_120_s) == (108, 108)


def test_the_total_holds_heads():
    timeline = make_timeline({"preemptions": [1.0, 2.0]}, heads={"preemptions": [7.0]})
    found = preemptions.measure(timeline, Settings())
    assert isinstance(found, Preemptions)
    assert found.total == 10


def test_a_counter_that_is_not_there_is_absent():
    assert isinstance(preemptions.measure(make_timeline({"steps": [1.0]}), Settings()), Absent)

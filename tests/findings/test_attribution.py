"""The lost stream time divides without remainder, and to what was planted."""

from __future__ import annotations

import pytest
from judging import attribute_world, plant_once

from census.model.estimate import Absent, Estimate, value_of
from census.model.findings import Attribution
from census.simulate.truth import truth_of_window
from census.simulate.worlds import WORLDS

LARGEST = {
    "shared_step": "shared-chunks",
    "exclusive_prefill": "exclusive-prefill",
    "residency": "slower-decode",
    "batch_growth": "slower-decode",
    "preemption_storms": "preemption",
}


@pytest.mark.parametrize("name", list(LARGEST))
def test_the_parts_sum_to_the_whole_and_the_planted_one_is_largest(name: str) -> None:
    found = attribute_world(WORLDS[name](hours=6), 1)
    assert isinstance(found, Attribution)
    shares = {part.id: value_of(part.share) for part in found.parts}
    by_tokens = {part.id: part.tokens_share for part in found.parts}
    assert list(shares) == ["shared-chunks", "exclusive-prefill", "preemption", "slower-decode", "rest"]
    for weighed in (shares, by_tokens):
        assert None not in weighed.values()
        assert sum(share or 0.0 for share in weighed.values()) == pytest.approx(1.0, abs=1e-9)
        assert max(weighed, key=lambda part: weighed[part] or 0.0) == LARGEST[name]
    assert (shares[LARGEST[name]] or 0.0) > 0.6


def test_the_loss_is_that_of_the_true_streams() -> None:
    world = WORLDS["shared_step"](hours=6)
    run, _ = plant_once(world, 1)
    truth = truth_of_window(run)
    found = attribute_world(world, 1)
    assert isinstance(found, Attribution)
    spent, rows = truth.only("stream_s"), truth.only("rows")
    steps = truth.only("steps_decode") + truth.only("steps_mixed")
    quiet = rows * world.costs.decode_only(rows / steps)
    assert isinstance(found.lost_share, Estimate)
    assert found.lost_share.value == pytest.approx(1.0 - quiet / spent, abs=0.04)
    assert found.lost_share.low is not None
    assert found.lost_share.low > 0.08


def test_where_nothing_is_lost_nothing_is_divided() -> None:
    found = attribute_world(WORLDS["no_interference"](hours=6), 1)
    assert isinstance(found, Attribution)
    assert isinstance(found.lost_share, Estimate)
    assert abs(found.lost_share.value) < 0.005
    assert all(isinstance(part.share, Absent) and part.tokens_share is None for part in found.parts)

"""Step phases on counters made by hand: the founding text's own arithmetic, skew, heads, absences."""

from __future__ import annotations

import numpy as np
import pytest
from timeline_factory import make_timeline

from census.findings import step_phases
from census.findings.overlapping_classes import Bounds, ClassSplit, split_overlapping
from census.model.estimate import Absent, Estimate
from census.model.findings import StepPhases
from census.model.settings import Settings


def _measure(timeline) -> StepPhases:
    phases = step_phases.measure(timeline, Settings(), np.random.default_rng(0))
    assert isinstance(phases, StepPhases)
    return phases


def _counters(n: int = 100, **changes):
    """Each interval: 953 decode-only steps of 15.5 ms and 47 chunk steps of 166 ms, in hundredths."""
    columns = {
        "steps": np.full(n, 10.0),
        "decode_steps": np.full(n, 9.53),
        "mixed_steps": np.full(n, 0.37),
        "prefill_steps": np.full(n, 0.10),
        "decode_seconds": np.full(n, 9.53 * 0.0155),
        "step_seconds": np.full(n, 9.53 * 0.0155 + 0.47 * 0.166),
    }
    return columns | {name: np.asarray(values, dtype=float) for name, values in changes.items()}


def test_the_founding_text_s_costs_force_95_percent_of_steps_and_65_of_time():
    classes = _measure(make_timeline(_counters())).classes
    assert classes.decode.share_of_steps == pytest.approx(0.953)
    assert classes.decode.share_of_time == pytest.approx(0.654, abs=5e-4)
    assert classes.chunk.share_of_time == pytest.approx(0.346, abs=5e-4)
    assert (classes.decode.mean_s.value, classes.chunk.mean_s.value) == pytest.approx((0.0155, 0.166))


def test_a_mean_over_both_classes_is_nowhere():
    phases = _measure(make_timeline(_counters()))
    means = [
        part.mean_s.value
        for part in (phases.classes.decode, phases.classes.chunk)
        if isinstance(part.mean_s, Estimate)
    ]
    assert 0.0226 not in [round(mean, 4) for mean in means]


def test_one_open_step_counted_when_planned_is_no_negative_residual():
    counters = _counters(n=30)
    counters["prefill_steps"][-1] += 1.0
    classes = _measure(make_timeline(counters)).classes
    assert classes.other.steps == 0.0
    assert classes.decode.share_of_steps + classes.chunk.share_of_steps == pytest.approx(1.0, abs=1e-12)


def test_a_residual_class_is_shown():
    classes = _measure(make_timeline(_counters(steps=np.full(100, 11.0)))).classes
    assert classes.other.steps == pytest.approx(100.0)
    assert classes.other.share_of_steps == pytest.approx(100 / 1100)


def test_classes_that_exceed_the_total_are_refused():
    answer = step_phases.measure(
        make_timeline(_counters(steps=np.full(100, 9.0))), Settings(), np.random.default_rng(0)
    )
    assert isinstance(answer, Absent)
    assert "11.1% more" in answer.reason


def test_totals_hold_heads_and_gaps_and_means_come_from_totals():
    gap = [False] * 100
    gap[50] = True
    counters = _counters()
    counters["decode_steps"][50], counters["decode_seconds"][50] = 953.0, 953 * 0.031
    counters["steps"][50] = 953.47
    counters["step_seconds"][50] = 953 * 0.031 + 0.47 * 0.166
    heads = {"steps": [10.0], "decode_steps": [10.0], "step_seconds": [0.31], "decode_seconds": [0.31]}
    classes = _measure(make_timeline(counters, gap=gap, heads=heads)).classes
    assert classes.decode.steps == pytest.approx(99 * 9.53 + 953 + 10)
    assert classes.decode.mean_s.value == pytest.approx(classes.decode.seconds / classes.decode.steps)


def test_too_few_steps_of_a_class_have_no_mean_and_say_how_many():
    classes = _measure(make_timeline(_counters(n=10))).classes
    assert classes.chunk.mean_s == Absent("5 such steps, fewer than 30")


def test_seconds_are_not_split_between_mixed_and_prefill_only():
    classes = _measure(make_timeline(_counters())).classes
    assert (classes.mixed.seconds, classes.mixed.share_of_time) == (None, None)
    assert isinstance(classes.prefill.mean_s, Absent)


def test_each_boot_has_its_own_classes():
    counters = _counters()
    counters["decode_seconds"][50:] *= 2
    counters["step_seconds"][50:] += 9.53 * 0.0155
    phases = _measure(make_timeline(counters, boot=[0] * 50 + [1] * 50))
    assert [row.classes.decode.mean_s.value for row in phases.by_boot] == pytest.approx([0.0155, 0.031])
    steps = sum(row.classes.decode.steps for row in phases.by_boot)
    assert steps == pytest.approx(phases.classes.decode.steps)


def test_a_missing_counter_is_absent_with_its_reason():
    counters = _counters()
    del counters["mixed_steps"]
    answer = step_phases.measure(make_timeline(counters), Settings(), np.random.default_rng(0))
    assert answer == Absent("mixed_steps has no samples in the window")


def test_without_a_total_the_classes_are_the_total():
    counters = _counters()
    del counters["steps"]
    assert _measure(make_timeline(counters)).classes.other.steps == 0.0


def test_thinning_the_samples_leaves_the_totals():
    fine = _measure(make_timeline(_counters()))
    coarse = {name: values.reshape(-1, 4).sum(axis=1) for name, values in _counters().items()}
    thin = _measure(make_timeline(coarse, seconds=60.0))
    assert thin.classes.decode.steps == pytest.approx(fine.classes.decode.steps)
    assert thin.classes.chunk.seconds == pytest.approx(fine.classes.chunk.seconds)


def test_overlapping_classes_with_a_total_are_exact():
    assert split_overlapping(with_rows=990, with_chunks=47, total=1000) == ClassSplit(
        decode_only=Bounds(low=953, high=953),
        mixed=Bounds(low=37, high=37),
        prefill_only=Bounds(low=10, high=10),
    )


def test_overlapping_classes_without_a_total_are_bounds():
    split = split_overlapping(with_rows=990, with_chunks=47, total=None)
    assert split.decode_only == Bounds(low=943, high=990)


@pytest.mark.parametrize("total", [900, 1100])
def test_a_total_that_no_overlap_makes_is_refused(total):
    with pytest.raises(ValueError, match="do not make"):
        split_overlapping(with_rows=990, with_chunks=47, total=total)

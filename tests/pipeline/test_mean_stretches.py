"""Means of equal stretches of the window: weighted by time, and nothing where nothing is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from census.model.window import Window
from census.pipeline.stretches import STRETCHES, mean_stretches

WINDOW = Window(start_ms=1_000_000, end_ms=1_000_000 + STRETCHES * 60_000)


def frame(*spans: tuple[int, int]) -> pd.DataFrame:
    """Return intervals from (start, end) in seconds since the window's start."""
    starts = [WINDOW.start_ms + start * 1000 for start, _ in spans]
    ends = [WINDOW.start_ms + end * 1000 for _, end in spans]
    return pd.DataFrame({"start_ms": starts, "end_ms": ends})


def test_a_mean_is_weighted_by_the_length_of_the_intervals() -> None:
    means = mean_stretches(frame((0, 15), (15, 60)), np.array([40.0, 0.0]), window=WINDOW)
    assert means[0] == pytest.approx(10.0)
    assert means[1:] == (None,) * (STRETCHES - 1)


def test_what_is_unknown_weighs_nothing() -> None:
    means = mean_stretches(frame((60, 75), (75, 90)), np.array([np.nan, 7.0]), window=WINDOW)
    assert means[:3] == (None, 7.0, None)


def test_an_interval_belongs_to_the_stretch_of_its_middle() -> None:
    means = mean_stretches(frame((50, 80)), np.array([3.0]), window=WINDOW)
    assert means[:3] == (None, 3.0, None)


def test_intervals_outside_the_window_count_nowhere() -> None:
    means = mean_stretches(
        frame((-60, -30), (STRETCHES * 60, STRETCHES * 60 + 30)), np.array([1.0, 1.0]), window=WINDOW
    )
    assert means == (None,) * STRETCHES


def test_the_means_of_all_stretches_give_back_the_mean_of_the_whole() -> None:
    spans = tuple((start, start + 15) for start in range(0, STRETCHES * 60, 15))
    values = np.arange(len(spans), dtype=np.float64)
    means = [value for value in mean_stretches(frame(*spans), values, window=WINDOW) if value is not None]
    assert len(means) == STRETCHES
    assert np.mean(means) == pytest.approx(values.mean())

"""The examples in the docstrings of the statistics run."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = (
    "autocorrelation",
    "circular_shift",
    "correlation",
    "detrend",
    "exposure",
    "lag_bins",
    "lag_pairs",
    "prewhiten",
    "regression",
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_say(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"census.stats.{name}"))
    assert result.attempted > 0
    assert result.failed == 0

"""Whatever the counters do, a finding is numbers or an absence with its reason: no NaN, no exception."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timeline_factory import make_histogram, make_timeline

from census.findings import (
    arrival_wait,
    decode_under_prefill,
    pending,
    preemptions,
    protection_meter,
    step_phases,
)
from census.findings.interval_rates import measure_rates
from census.knobs.ladder import price
from census.model.estimate import Absent
from census.model.settings import Settings

COUNTERS = (
    "steps",
    "decode_steps",
    "mixed_steps",
    "prefill_steps",
    "held_steps",
    "step_seconds",
    "decode_seconds",
    "prefill_tokens",
    "decode_tokens",
    "draft_accepted",
    "preemptions",
)
QUICK = Settings(resamples=50)


def _numbers(value: object) -> Iterator[float]:
    """Yield every float inside a result."""
    if isinstance(value, float):
        yield value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _numbers(getattr(value, field.name))
    elif isinstance(value, dict):
        for part in value.values():
            yield from _numbers(part)
    elif isinstance(value, tuple):
        for part in value:
            yield from _numbers(part)


def _findings(timeline) -> list[object]:
    rng = np.random.default_rng(0)
    found: list[object] = [
        step_phases.measure(timeline, QUICK, rng),
        preemptions.measure(timeline, QUICK),
        protection_meter.measure(timeline),
    ]
    rates = measure_rates(timeline, QUICK)
    if isinstance(rates, Absent):
        return [*found, rates]
    return [
        *found,
        decode_under_prefill.measure(timeline, rates, QUICK, rng),
        pending.measure(timeline, rates, QUICK, rng),
        arrival_wait.measure(timeline, rates, QUICK),
        price(timeline, rates, Absent("no verdict"), QUICK, rng),
    ]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 40),
    dropped=st.sets(st.sampled_from(COUNTERS), max_size=4),
    zeroed=st.sets(st.sampled_from(COUNTERS), max_size=5),
    unknown=st.floats(0, 0.5),
    gauges=st.booleans(),
    waits=st.booleans(),
)
def test_no_finding_holds_a_nan(seed, n, dropped, zeroed, unknown, gauges, waits):
    rng = np.random.default_rng(seed)
    counters = {}
    for role in COUNTERS:
        if role in dropped:
            continue
        values = rng.integers(0, 2000, size=n).astype(float) * (0 if role in zeroed else 1)
        if role.endswith("seconds"):
            values = values / 150
        values[rng.random(n) < unknown] = np.nan
        counters[role] = values
    if not counters:
        return
    boot = np.sort(rng.integers(0, 2, size=n))
    boot -= boot[0]
    timeline = make_timeline(
        counters,
        gauges={"running": rng.integers(0, 5, size=n + 1), "waiting": rng.integers(0, 2, size=n + 1)}
        if gauges
        else None,
        boot=boot,
        gap=rng.random(n) < 0.1,
        histograms={
            "ttft": make_histogram(
                [1.0, 10.0, math.inf], rng.integers(0, 4, size=(n, 3)), sums=rng.random(n) * 20
            )
        }
        if waits
        else None,
    )
    for finding in _findings(timeline):
        assert all(math.isfinite(number) for number in _numbers(finding)), finding


@pytest.mark.parametrize("n", [1, 2, 5])
def test_an_idle_engine_has_no_decode_work_and_no_exception(n):
    timeline = make_timeline({role: np.zeros(n) for role in COUNTERS}, gauges={"running": np.zeros(n + 1)})
    phases, *_, ladder = _findings(timeline)
    assert phases == Absent("the engine took no step in the window")
    assert isinstance(ladder, Absent)


def test_a_window_of_gaps_alone_has_no_rates():
    timeline = make_timeline({role: np.ones(3) for role in COUNTERS}, gap=[True, True, True])
    assert measure_rates(timeline, QUICK) == Absent("no two successive scrapes of one boot lie in the window")

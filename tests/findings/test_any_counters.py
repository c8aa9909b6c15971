"""Whatever the counters say, the findings come without an error, and the parts of a loss sum to it."""

from __future__ import annotations

import numpy as np
import pytest
from judging import SETTINGS
from timeline_factory import make_timeline

from census.findings import attribution, lag_structure, mechanism, step_phases
from census.findings.interval_rates import measure_rates
from census.model.estimate import Absent, value_of
from census.timeline.timeline import Timeline


def any_timeline(rng: np.random.Generator) -> Timeline:
    """Return a timeline of counters that need not fit together: zeros, holes, constants, few intervals."""
    n = int(rng.choice([1, 2, 3, 10, 60, 120, 300]))

    def column(scale: float, idle: float) -> np.ndarray:
        values = rng.exponential(scale, n) * (rng.random(n) > idle)
        if rng.random() < 0.3:
            values = np.full(n, scale)
        if rng.random() < 0.2:
            values[rng.random(n) < 0.3] = np.nan
        return np.round(values * (rng.random() > 0.15))

    decode, mixed, prefill = column(900.0, 0.1), column(20.0, 0.5), column(5.0, 0.8)
    counters = {
        "decode_steps": decode,
        "mixed_steps": mixed,
        "prefill_steps": prefill,
        "decode_seconds": decode * 0.0155,
        "step_seconds": decode * 0.0155 + (mixed + prefill) * 0.166,
        "decode_tokens": np.nan_to_num(decode + mixed) * float(rng.integers(0, 4)),
        "prefill_tokens": (mixed + prefill) * 2000.0,
    }
    if rng.random() < 0.5:
        counters |= {"preemptions": column(1.0, 0.9), "cached_tokens": column(100.0, 0.5)}
    gauges = {
        role: np.round(rng.random(n + 1) * rng.choice([0, 1, 3]))
        for role in ("running", "waiting", "preempted_now")
        if rng.random() < 0.7
    }
    boots = np.unique(np.sort(rng.integers(0, 3, n)), return_inverse=True)[1]
    return make_timeline(
        counters,
        gauges=gauges,
        seconds=rng.uniform(5, 60, n),
        boot=boots.tolist() if rng.random() < 0.4 else None,
        gap=(rng.random(n) < 0.1).tolist() if rng.random() < 0.4 else None,
    )


@pytest.mark.parametrize("seed", range(60))
def test_any_counters_give_findings_or_a_reason(seed: int) -> None:
    rng = np.random.default_rng(seed)
    timeline = any_timeline(rng)
    rates = measure_rates(timeline, SETTINGS)
    if isinstance(rates, Absent):
        return
    lag = lag_structure.measure(timeline, rates, SETTINGS, rng)
    phases = step_phases.measure(timeline, SETTINGS, rng)
    found = mechanism.measure(timeline, rates, phases, lag, SETTINGS, rng, others=[(timeline, rates)])
    lost = attribution.measure(timeline, rates, found, SETTINGS, rng)
    if isinstance(lost, Absent):
        assert lost.reason
        return
    shares = [value_of(part.share) for part in lost.parts]
    assert None in shares or sum(share or 0.0 for share in shares) == pytest.approx(1.0, abs=1e-9)

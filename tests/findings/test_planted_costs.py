"""Step phases, per-stream rates by bucket and pending meters against planted worlds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from planted_timeline import plant, truth_of_intervals

from census.findings import decode_under_prefill, pending, step_phases
from census.findings.buckets import place_in_buckets
from census.findings.interval_rates import IntervalRates, measure_rates
from census.model.estimate import Absent, Estimate
from census.model.findings import DecodeUnderPrefill, Pending, StepPhases
from census.model.settings import Settings
from census.simulate.founding import founding
from census.simulate.run import Run
from census.simulate.truth import truth_between, truth_of_window
from census.simulate.world import Lognormal, Traffic, World
from census.simulate.worlds import exclusive_prefill, held_steps, no_interference, residency, shared_step
from census.timeline.timeline import Timeline

SETTINGS = Settings()
SHARED: dict[str, Callable[[], World]] = {
    "founding": lambda: founding(hours=24),
    "two slots": lambda: shared_step(streams=2, hours=12),
    "eight slots": lambda: shared_step(hours=12),
    "thirty-two slots, busy": lambda: shared_step(streams=32, prefill_duty=0.4, load=0.6, hours=6),
    "held steps": lambda: shared_step(interleave=8, hours=12),
}
EXCLUSIVE: dict[str, Callable[[], World]] = {
    "exclusive, two slots": lambda: exclusive_prefill(streams=2, hours=12),
    "exclusive, eight slots": lambda: exclusive_prefill(hours=12),
    "exclusive founding": lambda: replace(founding(hours=12), exclusive=True),
}


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A world, its run and its timeline, simulated once for all tests of it."""

    name: str
    run: Run
    timeline: Timeline


@pytest.fixture(scope="module", params=list(SHARED | EXCLUSIVE))
def planted(request: pytest.FixtureRequest) -> Planted:
    """Give every world in turn."""
    run, timeline = plant((SHARED | EXCLUSIVE)[request.param](), 1)
    return Planted(name=request.param, run=run, timeline=timeline)


def _rng() -> np.random.Generator:
    return np.random.default_rng(1)


def _check_buckets(run: Run, timeline: Timeline, *, within: float) -> None:
    """Every bucket with thirty intervals or more lands within a share of the truth."""
    rates = measure_rates(timeline, SETTINGS)
    assert isinstance(rates, IntervalRates)
    table = decode_under_prefill.measure(timeline, rates, SETTINGS, _rng())
    assert isinstance(table, DecodeUnderPrefill)
    place = place_in_buckets(rates.frame["prefill_tok_s"].to_numpy(), SETTINGS)
    member = rates.frame["decode_work"].to_numpy() & rates.frame["per_stream_tok_s"].notna().to_numpy()
    checked = 0
    for index, row in enumerate(table.rows):
        if row.intervals < 30:
            continue
        truth = truth_of_intervals(run, timeline, member & (place == index))
        assert row.per_stream_pooled_tok_s == pytest.approx(truth.only("per_stream_tok_s"), rel=within), row
        checked += 1
    assert checked >= 2


def test_pooled_rates_of_a_stream_land_within_five_percent_in_every_bucket(planted):
    _check_buckets(planted.run, planted.timeline, within=0.05)


@pytest.mark.truth
@pytest.mark.parametrize("seed", [2, 3, 4, 5])
@pytest.mark.parametrize("name", SHARED | EXCLUSIVE)
def test_pooled_rates_of_a_stream_land_within_six_percent_for_many_seeds(name, seed):
    _check_buckets(*plant((SHARED | EXCLUSIVE)[name](), seed), within=0.06)


def test_step_counts_and_seconds_are_within_half_a_percent(planted):
    phases = step_phases.measure(planted.timeline, SETTINGS, _rng())
    assert isinstance(phases, StepPhases)
    frame = planted.timeline.frame
    seen = np.array([frame["start_ms"].iloc[0], frame["end_ms"].iloc[-1]])
    truth = truth_between(planted.run, seen)
    classes = phases.classes
    for ours, theirs in [
        (classes.decode.steps, truth.only("steps_decode")),
        (classes.mixed.steps, truth.only("steps_mixed")),
        (classes.prefill.steps, truth.only("steps_prefill")),
        (classes.decode.seconds, truth.only("seconds_decode")),
        (classes.chunk.seconds, truth.only("seconds_mixed") + truth.only("seconds_prefill")),
        (classes.decode.mean_s.value, truth.only("decode_step_s")),
        (classes.chunk.mean_s.value, truth.only("chunk_step_s")),
    ]:
        assert ours == pytest.approx(theirs, rel=0.005)
    of_steps = sum(part.share_of_steps for part in (classes.decode, classes.chunk, classes.other))
    of_time = sum(part.share_of_time for part in (classes.decode, classes.chunk, classes.other))
    assert (of_steps, of_time) == pytest.approx((1.0, 1.0), abs=1e-9)
    assert classes.mixed.share_of_steps + classes.prefill.share_of_steps == pytest.approx(
        classes.chunk.share_of_steps, abs=1e-12
    )
    assert classes.decode.mean_s.value * classes.decode.steps == pytest.approx(classes.decode.seconds)
    assert isinstance(classes.mixed.mean_s, Absent)
    assert classes.mixed.share_of_time is None


def _pending(run: Run, timeline: Timeline) -> tuple[Pending, float, float]:
    """Return the pending meters, the true rate, and the true share of the time of steps with rows."""
    rates = measure_rates(timeline, SETTINGS)
    assert isinstance(rates, IntervalRates)
    found = pending.measure(timeline, rates, SETTINGS, _rng())
    assert isinstance(found, Pending)
    truth = truth_of_window(run)
    held_s = truth.only("held") * truth.only("decode_step_s")
    decoding_s = truth.only("seconds_decode") + truth.only("seconds_mixed")
    return found, truth.only("pending_tok_s"), (truth.only("seconds_mixed") + held_s) / decoding_s


def test_pending_rate_and_share_are_as_planted(planted):
    found, rate, share = _pending(planted.run, planted.timeline)
    if planted.name in EXCLUSIVE:
        assert isinstance(found.rate_tok_s, Absent)
        assert isinstance(found.share_of_stream_time, Estimate)
        return
    assert found.rate_tok_s.value == pytest.approx(rate, rel=0.015)
    assert found.share_of_stream_time.value == pytest.approx(share, rel=0.01)


@pytest.mark.parametrize("n", [0, 1, 8])
def test_one_hour_separates_interleaves_of_0_1_and_8(n):
    found, rate, _ = _pending(*plant(shared_step(hours=1, interleave=n), 2))
    reading = found.rate_tok_s
    others = {0: 13.9, 1: 24.0, 8: 67.0}
    assert reading.value == pytest.approx(rate, rel=0.03)
    assert all(not reading.low <= value <= reading.high for other, value in others.items() if other != n)


@pytest.mark.slow
def test_bucket_medians_stay_and_the_pending_rate_rises_on_a_deploy_that_works():
    tables, meters = [], []
    for n in (0, 8):
        _, timeline = plant(shared_step(hours=12, prefill_duty=0.1, interleave=n), 4)
        rates = measure_rates(timeline, SETTINGS)
        assert isinstance(rates, IntervalRates)
        tables.append(decode_under_prefill.measure(timeline, rates, SETTINGS, _rng()))
        meters.append(pending.measure(timeline, rates, SETTINGS, _rng()))
    for before, after in zip(tables[0].rows[1:4], tables[1].rows[1:4], strict=True):
        assert after.per_stream_tok_s.value == pytest.approx(before.per_stream_tok_s.value, rel=0.05)
    assert meters[1].rate_tok_s.value / meters[0].rate_tok_s.value > 4
    assert meters[1].exchange_tok_per_1000.value == pytest.approx(
        meters[0].exchange_tok_per_1000.value, rel=0.05
    )


def test_load_hides_what_streams_lose_and_the_table_says_so():
    """Requests come and go on their own: more of them bring more prefill and more visible tokens."""
    arrivals = Traffic(
        rate_per_s=0.12,
        prompts=((1.0, Lognormal(median=6000, sigma=0.8)),),
        outputs=((1.0, Lognormal(median=600, sigma=0.8, high=8000)),),
        cold_share=1.0,
    )
    _, timeline = plant(replace(shared_step(hours=8), traffic=(arrivals,)), 2)
    rates = measure_rates(timeline, SETTINGS)
    assert isinstance(rates, IntervalRates)
    table = decode_under_prefill.measure(timeline, rates, SETTINGS, _rng())
    quiet, loaded = table.rows[1], table.rows[4]
    assert loaded.visible_tok_s.value > 1.3 * quiet.visible_tok_s.value
    assert loaded.per_stream_pooled_tok_s < 0.9 * quiet.per_stream_pooled_tok_s
    assert table.load_hides_it


@pytest.mark.slow
def test_without_interference_load_hides_nothing():
    _, timeline = plant(no_interference(hours=12), 2)
    rates = measure_rates(timeline, SETTINGS)
    assert isinstance(rates, IntervalRates)
    assert not decode_under_prefill.measure(timeline, rates, SETTINGS, _rng()).load_hides_it


@pytest.mark.truth
@pytest.mark.parametrize("name", ["step", "rate"])
def test_intervals_cover_the_long_run_values_of_a_planted_engine(name):
    """The interval says what another window would show: 24 h truths of other seeds are the long run."""
    world = shared_step(hours=24)
    from census.simulate.truth import long_run

    truth = long_run(world, seeds=range(100, 125))
    covered = total = 0
    for seed in range(60):
        _, timeline = plant(shared_step(hours=6), seed)
        if name == "step":
            phases = step_phases.measure(timeline, SETTINGS, _rng())
            pairs = [
                (phases.classes.decode.mean_s, truth.only("decode_step_s")),
                (phases.classes.chunk.mean_s, truth.only("chunk_step_s")),
            ]
        else:
            rates = measure_rates(timeline, SETTINGS)
            meters = pending.measure(timeline, rates, SETTINGS, _rng())
            k, chunk_s, decode_s = (
                truth.only(part) for part in ("tokens_per_row", "chunk_step_s", "decode_step_s")
            )
            pairs = [(meters.rate_tok_s, k / chunk_s), (meters.quiet_tok_s, k / decode_s)]
        for reading, value in pairs:
            total += 1
            covered += reading.low <= value <= reading.high
    print(f"{name}: {covered} of {total}")
    assert 0.90 <= covered / total <= 1.0


def test_residency_shows_in_the_decode_only_step_of_loaded_buckets():
    _, timeline = plant(residency(hours=12), 3)
    rates = measure_rates(timeline, SETTINGS)
    assert isinstance(rates, IntervalRates)
    rows = decode_under_prefill.measure(timeline, rates, SETTINGS, _rng()).rows
    assert rows[-1].decode_step_s.value > 1.2 * rows[0].decode_step_s.value


def test_held_steps_world_moves_after_its_deploy():
    _, timeline = plant(held_steps(hours=6), 1)
    from census.findings import protection_meter

    meter = protection_meter.measure(timeline)
    assert meter.state == "moving"
    assert meter.by_boot[0].state == "zero"

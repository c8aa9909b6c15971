"""Mechanism: hidden load, bucket medians, prefilling requests, too little, cycles, starved lanes, bursts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from capture_factory import curve, every, evidence_of, named

from census.model.estimate import Absent, Estimate, Reading
from census.model.findings import (
    Burst,
    DecodeBucket,
    DecodeUnderPrefill,
    Pending,
    Preemptions,
    ProtectionMeter,
)

N = 961
TIMES = every(15, N)
TOKENS, PREFILL = "radiance:decode_tokens_total", "radiance:prefill_tokens_total"
RUNNING, WAITING, PREEMPTED = (
    "vllm:num_requests_running",
    "vllm:num_requests_waiting",
    "vllm:num_preemptions_total",
)


def total(increments: np.ndarray) -> np.ndarray:
    return np.concatenate(([0.0], np.cumsum(increments)))


def reading(value: float, unit: str = "tok/s") -> Reading:
    return Estimate(value=value, low=None, high=None, level=0.95, n=9, unit=unit, method="planted")


def bucket(lo: float, hi: float | None, *, visible: float, stream: float) -> DecodeBucket:
    return DecodeBucket(
        lo=lo,
        hi=hi,
        intervals=100,
        episodes=20,
        seconds=1500.0,
        prefill_tok_s=lo,
        visible_tok_s=reading(visible),
        visible_quartiles=None,
        per_stream_tok_s=reading(stream),
        per_stream_quartiles=None,
        per_stream_pooled_tok_s=stream,
        decode_step_s=Absent("planted"),
        chunk_step_s=Absent("planted"),
        chunk_share_of_time=None,
    )


def buckets_finding(*rows: DecodeBucket, hides: bool = False) -> DecodeUnderPrefill:
    return DecodeUnderPrefill(
        edges=(500.0,),
        prefill_axis="computed",
        per_stream_source="rows",
        stalls="nobody's",
        load_hides_it=hides,
        rows=rows,
    )


def engine(decode: np.ndarray, prefill: np.ndarray, **more: np.ndarray) -> list[Any]:
    """Return a radiance from increments; gauges come whole."""
    names = {"running": RUNNING, "waiting": WAITING, "gauge": "radiance:num_requests_preempted"}
    counters = {"preemptions": PREEMPTED}
    return [
        curve(TOKENS, TIMES, total(decode)),
        curve(PREFILL, TIMES, total(prefill)),
        *(curve(names[key], TIMES, values) for key, values in more.items() if key in names),
        *(curve(counters[key], TIMES, total(values)) for key, values in more.items() if key in counters),
    ]


def test_load_that_hides_it_is_told_with_both_rates() -> None:
    finding = buckets_finding(
        bucket(0, 0, visible=120, stream=100), bucket(5000, None, visible=180, stream=20), hides=True
    )
    flat = engine(np.full(N - 1, 900.0), np.zeros(N - 1))
    (found,) = named(evidence_of(flat, findings={"decode_under_prefill": finding}))["load-hides-it"]
    assert (found["visible_loaded_tok_s"], found["per_stream_loaded_tok_s"]) == (180.0, 20.0)


@pytest.mark.parametrize(
    ("held", "stream", "pending"),
    [
        pytest.param(40_000, 46.0, 64.0, id="eight held steps a chunk"),
        pytest.param(900, 13.0, 23.0, id="one held step a chunk"),
        pytest.param(3, 60.0, 61.0, id="hardly turned on"),
    ],
)
def test_bucket_medians_do_not_see_an_interleave_that_works(held: int, stream: float, pending: float) -> None:
    found = named(
        evidence_of(
            engine(np.full(N - 1, 900.0), np.zeros(N - 1)),
            findings={
                "decode_under_prefill": buckets_finding(bucket(5000, None, visible=50, stream=stream)),
                "protection_meter": ProtectionMeter(
                    metric="radiance:engine_steps_held_total",
                    state="moving",
                    held=held,
                    opportunities=9000,
                    by_boot=(),
                ),
                "pending": Pending(
                    rate_tok_s=reading(pending),
                    share_of_stream_time=reading(0.2, "1"),
                    exchange_tok_per_1000=reading(4.0, "tokens"),
                    quiet_tok_s=reading(140.0),
                    held_per_mixed=held / 9000,
                ),
            },
        )
    )
    assert [(one["top_bucket_tok_s"], one["pending_rate_tok_s"]) for one in found["bucket-medians"]] == [
        (stream, pending)
    ]


def test_where_nothing_was_held_bucket_medians_are_no_trap() -> None:
    meter = ProtectionMeter(metric="m", state="zero", held=0, opportunities=9000, by_boot=())
    evidence = evidence_of(
        engine(np.full(N - 1, 900.0), np.zeros(N - 1)), findings={"protection_meter": meter}
    )
    assert "bucket-medians" not in named(evidence)


def test_running_requests_that_still_prefill_are_no_streams() -> None:
    decode, prefill = np.full(N - 1, 58.2 * 2 * 15), np.full(N - 1, 6000.0 * 15)
    finding = buckets_finding(bucket(5000, None, visible=116.4, stream=58.2))
    evidence = evidence_of(
        engine(decode, prefill, running=np.full(N, 2.917)), findings={"decode_under_prefill": finding}
    )
    (found,) = named(evidence)["running-includes-prefilling"]
    assert found["naive_per_stream_tok_s"] == pytest.approx(39.9, abs=0.05)
    assert found["per_stream_tok_s"] == 58.2


@pytest.mark.parametrize(
    ("loaded", "trap"),
    [
        pytest.param(3, True, id="three loaded windows"),
        pytest.param(0, True, id="none"),
        pytest.param(49, True, id="one short"),
        pytest.param(200, False, id="enough"),
    ],
)
def test_too_few_loaded_intervals_carry_no_verdict(loaded: int, trap: bool) -> None:
    prefill = np.zeros(N - 1)
    prefill[np.linspace(5, N - 5, loaded).astype(int)] = 60_000
    rng = np.random.default_rng(1)
    found = named(evidence_of(engine(rng.uniform(500, 900, N - 1), prefill))).get("too-little", [])
    assert [one["loaded_intervals"] for one in found] == ([loaded] if trap else [])


def test_constant_prefill_has_nothing_to_be_related_to() -> None:
    (found,) = named(evidence_of(engine(np.full(N - 1, 900.0), np.full(N - 1, 30_000.0))))["too-little"]
    assert found["naive_correlation"] is None
    assert found["spread_over_mean"] == 0.0


@pytest.mark.parametrize(
    ("hours", "noise"),
    [
        pytest.param(48.0, 0.1, id="two days, plain"),
        pytest.param(24.0, 0.3, id="one day, noisy"),
        pytest.param(12.0, 0.5, id="half a day, noisier"),
    ],
)
def test_a_common_daily_cycle_is_no_relation(hours: float, noise: float) -> None:
    rng = np.random.default_rng(8)
    times = np.arange(0, hours * 3600, 60.0)
    day = 1 + 0.9 * np.sin(2 * np.pi * times[1:] / 86_400 * (24 / min(hours, 24.0)))
    prefill = day * 20_000 * rng.lognormal(0, noise, day.size)
    decode = day * 4_000 * rng.lognormal(0, noise, day.size)
    series = [curve(TOKENS, times.tolist(), total(decode)), curve(PREFILL, times.tolist(), total(prefill))]
    (found,) = named(evidence_of(series))["daily-cycle"]
    assert found["naive_r"] > 0.5
    assert abs(found["r_without_drift"]) < 0.2


def test_a_relation_inside_the_hour_is_no_daily_cycle() -> None:
    rng = np.random.default_rng(9)
    prefill = rng.choice([0.0, 60_000.0], N * 3)
    decode = 900 - prefill / 100 + rng.normal(0, 30, N * 3)
    times = np.arange(prefill.size + 1) * 15.0
    series = [curve(TOKENS, times.tolist(), total(decode)), curve(PREFILL, times.tolist(), total(prefill))]
    assert "daily-cycle" not in named(evidence_of(series))


def starving(count: int, *, rest: float = 900.0) -> tuple[np.ndarray, np.ndarray]:
    decode, prefill = np.full(N - 1, rest), np.zeros(N - 1)
    at = np.linspace(10, N - 10, count).astype(int)
    decode[at], prefill[at] = 0.0, 80_000.0
    return decode, prefill


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(10, id="ten in four hours"),
        pytest.param(40, id="forty"),
        pytest.param(200, id="a fifth of the time"),
    ],
)
def test_lanes_starve_with_zero_preemptions(count: int) -> None:
    decode, prefill = starving(count)
    evidence = evidence_of(engine(decode, prefill, running=np.full(N, 3.0), preemptions=np.zeros(N - 1)))
    (found,) = named(evidence)["starved-lanes"]
    assert (found["starved_intervals"], found["preemptions"], found["free_lane_intervals"]) == (count, 0, 0)


def test_requests_that_wait_beside_free_lanes_starve_them_too() -> None:
    running, waiting = np.full(N, 8.0), np.zeros(N)
    running[200:300], waiting[200:300] = 3.0, 5.0
    prefill = np.full(N - 1, 100.0)
    prefill[200:300] = 0
    evidence = evidence_of(
        engine(
            np.full(N - 1, 900.0),
            prefill,
            running=running,
            waiting=waiting,
            preemptions=np.zeros(N - 1),
        )
    )
    (found,) = named(evidence)["starved-lanes"]
    assert (found["starved_intervals"], found["free_lane_intervals"]) == (0, 99)


@pytest.mark.parametrize("preemptions", [0.0, 30.0])
def test_lanes_that_decode_or_were_preempted_are_not_called_starved(preemptions: float) -> None:
    decode, prefill = starving(40 if preemptions else 2)
    events = np.zeros(N - 1)
    events[5] = preemptions
    evidence = evidence_of(engine(decode, prefill, running=np.full(N, 3.0), preemptions=events))
    assert "starved-lanes" not in named(evidence)


def test_a_burst_that_the_gauge_cannot_see() -> None:
    events, gauge = np.zeros(N - 1), np.zeros(N)
    events[100:107] = [10, 20, 18, 20, 15, 15, 10]
    events[[300, 500, 800]] = 52
    finding = Preemptions(
        total=264,
        bursts=(Burst(start="1970-01-01T00:25:00Z", span_s=105.0, count=108),),
        most_in_120_s=108,
        per_hour=66.0,
    )
    evidence = evidence_of(
        engine(np.full(N - 1, 900.0), np.zeros(N - 1), preemptions=events, gauge=gauge),
        findings={"preemptions": finding},
    )
    (found,) = named(evidence)["preemption-burst"]
    assert (found["burst"], found["total"], found["span_s"]) == (108, 264, 105.0)
    assert (found["gauge_scrapes"], found["gauge_reads_zero"], found["gauge_highest"]) == (7, 7, 0.0)

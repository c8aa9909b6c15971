"""What a metric really counts: caches, recompute, chunks, front-ends, clocks, gauges, emissions, dilution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from capture_factory import buckets, curve, every, evidence_of, line, named

from census.model.estimate import Estimate
from census.model.findings import StepClass, StepClasses, StepPhases
from census.traps.catalogue import inspect_all
from census.traps.rate_ceiling import measure_ceiling

N = 241
TIMES = every(15, N)
PROMPT, HITS, TOKENS = (
    "vllm:prompt_tokens_total",
    "vllm:prompt_tokens_cached_total",
    "vllm:generation_tokens_total",
)
RUNNING, ITERATIONS, GAPS = (
    "vllm:num_requests_running",
    "vllm:iteration_tokens_total",
    "vllm:inter_token_latency_seconds",
)
ENDED = "vllm:request_success_total"
INF = float("inf")


def running_total(increments: np.ndarray, start: float = 0.0) -> np.ndarray:
    """Return a counter from its increments, one more value than there are increments."""
    return np.concatenate(([start], start + np.cumsum(increments)))


def estimate(value: float) -> Estimate:
    return Estimate(value=value, low=None, high=None, level=0.95, n=1, unit="s", method="planted")


def test_cache_hits_are_no_prefill() -> None:
    evidence = evidence_of(
        [
            line(PROMPT, [(0, 0), (15, 60_000)]),
            line(HITS, [(0, 0), (15, 57_000)]),
            line(TOKENS, [(0, 0), (15, 300)]),
            line(RUNNING, [(0, 1), (15, 1)]),
        ]
    )
    (found,) = named(evidence)["cache-inclusive-prompt"]
    assert (found["prompt_tok_s"], found["computed_tok_s"], found["hit_share"]) == (
        4000.0,
        200.0,
        pytest.approx(0.95),
    )


def test_without_a_hit_counter_the_axis_is_said_to_hold_the_hits() -> None:
    series = [
        line(PROMPT, [(0, 0), (15, 60_000)]),
        line(TOKENS, [(0, 0), (15, 300)]),
        line(RUNNING, [(0, 1), (15, 1)]),
    ]
    (caveat,) = [one for one in inspect_all(evidence_of(series)) if one.id == "trap/cache-inclusive-prompt"]
    assert caveat.severity == "warning"
    assert "cache hits included" in caveat.summary


@pytest.mark.parametrize(
    ("at", "slow"),
    [
        pytest.param(range(100, 130), 0.2, id="a storm"),
        pytest.param([50, 90, 130, 170, 210], 0.6, id="now and then"),
        pytest.param([200], 0.9, id="once, and mild"),
    ],
)
def test_recompute_is_no_quiet_time_where_prompt_counters_are_the_axis(at: list[int], slow: float) -> None:
    decode, prompt, events = np.full(N - 1, 600.0), np.zeros(N - 1), np.zeros(N - 1)
    prompt[::6], decode[::6] = 20_000, 200
    hit = [place for place in at if prompt[place] == 0]
    decode[hit], events[hit] = 600 * slow, 3
    counters = {PROMPT: prompt, TOKENS: decode, "vllm:num_preemptions_total": events}
    series = [curve(name, TIMES, running_total(one)) for name, one in counters.items()]
    (found,) = named(evidence_of([*series, curve(RUNNING, TIMES, np.full(N, 2.0))]))["recompute-as-prefill"]
    assert found["intervals"] >= len(hit)
    assert found["preemptions"] == 3 * len(hit)
    assert found["baseline_tok_s"] == pytest.approx(40.0)
    assert found["baseline_with_tok_s"] <= 40.0


def test_an_engine_that_counts_computed_tokens_hides_no_recompute() -> None:
    events, prefill = np.zeros(N - 1), np.zeros(N - 1)
    events[100] = 5
    counters = {
        "radiance:prefill_tokens_total": prefill,
        "radiance:decode_tokens_total": np.full(N - 1, 600.0),
        "vllm:num_preemptions_total": events,
    }
    series = [curve(name, TIMES, running_total(one)) for name, one in counters.items()]
    assert "recompute-as-prefill" not in named(evidence_of(series))


@pytest.mark.parametrize(
    ("prompt_length", "chunk", "outputs", "true_share"),
    [
        pytest.param(10, 4, 2, 0.75, id="the published one"),
        pytest.param(8192, 2048, 200, 4 / 203, id="four chunks, long answer"),
        pytest.param(300, 2048, 50, 1 / 50, id="one chunk: the bound is the truth"),
    ],
)
def test_a_histogram_that_hides_chunks_gives_a_lower_bound(
    prompt_length: int, chunk: int, outputs: int, true_share: float
) -> None:
    booked = [prompt_length + 1] + [1] * (outputs - 1)
    edges = [1.0, 8.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, INF]
    per_request = np.histogram(booked, bins=[0.0, *(edge + 0.5 for edge in edges)])[0].astype(float)
    counts = np.outer(np.arange(N), per_request)
    series = buckets(ITERATIONS, TIMES, counts, edges, sums=np.arange(N) * float(sum(booked)))
    series += [curve(RUNNING, TIMES, np.ones(N)), curve(TOKENS, TIMES, np.arange(N) * float(outputs))]
    (found,) = named(evidence_of(series))["chunk-blind-histogram"]
    assert found["naive_share_of_chunk_steps"] == pytest.approx(1 / outputs)
    assert found["naive_share_of_chunk_steps"] <= true_share + 1e-9
    assert found["true_share"] is None


def front_ends(counted_per_step: float, *, streams: int = 4, busy: float = 1.0, cv: float = 0.0) -> list[Any]:
    """Return a vLLM that takes 15.5 ms a step, with each step counted by so many front-ends."""
    rng = np.random.default_rng(5)
    steps = np.rint(15.0 * busy / 0.0155 * (1 + cv * rng.standard_normal(N - 1)))
    edges = [0.01, 0.025, 0.05, INF]
    gaps = np.zeros((N, 4))
    gaps[:, 1] = running_total(steps * streams)
    counted = np.rint(running_total(steps) * counted_per_step)
    iterations = np.zeros((N, 4))
    iterations[:, 1] = counted
    return [
        *buckets(GAPS, TIMES, gaps, edges, sums=running_total(steps * streams) * 0.0155),
        *buckets(ITERATIONS, TIMES, iterations, [1.0, 8.0, 16.0, INF], sums=running_total(steps * streams)),
        curve(TOKENS, TIMES, running_total(steps * streams)),
        curve(RUNNING, TIMES, np.full(N, float(streams))),
    ]


@pytest.mark.parametrize(
    ("counted", "busy"),
    [
        pytest.param(4.8, 1.0, id="published: 480 for 100"),
        pytest.param(4.0, 0.6, id="busy part of the time"),
        pytest.param(1.5, 1.0, id="two, seldom both"),
    ],
)
def test_steps_counted_by_front_ends_are_refused(counted: float, busy: float) -> None:
    evidence = evidence_of(front_ends(counted, busy=busy))
    (found,) = named(evidence)["front-end-steps"]
    assert found["counted_per_step"] == pytest.approx(counted * busy, rel=0.02)
    assert found["step_s"] == pytest.approx(0.0155)
    assert not evidence.timeline.has("steps")
    assert "several API servers" in evidence.timeline.absent["steps"]


@pytest.mark.parametrize("busy", [0.3, 1.0])
def test_one_front_end_is_left_alone(busy: float) -> None:
    evidence = evidence_of(front_ends(1.0, busy=busy, cv=0.02))
    assert "front-end-steps" not in named(evidence)
    assert evidence.timeline.has("steps")


def request_clock(seed: int, *, requests_per_interval: float, streams: int) -> Mapping[str, np.ndarray]:
    """Return increments per interval of an engine that books tokens when a request ends."""
    rng = np.random.default_rng(seed)
    ends = rng.poisson(requests_per_interval, N - 1).astype(float)
    live = np.full(N - 1, 15.0 * 40 * streams)
    booked, since = np.zeros(N - 1), 0.0
    for place in range(N - 1):
        since += live[place]
        if ends[place]:
            booked[place], since = since * 0.9, since * 0.1
    return {"booked": booked, "ends": ends, "live": live}


@pytest.mark.parametrize(
    ("requests_per_interval", "streams"),
    [
        pytest.param(0.1, 1, id="long answers"),
        pytest.param(0.5, 2, id="one in two"),
        pytest.param(2.0, 8, id="busy, mild"),
    ],
)
def test_a_counter_that_moves_at_request_end_is_found_in_the_data(
    requests_per_interval: float, streams: int
) -> None:
    made = request_clock(1, requests_per_interval=requests_per_interval, streams=streams)
    series = [
        curve(TOKENS, TIMES, running_total(made["booked"])),
        curve(ENDED, TIMES, running_total(made["ends"]), finished_reason="stop"),
        curve(RUNNING, TIMES, np.full(N, float(streams))),
        curve(PROMPT, TIMES, running_total(np.full(N - 1, 100.0))),
    ]
    evidence = evidence_of(series)
    (caveat,) = [one for one in inspect_all(evidence) if one.id == "trap/request-clock"]
    assert (caveat.severity, caveat.evidence["role"], caveat.evidence["found_in_data"]) == (
        "error",
        "decode_tokens",
        True,
    )
    assert evidence.timeline.clocks["decode_tokens"] == "request"
    assert caveat.evidence["long_run_mean_tok_s"] == pytest.approx(made["booked"].sum() / 3600)
    assert caveat.evidence["naive_peak_tok_s"] > 1.5 * 40 * streams


def test_a_live_counter_keeps_its_clock() -> None:
    made = request_clock(2, requests_per_interval=0.5, streams=2)
    series = [
        curve(TOKENS, TIMES, running_total(made["live"])),
        curve(ENDED, TIMES, running_total(made["ends"]), finished_reason="stop"),
        curve(RUNNING, TIMES, np.full(N, 2.0)),
    ]
    evidence = evidence_of(series)
    assert "request-clock" not in named(evidence)
    assert evidence.timeline.clocks["decode_tokens"] == "step"


GAUGE, COUNTER = "radiance:decode_tokens_per_second", "radiance:decode_tokens_total"


def test_a_gauge_stuck_when_idle_is_named_with_its_three_of_five_scrapes() -> None:
    times = every(15, 5)
    evidence = evidence_of(
        [
            curve(GAUGE, times, [36.0] * 5),
            curve(COUNTER, times, [0, 540, 1080, 1080, 1080]),
            curve(RUNNING, times, [2, 2, 0, 0, 0]),
        ]
    )
    (found,) = named(evidence)["stale-gauge"]
    assert (
        found["stale_scrapes"],
        found["scrapes"],
        found["gauge_mean_tok_s"],
        found["true_mean_tok_s"],
    ) == (3, 5, 36.0, 18.0)


def test_a_gauge_averaged_since_the_last_scrape_is_named() -> None:
    times = every(15, 5)
    evidence = evidence_of(
        [
            curve(GAUGE, times, [0, 12.1, 0, 12.9, 0]),
            curve(COUNTER, times, np.arange(5) * 187.5),
            curve(RUNNING, times, np.ones(5)),
        ]
    )
    (found,) = named(evidence)["scrape-averaged-gauge"]
    assert found["true_mean_tok_s"] == 12.5
    assert found["zero_while_moving"] == 2


@pytest.mark.parametrize(
    ("reads", "ratio"),
    [pytest.param(0.03, 4.5e-5, id="between bursts"), pytest.param(4323.0, 6.4845, id="in a burst")],
)
def test_a_gauge_read_out_of_phase_is_aliased(reads: float, ratio: float) -> None:
    evidence = evidence_of(
        [
            curve("radiance:prefill_tokens_per_second", TIMES, np.full(N, reads)),
            curve("radiance:prefill_tokens_total", TIMES, np.arange(N) * 10_000.0),
        ]
    )
    (found,) = named(evidence)["aliased-gauge"]
    assert found["true_mean_tok_s"] == pytest.approx(666.667, abs=1e-3)
    assert found["ratio"] == pytest.approx(ratio, rel=1e-3)


def test_a_gauge_that_says_what_its_counter_says_is_accepted() -> None:
    rng = np.random.default_rng(3)
    rates = rng.uniform(20, 60, N - 1)
    evidence = evidence_of(
        [
            curve(GAUGE, TIMES, np.concatenate(([40.0], rates))),
            curve(COUNTER, TIMES, running_total(rates * 15)),
            curve(RUNNING, TIMES, np.ones(N)),
        ]
    )
    assert not {"aliased-gauge", "stale-gauge", "scrape-averaged-gauge"} & set(named(evidence))


@pytest.mark.parametrize(
    ("per_emission", "naive", "true"),
    [(3.0, 64.516, 193.548), (1.5, 64.516, 96.774), (1.1, 64.516, 70.968)],
    ids=["published: three", "one and a half", "hardly any speculation"],
)
def test_an_emission_is_not_a_token_under_speculation(per_emission: float, naive: float, true: float) -> None:
    steps = np.full(N - 1, 1000.0)
    counts = np.zeros((N, 4))
    counts[:, 1] = running_total(steps)
    series = [
        *buckets(GAPS, TIMES, counts, [0.01, 0.025, 0.05, INF], sums=running_total(steps) * 0.0155),
        curve(TOKENS, TIMES, running_total(steps * per_emission)),
        curve(RUNNING, TIMES, np.ones(N)),
    ]
    (found,) = named(evidence_of(series))["emission-histogram"]
    assert found["naive_per_stream_tok_s"] == pytest.approx(naive, abs=1e-3)
    assert found["per_stream_tok_s"] == pytest.approx(true, abs=1e-3)
    assert found["step_interval_s"] == pytest.approx(0.0155)


def step_class(steps: float, seconds: float) -> StepClass:
    mean = estimate(seconds / steps) if steps else estimate(0.0)
    return StepClass(steps=steps, seconds=seconds, mean_s=mean, share_of_steps=None, share_of_time=None)


def test_a_two_minute_mean_never_shows_the_chunk_step() -> None:
    decode, chunks = np.full(N - 1, 953.0), np.full(N - 1, 47.0)
    seconds = decode * 0.0155 + chunks * 0.166
    chunk, alone = (
        step_class(float(chunks.sum()), 47 * 0.166 * 240),
        step_class(953.0 * 240, 953 * 0.0155 * 240),
    )
    phases = StepPhases(
        source="counters",
        boot="all",
        classes=StepClasses(decode=alone, mixed=chunk, prefill=chunk, chunk=chunk, other=chunk),
        by_boot=(),
    )
    evidence = evidence_of(
        [
            curve("radiance:engine_steps_total", TIMES, running_total(decode + chunks)),
            curve("radiance:engine_steps_decode_total", TIMES, running_total(decode)),
            curve("radiance:engine_step_seconds_total", TIMES, running_total(seconds)),
        ],
        findings={"step_phases": phases},
    )
    (found,) = named(evidence)["diluted-step"]
    assert found["mean_of_all_steps_s"] == pytest.approx(0.0225735)
    assert found["shown_2m_mean_s"] == found["shown_5m_mean_s"] == pytest.approx(0.0225735)
    assert found["highest_2m_mean_s"] == pytest.approx(0.0225735)
    assert (found["chunk_step_s"], found["decode_step_s"]) == (pytest.approx(0.166), pytest.approx(0.0155))


def house(tokens_per_interval: np.ndarray, *, latencies: float = 20.0) -> list[Any]:
    """Return a radiance with two running requests, 1000 decode-only steps an interval at 15 ms."""
    counts = np.zeros((N, 3))
    counts[:, 1] = np.arange(N) * 1.5
    return [
        curve(COUNTER, TIMES, running_total(tokens_per_interval)),
        curve("radiance:engine_steps_decode_total", TIMES, np.arange(N) * 1000.0),
        curve("radiance:engine_step_seconds_decode_total", TIMES, np.arange(N) * 15.0),
        curve(RUNNING, TIMES, np.full(N, 2.0)),
        *buckets(
            "vllm:e2e_request_latency_seconds",
            TIMES,
            counts,
            [10.0, 60.0, INF],
            sums=counts[:, 1] * latencies,
        ),
    ]


@pytest.mark.parametrize("factor", [1.3, 2.0, 10.0])
def test_a_rate_above_what_the_step_time_allows_is_named(factor: float) -> None:
    tokens = np.full(N - 1, 1900.0)
    tokens[60] = 2000 * factor
    evidence = evidence_of(house(tokens))
    assert measure_ceiling(evidence) == pytest.approx(2 / 0.015)
    (found,) = named(evidence)["rate-ceiling"]
    assert found["intervals"] == 1
    assert found["highest_tok_s"] == pytest.approx(2000 * factor / 15)


def test_accepted_drafts_are_no_alarm_where_plain_rows_are_not_counted() -> None:
    evidence = evidence_of(
        [
            *house(np.full(N - 1, 3800.0)),
            curve("radiance:draft_tokens_total", TIMES, np.arange(N) * 4000.0),
            curve("radiance:draft_accepted_total", TIMES, np.arange(N) * 1800.0),
        ]
    )
    assert measure_ceiling(evidence) == pytest.approx(2 * (1 + 2) / 0.015)
    assert "rate-ceiling" not in named(evidence)


@pytest.mark.parametrize(
    ("latency", "alarm"), [(20.0, False), (16.0, False), (40.0, True), (8.0, True), (5.0, True)]
)
def test_littles_law_is_an_alarm(latency: float, alarm: bool) -> None:
    evidence = evidence_of(house(np.full(N - 1, 1900.0), latencies=latency))
    found = named(evidence).get("littles-law", [])
    assert [one["by_latency"] for one in found] == ([pytest.approx(latency / 10)] if alarm else [])
    assert "rate-ceiling" not in named(evidence)

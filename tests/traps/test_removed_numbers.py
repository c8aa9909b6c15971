"""A trap that makes a number wrong removes it: the findings are absent or corrected, not footnoted."""

from __future__ import annotations

import numpy as np
import pytest
from capture_factory import buckets, curve, every, evidence_of, named

from census.findings import decode_under_prefill
from census.findings.interval_rates import IntervalRates, measure_rates
from census.model.estimate import Absent, Estimate
from census.model.settings import Settings
from census.traps.evidence import Evidence

N = 1441
TIMES = every(15, N)
PROMPT, TOKENS = "vllm:prompt_tokens_total", "vllm:generation_tokens_total"
RUNNING, GAPS = "vllm:num_requests_running", "vllm:inter_token_latency_seconds"


def total(increments: np.ndarray) -> np.ndarray:
    return np.concatenate(([0.0], np.cumsum(increments)))


def server(*, decode: np.ndarray, prompt: np.ndarray, gap_s: np.ndarray, events: np.ndarray) -> Evidence:
    """Return a vLLM with two streams: tokens, prompts, inter-token gaps and preemptions per interval."""
    counts = np.zeros((N, 4))
    counts[:, 1] = total(decode)
    return evidence_of(
        [
            curve(TOKENS, TIMES, total(decode)),
            curve(PROMPT, TIMES, total(prompt)),
            curve("vllm:num_preemptions_total", TIMES, total(events)),
            curve(RUNNING, TIMES, np.full(N, 2.0)),
            *buckets(GAPS, TIMES, counts, [0.01, 0.1, 1.0, np.inf], sums=total(decode * gap_s)),
        ]
    )


def quiet_bucket(evidence: Evidence) -> decode_under_prefill.DecodeBucket:
    rates = measure_rates(evidence.timeline, evidence.settings)
    assert isinstance(rates, IntervalRates)
    finding = decode_under_prefill.measure(evidence.timeline, rates, Settings(), np.random.default_rng(1))
    assert not isinstance(finding, Absent)
    return finding.rows[0]


def test_recompute_is_not_in_the_zero_prefill_bucket() -> None:
    rng = np.random.default_rng(2)
    events = np.zeros(N - 1)
    events[rng.choice(N - 1, 300, replace=False)] = 4
    prompt = np.where(rng.random(N - 1) < 0.2, 30_000.0, 0.0)
    slow = (events > 0) | (prompt > 0)
    gap_s = np.where(slow, 0.1, 0.02) * rng.lognormal(0, 0.02, N - 1)
    decode = np.round(2 * 15 / gap_s)
    bucket = quiet_bucket(server(decode=decode, prompt=prompt, gap_s=gap_s, events=events))
    assert bucket.intervals < int(((prompt == 0) & (events == 0)).sum()) + 1
    assert isinstance(bucket.per_stream_tok_s, Estimate)
    assert bucket.per_stream_quartiles is not None
    assert bucket.per_stream_quartiles.q1 == pytest.approx(50.0, rel=0.05)
    assert bucket.per_stream_pooled_tok_s == pytest.approx(50.0, rel=0.02)


def test_a_counter_that_moves_at_request_end_gives_no_rate() -> None:
    rng = np.random.default_rng(3)
    ends = rng.random(N - 1) < 0.3
    booked = np.where(ends, 2000.0, 0.0)
    evidence = evidence_of(
        [
            curve(TOKENS, TIMES, total(booked)),
            curve("vllm:request_success_total", TIMES, total(ends.astype(float)), finished_reason="stop"),
            curve(PROMPT, TIMES, total(np.full(N - 1, 1000.0))),
            curve(RUNNING, TIMES, np.full(N, 2.0)),
        ]
    )
    rates = measure_rates(evidence.timeline, evidence.settings)
    assert isinstance(rates, Absent)
    assert "moves when a request ends" in rates.reason
    assert "request-clock" in named(evidence)


def test_workers_in_turn_leave_no_rate() -> None:
    rng = np.random.default_rng(4)
    worker = rng.integers(2, size=N) * 400_000.0
    evidence = evidence_of(
        [
            curve(TOKENS, TIMES, total(np.full(N - 1, 900.0)) + worker + 1000),
            curve(PROMPT, TIMES, total(np.full(N - 1, 500.0)) + worker / 3 + 1000),
            curve(RUNNING, TIMES, np.full(N, 2.0)),
        ]
    )
    rates = measure_rates(evidence.timeline, evidence.settings)
    assert isinstance(rates, Absent)
    assert "several workers" in rates.reason


def test_hits_do_not_load_the_prefill_axis() -> None:
    """60,000 prompt tokens of which 57,000 were cached are 200 tok/s in 15 s, below the first edge."""
    prompt = np.where(np.arange(N - 1) % 4 == 0, 60_000.0, 0.0)
    evidence = evidence_of(
        [
            curve(TOKENS, TIMES, total(np.full(N - 1, 900.0))),
            curve(PROMPT, TIMES, total(prompt)),
            curve("vllm:prompt_tokens_cached_total", TIMES, total(prompt * 0.95)),
            curve(RUNNING, TIMES, np.full(N, 2.0)),
        ]
    )
    rates = measure_rates(evidence.timeline, evidence.settings)
    assert isinstance(rates, IntervalRates)
    assert rates.frame["prefill_tok_s"].max() == pytest.approx(200.0)

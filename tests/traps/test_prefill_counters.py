"""How much prefill was computed: which counters are taken, and that hits booked elsewhere still come off."""

from __future__ import annotations

import numpy as np
import pytest
from capture_factory import curve, every, evidence_of, line

from census.timeline.prefill import measure_prefill_tokens

PROMPT, CACHED = "vllm:prompt_tokens_total", "vllm:prompt_tokens_cached_total"
QUERIES, HITS = "vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total"
TOKENS, RUNNING = "vllm:generation_tokens_total", "vllm:num_requests_running"
N = 9
TIMES = every(15, N)
SINCE = {"prompt": [0, 0, 0, 60_000, 60_000, 60_000, 60_000, 80_000, 80_000]}


def taken(**counters: list[float]) -> tuple[tuple[str, ...], list[float], str]:
    names = {"prompt": PROMPT, "cached": CACHED, "queries": QUERIES, "hits": HITS}
    series = [curve(names[key], TIMES, np.array(values, dtype=float)) for key, values in counters.items()]
    series += [curve(TOKENS, TIMES, np.arange(N) * 100.0), curve(RUNNING, TIMES, np.ones(N))]
    found = measure_prefill_tokens(evidence_of(series).timeline)
    assert found is not None
    return found.roles, found.tokens.tolist(), found.hits


def test_hits_booked_with_the_prompt_come_off_it() -> None:
    cached = [0, 0, 0, 57_000, 57_000, 57_000, 57_000, 57_000, 57_000]
    assert taken(**SINCE, cached=cached) == (
        ("prompt_tokens", "cached_tokens"),
        [0.0, 0.0, 3000.0, 0.0, 0.0, 0.0, 20_000.0, 0.0],
        "left out",
    )


def test_lookups_less_hits_are_taken_where_prompts_are_looked_up() -> None:
    hits = [0, 57_000, 57_000, 57_000, 57_000, 57_000, 57_000, 57_000, 57_000]
    queries = [0, 60_000, 60_000, 60_000, 60_000, 60_000, 80_000, 80_000, 80_000]
    assert taken(**SINCE, hits=hits, queries=queries) == (
        ("prefix_queries", "prefix_hits"),
        [3000.0, 0.0, 0.0, 0.0, 0.0, 20_000.0, 0.0, 0.0],
        "left out",
    )


def test_hits_booked_two_intervals_before_their_prompt_still_come_off_it() -> None:
    hits = [0, 57_000, 57_000, 57_000, 57_000, 57_000, 57_000, 57_000, 57_000]
    roles, tokens, _ = taken(**SINCE, hits=hits)
    assert roles == ("prompt_tokens", "prefix_hits")
    assert tokens == [0.0, 0.0, 3000.0, 0.0, 0.0, 0.0, 20_000.0, 0.0]


def test_a_cache_that_is_off_does_not_make_prefill_zero() -> None:
    nothing = [0.0] * N
    roles, tokens, _ = taken(**SINCE, hits=nothing, queries=nothing)
    assert roles == ("prompt_tokens", "prefix_hits")
    assert sum(tokens) == 80_000.0


def test_without_any_hit_counter_the_hits_are_said_to_be_in_it() -> None:
    assert taken(**SINCE)[2] == "included"


@pytest.mark.parametrize("at", [2, 5])
def test_a_preemption_makes_the_zeros_beside_it_unknown(at: int) -> None:
    events = [0.0] * (at + 1) + [1.0] * (N - at - 1)
    series = [
        curve(PROMPT, TIMES, np.array(SINCE["prompt"], dtype=float)),
        curve("vllm:num_preemptions_total", TIMES, np.array(events)),
        line(RUNNING, [(time, 1) for time in TIMES]),
    ]
    found = measure_prefill_tokens(evidence_of(series).timeline)
    assert found is not None
    unknown = np.flatnonzero(np.isnan(found.tokens)).tolist()
    assert unknown == [
        place for place in (at - 1, at, at + 1) if SINCE["prompt"][place] == SINCE["prompt"][place + 1]
    ]

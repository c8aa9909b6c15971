"""Names and the server: renames, duplicates, several engines, gaps, spacing, retention, partial answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from capture_factory import buckets, curve, every, evidence_of, line, named

from census.capture.series import Series
from census.traps.audits import audit
from census.traps.catalogue import inspect_all

N = 241
TIMES = every(15, N)
TOKENS, STEPS, RUNNING = (
    "radiance:decode_tokens_total",
    "radiance:engine_steps_total",
    "vllm:num_requests_running",
)
RISING = np.arange(N) * 600.0


def test_a_rename_inside_the_window_is_stitched() -> None:
    old = line("vllm:gpu_cache_usage_perc", [(time, 0.5) for time in every(15, 5)])
    new = line("vllm:kv_cache_usage_perc", [(time, 0.5) for time in every(15, 5, start=75)])
    evidence = evidence_of([old, new, line(STEPS, [(time, time) for time in every(15, 10)])])
    (found,) = named(evidence)["renamed-metric"]
    assert found["names"] == "vllm:gpu_cache_usage_perc, vllm:kv_cache_usage_perc"
    assert found["at"] == "1970-01-01T00:01:15Z"
    assert evidence.timeline.frame["kv_usage:end"].notna().all()


def test_a_rename_with_both_names_for_a_while_counts_the_overlap_once() -> None:
    def both(cut: int) -> list[Series]:
        return [
            curve("vllm:gpu_prefix_cache_hits_total", TIMES[: cut + 2], RISING[: cut + 2]),
            curve("vllm:prefix_cache_hits_total", TIMES[cut:], RISING[cut:]),
            curve("vllm:generation_tokens_total", TIMES, RISING),
            curve(RUNNING, TIMES, np.ones(N)),
        ]

    evidence = evidence_of(both(100))
    assert evidence.timeline.total("prefix_hits") == RISING[-1]
    assert "renamed-metric" in named(evidence)


def copies(label: str, values: list[str], *, offset: float = 0.0, name: str = TOKENS) -> list[Any]:
    return [
        curve(name, TIMES, RISING + offset * place, **{label: value}) for place, value in enumerate(values)
    ]


@pytest.mark.parametrize(
    "series",
    [
        pytest.param(copies("replica", ["a", "b"]), id="replicas of an HA pair"),
        pytest.param(copies("pid", ["7", "8"]), id="pid series"),
        pytest.param(copies("tp_rank", ["0", "1", "2", "3"]), id="tensor-parallel ranks"),
        pytest.param(copies("prometheus_replica", ["x", "y"], offset=1.0), id="replicas one count apart"),
    ],
)
def test_duplicates_are_never_summed(series: list[Any]) -> None:
    evidence = evidence_of([*series, curve(STEPS, TIMES, RISING)])
    (found,) = named(evidence)["duplicates"]
    assert (found["role"], found["true"]) == ("decode_tokens", RISING[-1])
    assert found["naive_sum"] == len(series) * RISING[-1]
    assert [row["agree"] for row in audit(evidence).duplicates] == [True] * (len(series) - 1)


def test_a_counter_beside_its_gauge_twin_counts_once() -> None:
    series = [
        curve("ray_vllm_generation_tokens_total", TIMES, RISING),
        curve("ray_vllm_generation_tokens", TIMES, RISING),
        curve("ray_vllm_num_requests_running", TIMES, np.ones(N)),
    ]
    evidence = evidence_of(series)
    assert evidence.timeline.total("decode_tokens") == RISING[-1]
    assert named(evidence)["duplicates"][0]["naive_sum"] == 2 * RISING[-1]


def test_duplicates_that_disagree_are_a_warning() -> None:
    series = [curve(TOKENS, TIMES, RISING * factor, pid=pid) for factor, pid in ((1.0, "7"), (1.7, "8"))]
    (caveat,) = [
        one
        for one in inspect_all(evidence_of([*series, curve(STEPS, TIMES, RISING)]))
        if one.id == "trap/duplicates"
    ]
    assert caveat.severity == "warning"
    assert caveat.evidence["disagree"] == "decode_tokens"


def test_two_engines_on_one_target_are_listed_and_kept_apart() -> None:
    series = [curve(TOKENS, TIMES, RISING * (1 + place), engine=str(place)) for place in range(2)]
    for place in range(2):
        evidence = evidence_of(series, engine=place)
        (found,) = named(evidence)["several-engines"]
        assert found["engines"] == 2
        assert evidence.timeline.total("decode_tokens") == RISING[-1] * (1 + place)


def test_a_gap_is_in_the_totals_and_in_no_bucket() -> None:
    times = [0.0, 15.0, 30.0, 345.0, 360.0, 375.0]
    evidence = evidence_of([curve(STEPS, times, [100, 200, 300, 4200, 4300, 4400])])
    (found,) = named(evidence)["scrape-gap"]
    assert (found["gaps"], found["longest_s"], found["counted_over_gaps"]) == (1, 315.0, 3900.0)
    assert found["invented_by_lookback_s"] == 300.0
    assert evidence.timeline.total("steps") == 4300.0
    assert evidence.timeline.clean()["steps"].tolist() == [100.0, 100.0, 100.0, 100.0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(15, 60, id="four times as coarse"),
        pytest.param(60, 15, id="finer"),
        pytest.param(10, 15, id="mild"),
    ],
)
def test_a_scrape_interval_that_changes_is_named_and_time_weighted(first: int, second: int) -> None:
    times = every(first, 200) + every(second, 200, start=200 * first)
    rate = np.where(np.arange(399) < 199, 40.0, 4.0)
    tokens = np.concatenate(([0.0], np.cumsum(rate * np.diff(times))))
    evidence = evidence_of([curve(TOKENS, times, tokens)])
    (found,) = named(evidence)["spacing-changed"]
    assert (found["shortest_s"], found["longest_s"]) == (min(first, second), max(first, second))
    assert found["mean_over_time_tok_s"] == pytest.approx(tokens[-1] / (times[-1] - times[0]))
    assert found["mean_over_samples_tok_s"] == pytest.approx(rate.mean())
    assert "scrape-gap" not in named(evidence)


@pytest.mark.parametrize(
    "missed", [[50], [20, 21, 90], list(range(10, 230, 7))], ids=["one", "three", "many"]
)
def test_missed_scrapes_are_counted_and_change_no_total(missed: list[int]) -> None:
    kept = np.delete(np.arange(N), missed)
    evidence = evidence_of([curve(TOKENS, [TIMES[place] for place in kept], RISING[kept])])
    (row,) = audit(evidence).scrapes
    assert row["missed"] + row["gaps"] * 2 == len(missed)
    assert evidence.timeline.total("decode_tokens") == RISING[-1]
    assert row["median_s"] == 15.0


def test_a_window_longer_than_the_memory_of_the_server_names_its_real_start() -> None:
    evidence = evidence_of([curve(TOKENS, TIMES, RISING)], window=(-7200.0, 3601.0))
    (found,) = named(evidence)["short-retention"]
    assert (found["first"], found["missing_before_s"]) == ("1970-01-01T00:00:00Z", 7200.0)


def test_a_partial_response_is_an_error_and_a_warning_is_passed_on() -> None:
    series = [curve(TOKENS, TIMES, RISING)]
    (partial,) = [
        one
        for one in inspect_all(evidence_of(series, partial=True, warnings=("no store matched",)))
        if one.id == "trap/partial-response"
    ]
    (warned,) = [
        one
        for one in inspect_all(evidence_of(series, warnings=("slow query",)))
        if one.id == "trap/partial-response"
    ]
    assert (partial.severity, warned.severity) == ("error", "warning")
    assert "no store matched" in partial.summary


@pytest.mark.parametrize(
    ("page", "mismatch"),
    [
        pytest.param(
            {"steps": 500_000 + 240 * 600 + 900},
            False,
            id="later",
        ),
        pytest.param({"steps": 12_000}, True, id="another process"),
        pytest.param({"steps": 9_000_000}, True, id="another engine"),
        pytest.param({"steps": 500_000 + 240 * 600 - 1}, True, id="one behind, mild"),
    ],
)
def test_the_page_since_boot_is_compared_on_the_overlap_only(page: dict[str, object], mismatch: bool) -> None:
    evidence = evidence_of(
        [curve(STEPS, TIMES, RISING + 500_000)], stats_page={"taken_ms": 3_615_000, "page": page}
    )
    (found,) = named(evidence)["stats-since-boot"]
    assert found["mismatch"] is mismatch
    assert found["counter_at_last_scrape"] == 500_000 + 240 * 600
    if not mismatch:
        assert found["increase_in_window"] == 240 * 600


def bad_afternoon() -> list[Any]:
    """Return a radiance that is scraped badly, restarted, read through a replica pair, and idle a while."""
    times = every(15, 160) + every(60, 120, start=160 * 15 + 600)
    n = len(times)
    busy = np.where((np.arange(n) >= 100) & (np.arange(n) < 130), 0.0, 1.0)
    counted = np.cumsum(np.random.default_rng(4).poisson(600, n) * busy)
    steps = counted + np.where(np.arange(n) < 200, 90_000.0, -counted[200] + 30)
    tokens, mixed = steps * 2, steps / 20
    tokens[60] = tokens[59] - 2
    mixed[90] = 0
    waits = np.outer(np.arange(n), [0.5, 0.3, 0.2])
    waits[200:] -= waits[200]
    return [
        curve(STEPS, times, steps, replica="a"),
        curve(STEPS, times, steps, replica="b"),
        curve(TOKENS, times, tokens),
        curve("radiance:engine_steps_mixed_total", times, mixed),
        curve("radiance:engine_steps_decode_total", times, steps * 0.9),
        curve("radiance:decode_tokens_per_second", times, np.where(busy > 0, 50.0 + np.arange(n) % 60, 80.0)),
        curve(RUNNING, times, busy * 2),
        curve("radiance:engine_steps_held_total", times[230:], np.arange(n - 230) + 3.0),
        *buckets(
            "vllm:time_to_first_token_seconds", times, waits, [1.0, 5.0, np.inf], sums=waits.sum(axis=1) * 3
        ),
    ]


def test_a_capture_with_ten_traps_at_once_names_ten() -> None:
    evidence = evidence_of(
        bad_afternoon(), warnings=("store x is down",), stats_page={"taken_ms": 0, "page": {"steps": 5}}
    )
    planted = {
        "counter-reset",
        "counter-dip",
        "transient-zero",
        "late-born-counter",
        "stale-gauge",
        "scrape-gap",
        "spacing-changed",
        "duplicates",
        "histogram-cap",
        "partial-response",
        "stats-since-boot",
    }
    own = {"hidden-reset", "histogram-floor", "quantile-average"}
    assert set(named(evidence)) - own == planted

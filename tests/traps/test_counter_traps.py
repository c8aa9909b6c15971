"""Counters: what restarts, dips, zeros, workers and late births do to them, and what is said."""

from __future__ import annotations

import numpy as np
import pytest
from capture_factory import curve, every, evidence_of, line, named, process_start

from census.model.caveat import Caveat
from census.traps.catalogue import inspect_all

STEPS, DECODE, MIXED = (f"radiance:engine_steps{kind}_total" for kind in ("", "_decode", "_mixed"))
TOKENS, HELD = "radiance:decode_tokens_total", "radiance:engine_steps_held_total"
MINUTES = every(15, 240)
RISING = np.arange(240) * 150.0 + 50_000


def only(caveats: tuple[Caveat, ...], trap: str) -> Caveat:
    (one,) = [caveat for caveat in caveats if caveat.id == f"trap/{trap}"]
    return one


def test_a_plain_restart_gives_490_at_least_and_two_boots_of_ten_a_second() -> None:
    evidence = evidence_of([line(TOKENS, [(0, 1000), (15, 1150), (30, 1300), (45, 40), (60, 190)])])
    timeline = evidence.timeline
    assert timeline.total("decode_tokens") == 490.0
    assert (timeline.frame["decode_tokens"] / timeline.frame["seconds"]).tolist() == [10.0, 10.0, 10.0]
    assert [(boot.first_ms, boot.end_ms) for boot in timeline.boots] == [(0, 30_000), (45_000, 60_000)]
    assert only(inspect_all(evidence), "counter-reset").evidence == {
        "resets": 1,
        "boots": 2,
        "edges": "(1970-01-01T00:00:30Z, 1970-01-01T00:00:45Z]",
        "lower_bound": True,
        "metric": TOKENS,
        "last_minus_first": -810.0,
        "promql_increase": 490.0,
        "increase": 490.0,
    }


def test_a_hidden_restart_is_told_by_the_process_start() -> None:
    times = [1000, 1015, 1030]
    evidence = evidence_of(
        [line(STEPS, [(1000, 100), (1015, 120), (1030, 500)]), process_start(times, [400, 400, 1022])]
    )
    caveat = only(inspect_all(evidence), "hidden-reset")
    assert evidence.timeline.totals["steps"].tolist() == [20.0, 500.0]
    assert evidence.timeline.boots[1].start_ms == 1_022_000
    assert evidence.timeline.frame["steps"].tolist() == [20.0]
    assert (caveat.severity, caveat.evidence["promql_increase"], caveat.evidence["increase"]) == (
        "warning",
        400.0,
        520.0,
    )


def test_without_a_process_start_hidden_resets_cannot_be_excluded() -> None:
    evidence = evidence_of([line(STEPS, [(1000, 100), (1015, 120), (1030, 500)])])
    caveat = only(inspect_all(evidence), "hidden-reset")
    assert caveat.severity == "info"
    assert "hidden resets cannot be excluded" in caveat.summary


@pytest.mark.parametrize(
    ("dips", "depth"),
    [
        pytest.param({100: 1.0}, 1.0, id="one dip of one"),
        pytest.param({40: 2.0, 41: 2.0, 120: 1.0}, 2.0, id="two replicas merged"),
        pytest.param({60: 1e-9}, 1e-9, id="float noise, hard to see"),
    ],
)
def test_a_dip_is_held_at_the_running_maximum_and_counted(dips: dict[int, float], depth: float) -> None:
    values = np.full(240, 50_000.0)
    values[200:] += 600
    for place, down in dips.items():
        values[place] -= down
    evidence = evidence_of([curve(TOKENS, MINUTES, values), curve(STEPS, MINUTES, RISING)])
    (found,) = named(evidence)["counter-dip"]
    assert evidence.timeline.total("decode_tokens") == pytest.approx(600.0)
    assert len(evidence.timeline.boots) == 1
    assert found["deepest"] == pytest.approx(depth, rel=1e-2)
    assert found["invented_by_increase"] > 49_000


@pytest.mark.parametrize(
    "zeros",
    [
        pytest.param([120], id="one scrape"),
        pytest.param([5, 200], id="twice"),
        pytest.param([238], id="at the end"),
    ],
)
def test_a_zero_between_large_values_is_a_bad_sample(zeros: list[int]) -> None:
    values = RISING.copy()
    values[zeros] = 0
    evidence = evidence_of([curve(TOKENS, MINUTES, values), curve(STEPS, MINUTES, RISING / 2)])
    (found,) = named(evidence)["transient-zero"]
    assert evidence.timeline.total("decode_tokens") == RISING[-1] - RISING[0]
    assert found["samples"] == len(zeros)
    assert found["booked_again"] == sum(RISING[place - 1] for place in zeros)
    assert len(evidence.timeline.boots) == 1


@pytest.mark.parametrize(
    "levels",
    [
        pytest.param((0.0, 40_000.0), id="two workers in turn"),
        pytest.param((0.0, 9_000.0, 20_000.0), id="three workers"),
        pytest.param((0.0, 2_500.0), id="two workers that nearly agree"),
    ],
)
def test_workers_in_turn_make_a_counter_unusable(levels: tuple[float, ...]) -> None:
    rng = np.random.default_rng(11)
    offset = np.array(levels)[rng.integers(len(levels), size=240)]
    values = np.arange(240) * 40.0 + 10_000 + offset
    evidence = evidence_of([curve(TOKENS, MINUTES, values)])
    caveat = only(inspect_all(evidence), "alternating-workers")
    assert caveat.severity == "error"
    assert not evidence.timeline.has("decode_tokens")
    assert caveat.evidence["promql_increase"] > 5 * 239 * 40


def test_a_counter_born_late_counts_from_zero_when_the_process_start_is_known() -> None:
    times = every(15, 4, start=90)
    evidence = evidence_of(
        [
            line(STEPS, [(time, 10 * place) for place, time in enumerate(times, start=1)]),
            line(HELD, [(120, 5), (135, 5)]),
            process_start(times, 89.0),
        ]
    )
    (found,) = named(evidence)["late-born-counter"]
    assert (found["increase_without"], found["increase_with"], found["process_start_known"]) == (
        0.0,
        5.0,
        True,
    )


def test_without_a_process_start_the_late_born_counter_has_bounds() -> None:
    times = every(15, 4, start=90)
    steps = line(STEPS, [(time, 1000 + 10 * place) for place, time in enumerate(times, start=1)])
    evidence = evidence_of([steps, line(HELD, [(120, 5), (135, 5)])])
    caveat = only(inspect_all(evidence), "late-born-counter")
    assert caveat.severity == "warning"
    assert (caveat.evidence["increase_without"], caveat.evidence["increase_with"]) == (0.0, 5.0)


def test_a_counter_that_is_old_and_does_not_move_has_increase_zero() -> None:
    times = every(15, 4, start=985)
    evidence = evidence_of(
        [
            curve(HELD, times, [7, 7, 7, 7]),
            curve(STEPS, times, [100, 200, 300, 400]),
            process_start(times, 200.0),
        ]
    )
    assert evidence.timeline.total("held_steps") == 0.0
    assert evidence.timeline.facts.hidden_resets == "excluded"


def test_whole_numbers_stay_whole() -> None:
    evidence = evidence_of([line(MIXED, [(0, 0), (15, 0), (30, 108), (45, 108)])])
    assert evidence.timeline.total("mixed_steps") == 108.0


@pytest.mark.parametrize("at", [3, 120, 230])
def test_a_counter_that_alone_starts_anew_is_no_restart(at: int) -> None:
    values = RISING.copy()
    values[at:] -= values[at] - 10
    others = [
        curve(name, MINUTES, RISING * factor) for name, factor in ((STEPS, 2), (DECODE, 1), (TOKENS, 3))
    ]
    evidence = evidence_of([curve(MIXED, MINUTES, values), *others])
    assert len(evidence.timeline.boots) == 1
    (found,) = named(evidence)["lone-reset"]
    assert found["roles"] == "mixed_steps"


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        pytest.param("vllm_num_preemptions", {}, id="gauge without _total"),
        pytest.param("vllm:generation_tokens", {}, id="colon and no _total"),
        pytest.param("ray_vllm_prompt_tokens", {}, id="through Ray"),
    ],
)
def test_a_counter_typed_gauge_is_read_as_a_counter(name: str, labels: dict[str, str]) -> None:
    evidence = evidence_of(
        [curve(name, MINUTES, RISING, **labels), curve("vllm:num_requests_running", MINUTES, np.ones(240))]
    )
    (found,) = named(evidence)["mistyped-counter"]
    assert found["increase"] == RISING[-1] - RISING[0]
    assert found["naive_gauge_mean"] == pytest.approx(RISING.mean())


def test_created_is_boot_evidence_and_never_a_quantity() -> None:
    evidence = evidence_of(
        [
            curve("vllm:generation_tokens_total", MINUTES, RISING),
            curve("vllm:generation_tokens_created", MINUTES, np.full(240, -3600.0) + 7200),
            curve("vllm:num_requests_running", MINUTES, np.ones(240)),
        ]
    )
    assert [found["read_as"] for found in named(evidence)["mistyped-counter"]] == ["boot evidence"]
    assert evidence.timeline.facts.hidden_resets == "excluded"

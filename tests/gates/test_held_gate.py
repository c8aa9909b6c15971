"""The held gate: four states, bounds, and the exit codes that follow."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from gate_documents import document, engine, steady

from census.errors import CaptureError, ExitCode, InconclusiveError, UsageError
from census.gates.held import judge_held
from census.gates.result import Bounds, EngineVerdict

DEPLOY = 100.0
MIXED = [*steady(40, 100, value=1000, rise=5), *steady(105, 165, value=3, rise=5)]
STARTS = [*steady(40, 100, value=30), *steady(105, 165, value=101)]


def judge(
    roles: dict[str, Any], *, since: float | None = None, start: float = 0, **more: Any
) -> tuple[ExitCode, EngineVerdict]:
    """Judge one engine; return the exit code and its verdict."""
    gate = document(engine(roles, **more), start=start)
    result = judge_held(gate, since="boot" if since is None else round(since * 1000))
    return result.exit_code, result.engines[0]


@pytest.mark.parametrize("since", [DEPLOY, None])
def test_a_counter_born_after_the_deploy_passes_where_the_process_start_is_known(since: float | None) -> None:
    code, verdict = judge(
        {"held_steps": [(120, 5), (135, 5)], "mixed_steps": MIXED, "process_start": STARTS}, since=since
    )
    assert (code, verdict.state, verdict.held) == (0, "moving", Bounds(low=5, high=5))


@pytest.mark.parametrize("since", [DEPLOY, None])
@pytest.mark.parametrize(
    "mixed", [MIXED, steady(40, 165, value=1000, rise=5)], ids=["a restart is seen", "none is seen"]
)
def test_a_counter_born_after_the_deploy_is_inconclusive_without_process_start(
    since: float | None, mixed: Any
) -> None:
    code, verdict = judge({"held_steps": [(120, 5), (135, 5)], "mixed_steps": mixed}, since=since)
    assert (code, verdict.state, verdict.held) == (4, "unknown", Bounds(low=0, high=5))


def test_a_window_that_begins_after_the_new_process_still_counts_from_its_start() -> None:
    code, verdict = judge(
        {"held_steps": [(120, 5), (135, 5)], "mixed_steps": MIXED[4:], "process_start": STARTS[4:]},
        since=DEPLOY,
        start=103,
    )
    assert (code, verdict.held) == (0, Bounds(low=5, high=5))


def test_absent_all_along_is_not_exported_and_never_zero() -> None:
    code, verdict = judge(
        {"mixed_steps": MIXED}, since=DEPLOY, absent={"held_steps": "not found; nearest: x"}
    )
    assert (code, verdict.state, verdict.held) == (4, "not exported", None)
    assert verdict.summary == "not found; nearest: x"


def test_absent_in_the_new_boot_alone_is_not_exported() -> None:
    held = steady(40, 100, value=2, rise=1)
    assert judge({"held_steps": held, "mixed_steps": MIXED})[1].state == "not exported"
    assert judge({"held_steps": held, "mixed_steps": MIXED}, since=DEPLOY)[1].state == "not exported"


def test_a_value_that_was_there_before_the_deploy_is_no_pass() -> None:
    code, verdict = judge(
        {
            "held_steps": steady(985, 1045, value=7),
            "mixed_steps": steady(985, 1045, value=50, rise=2),
            "process_start": steady(985, 1045, value=200),
        },
        since=1000,
        start=500,
    )
    assert (code, verdict.state, verdict.held) == (1, "zero", Bounds(low=0, high=0))
    assert "the process did not restart since: it began 1970-01-01T00:03:20Z" in verdict.evidence


def test_an_old_value_without_opportunity_is_inconclusive() -> None:
    code, verdict = judge(
        {"held_steps": steady(985, 1045, value=7), "mixed_steps": steady(985, 1045, value=50)}, since=1000
    )
    assert (code, verdict.state) == (4, "no opportunity")


def test_a_value_from_before_the_window_is_no_pass_for_its_boot() -> None:
    code, verdict = judge(
        {"held_steps": steady(985, 1045, value=7), "mixed_steps": steady(985, 1045, rise=2)}, start=500
    )
    assert (code, verdict.state, verdict.held) == (4, "unknown", Bounds(low=0, high=7))
    assert "did not move since" in verdict.summary


def test_no_traffic_gives_no_verdict() -> None:
    quiet = {"held_steps": steady(0, 90), "mixed_steps": steady(0, 90, value=50)}
    assert judge(quiet, since=30)[1].state == "no opportunity"
    assert judge(quiet, since=30)[0] == 4


def test_zero_beside_opportunities_fails() -> None:
    code, verdict = judge({"held_steps": steady(0, 90), "mixed_steps": steady(0, 90, rise=7)}, since=30)
    assert (code, verdict.state, verdict.opportunities) == (1, "zero", Bounds(low=21, high=21))


def test_whole_numbers_stay_whole() -> None:
    held = [(0, 0), (15, 0), (30, 108), (45, 108)]
    _, verdict = judge({"held_steps": held, "mixed_steps": steady(0, 60, rise=50)})
    assert verdict.held == Bounds(low=108, high=108)
    assert isinstance(verdict.held.low, int)


def test_a_moment_between_two_scrapes_gives_bounds() -> None:
    roles = {"held_steps": steady(0, 61, rise=10), "mixed_steps": steady(0, 61, rise=10)}
    assert judge(roles, since=20)[1].held == Bounds(low=20, high=30)
    assert judge(roles, since=30)[1].held == Bounds(low=20, high=20)


def test_the_head_of_a_boot_that_was_seen_to_begin_counts() -> None:
    held = [*steady(40, 100), *steady(105, 165, value=4)]
    assert judge({"held_steps": held, "mixed_steps": MIXED})[1].held == Bounds(low=4, high=4)


def test_an_edge_that_lies_across_the_deploy_leaves_the_head_uncertain() -> None:
    held = [*steady(40, 100), *steady(105, 165, value=4)]
    assert judge({"held_steps": held, "mixed_steps": MIXED}, since=DEPLOY)[1].held == Bounds(low=0, high=4)
    assert judge({"held_steps": held, "mixed_steps": MIXED}, since=80)[1].held == Bounds(low=4, high=4)


def test_restarts_since_the_deploy_are_counted_together() -> None:
    held = [*steady(40, 100, rise=1), *steady(105, 165, value=2, rise=1)]
    _, verdict = judge({"held_steps": held, "mixed_steps": MIXED}, since=40)
    assert verdict.held == Bounds(low=8, high=8)
    assert verdict.evidence[0].startswith("1 restart(s) since: 1970-01-01T00:01:45Z")


def test_alternating_workers_are_inconclusive_though_held_stands_at_zero() -> None:
    turns = [1000, 400, 1010, 405, 1020, 410]
    mixed = [(15.0 * place, value) for place, value in enumerate(turns)]
    code, verdict = judge({"held_steps": steady(0, 90), "mixed_steps": mixed})
    assert (code, verdict.state, verdict.held, verdict.opportunities) == (4, "unknown", None, None)
    assert "several workers" in verdict.summary


def test_unknown_opportunities_are_inconclusive_unless_held_moved() -> None:
    code, verdict = judge({"held_steps": steady(0, 90)}, absent={"mixed_steps": "vLLM counts no steps"})
    assert (code, verdict.state) == (4, "unknown")
    assert "vLLM counts no steps" in verdict.summary
    assert judge({"held_steps": steady(0, 90, rise=1)})[0] == 0


def test_no_sample_since_the_deploy_is_inconclusive() -> None:
    code, verdict = judge({"held_steps": steady(0, 90, rise=1), "mixed_steps": MIXED[:2]}, since=5000)
    assert (code, verdict.state) == (4, "unknown")
    assert "no sample since" in verdict.summary


def test_a_partial_answer_is_inconclusive_whatever_it_holds() -> None:
    gate = document(engine({"held_steps": steady(0, 90, rise=1)}), partial=True)
    result = judge_held(gate)
    assert (result.exit_code, result.engines[0].state) == (4, "moving")
    assert "may be partial" in result.engines[0].summary
    assert result.warnings == ("store 3 is down",)


def test_replicas_of_the_counter_are_counted_once() -> None:
    one = steady(0, 90, rise=3)
    other = [(time + 7, value + 1) for time, value in one]
    _, verdict = judge({"held_steps": [({"replica": "a"}, one), ({"replica": "b"}, other)]})
    assert verdict.held == Bounds(low=15, high=15)


@pytest.mark.parametrize(
    ("rises", "code"),
    [((1, 1), 0), ((1, 0), 1), ((1, None), 4), ((0, None), 1)],
    ids=["all pass", "one fails", "one is inconclusive", "failed goes before inconclusive"],
)
def test_of_several_engines_the_worst_counts(rises: tuple[int | None, int | None], code: int) -> None:
    mixed = {"mixed_steps": steady(0, 90, rise=9)}
    engines = [
        engine(mixed if rise is None else {**mixed, "held_steps": steady(0, 90, rise=rise)}, key=f"e{place}")
        for place, rise in enumerate(rises)
    ]
    assert judge_held(document(*engines)).exit_code == code
    assert judge_held(document(*engines), engine="e0").exit_code == (0 if rises[0] else 1)


def test_an_engine_that_is_not_there_is_named_with_the_choices() -> None:
    with pytest.raises(UsageError, match="no engine 'x'; the engines are radiance-0"):
        judge_held(document(engine({})), engine="x")
    with pytest.raises(InconclusiveError, match="no engine was found"):
        judge_held(document())


@pytest.mark.parametrize(
    "gate",
    [
        pytest.param({"format": "census.gate/2"}, id="a newer format"),
        pytest.param({"format": "census.gate/1", "window": {}}, id="no window"),
        pytest.param({**document(engine({})), "engines": [{"key": "x"}]}, id="half an engine"),
    ],
)
def test_a_document_that_is_not_whole_is_refused(gate: dict[str, Any]) -> None:
    with pytest.raises(CaptureError, match="the gate file is"):
        judge_held(gate)


def test_the_gate_needs_no_library() -> None:
    code = (
        "import sys, census.gates.held\n"
        "print([name for name in ('numpy', 'pandas', 'pyarrow', 'requests') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

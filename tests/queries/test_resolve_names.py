"""Names and labels: every spelling is found, nothing is pooled, what is absent is said."""

import math
from pathlib import Path

import numpy as np
import pytest

from census.capture.manifest import EngineEntry
from census.capture.series import Series
from census.errors import UsageError
from census.queries.facts import SeriesFacts, facts_of, facts_of_labels
from census.queries.names import canonical_name, component_of
from census.queries.profile import choose_profiles, load_profiles, parse_profile
from census.queries.resolve import resolve_engines, resolve_series, wanted_names
from census.queries.roles import ROLES

HOST = {"job": "llm", "instance": "host:8000"}
MODEL = {"model_name": "qwen", "engine": "0"}


def facts(
    name: str, *, span: tuple[int, int] | None = None, samples: int | None = None, **labels: str
) -> SeriesFacts:
    first, last = span if span else (None, None)
    return SeriesFacts(labels={"__name__": name, **labels}, first_ms=first, last_ms=last, samples=samples)


def only(*given: SeriesFacts, engine: str = "auto") -> EngineEntry:
    (entry,) = resolve_engines(given, engine=engine)
    return entry


def ids(entry: EngineEntry, role: str) -> list[tuple[int, ...]]:
    binding = entry.binding(role)
    assert binding is not None, f"{role} is absent"
    return [part.series for part in binding.parts]


def reason(entry: EngineEntry, role: str) -> str:
    return next(one.reason for one in entry.absent if one.role == role)


@pytest.mark.parametrize(
    ("spelling", "canonical"),
    [
        ("vllm:x", "vllm:x"),
        ("vllm_x", "vllm:x"),
        ("ray_vllm_x", "vllm:x"),
        ("ray_vllm:x", "vllm:x"),
        ("radiance_engine_steps_total", "radiance:engine_steps_total"),
        ("process_start_time_seconds", "process_start_time_seconds"),
        ("ray_node_cpu", "ray_node_cpu"),
        ("vllmish:x", "vllmish:x"),
    ],
)
def test_a_prefix_is_undone_in_every_spelling(spelling: str, canonical: str) -> None:
    assert canonical_name(spelling, namespaces=["radiance", "vllm"]) == canonical


def test_the_suffix_decides_what_a_name_is() -> None:
    assert component_of("vllm:preempt", wanted="vllm:preempt_total", kind="counter") == "value"
    assert component_of("vllm:running_total", wanted="vllm:running", kind="gauge") is None
    assert (
        component_of(
            "vllm:iteration_tokens_total_sum", wanted="vllm:iteration_tokens_total", kind="histogram"
        )
        == "sum"
    )
    assert (
        component_of("vllm:iteration_tokens_total", wanted="vllm:iteration_tokens_total", kind="histogram")
        is None
    )


def test_every_profile_says_something_of_every_role() -> None:
    for profile in load_profiles():
        spoken = {one.role for one in profile.candidates} | set(profile.absent)
        assert spoken == {role.name for role in ROLES}
        assert len({candidate.names for candidate in profile.candidates_of("running")}) == 1


def test_a_profile_with_an_unknown_key_does_not_load() -> None:
    text = (Path(__file__).parents[2] / "census/queries/profiles/vllm.toml").read_text()
    with pytest.raises(ValueError, match="unknown keys"):
        parse_profile("surprise = 1\n" + text)
    with pytest.raises(ValueError, match="says nothing of \\['uptime'\\]"):
        parse_profile(text.replace("uptime =", "# uptime ="))


def test_an_engine_that_census_does_not_know_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="'radience' is no engine that census knows; did you mean radiance"):
        choose_profiles("radience")


@pytest.mark.parametrize(
    "names",
    [
        ("vllm:num_requests_running", "vllm:num_preemptions_total"),
        ("vllm_num_requests_running", "vllm_num_preemptions_total"),
        ("ray_vllm_num_requests_running", "ray_vllm_num_preemptions_total"),
        ("ray_vllm:num_requests_running", "ray_vllm:num_preemptions"),
        ("vllm:num_requests_running", "vllm:num_preemptions"),
    ],
    ids=["colon", "underscore", "ray", "old ray, no suffix", "no suffix"],
)
def test_vllm_is_found_in_every_spelling(names: tuple[str, str]) -> None:
    entry = only(*(facts(name, **HOST, **MODEL) for name in names))
    assert entry.profile == "vllm"
    assert ids(entry, "running") == [(0,)]
    assert ids(entry, "preemptions") == [(1,)]
    binding = entry.binding("preemptions")
    assert binding is not None
    assert binding.metric == names[1]


def test_radiance_is_not_taken_for_vllm_although_it_speaks_vllm() -> None:
    entry = only(
        facts("vllm:num_requests_running", **HOST, **MODEL),
        facts("radiance:engine_steps_total", **HOST, **MODEL),
        facts("radiance:engine_steps_held_total", **HOST, **MODEL),
        facts("vllm:num_preemptions_total", **HOST, **MODEL),
    )
    assert (entry.profile, entry.key) == ("radiance", "radiance-qwen-0")
    assert entry.labels == {**HOST, **MODEL}
    assert ids(entry, "held_steps") == [(2,)]
    assert ids(entry, "preemptions") == [(3,)]


def test_a_profile_that_the_user_names_is_used_against_the_evidence() -> None:
    given = (
        facts("vllm:num_requests_running", **HOST, **MODEL),
        facts("radiance:engine_steps_total", **HOST, **MODEL),
    )
    assert only(*given, engine="vllm").profile == "vllm"


def test_vllm_beside_radiance_on_another_target_is_its_own_engine() -> None:
    other = {"job": "llm", "instance": "host:9000"}
    entries = resolve_engines(
        [
            facts("radiance:engine_steps_total", **HOST, **MODEL),
            facts("vllm:num_requests_running", **HOST, **MODEL),
            facts("vllm:num_requests_running", **other, **MODEL),
        ]
    )
    assert [(entry.profile, ids(entry, "running")) for entry in entries] == [
        ("radiance", [(1,)]),
        ("vllm", [(2,)]),
    ]


def test_models_and_data_parallel_ranks_are_kept_apart() -> None:
    entries = resolve_engines(
        [
            facts("vllm:num_requests_running", **HOST, model_name=model, engine=engine)
            for model in ("a/b", "c")
            for engine in ("0", "1")
        ]
    )
    assert [entry.key for entry in entries] == ["vllm-a-b-0", "vllm-c-0", "vllm-a-b-1", "vllm-c-1"]
    assert [ids(entry, "running") for entry in entries] == [[(0,)], [(2,)], [(1,)], [(3,)]]


def test_two_hosts_of_one_model_have_different_keys() -> None:
    entries = resolve_engines(
        [facts("vllm:num_requests_running", job="x", instance=f"host{n}:80", **MODEL) for n in (1, 2)]
    )
    assert [entry.key for entry in entries] == ["vllm-x-host1-80-qwen-0", "vllm-x-host2-80-qwen-0"]


@pytest.mark.parametrize(
    "label", ["replica", "prometheus_replica", "__replica__", "pid", "tp_rank", "pp_rank", "receive"]
)
def test_duplicates_stay_in_one_part_whatever_marks_them(label: str) -> None:
    entry = only(
        facts("vllm:num_preemptions_total", samples=5, span=(0, 9), **HOST, **MODEL, **{label: "0"}),
        facts("vllm:num_preemptions_total", samples=9, span=(0, 9), **HOST, **MODEL, **{label: "1"}),
        facts("vllm:num_requests_running", samples=9, span=(0, 9), **HOST, **MODEL),
    )
    assert ids(entry, "preemptions") == [(1, 0)], "one part, the fuller series first"


def test_a_counter_is_preferred_to_its_gauge_twin_and_both_stand_in_one_part() -> None:
    ray = {"ReplicaId": "r", "WorkerId": "w", **HOST, **MODEL}
    entry = only(
        facts("ray_vllm_num_preemptions", samples=9, span=(0, 9), **ray),
        facts("ray_vllm_num_preemptions_total", samples=9, span=(0, 9), **ray),
        facts("ray_vllm_num_requests_running", samples=9, span=(0, 9), **ray),
        facts("process_start_time_seconds", samples=9, span=(0, 9), **HOST),
    )
    assert ids(entry, "preemptions") == [(1, 0)]
    assert reason(entry, "process_start").startswith("not found"), "the agent's start is not the worker's"


def test_a_rename_inside_the_window_is_one_part_newest_name_first() -> None:
    entry = only(
        facts("vllm:gpu_cache_usage_perc", span=(0, 60_000), samples=5, **HOST, **MODEL),
        facts("vllm:kv_cache_usage_perc", span=(75_000, 120_000), samples=4, **HOST, **MODEL),
        facts("vllm:num_requests_running", span=(0, 120_000), samples=9, **HOST, **MODEL),
    )
    assert ids(entry, "kv_usage") == [(1, 0)]
    binding = entry.binding("kv_usage")
    assert binding is not None
    assert binding.metric == "vllm:kv_cache_usage_perc"


def test_an_upgrade_that_adds_the_engine_label_is_no_second_engine() -> None:
    entry = only(
        facts("vllm:num_requests_running", span=(0, 60_000), samples=5, **HOST, model_name="qwen"),
        facts("vllm:num_requests_running", span=(75_000, 120_000), samples=4, **HOST, **MODEL),
    )
    assert ids(entry, "running") == [(0, 1)]


def workers(*spans: tuple[int, int]) -> tuple[EngineEntry, ...]:
    return resolve_engines(
        [
            facts(
                "ray_vllm_num_requests_running", span=span, samples=5, **HOST, **MODEL, WorkerId=f"w{number}"
            )
            for number, span in enumerate(spans)
        ]
    )


def test_a_worker_that_follows_another_is_its_restart_and_one_beside_it_an_engine() -> None:
    (restarted,) = workers((0, 600_000), (600_000, 1_200_000), (1_000_000, 9_000_000))
    assert ids(restarted, "running") == [(0, 1, 2)]
    assert restarted.labels == {**HOST, **MODEL}
    first, second = workers((0, 6_000_000), (600_000, 12_000_000))
    assert (first.labels["WorkerId"], second.labels["WorkerId"]) == ("w0", "w1")
    assert {first.key, second.key} == {"vllm-llm-host-8000-qwen-0-w0", "vllm-llm-host-8000-qwen-0-w1"}


def test_process_start_belongs_to_every_engine_of_its_target_and_to_no_other() -> None:
    entries = resolve_engines(
        [
            facts("vllm:num_requests_running", **HOST, model_name="m", engine="0"),
            facts("vllm:num_requests_running", **HOST, model_name="m", engine="1"),
            facts("process_start_time_seconds", **HOST),
            facts("process_start_time_seconds", job="node", instance="other:9100"),
        ]
    )
    assert [ids(entry, "process_start") for entry in entries] == [[(2,)], [(2,)]]


def test_a_counter_that_several_engines_share_is_nobody_s() -> None:
    entries = resolve_engines(
        [
            facts("vllm:num_requests_running", **HOST, model_name="m", engine="0"),
            facts("vllm:num_requests_running", **HOST, model_name="m", engine="1"),
            facts("vllm:num_preemptions_total", **HOST, model_name="m"),
        ]
    )
    assert [entry.binding("preemptions") for entry in entries] == [None, None]


def test_an_edge_is_a_number_however_it_is_written() -> None:
    hist = "vllm:time_to_first_token_seconds"
    given = [
        facts(f"{hist}_bucket", le=le, **HOST, **MODEL)
        for le in ("0.10000000000000001", "0.1", "1", "1.0", "+Inf", "2.5")
    ]
    entry = only(
        *given,
        facts(f"{hist}_sum", **HOST, **MODEL),
        facts(f"{hist}_count", **HOST, **MODEL),
        facts("vllm:num_requests_running", **HOST, **MODEL),
    )
    binding = entry.binding("ttft")
    assert binding is not None
    assert binding.metric == hist
    assert [(part.component, part.le, set(part.series)) for part in binding.parts] == [
        ("bucket", 0.1, {0, 1}),
        ("bucket", 1.0, {2, 3}),
        ("bucket", 2.5, {5}),
        ("bucket", math.inf, {4}),
        ("count", None, {7}),
        ("sum", None, {6}),
    ]


def test_labels_that_the_profile_declares_are_parts_to_be_added() -> None:
    entry = only(
        facts("vllm:num_requests_running", **HOST, **MODEL),
        *(
            facts("vllm:request_success_total", finished_reason=why, **HOST, **MODEL)
            for why in ("stop", "abort")
        ),
    )
    binding = entry.binding("requests_finished")
    assert binding is not None
    assert [(part.labels, part.series) for part in binding.parts] == [
        ({"finished_reason": "abort"}, (2,)),
        ({"finished_reason": "stop"}, (1,)),
    ]


def test_a_label_selects_the_series_that_answers_the_role() -> None:
    entry = only(
        facts("vllm:num_requests_running", **HOST, **MODEL),
        facts("vllm:prompt_tokens_by_source_total", source="external", **HOST, **MODEL),
        facts("vllm:prompt_tokens_by_source_total", source="local_compute", **HOST, **MODEL),
    )
    assert ids(entry, "prefill_tokens") == [(2,)]
    without = only(
        facts("vllm:num_requests_running", **HOST, **MODEL),
        facts("vllm:prompt_tokens_by_source_total", source="external", **HOST, **MODEL),
    )
    assert reason(without, "prefill_tokens") == (
        "found vllm:prompt_tokens_by_source_total, but not with source=local_compute"
    )


def test_what_is_absent_says_what_was_looked_for_and_what_came_near() -> None:
    (entry,) = resolve_engines(
        [facts("radiance:engine_steps_total", **HOST, **MODEL)],
        names_on_server=["radiance:engine_steps_hold_total", "node_cpu_seconds_total"],
    )
    assert reason(entry, "held_steps") == (
        "not found; looked for radiance:engine_steps_held_total; "
        "nearest on this server: radiance:engine_steps_hold_total"
    )
    vllm = only(facts("vllm:num_requests_running", **HOST, **MODEL))
    assert reason(vllm, "held_steps") == "not exported: vLLM has no counter of held steps"


def test_a_series_without_samples_answers_nothing() -> None:
    entry = only(
        facts("vllm:num_requests_running", samples=4, span=(0, 9), **HOST, **MODEL),
        facts("vllm:num_preemptions_total", samples=0, **HOST, **MODEL),
    )
    assert entry.binding("preemptions") is None


def test_no_engine_is_an_empty_answer_not_a_guess() -> None:
    assert resolve_engines(facts_of_labels([{"__name__": "node_cpu_seconds_total", **HOST}])) == ()


def test_samples_give_the_facts() -> None:
    one = Series(
        labels={"__name__": "radiance:engine_steps_total"},
        times_ms=np.array([5, 7]),
        values=np.array([1.0, 2.0]),
    )
    assert facts_of([one]) == (
        SeriesFacts(labels={"__name__": "radiance:engine_steps_total"}, first_ms=5, last_ms=7, samples=2),
    )
    (entry,) = resolve_series([one])
    assert (entry.key, entry.labels, ids(entry, "steps")) == ("radiance", {}, [(0,)])


def test_the_names_to_ask_for_are_those_that_answer_a_role() -> None:
    on_server = [
        "up",
        "radiance_engine_steps_total",
        "vllm:num_requests_running",
        "vllm:ttft",
        "go_gc",
        "vllm:e2e_request_latency_seconds_bucket",
    ]
    assert wanted_names(on_server) == (
        "radiance_engine_steps_total",
        "vllm:e2e_request_latency_seconds_bucket",
        "vllm:num_requests_running",
    )
    assert wanted_names(["process_start_time_seconds", "vllm:request_success_total"], engine="vllm") == (
        "process_start_time_seconds",
        "vllm:request_success_total",
    )


def test_a_real_vllm_answers_every_role_that_its_version_has() -> None:
    names = (Path(__file__).parent / "vllm_0_32_names.txt").read_text().split()
    given = []
    for name in names:
        extra = {"le": "+Inf"} if name.endswith("_bucket") else {}
        if name == "vllm:prompt_tokens_by_source_total":
            extra = {"source": "local_compute"}
        labels = HOST if name.startswith(("process_", "up")) else {**HOST, **MODEL}
        given.append(facts(name, **labels, **extra))
    entry = only(*given)
    not_found = {one.role for one in entry.absent if one.reason.startswith(("not found", "found"))}
    assert not_found == {
        "drafts",
        "draft_tokens",
        "draft_accepted",
        "prefill_rate_gauge",
        "decode_rate_gauge",
    }
    assert {binding.role: binding.clock for binding in entry.roles if binding.clock != "step"} == {
        "prefill_tokens": "first_token",
        "prompt_tokens": "first_token",
        "cached_tokens": "first_token",
        "ttft": "first_token",
        "process_start": "static",
        **dict.fromkeys(
            ("requests_finished", "request_prompt_tokens", "request_generation_tokens", "request_tpot"),
            "request",
        ),
        **dict.fromkeys(("e2e", "queue_time", "prefill_time", "decode_time"), "request"),
    }

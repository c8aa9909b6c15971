"""census doctor: which engine, which findings, what to change; and its exit codes."""

from __future__ import annotations

import json

import pytest
from capture_factory import curve, every
from live_prometheus import PrometheusFactory

from census.cli import run
from census.simulate.engine import simulate
from census.simulate.expose_radiance import radiance_series
from census.simulate.worlds import shared_step

EPOCH_S = 1_795_824_000


def radiance(prometheus: PrometheusFactory, *, interval_s: float) -> str:
    return prometheus(radiance_series(simulate(shared_step(hours=1.0, scrape_interval_s=interval_s), 5)))


@pytest.mark.live
def test_a_coarse_scrape_is_advised_to_be_finer(
    prometheus: PrometheusFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    address = radiance(prometheus, interval_s=60.0)
    assert run(["doctor", "--prometheus", address, "--end", "2026-10-18T21:00:00Z", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (engine,) = document["engines"]
    assert document["backend"]["kind"] == "prometheus"
    assert (engine["profile"], engine["scrape_interval_s"]) == ("radiance", 60.0)
    assert {row["finding"]: row["possible"] for row in engine["findings"]} == {
        "step-phases": "yes",
        "decode-under-prefill": "yes",
        "pending": "yes",
        "lag-structure": "yes",
        "mechanism": "yes",
        "arrival-wait": "in part",
        "protection-meter": "yes",
        "preemptions": "yes",
        "ladder": "yes",
    }
    assert engine["power"]["wanted_s"] == 15.0
    quiet = [row["quiet_share"] for row in engine["power"]["rows"]]
    assert quiet == sorted(quiet, reverse=True)
    assert "scrape_interval: 15s" in engine["prometheus_config"]
    assert "every 15 s instead of 60 s" in engine["advice"][0]
    assert not [row for row in engine["caveats"] if row["severity"] != "info"]


@pytest.mark.live
def test_a_fine_scrape_needs_no_change(
    prometheus: PrometheusFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    address = radiance(prometheus, interval_s=5.0)
    assert run(["doctor", "--prometheus", address, "--end", "2026-10-18T21:00:00Z"]) == 0
    said = capsys.readouterr().out
    assert "every 5 s (now): tells lingering from 10 s on" in said
    assert "scrape_configs" not in said


@pytest.mark.live
def test_an_engine_without_step_classes_is_told_what_it_cannot_say(
    prometheus: PrometheusFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    times = every(15, 120, start=EPOCH_S)
    names = ("vllm:generation_tokens_total", "vllm:prompt_tokens_total")
    series = [curve(name, times, [float(place * 600) for place in range(120)]) for name in names]
    series.append(curve("vllm:num_requests_running", times, [2.0] * 120))
    address = prometheus(series)
    end = str(EPOCH_S + 1800)
    assert run(["doctor", "--prometheus", address, "--end", end, "--json"]) == 0
    (engine,) = json.loads(capsys.readouterr().out)["engines"]
    prospects = {row["finding"]: (row["possible"], row["reason"]) for row in engine["findings"]}
    assert prospects["step-phases"][0] == "no"
    assert "vLLM does not count steps" in prospects["step-phases"][1]
    assert prospects["protection-meter"] == ("no", "not exported: vLLM has no counter of held steps")
    assert prospects["mechanism"][0] == "in part"
    assert "cache hits included" in prospects["decode-under-prefill"][1]


@pytest.mark.live
def test_no_engine_and_no_sample_are_inconclusive(
    prometheus: PrometheusFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    times = every(15, 20, start=EPOCH_S)
    address = prometheus([curve("node_load1", times, [1.0] * 20)])
    assert run(["doctor", "--prometheus", address, "--end", str(EPOCH_S + 300)]) == 4
    assert "no engine found" in capsys.readouterr().err
    assert run(["doctor", "--prometheus", radiance(prometheus, interval_s=60.0)]) == 4
    assert "the last one before it" in capsys.readouterr().err


def test_an_unreachable_server_is_a_source_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--prometheus", "http://127.0.0.1:9"]) == 3
    assert "refused" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--hours", "0"], ["--end", "2026-11-28T12:00:00"], ["--engine", "vlm"], ["--match", "{job="]]
)
def test_wrong_words_are_usage(words: list[str]) -> None:
    assert run(["doctor", "--prometheus", "http://127.0.0.1:9", *words]) == 2

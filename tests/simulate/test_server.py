"""The simulated server answers as a Prometheus and an engine would."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families

from census.capture.series import Series
from census.simulate.engine import simulate
from census.simulate.expose_radiance import radiance_series
from census.simulate.founding import founding
from census.simulate.run import Run
from census.simulate.sample_store import time_text, value_texts
from census.simulate.server import clock_at, serve
from census.simulate.worlds import two_engines


@pytest.fixture(scope="module")
def run() -> Run:
    return simulate(founding(hours=4.0), 3)


@pytest.fixture(scope="module")
def address(run: Run) -> Iterator[str]:
    with serve([run], now_ms=clock_at(run.end_ms - 60_000)) as url:
        yield url


def get(address: str, path: str, **parameters: str) -> tuple[int, bytes]:
    query = f"?{urllib.parse.urlencode(parameters)}" if parameters else ""
    return _open(urllib.request.Request(address + path + query))


def post(address: str, path: str, **parameters: str) -> tuple[int, bytes]:
    return _open(urllib.request.Request(address + path, data=urllib.parse.urlencode(parameters).encode()))


def _open(request: urllib.request.Request) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def data(answer: tuple[int, bytes]) -> Any:
    status, body = answer
    document = json.loads(body)
    assert (status, document["status"]) == (200, "success"), document
    return document["data"]


def seconds(time_ms: int) -> str:
    return f"{time_ms // 1000}.{time_ms % 1000:03d}"


def test_a_range_selector_gives_every_raw_sample_bit_for_bit(run: Run, address: str) -> None:
    answer = data(
        post(address, "/api/v1/query", query='{job="radiance"}[14400001ms]', time=seconds(run.end_ms))
    )
    assert answer["resultType"] == "matrix"
    found = {tuple(sorted(row["metric"].items())): row["values"] for row in answer["result"]}
    planted = radiance_series(run)
    assert len(found) == len(planted)
    for one in planted:
        rows = found[tuple(sorted(one.labels.items()))]
        times = np.rint(np.array([row[0] for row in rows]) * 1000).astype(np.int64)
        assert np.array_equal(times, one.times_ms)
        assert np.array_equal(np.array([float(row[1]) for row in rows]), one.values)


def test_get_and_post_give_the_same(run: Run, address: str) -> None:
    question = {"query": "radiance:engine_steps_total[1h]", "time": seconds(run.end_ms)}
    assert get(address, "/api/v1/query", **question) == post(address, "/api/v1/query", **question)


def test_both_edges_of_a_range_belong_to_it(run: Run, address: str) -> None:
    """Prometheus 2 counts a sample that lies exactly on the left edge."""
    first, last = int(run.scrape_ms[10]), int(run.scrape_ms[16])
    question = f"radiance:engine_steps_total[{last - first}ms]"
    rows = data(get(address, "/api/v1/query", query=question, time=seconds(last)))["result"]
    assert len(rows[0]["values"]) == 7
    question = f"radiance:engine_steps_total[{last - first - 1}ms]"
    rows = data(get(address, "/api/v1/query", query=question, time=seconds(last)))["result"]
    assert len(rows[0]["values"]) == 6


def test_an_instant_looks_back_five_minutes_and_no_further(run: Run, address: str) -> None:
    edge = int(run.scrape_ms[-1])
    question = {"query": "radiance:engine_steps_total"}
    (row,) = data(get(address, "/api/v1/query", **question, time=seconds(edge + 299_000)))["result"]
    assert row["value"][0] == (edge + 299_000) / 1000
    late = data(get(address, "/api/v1/query", **question, time=seconds(edge + 301_000)))
    assert late == {"resultType": "vector", "result": []}


def test_count_over_time_counts_and_drops_the_name(run: Run, address: str) -> None:
    question = "count_over_time(radiance:engine_steps_total[1h])"
    (row,) = data(get(address, "/api/v1/query", query=question, time=seconds(run.end_ms)))["result"]
    within = run.scrape_ms >= run.end_ms - 3_600_000
    assert row["value"][1] == str(int(within.sum()))
    assert "__name__" not in row["metric"]


def test_names_and_series_are_those_alive_in_the_span(run: Run, address: str) -> None:
    names = data(get(address, "/api/v1/label/__name__/values"))
    assert names == sorted({one.name for one in radiance_series(run)})
    early = data(get(address, "/api/v1/label/__name__/values", start="0", end="1000"))
    assert early == []
    labels = data(get(address, "/api/v1/series", **{"match[]": '{__name__=~"radiance:engine_steps_.*"}'}))
    assert len(labels) == 6
    span = {"start": seconds(run.end_ms), "end": "2026-12-01T00:00:00Z"}
    after = data(get(address, "/api/v1/series", **{"match[]": "radiance:engine_steps_total"}, **span))
    assert after == []


@pytest.mark.parametrize(
    ("path", "parameters", "words"),
    [
        ("/api/v1/query", {}, 'invalid parameter "query": 1:1: parse error: no expression found in input'),
        (
            "/api/v1/query",
            {"query": "up", "time": "soon"},
            "Invalid time value for 'time': cannot parse \"soon\" to a valid timestamp",
        ),
        ("/api/v1/query", {"query": "x{"}, "parse error"),
        ("/api/v1/series", {}, "no match[] parameter provided"),
        ("/api/v1/series", {"match[]": "{"}, 'invalid parameter "match[]"'),
        ("/api/v1/series", {"match[]": "x[5m]"}, "unexpected"),
    ],
)
def test_bad_questions_get_prometheus_own_error(
    address: str, path: str, parameters: dict[str, str], words: str
) -> None:
    status, body = get(address, path, **parameters)
    document = json.loads(body)
    assert (status, document["status"], document["errorType"]) == (400, "error", "bad_data")
    assert words in document["error"]


def test_an_unknown_path_is_not_found(address: str) -> None:
    assert get(address, "/api/v1/nothing")[0] == 404
    assert get(address, "/")[0] == 404


def test_the_status_pages_say_what_a_pull_asks(address: str) -> None:
    assert data(get(address, "/api/v1/status/buildinfo"))["version"] == "2.42.0"
    assert data(get(address, "/api/v1/status/flags"))["query.lookback-delta"] == "5m"
    assert data(get(address, "/api/v1/status/runtimeinfo"))["storageRetention"] == "100y"
    (target,) = data(get(address, "/api/v1/targets"))["activeTargets"]
    assert target["scrapeInterval"] == "15s"
    assert target["labels"] == {"instance": "127.0.0.1:8000", "job": "radiance"}


def test_the_metrics_page_agrees_with_stats_at_the_virtual_now(address: str) -> None:
    text = get(address, "/metrics")[1].decode()
    page = {
        sample.name: sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    stats = json.loads(get(address, "/stats")[1])
    health = json.loads(get(address, "/health")[1])
    assert page["radiance:engine_steps_total"] == stats["steps"]
    assert page["radiance:engine_steps_mixed_total"] == stats["steps_mixed"]
    assert page["vllm:num_preemptions_total"] == stats["preemptions"]
    assert page["radiance:http_queue_depth"] == stats["in_flight"] == health["in_flight"]
    assert page["radiance:engine_step_seconds_total"] == pytest.approx(stats["step_ns"] / 1e9)
    assert len(stats["requests"]) == stats["in_flight"]
    states = [row["state"] for row in stats["requests"]]
    assert len(states) - states.count("waiting") == stats["running"]
    assert health["status"] == "ok"


def test_nothing_answers_while_the_process_is_down(run: Run) -> None:
    down = run.world.epoch_ms + round((run.boots[0].end_s + 30.0) * 1000)
    with serve([run], series=[], now_ms=clock_at(down)) as url:
        assert [get(url, path)[0] for path in ("/metrics", "/stats", "/health")] == [503, 503, 503]


def test_a_virtual_clock_runs_as_fast_as_asked(run: Run) -> None:
    with serve([run], series=[], now_ms=clock_at(run.start_ms + 60_000, speed=3_600.0)) as url:
        first = json.loads(get(url, "/stats")[1])
        second = first
        for _ in range(200):
            second = json.loads(get(url, "/stats")[1])
            if second["steps"] > first["steps"]:
                break
    assert second["steps"] > first["steps"]
    assert second["uptime_s"] > first["uptime_s"]


def test_two_engines_of_one_target_stand_on_one_page_family_by_family() -> None:
    runs = [simulate(world, 1) for world in two_engines(hours=0.5)]
    with serve(runs) as url:
        text = get(url, "/metrics")[1].decode()
    types = [line for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(types) == len(set(types))
    assert text.count("\nradiance:engine_steps_total{") == 2


def test_values_are_written_in_shortest_decimals_without_exponent() -> None:
    values = np.array([1.0, 0.1, 1e-7, 1.7976931348623157e308, np.inf, -np.inf, np.nan, 2.0**60])
    texts = value_texts(values)
    assert texts[:3] == ["1", "0.1", "0.0000001"]
    assert texts[4:7] == ["+Inf", "-Inf", "NaN"]
    assert [float(texts[place]) for place in (3, 7)] == [values[3], values[7]]
    assert not any("e" in text for text in texts)
    assert [time_text(time) for time in (1_000, 1_500, 1_001)] == ["1", "1.5", "1.001"]


def test_label_values_are_quoted_as_json() -> None:
    odd = Series(
        labels={"__name__": "x", "path": 'C:\\a "b"'},
        times_ms=np.array([1_000_000], dtype=np.int64),
        values=np.array([1.0]),
    )
    run = simulate(founding(hours=0.5), 3)
    with serve([run], series=[odd]) as url:
        (row,) = data(get(url, "/api/v1/query", query="x[1h]", time="1000"))["result"]
    assert row == {"metric": dict(odd.labels), "values": [[1000, "1"]]}

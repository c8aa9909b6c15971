"""OpenMetrics files hold every sample, a file a block, and a real Prometheus gives all of them back."""

from __future__ import annotations

import json
import re
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from live_prometheus import PrometheusFactory
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from census.capture.series import Series
from census.simulate.engine import simulate
from census.simulate.expose_radiance import radiance_series
from census.simulate.founding import founding
from census.simulate.openmetrics import BLOCK_MS, family_of, write_openmetrics
from census.simulate.server import serve as serve_simulated


def plain(name: str, times_ms: list[int], values: list[float], **labels: str) -> Series:
    return Series(
        labels={"__name__": name, **labels},
        times_ms=np.array(times_ms, dtype=np.int64),
        values=np.array(values),
    )


def test_a_file_reads_as_open_metrics(tmp_path: Path) -> None:
    series = [
        plain("x_total", [1_000, 2_500], [1.0, 2.0], job="a"),
        plain("x_total", [1_000], [5.0], job='b"\\\n'),
        plain("depth", [1_001], [0.1], job="a"),
    ]
    (path,) = write_openmetrics(series, tmp_path)
    families = list(text_string_to_metric_families(path.read_text()))
    assert [(family.name, family.type) for family in families] == [("depth", "gauge"), ("x", "counter")]
    samples = [
        (sample.name, sample.labels, sample.value, float(sample.timestamp))
        for family in families
        for sample in family.samples
    ]
    assert samples == [
        ("depth", {"job": "a"}, 0.1, 1.001),
        ("x_total", {"job": "a"}, 1.0, 1.0),
        ("x_total", {"job": "a"}, 2.0, 2.5),
        ("x_total", {"job": 'b"\\\n'}, 5.0, 1.0),
    ]


def test_files_are_cut_at_two_hours_and_lose_nothing(tmp_path: Path) -> None:
    run = simulate(founding(hours=2.5), 3)
    series = radiance_series(run)
    paths = write_openmetrics(series, tmp_path)
    assert len(paths) == (run.end_ms - 1) // BLOCK_MS - run.start_ms // BLOCK_MS + 1
    count = 0
    for place, path in enumerate(paths):
        text = path.read_text()
        assert text.endswith("# EOF\n")
        begin = (run.start_ms // BLOCK_MS + place) * BLOCK_MS
        times = [float(found) * 1000 for found in re.findall(r" ([0-9]+\.[0-9]{3})$", text, re.MULTILINE)]
        assert begin <= min(times) <= max(times) < begin + BLOCK_MS
        count += len(times)
    assert count == sum(one.values.size for one in series)


def test_families_are_told_from_names() -> None:
    assert [family_of(name) for name in ("a_total", "a_bucket", "a_sum", "a_count", "a")] == [
        ("a", "counter"),
        ("a", "histogram"),
        ("a", "histogram"),
        ("a", "histogram"),
        ("a", "gauge"),
    ]


def test_no_series_make_no_file(tmp_path: Path) -> None:
    assert write_openmetrics([], tmp_path) == ()


@pytest.mark.live
def test_a_real_prometheus_and_the_simulated_one_give_the_same_answers(prometheus: PrometheusFactory) -> None:
    run = simulate(founding(hours=5.0), 3)
    series = radiance_series(run)
    end = f"{run.end_ms // 1000}.{run.end_ms % 1000:03d}"
    edge_ms = int(run.scrape_ms[40])
    questions: list[tuple[str, dict[str, str]]] = [
        ("/api/v1/query", {"query": '{job="radiance"}[18000001ms]', "time": end}),
        ("/api/v1/query", {"query": '{__name__=~"(radiance|vllm):.*",engine="0"}[90m]', "time": end}),
        (
            "/api/v1/query",
            {"query": "radiance:engine_steps_total[90s]", "time": f"{edge_ms // 1000}.{edge_ms % 1000:03d}"},
        ),
        ("/api/v1/query", {"query": "count_over_time(vllm:num_preemptions_total[5h])", "time": end}),
        ("/api/v1/query", {"query": 'radiance:http_responses_total{class!~"4.."}', "time": end}),
        ("/api/v1/query", {"query": 'radiance:http_responses_total{class!="2xx",nothing=""}', "time": end}),
        ("/api/v1/query", {"query": "nothing_of_the_kind[1h]", "time": end}),
        ("/api/v1/query", {"query": ""}),
        ("/api/v1/query", {"query": '{job=""}'}),
        ("/api/v1/query", {"query": "radiance:engine_steps_total", "time": "soon"}),
        ("/api/v1/series", {}),
        ("/api/v1/series", {"match[]": '{__name__=~".*preempt.*"}', "start": "0", "end": end}),
        ("/api/v1/label/__name__/values", {"start": "0", "end": end}),
    ]
    real = prometheus(series)
    with serve_simulated([run]) as simulated:
        for path, parameters in questions:
            told, heard = (_ask(address + path, parameters) for address in (real, simulated))
            assert heard == told, (path, parameters)


def _ask(url: str, parameters: dict[str, str]) -> tuple[int, Any]:
    """Return status and document of an answer, its rows in the order of their labels."""
    try:
        with urllib.request.urlopen(f"{url}?{urllib.parse.urlencode(parameters)}", timeout=60) as answer:
            status, document = answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            status, document = error.code, json.load(error)
    rows = document.get("data")
    if isinstance(rows, dict):
        rows["result"].sort(key=lambda row: sorted(row["metric"].items()))
    if isinstance(rows, list) and rows and isinstance(rows[0], dict):
        rows.sort(key=lambda row: sorted(row.items()))
    return status, document

"""What a real Prometheus gives is what was put in: every sample, once, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from live_prometheus import PrometheusFactory

from census.capture.hashing import canonical_sha256
from census.capture.series import Series
from census.errors import InconclusiveError, UsageError
from census.model.window import Window, rfc3339
from census.queries.plan import plan_queries
from census.queries.promql import parse_matchers
from census.sources.connection import Access, Connection
from census.sources.discover import discover, expected_samples
from census.sources.fetch import Fetched, fetch
from census.sources.live_gate import fetch_gate
from census.sources.prometheus import PrometheusCatalogue

pytestmark = pytest.mark.live

T0 = 1_795_827_554_173
HOURS_48 = 172_800_000
HOST = {"job": "llm", "instance": "gpu:8000", "model_name": 'q"uo\\te/x', "engine": "0"}


def counter(name: str, times: np.ndarray, *, seed: int = 0, **labels: str) -> Series:
    rng = np.random.default_rng(seed)
    values = np.cumsum(rng.random(times.size) * 100).round(seed % 3)
    return Series(labels={"__name__": name, **HOST, **labels}, times_ms=times, values=values)


@pytest.fixture(scope="module")
def planted() -> tuple[Series, ...]:
    """48 h at 15 s, 11,521 scrapes, one engine with jitter, a NaN, a late series, another target."""
    rng = np.random.default_rng(7)
    regular = T0 + 15_000 * np.arange(11_521, dtype=np.int64)
    jittered = regular + rng.integers(0, 900, size=regular.size)
    late = regular[8000:]
    gauge = rng.normal(size=regular.size)
    gauge[17] = np.nan
    return (
        counter("radiance:engine_steps_total", regular),
        counter("radiance:engine_steps_mixed_total", regular, seed=1),
        counter("radiance:decode_tokens_total", regular, seed=2),
        counter("radiance:engine_steps_held_total", late, seed=3),
        Series(labels={"__name__": "vllm:num_requests_running", **HOST}, times_ms=regular, values=gauge),
        counter("radiance:engine_steps_total", jittered, seed=4, engine="1"),
        counter("process_start_time_seconds", regular[:50], job="node", instance="other:9100"),
        counter("node_cpu_seconds_total", regular[:50], job="node", instance="other:9100"),
    )


@pytest.fixture(scope="module")
def server(prometheus: PrometheusFactory, planted: tuple[Series, ...]) -> str:
    return prometheus(planted)


def pull(url: str, window: Window, *, samples_per_query: int = 600_000, match: str | None = None) -> Fetched:
    with Connection(Access(url=url)) as connection:
        catalogue = PrometheusCatalogue(connection)
        found = discover(
            catalogue, window=window, matchers=parse_matchers(match) if match else (), engine="auto"
        )
        expected = expected_samples(catalogue, found, window=window)
        plan = plan_queries(
            expected, window=window, matchers=found.matchers, samples_per_query=samples_per_query
        )
        return fetch(plan, connection, on_progress=lambda _: None)


def clipped(series: tuple[Series, ...], window: Window) -> list[Series]:
    kept = []
    for one in series:
        inside = (one.times_ms >= window.start_ms) & (one.times_ms < window.end_ms)
        if inside.any():
            kept.append(Series(labels=one.labels, times_ms=one.times_ms[inside], values=one.values[inside]))
    return kept


WHOLE = Window(start_ms=T0, end_ms=T0 + HOURS_48 + 1000)


@pytest.mark.parametrize("samples_per_query", [600_000, 3_000], ids=["in one question", "in many windows"])
def test_48_hours_at_15_s_come_whole_once_each(
    server: str, planted: tuple[Series, ...], samples_per_query: int
) -> None:
    fetched = pull(server, WHOLE, samples_per_query=samples_per_query)
    assert canonical_sha256(fetched.series) == canonical_sha256(planted[:6])
    assert fetched.series[0].times_ms.size == 11_521
    assert fetched.warnings == ()


@pytest.mark.parametrize("end_ms", [T0 + 900_000, T0 + 900_001], ids=["end on a sample", "end behind it"])
def test_the_start_is_in_and_the_end_is_out(server: str, planted: tuple[Series, ...], end_ms: int) -> None:
    window = Window(start_ms=T0, end_ms=end_ms)
    fetched = pull(server, window)
    assert canonical_sha256(fetched.series) == canonical_sha256(clipped(planted[:6], window))


def test_adjacent_windows_hold_every_sample_of_both_once(server: str, planted: tuple[Series, ...]) -> None:
    cut = T0 + 15_000 * 700
    first = pull(server, Window(start_ms=T0, end_ms=cut)).series[0]
    second = pull(server, Window(start_ms=cut, end_ms=WHOLE.end_ms)).series[0]
    joined = np.concatenate([first.times_ms, second.times_ms])
    assert joined.tolist() == planted[0].times_ms.tolist()


def test_a_server_with_a_low_limit_is_asked_in_pieces_and_gives_the_same(
    prometheus: PrometheusFactory, planted: tuple[Series, ...]
) -> None:
    window = Window(start_ms=T0, end_ms=T0 + 6 * 3_600_000)
    some = clipped(planted[:2], window)
    limited = prometheus(some, flags=["--query.max-samples=900"])
    fetched = pull(limited, window)
    assert canonical_sha256(fetched.series) == canonical_sha256(some)
    assert any("asked for in pieces" in one for one in fetched.warnings)


def test_discovery_keeps_engines_apart_and_leaves_other_targets_alone(server: str) -> None:
    with Connection(Access(url=server)) as connection:
        catalogue = PrometheusCatalogue(connection)
        assert catalogue.backend()["kind"] == "prometheus"
        found = discover(catalogue, window=WHOLE, matchers=(), engine="auto")
        expected = expected_samples(catalogue, found, window=WHOLE)
    assert [(one.profile, one.labels["engine"]) for one in found.engines] == [
        ("radiance", "0"),
        ("radiance", "1"),
    ]
    assert found.engines[0].binding("process_start") is None
    assert {name for name, _ in expected} == {one.name for one in pull(server, WHOLE).series}
    assert {count for _, count in expected} == {11_521}


def test_a_matcher_narrows_and_values_may_hold_anything(server: str) -> None:
    fetched = pull(server, WHOLE, match=r'{engine="1",model_name="q\"uo\\te/x"}')
    assert [one.labels["engine"] for one in fetched.series] == ["1"]


def explained(url: str, window: Window, **how: str) -> InconclusiveError:
    with pytest.raises(InconclusiveError) as caught, Connection(Access(url=url)) as connection:
        matchers = parse_matchers(how["match"]) if "match" in how else ()
        discover(
            PrometheusCatalogue(connection),
            window=window,
            matchers=matchers,
            engine=how.get("engine", "auto"),
        )
    return caught.value


def test_a_window_before_or_after_the_data_says_where_the_data_lies(server: str) -> None:
    before = explained(server, Window(start_ms=T0 - 90_000_000, end_ms=T0 - 80_000_000))
    assert f"the first one after it is at {rfc3339(T0 // 1000 * 1000)}" in str(before)
    after = explained(server, Window(start_ms=T0 + HOURS_48 + 50_000_000, end_ms=T0 + HOURS_48 + 60_000_000))
    assert "the last one before it is at " in str(after)
    assert rfc3339((T0 + HOURS_48) // 60_000 * 60_000)[:16] in str(after)


def test_no_engine_says_what_was_looked_for_and_what_came_near(server: str) -> None:
    none = explained(server, WHOLE, match='{job="node"}')
    assert str(none).startswith('no engine found under {job="node"}; looked for radiance:*, vllm:')
    assert "2 other metric names on this server" in str(none)


def test_an_expression_that_the_server_refuses_is_a_usage_error_with_its_words(server: str) -> None:
    with (
        pytest.raises(UsageError, match=r"the server refuses --match: .*missing closing \)"),
        Connection(Access(url=server)) as connection,
    ):
        discover(
            PrometheusCatalogue(connection),
            window=WHOLE,
            matchers=parse_matchers('{job=~"("}'),
            engine="auto",
        )


def test_the_live_gate_document_holds_the_same_samples(server: str, planted: tuple[Series, ...]) -> None:
    window = Window(start_ms=T0 + HOURS_48 - 3_600_000, end_ms=WHOLE.end_ms)
    with Connection(Access(url=server)) as connection:
        document = fetch_gate(connection, window=window, matchers=parse_matchers('{engine="0"}'))
    (engine,) = document["engines"]
    held = clipped(planted[3:4], window)[0]
    assert engine["roles"]["held_steps"] == {
        "metric": "radiance:engine_steps_held_total",
        "series": [
            {
                "part": 0,
                "labels": dict(held.labels),
                "times_ms": held.times_ms.tolist(),
                "values": held.values.tolist(),
            }
        ],
    }
    assert set(engine["roles"]) == {"held_steps", "mixed_steps", "steps", "decode_tokens"}
    assert engine["absent"]["process_start"].startswith("not found; looked for process_start_time_seconds")
    assert document["window"] == {"start_ms": window.start_ms, "end_ms": window.end_ms}

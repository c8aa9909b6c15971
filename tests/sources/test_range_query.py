"""A window is asked for as the server can bear it, joined without loss, or given up by the metric's name."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from loopback_server import Reply, Request, api, api_error, loopback

from census.errors import ExitCode, SourceError
from census.model.window import Window
from census.queries.plan import plan_queries
from census.sources.connection import Access, Connection
from census.sources.fetch import Fetched, fetch

START_S = 1_795_827_554
WINDOW = Window(start_ms=START_S * 1000, end_ms=START_S * 1000 + 160_000)


class Samples:
    """A server of one series with a sample each 10 s; ``left_open`` as Prometheus 3 is."""

    def __init__(
        self, *, left_open: bool = False, refuse: Sequence[Reply] = (), most_ms: int | None = None
    ) -> None:
        self.left_open = left_open
        self.refuse = list(refuse)
        self.most_ms = most_ms
        self.asked: list[tuple[float, int]] = []

    def __call__(self, request: Request) -> Reply:
        assert (request.method, request.path) == ("POST", "/api/v1/query")
        found = re.fullmatch(r'\{__name__="m"\}\[(\d+)ms\]', request.form["query"])
        assert found
        length = int(found.group(1))
        assert re.fullmatch(r"\d+\.\d{3}", request.form["time"])
        end = round(float(request.form["time"]) * 1000)
        self.asked.append((end - WINDOW.start_ms, length))
        if self.refuse:
            return self.refuse.pop(0)
        if self.most_ms is not None and length > self.most_ms:
            return api_error(422, "execution", "query processing would load too many samples into memory")
        times = [
            time
            for time in range(WINDOW.start_ms - 100_000, WINDOW.end_ms + 100_000, 10_000)
            if end - length <= time <= end and not (self.left_open and time == end - length)
        ]
        values = [[time / 1000, str(time // 10_000 % 1000)] for time in times]
        return api({"resultType": "matrix", "result": [{"metric": {"__name__": "m"}, "values": values}]})


def pull(server: object, *, samples_per_query: int = 10_000) -> Fetched:
    plan = plan_queries([("m", 16)], window=WINDOW, matchers={"m": ()}, samples_per_query=samples_per_query)
    told: list[int] = []
    with loopback(server) as url, Connection(Access(url=url, read_timeout_s=2)) as connection:  # type: ignore[arg-type]
        fetched = fetch(plan, connection, on_progress=told.append)
    assert sum(told) == 16
    return fetched


ALL = [WINDOW.start_ms + 10_000 * number for number in range(16)]


@pytest.mark.parametrize("left_open", [False, True], ids=["closed left edge", "open left edge"])
@pytest.mark.parametrize("pieces", [1, 2, 3, 16])
def test_every_sample_comes_once_on_both_kinds_of_server(left_open: bool, pieces: int) -> None:
    server = Samples(left_open=left_open)
    fetched = pull(server, samples_per_query=-(-16 // pieces))
    assert len(server.asked) == pieces
    assert fetched.series[0].times_ms.tolist() == ALL
    assert fetched.warnings == ()


def test_the_whole_window_is_one_question_whose_text_is_kept() -> None:
    fetched = pull(Samples())
    assert (
        fetched.queries == ('{__name__="m"}[160001ms] @ 2026-11-28T01:01:54Z',) or len(fetched.queries) == 1
    )
    assert fetched.queries[0].startswith('{__name__="m"}[160001ms] @ ')
    assert fetched.way == "instant query with a range selector"


def test_a_window_that_is_too_big_is_halved_from_there_on() -> None:
    server = Samples(most_ms=45_000)
    fetched = pull(server)
    assert fetched.series[0].times_ms.tolist() == ALL
    assert [length for _, length in server.asked] == [160_001, 80_001, 40_001, 40_001, 40_001, 40_001]
    assert len(fetched.warnings) == 2
    assert "m: asked for in pieces of 80 s" in fetched.warnings[0]


def test_halving_is_bounded_and_the_error_names_the_metric_and_the_words() -> None:
    server = Samples(most_ms=0)
    with pytest.raises(SourceError) as caught:
        pull(server)
    assert len(server.asked) == 9
    assert str(caught.value).startswith("m from 20")
    assert "would load too many samples" in str(caught.value)
    assert "narrow it with --match" in str(caught.value)
    assert caught.value.exit_code is ExitCode.SOURCE


@pytest.mark.parametrize("status", [503, 504])
def test_a_server_out_of_time_is_asked_for_a_half_once(status: int) -> None:
    slow = api_error(status, "timeout", "query timed out in expression evaluation")
    server = Samples(refuse=[slow])
    assert pull(server).series[0].times_ms.tolist() == ALL
    assert [length for _, length in server.asked] == [160_001, 80_001, 80_001]
    server = Samples(refuse=[slow, slow])
    with pytest.raises(SourceError, match=r"m from .*query timed out in expression evaluation"):
        pull(server)
    assert len(server.asked) == 2


def test_a_broken_connection_is_tried_once_more() -> None:
    cut = Reply(body=b'{"status":"success","data":{"resu', cut=20)
    server = Samples(refuse=[cut])
    assert pull(server).series[0].times_ms.tolist() == ALL
    with pytest.raises(SourceError, match=r"m from .*broke before the answer was whole"):
        pull(Samples(refuse=[cut, cut]))


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(body="<html><title>Login</title></html>"), "answered with an HTML page"),
        (api({"resultType": "vector", "result": []}), "no matrix"),
        (Reply(body='{"status":"success","data":{"resultType":"matrix","result":['), "not JSON"),
        (Reply(status=401, body="no"), "asks for credentials"),
        (Reply(status=500, body="panic"), "answered HTTP 500: panic"),
        (api_error(400, "bad_data", "parse error"), "parse error"),
    ],
)
def test_anything_else_ends_the_pull(reply: Reply, words: str) -> None:
    with pytest.raises(SourceError, match=words):
        pull(Samples(refuse=[reply]))


def test_warnings_native_histograms_and_conflicts_are_told() -> None:
    rows = [
        {"metric": {"__name__": "m"}, "values": [[START_S, "1"], [START_S, "2"], [START_S + 10, "3"]]},
        {"metric": {"__name__": "n"}, "histograms": [[START_S, {"count": "1", "sum": "1"}]]},
    ]
    answer = api({"resultType": "matrix", "result": rows}, warnings=["store-1 unreachable"])
    fetched = pull(lambda _: answer)
    assert fetched.partial
    assert fetched.warnings == (
        "store-1 unreachable",
        "n: native histogram samples are not read; its classic buckets are, if it has any",
        "m: 1 samples came twice with different values; the first one stays",
    )
    assert fetched.series[0].values.tolist() == [1.0, 3.0]

"""How does a simulated Prometheus answer? The part of its HTTP API that a pull needs, without a socket.

Method: ``answer(path, parameters)`` gives a status and a body; errors have Prometheus' own JSON form.
Beside it stand the engine's own pages (/metrics, /stats, /health), as of a virtual clock.
When it misleads: no query language beyond selectors (``selectors``); metadata and rules do not exist.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from census.capture.series import Series
from census.errors import UsageError
from census.model.window import parse_time, rfc3339
from census.simulate.expose_radiance import RadianceOptions, radiance_columns
from census.simulate.exposure import page
from census.simulate.run import BootLog, Run
from census.simulate.sample_store import SampleStore
from census.simulate.selectors import BadQueryError, Matcher, parse_question, parse_selector
from census.simulate.stats_page import health_document, stats_document

JSON_TYPE = "application/json"
TEXT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
VERSION = "2.42.0"
FLAGS = {
    "query.lookback-delta": "5m",
    "query.max-samples": "50000000",
    "query.timeout": "2m",
    "storage.tsdb.retention.time": "100y",
}

Parameters = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer."""

    status: int
    body: bytes
    content_type: str


class SimulatedServer:
    """What answers: the runs of one target, their series as scraped, and a virtual clock."""

    def __init__(
        self,
        runs: Sequence[Run],
        series: Sequence[Series],
        *,
        now_ms: Callable[[], int],
        options: RadianceOptions | None = None,
    ) -> None:
        """Hold the runs and index their series.

        Parameters
        ----------
        now_ms : the virtual clock: it times /metrics, /stats and questions that name no time.
        """
        self.runs = tuple(runs)
        self.store = SampleStore(series)
        self.now_ms = now_ms
        self.options = options or RadianceOptions()
        self._pages: dict[str, Callable[[Parameters], Answer]] = {
            "/metrics": self._metrics,
            "/stats": self._stats,
            "/health": self._health,
            "/-/ready": lambda _: Answer(200, b"Prometheus Server is Ready.\n", TEXT_TYPE),
            "/api/v1/query": self._query,
            "/api/v1/series": self._series,
            "/api/v1/label/__name__/values": self._names,
            "/api/v1/status/buildinfo": lambda _: success(json.dumps({"version": VERSION})),
            "/api/v1/status/flags": lambda _: success(json.dumps(FLAGS)),
            "/api/v1/status/runtimeinfo": self._runtime,
            "/api/v1/targets": self._targets,
        }

    def answer(self, path: str, parameters: Parameters) -> Answer:
        """Return the answer to a GET or POST of ``path``."""
        respond = self._pages.get(path)
        if respond is None:
            return Answer(404, b"404 page not found\n", TEXT_TYPE)
        try:
            return respond(parameters)
        except BadQueryError as error:
            return failure(400, "bad_data", str(error))

    def _query(self, parameters: Parameters) -> Answer:
        try:
            question = parse_question(_one(parameters, "query"))
        except BadQueryError as error:
            raise BadQueryError(f'invalid parameter "query": {error}') from error
        time_ms = _moment(parameters, "time", default=self.now_ms())
        return success(self.store.answer(question, time_ms=time_ms))

    def _series(self, parameters: Parameters) -> Answer:
        selectors = [_selector(text) for text in parameters.get("match[]", ())]
        if not selectors:
            raise BadQueryError("no match[] parameter provided")
        start_ms, end_ms = self._span(parameters)
        found = {
            tuple(sorted(one.labels.items())): one.labels
            for matchers in selectors
            for one in self.store.alive(matchers, start_ms=start_ms, end_ms=end_ms)
        }
        return success(json.dumps([dict(found[key]) for key in sorted(found)]))

    def _names(self, parameters: Parameters) -> Answer:
        start_ms, end_ms = self._span(parameters)
        selectors = [_selector(text) for text in parameters.get("match[]", ())]
        if not selectors:
            return success(json.dumps(self.store.names(start_ms=start_ms, end_ms=end_ms)))
        names = {
            one.name
            for matchers in selectors
            for one in self.store.alive(matchers, start_ms=start_ms, end_ms=end_ms)
        }
        return success(json.dumps(sorted(names)))

    def _span(self, parameters: Parameters) -> tuple[int, int]:
        start_ms = _moment(parameters, "start", default=0)
        end_ms = _moment(parameters, "end", default=1 << 60)
        return start_ms, end_ms

    def _runtime(self, _: Parameters) -> Answer:
        start = rfc3339(min(run.start_ms for run in self.runs))
        return success(json.dumps({"startTime": start, "storageRetention": "100y"}))

    def _targets(self, _: Parameters) -> Answer:
        targets = {}
        for run in self.runs:
            labels = run.world.labels
            targets[labels.instance] = {
                "discoveredLabels": {"__address__": labels.instance, "job": labels.job},
                "labels": {"instance": labels.instance, "job": labels.job},
                "scrapePool": labels.job,
                "scrapeUrl": f"http://{labels.instance}/metrics",
                "lastError": "",
                "lastScrape": rfc3339(int(run.scrape_ms[-1])) if run.scrape_ms.size else "",
                "health": "up",
                "scrapeInterval": f"{run.world.scraping.interval_s:g}s",
                "scrapeTimeout": "10s",
            }
        return success(json.dumps({"activeTargets": list(targets.values()), "droppedTargets": []}))

    def _metrics(self, _: Parameters) -> Answer:
        alive = self._alive()
        if not alive:
            return Answer(503, b"starting\n", TEXT_TYPE)
        engines = [
            (run.world.labels, radiance_columns(run, boot, np.array([time_s]), options=self.options))
            for run, boot, time_s in alive
        ]
        return Answer(200, page(engines).encode(), TEXT_TYPE)

    def _stats(self, _: Parameters) -> Answer:
        alive = self._alive()
        if not alive:
            return Answer(503, b'{"status":"stopping"}', JSON_TYPE)
        return Answer(200, json.dumps(stats_document(*alive[0])).encode(), JSON_TYPE)

    def _health(self, _: Parameters) -> Answer:
        alive = self._alive()
        if not alive:
            return Answer(503, b'{"status":"stopping"}', JSON_TYPE)
        return Answer(200, json.dumps(health_document(*alive[0])).encode(), JSON_TYPE)

    def _alive(self) -> list[tuple[Run, BootLog, float]]:
        """Return run, boot and moment of each engine that answers now."""
        found = []
        for run in self.runs:
            time_s = (self.now_ms() - run.world.epoch_ms) / 1000.0
            found += [(run, boot, time_s) for boot in run.boots if boot.ready_s <= time_s <= boot.end_s]
        return found


def success(data: str) -> Answer:
    """Return an answer of Prometheus' API around JSON text."""
    return Answer(200, f'{{"status":"success","data":{data}}}'.encode(), JSON_TYPE)


def failure(status: int, kind: str, words: str) -> Answer:
    """Return an error of Prometheus' API."""
    body = json.dumps({"status": "error", "errorType": kind, "error": words})
    return Answer(status, body.encode(), JSON_TYPE)


def _one(parameters: Parameters, name: str) -> str:
    return next(iter(parameters.get(name, ())), "")


def _moment(parameters: Parameters, name: str, *, default: int) -> int:
    text = _one(parameters, name)
    if not text:
        return default
    try:
        return parse_time(text)
    except UsageError as error:
        raise BadQueryError(
            f"invalid parameter \"{name}\": Invalid time value for '{name}': "
            f'cannot parse "{text}" to a valid timestamp'
        ) from error


def _selector(text: str) -> tuple[Matcher, ...]:
    try:
        matchers, place = parse_selector(text)
    except BadQueryError as error:
        raise BadQueryError(f'invalid parameter "match[]": {error}') from error
    if place != len(text):
        words = f"1:{place + 1}: parse error: unexpected {text[place:]!r}"
        raise BadQueryError(f'invalid parameter "match[]": {words}')
    return matchers

"""A Prometheus API of a few planted series on loopback, for faults that a real server cannot show."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from loopback_server import Reply, Request, api

STEP_MS = 15_000
START_MS = 1_695_800_000_000
HOST = {"job": "llm", "instance": "gpu:8000", "model_name": "qwen", "engine": "0"}
NAMES = (
    "radiance:engine_steps_total",
    "radiance:engine_steps_mixed_total",
    "radiance:engine_steps_held_total",
    "vllm:num_requests_running",
)
STATUS = {
    "/api/v1/status/buildinfo": {"version": "2.42.0"},
    "/api/v1/status/flags": {"query.max-samples": "50000000"},
    "/api/v1/status/runtimeinfo": {"storageRetention": "15d"},
}


class SmallApi:
    """Serves ``samples`` values of each name, 15 s apart; ``before_query`` may answer instead."""

    def __init__(
        self,
        *,
        names: Sequence[str] = NAMES,
        hosts: Sequence[dict[str, str]] = (HOST,),
        samples: int = 240,
        before_query: Callable[[Request], Reply | None] = lambda _: None,
    ) -> None:
        self.series = [{"__name__": name, **host} for host in hosts for name in names]
        self.samples = samples
        self.before_query = before_query
        self.requests: list[Request] = []

    def __call__(self, request: Request) -> Reply:
        self.requests.append(request)
        path = request.path.removeprefix("/prom")
        if path in STATUS:
            return api(STATUS[path])
        if path == "/api/v1/label/__name__/values":
            return api(sorted({one["__name__"] for one in self.series}) if self._overlaps(request) else [])
        if path == "/api/v1/series":
            return api([one for one in self._chosen(request.form["match[]"]) if self._overlaps(request)])
        if path == "/api/v1/query":
            return self._query(request)
        return Reply(status=404, body="404 page not found")

    def _overlaps(self, request: Request) -> bool:
        last_ms = START_MS + STEP_MS * (self.samples - 1)
        start = float(request.form.get("start", "0")) * 1000
        end = float(request.form.get("end", "1e12")) * 1000
        return start <= last_ms and end >= START_MS

    def _chosen(self, selector: str) -> list[dict[str, str]]:
        names = re.search(r'__name__=~?"([^"]*)"', selector)
        assert names
        return [one for one in self.series if re.fullmatch(names.group(1), one["__name__"])]

    def _query(self, request: Request) -> Reply:
        query = request.form["query"]
        found = re.search(r"\[(\d+)ms\]", query)
        assert found
        end = round(float(request.form["time"]) * 1000)
        span = (end - int(found.group(1)), end)
        rows = [(one, self._values(span)) for one in self._chosen(query)]
        if query.startswith("count_over_time"):
            bare = [({k: v for k, v in one.items() if k != "__name__"}, len(values)) for one, values in rows]
            result = [{"metric": labels, "value": [end / 1000, str(count)]} for labels, count in bare]
            return api({"resultType": "vector", "result": result})
        fault = self.before_query(request)
        if fault is not None:
            return fault
        return api({"resultType": "matrix", "result": [{"metric": o, "values": v} for o, v in rows if v]})

    def _values(self, span: tuple[int, int]) -> list[list[object]]:
        moments = [(number, START_MS + STEP_MS * number) for number in range(self.samples)]
        return [
            [moment / 1000, str(number * 3)] for number, moment in moments if span[0] <= moment <= span[1]
        ]

"""What a capture's manifest says: what was asked, found and absent, by which way, from which server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from census.model.window import Window

FORMAT = "census.capture/1"

Kind = Literal["counter", "gauge", "histogram"]
Component = Literal["value", "bucket", "sum", "count"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One quantity of a role: the series that carry it, one after another or side by side as duplicates.

    Attributes
    ----------
    component : "value" for counters and gauges; "bucket", "sum" or "count" for histograms.
    le : upper edge of a bucket, seconds or tokens, ``inf`` for the last; None otherwise.
    labels : the labels that tell this part from the other parts of the role (e.g. finished_reason).
    series : ids into the capture's series table. Several ids are never summed: they are stitched where they
        follow one another in time (rename, new pid) and collapsed to one where they overlap (replica, gauge
        twin). The first id is the preferred one: the newer name, the counter before its gauge twin, then the
        fuller series.
    """

    component: Component
    le: float | None
    labels: Mapping[str, str]
    series: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleBinding:
    """A role that this engine answers. Values of several ``value`` parts are summed, as the profile says.

    Attributes
    ----------
    role : e.g. "decode_steps".
    metric : the metric name as found (of histograms the base name), the newest one if renamed in the window.
    kind, clock, unit : from the profile. clock: "step", "request", "first_token", "window", "scrape",
        "static".
    note : what the profile warns of; may be empty.
    """

    role: str
    metric: str
    kind: Kind
    clock: str
    unit: str
    note: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentRole:
    """A role that nothing on this engine answers, with the names looked for and the nearest ones seen."""

    role: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineEntry:
    """One engine of the capture.

    Attributes
    ----------
    key : unique in the capture, file-name safe, e.g. "radiance-qwen3.8-flash-next-0".
    profile : profile name.
    labels : the labels that identify the engine (job, instance, model_name, engine ... where present).
    """

    key: str
    profile: str
    labels: Mapping[str, str]
    roles: tuple[RoleBinding, ...]
    absent: tuple[AbsentRole, ...]

    def binding(self, role: str) -> RoleBinding | None:
        """Return the binding of a role, None where it is absent."""
        return next((binding for binding in self.roles if binding.role == role), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The whole manifest.

    Attributes
    ----------
    window : what was asked for.
    first_ms, last_ms : first and last sample that came, None where none came.
    series : labels of each series, by id.
    samples : how many samples each series has, by id.
    backend : {"kind": "prometheus" | "victoria-metrics" | ..., "version": str, ...}; no address, no secret.
    way : how the samples came ("instant query, range selector", "remote read", "simulated", ...).
    queries : PromQL text as sent.
    warnings : the server's own warnings, partial responses included.
    partial : the server said that the response may be partial.
    sha256 : of the canonical samples (capture/hashing).
    """

    format: str
    census_version: str
    window: Window
    first_ms: int | None
    last_ms: int | None
    engines: tuple[EngineEntry, ...]
    series: tuple[Mapping[str, str], ...]
    samples: tuple[int, ...]
    backend: Mapping[str, Any]
    way: str
    queries: tuple[str, ...]
    warnings: tuple[str, ...]
    partial: bool
    sha256: str

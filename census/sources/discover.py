"""Which engines does this server know in the window, and by which series? Found by their families, never
assumed.

Names first (one call), then the labels of those that answer a role, then the process families of the targets
on which engines were found, and how many samples one steady series of each engine has. Where there is
nothing, the error says why: no such engine anywhere, or an engine whose samples begin after the window or
end before it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from census.capture.manifest import EngineEntry
from census.errors import InconclusiveError, UsageError
from census.model.window import Window, rfc3339
from census.queries.facts import facts_of_labels
from census.queries.names import nearest
from census.queries.profile import choose_profiles
from census.queries.promql import Matcher, one_of, range_selector, selector
from census.queries.resolve import resolve_engines, wanted_names
from census.sources.prometheus import PrometheusCatalogue, chunked
from census.sources.refusals import ServerRefusalError

STEADY_ROLES = ("steps", "decode_tokens", "running", "preemptions", "generation_tokens")
ASSUMED_SPACING_S = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """What is there.

    Attributes
    ----------
    names : all metric names of the server in the window (under the user's matchers).
    labels : label sets of the series that were found; ``engines`` hold indices into it.
    matchers : the conditions under which each metric name is to be asked for.
    """

    names: tuple[str, ...]
    labels: tuple[Mapping[str, str], ...]
    engines: tuple[EngineEntry, ...]
    matchers: Mapping[str, tuple[Matcher, ...]]


def discover(
    catalogue: PrometheusCatalogue,
    *,
    window: Window,
    matchers: Sequence[Matcher],
    engine: str,
    roles: Collection[str] | None = None,
) -> Discovery:
    """Return the engines that have series in the window.

    Parameters
    ----------
    engine : "auto" or a profile's name.
    roles : look for the families of these roles alone; None: of all.

    Raises
    ------
    InconclusiveError : no engine, or none in this window.
    UsageError : the server refuses the user's matchers.
    """
    try:
        names = catalogue.metric_names(window=window, match=selector_of(matchers))
        families, process = _wanted(names, engine=engine, roles=roles)
        found = catalogue.series([selector(some, matchers) for some in chunked(families)], window=window)
    except ServerRefusalError as error:
        if error.error_type == "bad_data" and matchers:
            raise UsageError(
                f"the server refuses --match: {error.words}", hint="check the expression"
            ) from error
        raise
    engines = resolve_engines(facts_of_labels(found), engine=engine)
    if not engines:
        raise _nothing(catalogue, window=window, matchers=matchers, engine=engine, names=names)
    instances = sorted({one for entry in engines if (one := entry.labels.get("instance"))})
    on_target = (*matchers, *((one_of("instance", instances),) if instances else ()))
    beside = catalogue.series([selector(some, on_target) for some in chunked(process)], window=window)
    labels = (*found, *beside)
    engines = resolve_engines(facts_of_labels(labels), engine=engine, names_on_server=names)
    conditions = _conditions(labels, engines, matchers=tuple(matchers), on_target=on_target, process=process)
    return Discovery(names=names, labels=labels, engines=engines, matchers=conditions)


def bound_series(engines: Sequence[EngineEntry]) -> tuple[int, ...]:
    """Return the ids of the series that answer a role of these engines, rising."""
    return tuple(
        sorted(
            {one for entry in engines for role in entry.roles for part in role.parts for one in part.series}
        )
    )


def expected_samples(
    catalogue: PrometheusCatalogue, discovery: Discovery, *, window: Window
) -> tuple[tuple[str, int], ...]:
    """Return (metric name, samples to expect) of each series to keep: one steady series speaks for all."""
    assumed = round(window.seconds / ASSUMED_SPACING_S)
    expected: dict[int, int] = {}
    for entry in discovery.engines:
        steady = next((binding for role in STEADY_ROLES if (binding := entry.binding(role))), None)
        count = assumed
        if steady is not None:
            labels = discovery.labels[steady.parts[0].series[0]]
            count = _count_samples(catalogue, labels, window=window) or assumed
        for index in bound_series([entry]):
            expected[index] = max(count, expected.get(index, 0))
    return tuple((discovery.labels[index]["__name__"], count) for index, count in sorted(expected.items()))


def _count_samples(
    catalogue: PrometheusCatalogue, labels: Mapping[str, str], *, window: Window
) -> int | None:
    conditions = [
        Matcher(label, "=", value) for label, value in sorted(labels.items()) if label != "__name__"
    ]
    vector = selector([labels["__name__"]], conditions)
    query = f"count_over_time({range_selector(vector, range_ms=window.end_ms - window.start_ms)})"
    try:
        rows = catalogue.instant(query, time_ms=window.end_ms)
    except ServerRefusalError as error:
        if error.status in (422, 503, 504):
            return None
        raise
    return round(max((value for _, value in rows), default=0)) or None


def _wanted(
    names: Sequence[str], *, engine: str, roles: Collection[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of engine families and of process families, which need a target to be an engine's."""
    wanted = wanted_names(names, engine=engine, roles=roles)
    process = tuple(name for name in wanted if name.startswith("process_"))
    return tuple(name for name in wanted if name not in process), process


def _conditions(
    labels: Sequence[Mapping[str, str]],
    engines: Sequence[EngineEntry],
    *,
    matchers: tuple[Matcher, ...],
    on_target: tuple[Matcher, ...],
    process: Sequence[str],
) -> dict[str, tuple[Matcher, ...]]:
    """Return the conditions by name: the targets are named only where others have series of that name too."""
    wanted = set(bound_series(engines))
    targets = {entry.labels.get("instance") for entry in engines}
    elsewhere = {
        one["__name__"]
        for index, one in enumerate(labels)
        if index not in wanted and one.get("instance") not in targets
    }
    return {
        one["__name__"]: on_target if one["__name__"] in elsewhere or one["__name__"] in process else matchers
        for index, one in enumerate(labels)
        if index in wanted
    }


def _nothing(
    catalogue: PrometheusCatalogue,
    *,
    window: Window,
    matchers: Sequence[Matcher],
    engine: str,
    names: Sequence[str],
) -> InconclusiveError:
    """Return why there is no engine: none on the server at all, or none in this window."""
    from census.sources.data_span import describe_span

    profiles = choose_profiles(engine)
    ever = catalogue.metric_names(window=None, match=selector_of(matchers))
    families, _ = _wanted(ever, engine=engine, roles=None)
    span = describe_span(catalogue, names=families, matchers=matchers, window=window) if families else None
    if span:
        return InconclusiveError(
            f"no sample of an engine from {rfc3339(window.start_ms)} to {rfc3339(window.end_ms)}: {span}",
            hint="give another --start and --end, or more --hours",
        )
    looked = [pattern for profile in profiles for pattern in profile.signature]
    close = nearest([one.rstrip("*") for one in looked], among=names or ever)
    seen = (
        f"nearest on this server: {close}"
        if close
        else f"{len(names or ever)} other metric names on this server"
    )
    under = f" under {selector_of(matchers)}" if matchers else ""
    return InconclusiveError(
        f"no engine found{under}; looked for {', '.join(looked)}; {seen}",
        hint="check that this server scrapes the engine, and --match",
    )


def selector_of(matchers: Sequence[Matcher]) -> str | None:
    """Return the user's matchers as a selector, None where there are none."""
    return "{" + ",".join(str(one) for one in matchers) + "}" if matchers else None

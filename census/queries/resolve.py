"""Which series answers which role, on which engine?

Series are grouped into engines (grouping), and each role of the engine's profile takes the first of its
candidates that has series. All names of a candidate are one quantity, so what was renamed inside the window,
or stands beside its deprecated twin, comes as several series of one part: first the newest name, the counter
before the gauge of the same name, then the fuller series. ``le`` is a number, however it is written. What is
not found is said, with the names looked for and the nearest one seen: an absent metric is never 0.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from census.capture.manifest import AbsentRole, Component, EngineEntry, Part, RoleBinding
from census.queries.facts import SeriesFacts, facts_of
from census.queries.grouping import EngineGroup, group_engines
from census.queries.names import TOTAL, base_name, canonical_name, component_of, is_signature, nearest
from census.queries.profile import AUTO, Candidate, Profile, choose_profiles
from census.queries.roles import ROLES, Role

if TYPE_CHECKING:
    from census.capture.series import Series


@dataclass(frozen=True, slots=True)
class _Found:
    """One series that answers a candidate: which part it is, and how much it is preferred (low first)."""

    index: int
    component: Component
    le: float | None
    parts: tuple[tuple[str, str], ...]
    preference: tuple[int, int, int, str]


def resolve_engines(
    facts: Sequence[SeriesFacts], *, engine: str = AUTO, names_on_server: Iterable[str] = ()
) -> tuple[EngineEntry, ...]:
    """Return the engines in these series, with their roles; part ids are indices into ``facts``.

    Parameters
    ----------
    engine : "auto", or the name of the profile that the user insists on.
    names_on_server : metric names for "nearest on this server"; the names in ``facts`` are always among them.
    """
    groups = group_engines(facts, profiles=choose_profiles(engine), forced=engine != AUTO)
    known = sorted({*names_on_server, *(one.name for one in facts)})
    keys = _unique_keys(groups)
    return tuple(
        _entry(group, key=key, facts=facts, known=known) for group, key in zip(groups, keys, strict=True)
    )


def resolve_series(series: Sequence[Series], *, engine: str = AUTO) -> tuple[EngineEntry, ...]:
    """Return the engines in series whose samples are at hand; part ids are indices into ``series``."""
    return resolve_engines(facts_of(series), engine=engine)


def wanted_names(
    names: Iterable[str], *, engine: str = AUTO, roles: Collection[str] | None = None
) -> tuple[str, ...]:
    """Return those of a server's metric names that answer one of the roles (None: any) or prove an engine."""
    profiles = choose_profiles(engine)
    return tuple(
        sorted(
            name for name in set(names) if any(_is_wanted(name, profile, roles=roles) for profile in profiles)
        )
    )


def _is_wanted(name: str, profile: Profile, *, roles: Collection[str] | None) -> bool:
    canonical = canonical_name(name, namespaces=profile.namespaces)
    proofs = [pattern for pattern in profile.signature if not pattern.endswith("*")]
    return is_signature(canonical, patterns=proofs) or any(
        component_of(canonical, wanted=wanted, kind=candidate.kind) is not None
        for candidate in profile.candidates
        if roles is None or candidate.role in roles
        for wanted in candidate.names
    )


def _entry(
    group: EngineGroup, *, key: str, facts: Sequence[SeriesFacts], known: Sequence[str]
) -> EngineEntry:
    bound: list[RoleBinding] = []
    absent: list[AbsentRole] = []
    for role in ROLES:
        binding = _bind(role, group=group, facts=facts)
        if binding is not None:
            bound.append(binding)
        else:
            absent.append(
                AbsentRole(role=role.name, reason=_why_absent(role, group=group, facts=facts, known=known))
            )
    return EngineEntry(
        key=key, profile=group.profile.name, labels=group.labels, roles=tuple(bound), absent=tuple(absent)
    )


def _bind(role: Role, *, group: EngineGroup, facts: Sequence[SeriesFacts]) -> RoleBinding | None:
    for candidate in group.profile.candidates_of(role.name):
        indices = (*group.own, *group.shared) if candidate.clock == "static" else group.own
        found = [hit for index in indices if (hit := _match(index, facts[index], candidate, group.profile))]
        if not found or (role.kind == "histogram" and all(hit.component != "bucket" for hit in found)):
            continue
        newest = max(
            found, key=lambda hit: (facts[hit.index].last_ms or 0, [-rank for rank in hit.preference[:2]])
        )
        return RoleBinding(
            role=role.name,
            metric=base_name(facts[newest.index].name, component=newest.component),
            kind=role.kind,
            clock=candidate.clock,
            unit=role.unit,
            note=candidate.note,
            parts=_parts(found),
        )
    return None


def _match(index: int, one: SeriesFacts, candidate: Candidate, profile: Profile) -> _Found | None:
    if one.samples == 0 or not _selected(one.labels, candidate):
        return None
    canonical = canonical_name(one.name, namespaces=profile.namespaces)
    for rank, wanted in enumerate(candidate.names):
        component = component_of(canonical, wanted=wanted, kind=candidate.kind)
        if component is None:
            continue
        le = _edge(one.labels) if component == "bucket" else None
        if component == "bucket" and le is None:
            return None
        twin = int(candidate.kind == "counter" and wanted.endswith(TOTAL) and not canonical.endswith(TOTAL))
        parts = tuple((label, one.labels[label]) for label in candidate.sum_over if label in one.labels)
        return _Found(
            index, component, le, parts, (rank, twin, -(one.samples or 0), str(sorted(one.labels.items())))
        )
    return None


def _selected(labels: Mapping[str, str], candidate: Candidate) -> bool:
    return all(labels.get(label) in values for label, values in candidate.select.items())


def _edge(labels: Mapping[str, str]) -> float | None:
    try:
        edge = float(labels.get("le", ""))
    except ValueError:
        return None
    return None if math.isnan(edge) else edge


def _parts(found: Sequence[_Found]) -> tuple[Part, ...]:
    together: dict[tuple[Component, float | None, tuple[tuple[str, str], ...]], list[_Found]] = defaultdict(
        list
    )
    for hit in found:
        together[hit.component, hit.le, hit.parts].append(hit)
    order = sorted(together, key=lambda key: (key[2], key[0], key[1] if key[1] is not None else 0.0))
    return tuple(
        Part(
            component=component,
            le=le,
            labels=dict(parts),
            series=tuple(
                hit.index for hit in sorted(together[component, le, parts], key=lambda hit: hit.preference)
            ),
        )
        for component, le, parts in order
    )


def _why_absent(role: Role, *, group: EngineGroup, facts: Sequence[SeriesFacts], known: Sequence[str]) -> str:
    candidates = group.profile.candidates_of(role.name)
    if not candidates:
        return group.profile.absent[role.name]
    for candidate in candidates:
        unselected = replace(candidate, select={})
        near = [index for index in group.own if _match(index, facts[index], unselected, group.profile)]
        if near:
            choice = ", ".join(f"{label}={'|'.join(values)}" for label, values in candidate.select.items())
            return f"found {facts[near[0]].name}, but not with {choice}"
    looked = [name for candidate in candidates for name in candidate.names]
    close = nearest(looked, among=known)
    tail = f"; nearest on this server: {close}" if close else ""
    return f"not found; looked for {', '.join(looked)}{tail}"


def _unique_keys(groups: Sequence[EngineGroup]) -> list[str]:
    """Return file-name safe keys: profile, model, engine; with the target where that leaves two the same."""
    short = [_key(group, labels=group.profile.identity) for group in groups]
    longer = (
        (*groups[0].profile.target, *groups[0].profile.identity, *groups[0].profile.soft) if groups else ()
    )
    keys = [
        key if short.count(key) == 1 else _key(group, labels=longer)
        for key, group in zip(short, groups, strict=True)
    ]
    return [key if keys.count(key) == 1 else f"{key}-{number}" for number, key in enumerate(keys)]


def _key(group: EngineGroup, *, labels: Iterable[str]) -> str:
    words = [group.profile.name, *(group.labels[label] for label in labels if label in group.labels)]
    return "-".join(slug for word in words if (slug := re.sub(r"[^A-Za-z0-9._]+", "-", word).strip("-.")))

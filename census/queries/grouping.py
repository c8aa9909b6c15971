"""Which engines are on this target, and which series are whose?

Series of one engine share the labels that the profile lists as identity (target: job, instance, …; engine:
model_name, engine, …). A group of such series is an engine if it holds a signature family of the profile,
and no family on its target proves another engine. Labels that are not identity never split an engine:
replica, pid, tp_rank and their like mark duplicates, which stay together and are never added.

Two groups that differ in a soft label alone (pod, Ray's worker) are one engine where their times follow one
another, a restart, and two engines where they overlap. Without sample spans they stay apart.

A series that carries fewer identity labels than the engines of its target (process_start_time_seconds has no
model) belongs to every engine that it fits; where it fits several it answers static roles only. A Ray target
is Ray's agent, not the engine, so nothing is shared there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from census.queries.facts import SeriesFacts
from census.queries.names import RAY, canonical_name, is_signature
from census.queries.profile import Profile

SOFT_OVERLAP_MS = 300_000
"""A dead worker's series may linger this long beside its successor's."""

Identity = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineGroup:
    """One engine's series, by index into the facts: its own, and those shared with others on its target."""

    profile: Profile
    labels: Mapping[str, str]
    own: tuple[int, ...]
    shared: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seed:
    """An engine before its series are gathered: the identities that it has had, and what tells its target."""

    profile: Profile
    identities: tuple[Identity, ...]
    target: Identity
    through_ray: bool


def group_engines(
    facts: Sequence[SeriesFacts], *, profiles: Sequence[Profile], forced: bool
) -> tuple[EngineGroup, ...]:
    """Return the engines in these series; ``forced``: what speaks against the profile is ignored."""
    seeds = [seed for profile in profiles for seed in _seeds(facts, profile=profile, forced=forced)]
    own: dict[int, list[int]] = defaultdict(list)
    shared: dict[int, list[int]] = defaultdict(list)
    for profile in profiles:
        numbers = [number for number, seed in enumerate(seeds) if seed.profile is profile]
        exactly = {identity: number for number in numbers for identity in seeds[number].identities}
        for index, one in enumerate(facts):
            identity = _identity(one, profile)
            exact = exactly.get(identity)
            if exact is not None:
                own[exact].append(index)
                continue
            fitting = [number for number in numbers if _fits(identity, seeds[number])]
            for number in fitting:
                (own if len(fitting) == 1 else shared)[number].append(index)
    groups = [
        EngineGroup(
            profile=seed.profile,
            labels=_common_labels(seed),
            own=tuple(own[number]),
            shared=tuple(shared[number]),
        )
        for number, seed in enumerate(seeds)
    ]
    return tuple(sorted(groups, key=lambda group: (group.profile.name, sorted(group.labels.items()))))


def _seeds(facts: Sequence[SeriesFacts], *, profile: Profile, forced: bool) -> list[_Seed]:
    rivals = tuple(pattern.partition(":")[0] for pattern in profile.excludes)
    names = [canonical_name(one.name, namespaces=profile.namespaces) for one in facts]
    others = [canonical_name(one.name, namespaces=(*profile.namespaces, *rivals)) for one in facts]
    signed: dict[Identity, list[int]] = defaultdict(list)
    excluded: set[Identity] = set()
    for index, one in enumerate(facts):
        if is_signature(names[index], patterns=profile.signature):
            signed[_identity(one, profile)].append(index)
        if is_signature(others[index], patterns=profile.excludes) and not forced:
            excluded.add(_target(one, profile))
    whole = {
        identity: members
        for identity, members in signed.items()
        if not any(
            identity < other and _cut(identity, profile.target) == _cut(other, profile.target)
            for other in signed
        )
    }
    chains = _chain_restarts(
        {key: _span(facts, members) for key, members in whole.items()}, soft=profile.soft
    )
    seeds = [
        _Seed(
            profile=profile,
            identities=chain,
            target=_cut(chain[0], profile.target),
            through_ray=any(facts[index].name.startswith(RAY) for one in chain for index in whole[one]),
        )
        for chain in chains
    ]
    return [seed for seed in seeds if seed.target not in excluded]


def _chain_restarts(
    spans: Mapping[Identity, tuple[int, int] | None], *, soft: Sequence[str]
) -> list[tuple[Identity, ...]]:
    """Join identities that differ in soft labels alone and follow one another in time."""
    families: dict[Identity, list[Identity]] = defaultdict(list)
    for identity in spans:
        families[frozenset(pair for pair in identity if pair[0] not in soft)].append(identity)
    chains: list[tuple[Identity, ...]] = []
    for members in families.values():
        known = sorted((span, sorted(one), one) for one in members if (span := spans[one]) is not None)
        follow = len(known) == len(members) and all(
            later[0][0] >= earlier[0][1] - SOFT_OVERLAP_MS for earlier, later in pairwise(known)
        )
        if follow:
            chains.append(tuple(one for _, _, one in known))
        else:
            chains.extend((one,) for one in sorted(members, key=sorted))
    return chains


def _fits(identity: Identity, seed: _Seed) -> bool:
    """Tell whether a series with fewer identity labels may belong to this engine."""
    if seed.through_ray or _cut(identity, seed.profile.target) != seed.target:
        return False
    return any(identity < whole for whole in seed.identities)


def _span(facts: Sequence[SeriesFacts], members: Sequence[int]) -> tuple[int, int] | None:
    firsts = [first for index in members if (first := facts[index].first_ms) is not None]
    lasts = [last for index in members if (last := facts[index].last_ms) is not None]
    return (min(firsts), max(lasts)) if firsts and lasts else None


def _identity(one: SeriesFacts, profile: Profile) -> Identity:
    wanted = (*profile.target, *profile.identity, *profile.soft)
    return frozenset((label, value) for label in wanted if (value := one.labels.get(label)))


def _target(one: SeriesFacts, profile: Profile) -> Identity:
    return frozenset((label, value) for label in profile.target if (value := one.labels.get(label)))


def _cut(identity: Identity, labels: Sequence[str]) -> Identity:
    return frozenset(pair for pair in identity if pair[0] in labels)


def _common_labels(seed: _Seed) -> dict[str, str]:
    common = frozenset.intersection(*seed.identities)
    return dict(sorted(common))

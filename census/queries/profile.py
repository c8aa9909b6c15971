"""How does one engine spell each role? A table in ``profiles/<name>.toml``, read into frozen values.

A role may stand several times: candidates in the order of preference, the first one found answers. Several
names of one candidate are the same quantity under an older or newer name (newest first): what both carry is
stitched. A profile that does not parse is a bug of ours, so it raises ``ValueError``, never a user's error.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from census.capture.manifest import Kind
from census.errors import UsageError
from census.queries.names import nearest
from census.queries.roles import ROLE_BY_NAME, ROLES

PROFILE_NAMES = ("radiance", "vllm")
AUTO = "auto"
CLOCKS = ("step", "request", "first_token", "window", "scrape", "static")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One way to answer a role.

    Attributes
    ----------
    names : the same quantity under several names, newest first; of a histogram the base name.
    select : a series counts only if its label has one of these values.
    sum_over : labels whose values are parts of the quantity, to be added; any other extra label marks
        duplicates.
    since, until : versions of the engine, for people.
    """

    role: str
    names: tuple[str, ...]
    clock: str
    select: Mapping[str, tuple[str, ...]]
    sum_over: tuple[str, ...]
    note: str
    since: str
    until: str

    @property
    def kind(self) -> Kind:
        """The role's kind."""
        return ROLE_BY_NAME[self.role].kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A scheduler flag of this engine: the role that shows it act ("" where none does), and what it does."""

    name: str
    flag: str
    meter: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One engine's table.

    Attributes
    ----------
    namespaces : prefixes of its metric names, for the spellings with and without a colon.
    signature : any of these families proves the engine; ``excludes``: any of these proves that it is another.
    target : labels that tell scrape targets apart; ``identity``: labels that tell engines on one target
        apart; ``soft``: labels that tell engines apart only where their times overlap (a restart may change
        them).
    absent : reasons for roles that this engine never answers.
    """

    name: str
    title: str
    namespaces: tuple[str, ...]
    signature: tuple[str, ...]
    excludes: tuple[str, ...]
    target: tuple[str, ...]
    identity: tuple[str, ...]
    soft: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    absent: Mapping[str, str]
    knobs: tuple[Knob, ...]

    def candidates_of(self, role: str) -> tuple[Candidate, ...]:
        """Return the ways to answer a role, best first."""
        return tuple(one for one in self.candidates if one.role == role)

    def knob(self, name: str) -> Knob | None:
        """Return a knob by our name for it, None where the engine has none such."""
        return next((one for one in self.knobs if one.name == name), None)


@cache
def load_profile(name: str) -> Profile:
    """Return one of our profiles."""
    text = (files("census.queries") / "profiles" / f"{name}.toml").read_text(encoding="utf-8")
    return parse_profile(text)


def load_profiles() -> tuple[Profile, ...]:
    """Return all profiles, in the order in which they are tried."""
    return tuple(load_profile(name) for name in PROFILE_NAMES)


def choose_profiles(engine: str) -> tuple[Profile, ...]:
    """Return the profiles of ``--engine``: all of them for "auto", else the one that is named."""
    if engine == AUTO:
        return load_profiles()
    if engine in PROFILE_NAMES:
        return (load_profile(engine),)
    close = nearest([engine], among=PROFILE_NAMES)
    hint = f"did you mean {close}?" if close else f"known: {AUTO}, {', '.join(PROFILE_NAMES)}"
    raise UsageError(f"--engine {engine!r} is no engine that census knows", hint=hint)


def parse_profile(text: str) -> Profile:
    """Return the profile in this TOML text.

    Raises
    ------
    ValueError : an unknown key, role, clock, or a role that is neither answered nor said to be absent twice
        over.
    """
    table = tomllib.loads(text)
    profile = Profile(
        name=table.pop("name"),
        title=table.pop("title"),
        namespaces=tuple(table.pop("namespaces")),
        signature=tuple(table.pop("signature")),
        excludes=tuple(table.pop("excludes")),
        target=tuple(table.pop("target")),
        identity=tuple(table.pop("identity")),
        soft=tuple(table.pop("soft")),
        candidates=tuple(_candidate(one) for one in table.pop("role")),
        absent=dict(table.pop("absent")),
        knobs=tuple(Knob(name=name, **knob) for name, knob in table.pop("knobs").items()),
    )
    if table:
        raise ValueError(f"profile {profile.name}: unknown keys {sorted(table)}")
    answered = {one.role for one in profile.candidates}
    for role in profile.absent:
        if role not in ROLE_BY_NAME or role in answered:
            raise ValueError(f"profile {profile.name}: [absent] {role} is unknown or answered")
    missing = [role.name for role in ROLES if role.name not in answered and role.name not in profile.absent]
    if missing:
        raise ValueError(f"profile {profile.name}: says nothing of {missing}")
    return profile


def _candidate(table: dict[str, Any]) -> Candidate:
    entry = dict(table)
    candidate = Candidate(
        role=entry.pop("role"),
        names=tuple(entry.pop("names")),
        clock=entry.pop("clock"),
        select={label: tuple(values) for label, values in entry.pop("select", {}).items()},
        sum_over=tuple(entry.pop("sum_over", ())),
        note=entry.pop("note", ""),
        since=entry.pop("since", ""),
        until=entry.pop("until", ""),
    )
    if entry:
        raise ValueError(f"role {candidate.role}: unknown keys {sorted(entry)}")
    if candidate.role not in ROLE_BY_NAME or candidate.clock not in CLOCKS or not candidate.names:
        raise ValueError(f"role {candidate.role}: unknown role or clock {candidate.clock}, or no name")
    return candidate

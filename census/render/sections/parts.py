"""What every section shares: the caveats that touch it, and how an absent finding is told."""

from __future__ import annotations

from census.model.caveat import Caveat
from census.model.census import Census
from census.model.estimate import Absent
from census.render.names import finding_key
from census.render.page import Section
from census.render.prose import Bar, Bold, prose, sentence

SEVERITY_ORDER = {"error": 0, "warning": 1, "info": 2}


def caveats_touching(census: Census, section_id: str) -> tuple[Caveat, ...]:
    """Return the caveats that bear on a finding, the gravest first."""
    found = [
        caveat
        for caveat in census.caveats
        if section_id in {finding_key(touched) for touched in caveat.touches}
    ]
    return in_order(tuple(found))


def in_order(caveats: tuple[Caveat, ...]) -> tuple[Caveat, ...]:
    """Return caveats the gravest first, then by id."""
    return tuple(
        sorted(caveats, key=lambda caveat: (SEVERITY_ORDER[caveat.severity], caveat.id, caveat.summary))
    )


def absent_section(section_id: str, question: str, absent: Absent, caveats: tuple[Caveat, ...]) -> Section:
    """Return the section of a finding that cannot be made: the reason is its answer."""
    return Section(
        id=section_id,
        question=question,
        answer=prose(Bold("Absent."), f" {sentence(absent.reason)}"),
        blocks=(),
        caveats=caveats,
    )


def bar_of(value: float | None, *, full: float) -> Bar:
    """Return the bar of a value where the longest bar of its table stands for ``full``."""
    return Bar(None if value is None or full <= 0 else value / full)

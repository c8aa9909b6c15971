"""Which questions does a report answer, and in which order?"""

from __future__ import annotations

from census.model.census import Census
from census.render.page import Page
from census.render.sections import (
    arrivals,
    attribution,
    decode,
    fitness,
    head,
    ladder,
    lag,
    mechanism,
    pending,
    preemptions,
    protection,
    provenance,
    steps,
    timeline,
    traps,
)

SECTIONS = (
    steps,
    decode,
    pending,
    lag,
    mechanism,
    attribution,
    arrivals,
    protection,
    preemptions,
    ladder,
    timeline,
    traps,
    fitness,
    provenance,
)


def build_page(census: Census) -> Page:
    """Return one engine's report as a page, before it has a form."""
    return Page(head=head.build(census), sections=tuple(section.build(census) for section in SECTIONS))

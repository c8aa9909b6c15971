"""Which figure belongs to which question?"""

from __future__ import annotations

from census.model.census import Census
from census.render.figures import arrivals, attribution, decode, ladder, lag, steps, timeline
from census.render.figures.figure import Figure

FIGURES = (
    ("step-phases", steps),
    ("decode-under-prefill", decode),
    ("lag-structure", lag),
    ("attribution", attribution),
    ("arrival-wait", arrivals),
    ("ladder", ladder),
    ("timeline", timeline),
)


def draw_figures(census: Census) -> dict[str, Figure]:
    """Return the figures that can be drawn, by the id of the section that they stand in."""
    drawn = {section: module.draw(census) for section, module in FIGURES}
    return {section: picture for section, picture in drawn.items() if picture is not None}

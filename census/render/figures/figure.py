"""What is a figure? A plotly specification whose colours are named, not fixed, and a text that says what it
shows.

Method: colours are CSS variables ("var(--decode)"), which the page replaces by the values of the light or
the dark theme; plotly itself checks every property. Words that are not ours are escaped, since plotly reads
some mark-up.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from census.render.prose import one_line

DECODE = "var(--decode)"
CHUNK = "var(--chunk)"
VISIBLE = "var(--visible)"
OTHER = "var(--other)"
MIXED = "var(--mixed)"
WAITING = "var(--waiting)"
INK = "var(--ink)"
SOFT = "var(--soft)"
GRID = "var(--grid)"
PAPER = "var(--paper)"
BAND = "var(--band)"
CLEAR = "rgba(0,0,0,0)"
SERIES = tuple(f"var(--series-{number})" for number in range(7))
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure: ``data`` and ``layout`` are plotly's, plain JSON values; ``alt`` says what it shows."""

    id: str
    caption: str
    alt: str
    height: int
    data: Sequence[Mapping[str, Any]]
    layout: Mapping[str, Any]


def figure(
    *,
    id: str,  # noqa: A002 - the figure's id is what it is
    caption: str,
    alt: str,
    height: int,
    data: list[dict[str, Any]],
    layout: dict[str, Any],
) -> Figure:
    """Return a figure that plotly accepts, with the look that all figures share."""
    from plotly.graph_objects import Figure as Checked

    whole = _common(height) | layout
    for name, value in whole.items():
        if name.startswith(("xaxis", "yaxis")):
            whole[name] = _axis() | value
    checked = Checked(data=data, layout=whole).to_plotly_json()
    return Figure(
        id=id, caption=caption, alt=alt, height=height, data=checked["data"], layout=checked["layout"]
    )


def spoken(text: str) -> str:
    """Return foreign words as plotly shows them literally."""
    return html.escape(one_line(text), quote=False)


def title(text: str) -> dict[str, Any]:
    """Return an axis title."""
    return {"text": text, "font": {"size": 12, "color": SOFT}, "standoff": 8}


def _common(height: int) -> dict[str, Any]:
    return {
        "template": {},
        "height": height,
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {
            "family": "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
            "size": 13,
            "color": INK,
        },
        "margin": {"l": 8, "r": 24, "t": 12, "b": 8},
        "hoverlabel": {"bgcolor": PAPER, "bordercolor": SOFT, "font": {"color": INK, "size": 13}},
        "legend": {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "font": {"size": 12}},
        "bargap": 0.3,
    }


def _axis() -> dict[str, Any]:
    return {
        "gridcolor": GRID,
        "linecolor": GRID,
        "zerolinecolor": GRID,
        "automargin": True,
        "tickfont": {"size": 12},
    }


def fill_between(
    name: str,
    places: Sequence[object],
    lows: list[float],
    highs: list[float],
    *,
    fill: str,
    axis: str,
    shown: bool = False,
) -> list[dict[str, Any]]:
    """Return two unseen edges and the band between them, one entry in the legend."""
    edge = {
        "type": "scatter",
        "mode": "lines",
        "x": places,
        "yaxis": axis,
        "line": {"width": 0, "color": CLEAR},
        "hoverinfo": "skip",
    }
    return [
        {**edge, "y": lows, "showlegend": False, "legendgroup": name},
        {
            **edge,
            "y": highs,
            "fill": "tonexty",
            "fillcolor": fill,
            "name": name,
            "legendgroup": name,
            "showlegend": shown,
        },
    ]

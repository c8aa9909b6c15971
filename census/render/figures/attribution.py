"""The lost decode time as one bar that sums."""

from __future__ import annotations

from census.model.census import Census
from census.model.estimate import Absent, Estimate
from census.render import numbers
from census.render.figures.figure import PAPER, SERIES, Figure, figure, spoken, title
from census.render.names import attribution_name
from census.render.numbers import PERCENT


def draw(census: Census) -> Figure | None:
    """Return the figure, None where the finding or every part of it is absent."""
    finding = census.attribution
    if isinstance(finding, Absent):
        return None
    known = [(part.id, part.share) for part in finding.parts if isinstance(part.share, Estimate)]
    parts = [(attribution_name(name), share) for name, share in known if isinstance(share, Estimate)]
    if not parts:
        return None
    return figure(
        id="attribution",
        caption="Parts of the lost stream time; together they are the whole loss",
        alt="; ".join(f"{name} {numbers.full(share, PERCENT)}" for name, share in parts) + ".",
        height=190,
        data=[
            {
                "type": "bar",
                "orientation": "h",
                "name": spoken(name),
                "y": ["loss"],
                "x": [share.value],
                "marker": {"color": SERIES[place % len(SERIES)], "line": {"color": PAPER, "width": 1}},
                "text": [numbers.point(share, PERCENT) if share.value > 0.06 else ""],
                "textposition": "inside",
                "insidetextanchor": "middle",
                "textangle": 0,
                "insidetextfont": {"color": "var(--on-colour)"},
                "customdata": [numbers.full(share, PERCENT)],
                "hovertemplate": f"{spoken(name)}: %{{customdata}}<extra></extra>",
            }
            for place, (name, share) in enumerate(parts)
        ],
        layout={
            "barmode": "relative",
            "xaxis": {"title": title("share of the loss"), "tickformat": ".0%", **_range(parts)},
            "yaxis": {"visible": False},
            "legend": {
                "orientation": "h",
                "x": 0,
                "y": 1.05,
                "yanchor": "bottom",
                "font": {"size": 12},
                "traceorder": "normal",
            },
        },
    )


def _range(parts: list[tuple[str, Estimate]]) -> dict[str, list[float]]:
    values = [share.value for _, share in parts]
    return {"range": [0.0, max(1.0, sum(values))]} if min(values) >= 0 else {}

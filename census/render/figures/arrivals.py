"""How many requests still wait after t seconds, one curve a prefill bucket."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from census.model.census import Census
from census.model.estimate import Absent
from census.model.findings import ArrivalBucket
from census.render import numbers
from census.render.figures.figure import DASHES, SERIES, SYMBOLS, Figure, figure, title
from census.render.prose import plain_text
from census.render.sections.arrivals import answer

CAPTION = (
    "Requests still waiting for their first token after t seconds, by prefill rate (tok/s): from the "
    "quantiles and "
    "the shares over thresholds; a bar is a range, since its threshold lies inside a histogram bucket"
)
LEFT = {"p50_s": 0.5, "p90_s": 0.1, "p99_s": 0.01}
"""The share of requests that still wait at each quantile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of a curve: after ``seconds``, between ``low`` and ``high`` of the requests still wait."""

    seconds: float
    low: float
    high: float
    told: str


def draw(census: Census) -> Figure | None:
    """Return the figure, None where the finding is absent or no request was booked."""
    finding = census.findings.arrival_wait
    if isinstance(finding, Absent):
        return None
    curves = [(row, points_of(row)) for row in finding.rows if row.requests]
    shown = [(row, points) for row, points in curves if points]
    if not shown:
        return None
    every = [point.seconds for _, points in shown for point in points]
    return figure(
        id="arrivals",
        caption=CAPTION,
        alt=plain_text(answer(finding)),
        height=420,
        data=[_curve(row, points, place) for place, (row, points) in enumerate(shown)],
        layout={
            "xaxis": {
                "title": title("t, seconds (log)"),
                "type": "log",
                "range": [math.log10(min(every)) - 0.08, math.log10(max(every)) + 0.08],
                "dtick": "D2" if max(every) / min(every) < 30 else 1,
            },
            "yaxis": {"title": title("still waiting"), "tickformat": ".0%", "range": [0, 1]},
        },
    )


def points_of(row: ArrivalBucket) -> tuple[Point, ...]:
    """Return what is known of one bucket's waiting, by rising time; an open quantile gives no point."""
    points = []
    for name, left in LEFT.items():
        bound = getattr(row, name)
        if bound is not None and bound.value is not None and bound.value > 0:
            quantile = name.removesuffix("_s")
            points.append(
                Point(seconds=bound.value, low=left, high=left, told=f"{quantile} {numbers.quantile(bound)}")
            )
    for threshold, over in row.over.items():
        seconds = float(threshold)
        if seconds > 0:
            told = f"{numbers.share_range(over)} over {threshold} s"
            points.append(Point(seconds=seconds, low=over.low, high=over.high, told=told))
    return tuple(sorted(points, key=lambda point: (point.seconds, -point.high)))


def _curve(row: ArrivalBucket, points: tuple[Point, ...], place: int) -> dict[str, Any]:
    colour = SERIES[place % len(SERIES)]
    name = numbers.bucket(row.lo, row.hi)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": f"{name} ({numbers.count(row.requests)})",
        "x": [point.seconds for point in points],
        "y": [point.high for point in points],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [0.0 for _ in points],
            "arrayminus": [point.high - point.low for point in points],
            "color": colour,
            "thickness": 1.5,
            "width": 3,
        },
        "line": {"color": colour, "dash": DASHES[place % len(DASHES)], "width": 2},
        "marker": {"color": colour, "symbol": SYMBOLS[place % len(SYMBOLS)], "size": 8},
        "customdata": [point.told for point in points],
        "hovertemplate": f"prefill {name}: %{{customdata}}<extra></extra>",
    }

"""Decode rate by prefill bucket: boxes from quartiles, medians with intervals, per stream and visible."""

from __future__ import annotations

from typing import Any

from census.model.census import Census
from census.model.estimate import Absent, Estimate, Reading
from census.model.findings import DecodeBucket, DecodeUnderPrefill, Quartiles
from census.render import numbers
from census.render.figures.figure import DECODE, VISIBLE, Figure, figure, title
from census.render.numbers import TOKEN_RATE
from census.render.prose import plain_text
from census.render.sections.decode import answer

ASIDE = 0.19
CAPTION = (
    "Decode rate by prefill rate: boxes are quartiles of intervals, points are medians with their interval, "
    "diamonds "
    "are pooled; under each bucket its intervals and hours"
)


def draw(census: Census) -> Figure | None:
    """Return the figure, None where the finding is absent or empty."""
    finding = census.findings.decode_under_prefill
    if isinstance(finding, Absent) or not finding.rows:
        return None
    return figure(
        id="decode",
        caption=CAPTION,
        alt=plain_text(answer(finding)),
        height=420,
        data=_traces(finding),
        layout={
            "xaxis": {
                "title": title("computed prefill, tok/s"),
                "tickmode": "array",
                "tickvals": list(range(len(finding.rows))),
                "ticktext": [_label(row) for row in finding.rows],
                "range": [-0.5, len(finding.rows) - 0.5],
                "showgrid": False,
                "tickangle": 0,
            },
            "yaxis": {"title": title("decode, tok/s"), "rangemode": "tozero"},
        },
    )


def _traces(finding: DecodeUnderPrefill) -> list[dict[str, Any]]:
    rows = finding.rows
    streams = [
        (place - ASIDE, row.per_stream_quartiles, row.per_stream_tok_s) for place, row in enumerate(rows)
    ]
    visible = [(place + ASIDE, row.visible_quartiles, row.visible_tok_s) for place, row in enumerate(rows)]
    pooled = [(place - ASIDE, row.per_stream_pooled_tok_s) for place, row in enumerate(rows)]
    return [
        *_boxes("per stream", streams, colour=DECODE, symbol="circle"),
        *_boxes("visible", visible, colour=VISIBLE, symbol="square"),
        {
            "type": "scatter",
            "mode": "markers",
            "name": "per stream, pooled",
            "x": [place for place, value in pooled if value is not None],
            "y": [value for _, value in pooled if value is not None],
            "marker": {"symbol": "diamond-open", "size": 9, "color": DECODE, "line": {"width": 2}},
            "customdata": [numbers.plain(value, TOKEN_RATE) for _, value in pooled if value is not None],
            "hovertemplate": "pooled: %{customdata}<extra></extra>",
        },
    ]


def _boxes(
    name: str, columns: list[tuple[float, Quartiles | None, Reading]], *, colour: str, symbol: str
) -> list[dict[str, Any]]:
    boxed = [(place, quartiles) for place, quartiles, _ in columns if quartiles is not None]
    medians = [(place, reading) for place, _, reading in columns if isinstance(reading, Estimate)]
    return [
        {
            "type": "box",
            "name": name,
            "legendgroup": name,
            "x": [place for place, _ in boxed],
            "q1": [quartiles.q1 for _, quartiles in boxed],
            "median": [quartiles.median for _, quartiles in boxed],
            "q3": [quartiles.q3 for _, quartiles in boxed],
            "lowerfence": [quartiles.q1 for _, quartiles in boxed],
            "upperfence": [quartiles.q3 for _, quartiles in boxed],
            "width": 0.3,
            "line": {"color": colour, "width": 1.5},
            "whiskerwidth": 0,
            "showlegend": False,
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "name": f"{name}, median",
            "legendgroup": name,
            "x": [place for place, _ in medians],
            "y": [reading.value for _, reading in medians],
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": [(_high(reading) - reading.value) for _, reading in medians],
                "arrayminus": [(reading.value - _low(reading)) for _, reading in medians],
                "color": colour,
                "thickness": 2.5,
                "width": 6,
            },
            "marker": {"color": colour, "size": 8, "symbol": symbol},
            "customdata": [
                f"{numbers.full(reading, TOKEN_RATE)}, n = {numbers.count(reading.n)}"
                for _, reading in medians
            ],
            "hovertemplate": f"{name}: %{{customdata}}<extra></extra>",
        },
    ]


def _low(reading: Estimate) -> float:
    return reading.value if reading.low is None else reading.low


def _high(reading: Estimate) -> float:
    return reading.value if reading.high is None else reading.high


def _label(row: DecodeBucket) -> str:
    lines = (numbers.bucket_short(row.lo, row.hi), numbers.count(row.intervals), numbers.hours(row.seconds))
    return "<br>".join(lines)

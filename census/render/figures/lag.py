"""Response of the decode rate at each lag, and the correlations with their null band, both signs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from census.model.census import Census
from census.model.estimate import Absent, Estimate
from census.model.findings import LagResponse, LagRow, LagStructure
from census.render import numbers
from census.render.figures.figure import BAND, DECODE, INK, SOFT, VISIBLE, Figure, figure, fill_between, title
from census.render.numbers import PERCENT
from census.render.prose import plain_text
from census.render.sections.lag import answer

CAPTION = (
    "Above: net response at each lag, with its interval. Below: correlation at each lag, with the band that "
    "unrelated "
    "series would stay in. Right of zero, prefill leads"
)


def draw(census: Census) -> Figure | None:
    """Return the figure, None where the finding is absent or has no lag."""
    finding = census.findings.lag_structure
    if isinstance(finding, Absent) or not (finding.response or finding.rows):
        return None
    both = bool(finding.response) and bool(finding.rows)
    return figure(
        id="lag",
        caption=CAPTION,
        alt=plain_text(answer(finding)),
        height=560 if both else 320,
        data=_traces(finding),
        layout={
            "xaxis": {
                "title": title("lag, s (right: prefill leads)"),
                "anchor": "y2" if finding.rows else "y",
                "dtick": _tick(finding),
            },
            "yaxis": {
                "title": title("net effect"),
                "domain": [0.62, 1.0] if both else [0.0, 1.0],
                "tickformat": ".0%",
                "zerolinecolor": SOFT,
                "visible": bool(finding.response),
            },
            "yaxis2": {
                "title": title("r"),
                "domain": [0.0, 0.5] if both else [0.0, 1.0],
                "range": [-1, 1],
                "zerolinecolor": SOFT,
                "visible": bool(finding.rows),
            },
            "legend": {
                "orientation": "h",
                "x": 0,
                "y": 0.5 if both else 1.0,
                "yanchor": "bottom",
                "font": {"size": 12},
            },
        },
    )


def _traces(finding: LagStructure) -> list[dict[str, Any]]:
    traces = [_response(finding.response)] if finding.response else []
    if finding.rows:
        traces += [
            *_band(finding.rows),
            *_area(finding.rows),
            _line("per stream", finding.rows, colour=DECODE, dash="solid", symbol="circle"),
            _line(
                "per stream, drift removed", finding.detrended.rows, colour=INK, dash="dot", symbol="x-thin"
            ),
            _line("visible", finding.visible.rows, colour=VISIBLE, dash="dash", symbol="square"),
        ]
    return traces


def _response(response: Sequence[LagResponse]) -> dict[str, Any]:
    known = [(row.lag_s, row.effect) for row in response if isinstance(row.effect, Estimate)]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "net response",
        "showlegend": False,
        "x": [lag for lag, _ in known],
        "y": [effect.value for _, effect in known],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [
                (effect.value if effect.high is None else effect.high) - effect.value for _, effect in known
            ],
            "arrayminus": [
                effect.value - (effect.value if effect.low is None else effect.low) for _, effect in known
            ],
            "color": DECODE,
            "thickness": 2,
            "width": 4,
        },
        "marker": {"color": DECODE, "size": 7},
        "customdata": [f"{numbers.lag(lag)}: {numbers.full(effect, PERCENT)}" for lag, effect in known],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def _band(rows: Sequence[LagRow]) -> list[dict[str, Any]]:
    known = [(row.lag_s, row.band) for row in rows if row.band is not None]
    lags = [lag for lag, _ in known]
    edges = [band for _, band in known]
    return fill_between("null band", lags, [-edge for edge in edges], edges, fill=BAND, axis="y2", shown=True)


def _area(rows: Sequence[LagRow]) -> list[dict[str, Any]]:
    known = [(row.lag_s, row.low, row.high) for row in rows if row.low is not None and row.high is not None]
    lags = [lag for lag, _, _ in known]
    lows = [low for _, low, _ in known if low is not None]
    highs = [high for _, _, high in known if high is not None]
    return fill_between("interval", lags, lows, highs, fill="var(--decode-soft)", axis="y2")


def _line(name: str, rows: Sequence[LagRow], *, colour: str, dash: str, symbol: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers" if dash == "solid" else "lines",
        "name": name,
        "yaxis": "y2",
        "x": [row.lag_s for row in rows],
        "y": [row.r for row in rows],
        "line": {"color": colour, "dash": dash, "width": 2 if dash == "solid" else 1.5},
        "marker": {"size": 5, "symbol": symbol, "color": colour},
        "customdata": [f"{numbers.lag(row.lag_s)}: r = {numbers.correlation(row.r)}" for row in rows],
        "hovertemplate": f"{name}, %{{customdata}}<extra></extra>",
    }


def _tick(finding: LagStructure) -> float:
    lags = [row.lag_s for row in finding.rows] or [row.lag_s for row in finding.response]
    reach = max(lags) - min(lags)
    return next(
        (step for step in (1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0) if reach / step <= 12), reach / 10
    )

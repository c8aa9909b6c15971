"""The whole window as it went by: prefill, decode, requests, preemptions, boots and gaps."""

from __future__ import annotations

from typing import Any

from census.model.census import Census
from census.model.track import Track, TrackLine
from census.model.window import Window, rfc3339
from census.render import numbers
from census.render.figures.figure import (
    BAND,
    CHUNK,
    DECODE,
    MIXED,
    SOFT,
    VISIBLE,
    WAITING,
    Figure,
    figure,
    title,
)

ROWS = {"y": [0.76, 1.0], "y2": [0.44, 0.70], "y3": [0.20, 0.38], "y4": [0.0, 0.14]}
BAR_SLOTS = 250
CAPTION = (
    "The window, thinned so that highs and lows stay; shaded: no scrapes; dashed: a boot begins. Drag to "
    "zoom, "
    "double-click to see all"
)


def draw(census: Census) -> Figure | None:
    """Return the figure, None where the census holds no track."""
    track = census.track
    if track is None:
        return None
    window = census.coverage.window
    traces = _traces(track, window)
    if not traces:
        return None
    start, end = rfc3339(window.start_ms), rfc3339(window.end_ms)
    return figure(
        id="timeline",
        caption=CAPTION,
        alt=f"Timeline from {start} to {end}: prefill rate, decode rates, requests running and waiting, "
        f"preemptions; {len(census.boots)} boots, {len(track.gaps)} gaps.",
        height=640,
        data=traces,
        layout={
            "xaxis": {
                "type": "date",
                "anchor": "y4",
                "range": [window.start_ms, window.end_ms],
                "title": title("time, UTC"),
                "hoverformat": "%Y-%m-%d %H:%M:%S",
            },
            "yaxis": {"title": title("prefill, tok/s"), "domain": ROWS["y"], "rangemode": "tozero"},
            "yaxis2": {"title": title("decode, tok/s"), "domain": ROWS["y2"], "rangemode": "tozero"},
            "yaxis3": {"title": title("requests"), "domain": ROWS["y3"], "rangemode": "tozero"},
            "yaxis4": {"title": title("preempted"), "domain": ROWS["y4"], "rangemode": "tozero", "nticks": 3},
            "shapes": [*_gaps(track), *_boots(census)],
            "annotations": _boot_names(census),
            "hovermode": "x",
            "margin": {"l": 8, "r": 12, "t": 36, "b": 8},
            "legend": {"orientation": "h", "x": 0, "y": 1.03, "yanchor": "bottom", "font": {"size": 12}},
        },
    )


def _traces(track: Track, window: Window) -> list[dict[str, Any]]:
    lines = (
        ("prefill", track.prefill_tok_s, CHUNK, "solid", "y"),
        ("visible", track.visible_tok_s, VISIBLE, "solid", "y2"),
        ("per stream", track.per_stream_tok_s, DECODE, "solid", "y2"),
        ("running", track.running, MIXED, "solid", "y3"),
        ("waiting", track.waiting, WAITING, "dot", "y3"),
    )
    traces = [
        _line(name, line, colour=colour, dash=dash, axis=axis)
        for name, line, colour, dash, axis in lines
        if line is not None
    ]
    if track.preemptions:
        traces.append(
            {
                "type": "bar",
                "name": "preemptions",
                "width": (window.end_ms - window.start_ms) / BAR_SLOTS,
                "showlegend": False,
                "yaxis": "y4",
                "x": [event.time_ms for event in track.preemptions],
                "y": [event.count for event in track.preemptions],
                "marker": {"color": CHUNK},
                "hovertemplate": "%{y} preemptions<extra></extra>",
            }
        )
    return traces


def _line(name: str, line: TrackLine, *, colour: str, dash: str, axis: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "yaxis": axis,
        "x": list(line.times_ms),
        "y": [None if value is None else float(f"{value:.5g}") for value in line.values],
        "line": {"color": colour, "width": 1.2, "dash": dash, "shape": "hv" if axis == "y3" else "linear"},
        "connectgaps": False,
        "hovertemplate": f"{name} %{{y:.4~g}} {line.unit}<extra></extra>",
    }


def _gaps(track: Track) -> list[dict[str, Any]]:
    return [
        {
            "type": "rect",
            "xref": "x",
            "yref": "paper",
            "x0": gap.start_ms,
            "x1": gap.end_ms,
            "y0": 0,
            "y1": 1,
            "fillcolor": BAND,
            "line": {"width": 0},
            "layer": "below",
        }
        for gap in track.gaps
    ]


def _boots(census: Census) -> list[dict[str, Any]]:
    return [
        {
            "type": "line",
            "xref": "x",
            "yref": "paper",
            "x0": boot.start_ms,
            "x1": boot.start_ms,
            "y0": 0,
            "y1": 1,
            "line": {"color": SOFT, "width": 1.5, "dash": "dash"},
        }
        for boot in census.boots
        if boot.start_seen
    ]


def _boot_names(census: Census) -> list[dict[str, Any]]:
    seen = [boot for boot in census.boots if boot.start_seen]
    if len(seen) > 12:
        return []
    return [
        {
            "x": boot.start_ms,
            "y": 1.0,
            "xref": "x",
            "yref": "paper",
            "yanchor": "top",
            "xanchor": "left",
            "text": f"boot {numbers.count(boot.index)}",
            "showarrow": False,
            "font": {"size": 11, "color": SOFT},
        }
        for boot in seen
    ]

"""The ladder, computed: what a stream gets at N held steps, and what a prefill pays."""

from __future__ import annotations

from typing import Any

from census.model.census import Census
from census.model.estimate import Absent, Estimate
from census.model.findings import Ladder, LadderRow
from census.render import numbers
from census.render.figures.figure import BAND, CHUNK, DECODE, INK, OTHER, Figure, figure, fill_between, title
from census.render.numbers import TOKEN_RATE

CAPTION = (
    "Computed, not measured. Above: a stream's rate while prefill is pending, with its interval; the diamond "
    "is the "
    "rate measured now. Below: how many times as long a prefill and a first token take"
)


def draw(census: Census) -> Figure | None:
    """Return the figure, None where there is no ladder or it is refused."""
    finding = census.findings.ladder
    if isinstance(finding, Absent) or not finding.accepted or len(finding.rows) < 2:
        return None
    rungs = [str(row.n) for row in finding.rows]
    return figure(
        id="ladder",
        caption=CAPTION,
        alt=_alt(finding),
        height=600,
        data=[*_rates(finding, rungs, census), *_costs(finding, rungs)],
        layout={
            "xaxis": {
                "title": title("N, held steps after each chunk step beside decoders"),
                "type": "category",
                "anchor": "y2",
            },
            "yaxis": {"title": title("pending rate, tok/s"), "domain": [0.56, 1.0], "rangemode": "tozero"},
            "yaxis2": {"title": title("times as long"), "domain": [0.0, 0.44]},
        },
    )


def _alt(finding: Ladder) -> str:
    said = "; ".join(
        f"N = {row.n}: {numbers.plain(row.pending_tok_s, TOKEN_RATE)}, prefill {numbers.factor(row.stretch)}"
        for row in finding.rows
    )
    return f"Computed ladder. {said}."


def _rates(finding: Ladder, rungs: list[str], census: Census) -> list[dict[str, Any]]:
    rows = finding.rows
    traces: list[dict[str, Any]] = []
    if all(row.pending_interval is not None for row in rows):
        lows = [row.pending_interval.low for row in rows if row.pending_interval is not None]
        highs = [_top(row) for row in rows]
        traces += fill_between("interval", rungs, lows, highs, fill="var(--decode-soft)", axis="y")
    traces += [
        _line(
            "pending rate", rungs, [row.pending_tok_s for row in rows], colour=DECODE, dash="solid", axis="y"
        ),
        _line("founding form", rungs, [row.naive_tok_s for row in rows], colour=OTHER, dash="dash", axis="y"),
    ]
    pending = census.findings.pending
    if (
        not isinstance(pending, Absent)
        and isinstance(pending.rate_tok_s, Estimate)
        and pending.held_per_mixed == 0
    ):
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": "measured now",
                "x": [rungs[0]],
                "y": [pending.rate_tok_s.value],
                "marker": {"symbol": "diamond-open", "size": 12, "color": INK, "line": {"width": 2}},
                "customdata": [numbers.full(pending.rate_tok_s, TOKEN_RATE)],
                "hovertemplate": "measured now: %{customdata}<extra></extra>",
            }
        )
    return traces


def _top(row: LadderRow) -> float:
    interval = row.pending_interval
    return row.pending_tok_s if interval is None or interval.high is None else interval.high


def _costs(finding: Ladder, rungs: list[str]) -> list[dict[str, Any]]:
    rows = finding.rows
    steady = [row for row in rows if row.ttft_factor.high is not None]
    unstable = [row for row in rows if row.unstable]
    names = [str(row.n) for row in steady]
    traces = [
        *fill_between(
            "first token, range",
            names,
            [row.ttft_factor.low for row in steady],
            [row.ttft_factor.high or row.ttft_factor.low for row in steady],
            fill=BAND,
            axis="y2",
            shown=True,
        ),
        _line("a prefill", rungs, [row.stretch for row in rows], colour=CHUNK, dash="solid", axis="y2"),
        _line(
            "a prefill, founding form",
            rungs,
            [row.naive_slowdown for row in rows],
            colour=OTHER,
            dash="dot",
            axis="y2",
        ),
    ]
    if unstable:
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": "unstable: the queue grows",
                "yaxis": "y2",
                "x": [str(row.n) for row in unstable],
                "y": [row.stretch for row in unstable],
                "marker": {"symbol": "x", "size": 11, "color": INK},
                "hovertemplate": "N = %{x}: prefill takes more time than there is<extra></extra>",
            }
        )
    return traces


def _line(
    name: str, rungs: list[str], values: list[float], *, colour: str, dash: str, axis: str
) -> dict[str, Any]:
    unit = TOKEN_RATE if axis == "y" else None
    told = [numbers.plain(value, unit) if unit else numbers.factor(value) for value in values]
    return {
        "type": "scatter",
        "mode": "lines+markers" if dash == "solid" else "lines",
        "name": name,
        "yaxis": axis,
        "x": rungs,
        "y": values,
        "line": {"color": colour, "dash": dash, "width": 2},
        "marker": {"size": 7, "color": colour},
        "customdata": told,
        "hovertemplate": f"{name}, N = %{{x}}: %{{customdata}}<extra></extra>",
    }

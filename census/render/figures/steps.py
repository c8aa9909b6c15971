"""Step cost by class, and who holds the steps and the time."""

from __future__ import annotations

from typing import Any

from census.model.census import Census
from census.model.estimate import Absent, Estimate
from census.model.findings import StepClass, StepClasses
from census.render import numbers
from census.render.figures.figure import CHUNK, DECODE, MIXED, OTHER, PAPER, Figure, figure, title
from census.render.names import STEP_CLASSES, classes_of
from census.render.numbers import MILLISECONDS
from census.render.prose import plain_text
from census.render.sections.steps import answer

COLOURS = {"decode": DECODE, "mixed": MIXED, "prefill": OTHER, "chunk": CHUNK, "other": OTHER}

CAPTION = "Mean step by class, with its interval; below, the classes' shares of the steps and of the time"


def draw(census: Census) -> Figure | None:
    """Return the figure, None where the finding is absent."""
    finding = census.findings.step_phases
    if isinstance(finding, Absent):
        return None
    known = [
        (name, kind.mean_s) for name, kind in classes_of(finding.classes) if isinstance(kind.mean_s, Estimate)
    ]
    if not known:
        return None
    means = [(name, mean) for name, mean in known if isinstance(mean, Estimate)]
    shares = _shares(finding.classes)
    return figure(
        id="steps",
        caption=CAPTION,
        alt=plain_text(answer(finding)),
        height=190 + 44 * len(means) + (60 if shares else 0),
        data=[_cost(means), *shares],
        layout={
            "barmode": "stack",
            "xaxis": {"title": title("mean step, ms"), "anchor": "y", "rangemode": "tozero"},
            "yaxis": {"domain": [0.58, 1.0] if shares else [0.0, 1.0], "autorange": "reversed"},
            "xaxis2": {
                "title": title("share"),
                "anchor": "y2",
                "range": [0, 1],
                "tickformat": ".0%",
                "dtick": 0.25,
                "visible": bool(shares),
            },
            "yaxis2": {"domain": [0.0, 0.28], "autorange": "reversed", "visible": bool(shares)},
            "showlegend": False,
        },
    )


def _cost(means: list[tuple[str, Estimate]]) -> dict[str, Any]:
    factor = MILLISECONDS.factor
    return {
        "type": "bar",
        "orientation": "h",
        "name": "mean step",
        "y": [f"{_label(name)}<br><b>{numbers.point(mean, MILLISECONDS)}</b>" for name, mean in means],
        "x": [mean.value * factor for _, mean in means],
        "marker": {"color": [COLOURS[name] for name, _ in means]},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [
                ((mean.high if mean.high is not None else mean.value) - mean.value) * factor
                for _, mean in means
            ],
            "arrayminus": [
                (mean.value - (mean.low if mean.low is not None else mean.value)) * factor
                for _, mean in means
            ],
            "color": "var(--ink)",
            "thickness": 1.5,
            "width": 5,
        },
        "customdata": [f"{_label(name)}: {numbers.full(mean, MILLISECONDS)}" for name, mean in means],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def _shares(classes: StepClasses) -> list[dict[str, Any]]:
    parts = [(name, getattr(classes, name)) for name in ("decode", "chunk", "other")]
    if any(kind.share_of_steps is None or kind.share_of_time is None for _, kind in parts):
        return []
    return [_share(name, kind) for name, kind in parts if kind.share_of_steps or kind.share_of_time]


def _share(name: str, kind: StepClass) -> dict[str, Any]:
    both = [kind.share_of_steps or 0.0, kind.share_of_time or 0.0]
    label = _label(name)
    return {
        "type": "bar",
        "orientation": "h",
        "name": label,
        "xaxis": "x2",
        "yaxis": "y2",
        "y": ["of steps", "of time"],
        "x": both,
        "marker": {"color": COLOURS[name], "line": {"color": PAPER, "width": 1}},
        "text": [
            f"{label} {numbers.share(value)}"
            if value > 0.16
            else numbers.share(value)
            if value > 0.03
            else ""
            for value in both
        ],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "insidetextfont": {"color": "var(--on-colour)"},
        "customdata": [numbers.share(value) for value in both],
        "hovertemplate": f"{label}, %{{y}}: %{{customdata}}<extra></extra>",
    }


def _label(name: str) -> str:
    return STEP_CLASSES[name].split(" (")[0]

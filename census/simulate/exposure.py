"""How do counted things become series, or one page of /metrics?

Method: an engine's exposure is a list of columns, one a series, each with a value for every moment asked;
NaN where the series is not exported at that moment. The same columns give scraped series and the text page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from census.capture.series import Series
from census.simulate.run import Floats, Ints
from census.simulate.world import Labels

Kind = Literal["counter", "gauge", "histogram"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Column:
    """One series of an engine.

    Attributes
    ----------
    family : metric family as its TYPE line names it. name : of the samples (``_bucket``, ``_sum``,
        ``_count``).
    labels : beyond the engine's own. values : shape (moments,); NaN where not exported.
    """

    family: str
    name: str
    kind: Kind
    labels: Mapping[str, str]
    values: Floats


def plain(kind: Kind, name: str, values: Floats, **labels: str) -> Column:
    """Return the column of a counter or gauge."""
    return Column(family=name, name=name, kind=kind, labels=labels, values=np.asarray(values, dtype=float))


def edge_text(edge: float) -> str:
    """Return a bucket edge as radiance writes it: 17 significant digits, which makes most decimals ugly."""
    return "+Inf" if np.isinf(edge) else f"{edge:.17g}"


def histogram(
    family: str, *, booked_s: Floats, values: Floats, edges: Sequence[float], times_s: Floats
) -> list[Column]:
    """Return the columns of a histogram whose observations are booked at ``booked_s``.

    Parameters
    ----------
    edges : rising, without the last +Inf. times_s : moments asked.
    """
    order = np.argsort(booked_s, kind="stable")
    booked, values = booked_s[order], values[order]
    columns = []
    for edge in (*edges, np.inf):
        counts = np.searchsorted(booked[values <= edge], times_s, side="right").astype(float)
        columns.append(
            Column(
                family=family,
                name=f"{family}_bucket",
                kind="histogram",
                labels={"le": edge_text(edge)},
                values=counts,
            )
        )
    seen = np.searchsorted(booked, times_s, side="right")
    sums = np.concatenate([[0.0], np.cumsum(values)])[seen]
    columns.append(Column(family=family, name=f"{family}_sum", kind="histogram", labels={}, values=sums))
    columns.append(
        Column(family=family, name=f"{family}_count", kind="histogram", labels={}, values=seen.astype(float))
    )
    return columns


def to_series(columns: Sequence[Column], *, times_ms: Ints, labels: Labels) -> list[Series]:
    """Return columns as a scraper stores them, target labels added; never-exported ones are left out."""
    own = {
        "engine": labels.engine,
        "instance": labels.instance,
        "job": labels.job,
        "model_name": labels.model_name,
    }
    series = []
    for column in columns:
        here = ~np.isnan(column.values)
        if not here.any():
            continue
        all_here = bool(here.all())
        series.append(
            Series(
                labels={"__name__": column.name, **own, **column.labels},
                times_ms=times_ms if all_here else times_ms[here],
                values=column.values if all_here else column.values[here],
            )
        )
    return series


def page(engines: Sequence[tuple[Labels, Sequence[Column]]]) -> str:
    """Return columns of one moment as a /metrics page (text format 0.0.4), family by family."""
    families: dict[tuple[str, str], list[str]] = {}
    for labels, columns in engines:
        for column in columns:
            value = float(column.values[0])
            if np.isnan(value):
                continue
            own = {"model_name": labels.model_name, "engine": labels.engine, **column.labels}
            text = ",".join(f'{key}="{escape(text)}"' for key, text in own.items())
            lines = families.setdefault((column.family, column.kind), [])
            lines.append(f"{column.name}{{{text}}} {number_text(value)}\n")
    return "".join(f"# TYPE {family} {kind}\n{''.join(lines)}" for (family, kind), lines in families.items())


def escape(value: str) -> str:
    """Return a label value as it stands between quotes."""
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def number_text(value: float) -> str:
    """Return a sample value: whole numbers plain, others with 17 significant digits."""
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else f"{value:.17g}"

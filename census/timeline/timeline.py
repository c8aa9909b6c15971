"""One engine's samples as intervals between scrapes, inside boots: what every finding is measured on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from census.errors import UsageError
from census.model.boot import Boot
from census.model.window import Window


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistogramIntervals:
    """A histogram role as increments per interval.

    Attributes
    ----------
    role, metric, clock : as bound.
    edges : float64, shape (b,), rising, last is inf.
    counts : float64, shape (intervals, b): observations in each bucket (not cumulative); NaN rows where
        unknown.
    sums : float64, shape (intervals,); NaN where unknown.
    total_counts : float64, shape (b,): over the window with heads and gaps.
    total_sum : likewise.
    boot_counts : float64, shape (boots, b): ``total_counts`` boot by boot, in the order of "boots";
        NaN rows where the histogram is absent in that boot.
    boot_sums : float64, shape (boots,): likewise.
    """

    role: str
    metric: str
    clock: str
    edges: NDArray[np.float64]
    counts: NDArray[np.float64]
    sums: NDArray[np.float64]
    total_counts: NDArray[np.float64]
    total_sum: float
    boot_counts: NDArray[np.float64]
    boot_sums: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Facts:
    """What the timeline did to the samples, for the traps and audits (one mapping a fact, plain scalars).

    Attributes
    ----------
    dips : counter dips held at the running maximum: role, at_ms, from_value, to_value.
    bad_samples : zero samples dropped: role, at_ms.
    resets : boot edges: boot, after_ms, before_ms, counters (how many fell), evidence.
    lone_resets : counters that started anew while their siblings show that the process did not: role, boot,
        at_ms, from_value, to_value. No boot edge; the first new value is head.
    late_born : counters that appeared while siblings were scraped: role, boot, at_ms, first_value, counted
        (False where the first value is too large to have been counted since the scrape before: the series was
        not exported or not pulled earlier, and its first value is no head).
    duplicates : parts of several overlapping series: role, kept, dropped, rule, agree (bool).
    stitched : parts of several series one after another: role, metrics, at_ms.
    clamped : histogram intervals whose buckets did not add up and were held at the running maximum over the
        edges: role, intervals.
    unusable : roles removed because their counter alternates or otherwise cannot be read: role, reason.
    hidden_resets : "excluded" where process start or uptime is known, else "cannot be excluded".
    """

    dips: tuple[Mapping[str, object], ...]
    bad_samples: tuple[Mapping[str, object], ...]
    resets: tuple[Mapping[str, object], ...]
    lone_resets: tuple[Mapping[str, object], ...]
    late_born: tuple[Mapping[str, object], ...]
    duplicates: tuple[Mapping[str, object], ...]
    stitched: tuple[Mapping[str, object], ...]
    clamped: tuple[Mapping[str, object], ...]
    unusable: tuple[Mapping[str, object], ...]
    hidden_resets: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Timeline:
    """One engine's intervals.

    Attributes
    ----------
    window : asked for.
    boots : in time order.
    scrape_interval_s : median spacing.
    coverage : share of the window (after ``only_boot``: of that boot's scrapes) inside intervals that are no
        gap.
    frame : one row an interval between successive scrapes of one boot, in time order. Columns:
        ``boot`` int, ``start_ms``/``end_ms`` int64, ``seconds`` float, ``gap`` bool; for each counter role a
        float column of that name: the increase (NaN where unknown, never negative); for each gauge role two
        columns, ``<role>:start`` and ``<role>:end``. No interval spans a boot edge. Attrs are not used.
    totals : one row a boot (index = boot index), one column a counter role: increase with heads and gaps;
        NaN where the role is absent in that boot.
    heads : same shape: the part of totals that was counted before the first scrape of the boot, or before the
        first sample of a counter born late (0 where none).
    histograms : by role.
    metrics : role -> metric name as found. clocks: role -> clock. absent: role -> reason.
    facts : what was done to the samples.
    """

    window: Window
    boots: tuple[Boot, ...]
    scrape_interval_s: float
    coverage: float
    frame: pd.DataFrame
    totals: pd.DataFrame
    heads: pd.DataFrame
    histograms: Mapping[str, HistogramIntervals]
    metrics: Mapping[str, str]
    clocks: Mapping[str, str]
    absent: Mapping[str, str]
    facts: Facts

    def has(self, *roles: str) -> bool:
        """Tell whether every one of these counter or gauge roles has a column."""
        return all(role in self.frame.columns or f"{role}:end" in self.frame.columns for role in roles)

    def why_absent(self, *roles: str) -> str:
        """Return one sentence on why the first missing role of these is missing."""
        for role in roles:
            if not self.has(role) and role not in self.histograms:
                return self.absent.get(role, f"{role} has no samples in the window")
        return ""

    def clean(self) -> pd.DataFrame:
        """Return the intervals that are no gap: what rates, buckets and lags may use."""
        return self.frame.loc[~self.frame["gap"]]

    def total(self, role: str) -> float:
        """Return the increase of a counter over all boots, heads and gaps included."""
        return float(np.nansum(self.totals[role].to_numpy(dtype=float)))

    def only_boot(self, index: int) -> Timeline:
        """Return the same timeline cut down to one boot (boot numbers are kept).

        Raises
        ------
        UsageError : there is no boot of that number.
        """
        places = {boot.index: place for place, boot in enumerate(self.boots)}
        if index not in places:
            known = ", ".join(str(number) for number in places)
            raise UsageError(f"there is no boot {index}", hint=f"the boots are {known}")
        boot = self.boots[places[index]]
        rows = (self.frame["boot"] == index).to_numpy()
        frame = self.frame.loc[rows].reset_index(drop=True)
        span_s = (boot.end_ms - boot.first_ms) / 1000.0
        clean_s = float(frame.loc[~frame["gap"], "seconds"].sum())
        return replace(
            self,
            boots=(boot,),
            scrape_interval_s=float(frame["seconds"].median()) if len(frame) else self.scrape_interval_s,
            coverage=min(1.0, clean_s / span_s) if span_s else 0.0,
            frame=frame,
            totals=self.totals.loc[[index]],
            heads=self.heads.loc[[index]],
            histograms={
                role: _only_boot(histogram, rows=rows, place=places[index])
                for role, histogram in self.histograms.items()
            },
        )


def _only_boot(histogram: HistogramIntervals, *, rows: NDArray[np.bool_], place: int) -> HistogramIntervals:
    counts, total = histogram.boot_counts[place], float(histogram.boot_sums[place])
    return replace(
        histogram,
        counts=histogram.counts[rows],
        sums=histogram.sums[rows],
        total_counts=np.nan_to_num(counts),
        total_sum=0.0 if np.isnan(total) else total,
        boot_counts=counts[None, :],
        boot_sums=histogram.boot_sums[place : place + 1],
    )

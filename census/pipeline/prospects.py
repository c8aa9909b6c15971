"""Which findings will a pull of this engine allow, and at what scrape interval does the lag test gain power?

Method: each finding against the roles and clocks of a short timeline, not against its amount of data. The
lag test tells lingering from lag 0 only from two intervals on (lag 1 is scrape straddle), and needs loaded
and quiet intervals: their shares at another interval come from the loaded share seen and the chunk share of
wall time, which is what an infinitely fine scrape would see.

Misleads where the short window is not typical of the traffic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from census.findings import step_phases
from census.findings.interval_rates import IntervalRates, measure_rates
from census.model.settings import Settings
from census.timeline.prefill import measure_prefill_tokens
from census.timeline.timeline import Timeline

Possible = Literal["yes", "in part", "no"]

INTERVALS_S = (1.0, 5.0, 10.0, 15.0, 30.0, 60.0)
COARSEST_S = 15.0
SHORTEST_LINGERING_S = 30.0
LEAST_QUIET_SHARE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """Whether a finding will be possible, and why not (or what it rests on)."""

    finding: str
    possible: Possible
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """What the lag test can do at one scrape interval; None where no prefill was seen."""

    interval_s: float
    shortest_lingering_s: float
    loaded_share: float | None
    quiet_share: float | None
    hours_for_a_verdict: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrapePower:
    """The table, the interval now, and the one that would serve."""

    interval_s: float
    wanted_s: float
    rows: tuple[Power, ...]


def list_prospects(timeline: Timeline, settings: Settings) -> tuple[Prospect, ...]:
    """Return every finding with its prospect, in reading order."""
    rates = measure_rates(timeline, settings)
    by_rates = _rates_prospect(rates)
    has_classes = timeline.has(*step_phases.CLASS_ROLES)
    without_classes = timeline.why_absent(*step_phases.CLASS_ROLES)
    classes: tuple[Possible, str] = ("yes", "") if has_classes else ("no", without_classes)
    both = by_rates if by_rates[0] == "no" else classes
    mechanism: tuple[Possible, str] = (
        by_rates
        if by_rates[0] == "no" or has_classes
        else ("in part", f"without step classes: {without_classes}")
    )
    return (
        Prospect(finding="step-phases", possible=classes[0], reason=classes[1]),
        Prospect(finding="decode-under-prefill", possible=by_rates[0], reason=by_rates[1]),
        Prospect(finding="pending", possible=both[0], reason=both[1]),
        Prospect(finding="lag-structure", possible=by_rates[0], reason=by_rates[1]),
        Prospect(finding="mechanism", possible=mechanism[0], reason=mechanism[1]),
        _arrival(timeline),
        _counter(timeline, "protection-meter", "held_steps"),
        _counter(timeline, "preemptions", "preemptions"),
        Prospect(finding="ladder", possible=both[0], reason=both[1]),
    )


def _rates_prospect(rates: object) -> tuple[Possible, str]:
    if isinstance(rates, IntervalRates):
        return "yes", f"{rates.prefill_axis}; per stream from {rates.source}"
    return "no", getattr(rates, "reason", "not known")


def _arrival(timeline: Timeline) -> Prospect:
    ttft = timeline.histograms.get("ttft")
    if ttft is None:
        return Prospect(finding="arrival-wait", possible="no", reason=timeline.why_absent("ttft"))
    if ttft.clock == "request":
        return Prospect(
            finding="arrival-wait",
            possible="in part",
            reason=f"{ttft.metric} is booked when a request ends, so waits are placed late",
        )
    return Prospect(finding="arrival-wait", possible="yes", reason=ttft.metric)


def _counter(timeline: Timeline, finding: str, role: str) -> Prospect:
    if timeline.has(role):
        return Prospect(finding=finding, possible="yes", reason=timeline.metrics[role])
    return Prospect(finding=finding, possible="no", reason=timeline.why_absent(role))


def measure_power(timeline: Timeline, settings: Settings) -> ScrapePower:
    """Return what the lag test can do at this and at other scrape intervals."""
    now = timeline.scrape_interval_s
    seen = _loaded_shares(timeline)
    offered = sorted({*INTERVALS_S, round(now, 3)})
    rows = tuple(_power(interval, now=now, seen=seen, settings=settings) for interval in offered)
    good = [
        row.interval_s
        for row in rows
        if row.interval_s <= COARSEST_S
        and row.shortest_lingering_s <= SHORTEST_LINGERING_S
        and (row.quiet_share is None or row.quiet_share >= LEAST_QUIET_SHARE)
    ]
    wanted = max(good, default=INTERVALS_S[1])
    return ScrapePower(interval_s=now, wanted_s=min(wanted, max(now, INTERVALS_S[0])), rows=rows)


def _loaded_shares(timeline: Timeline) -> tuple[float, float] | None:
    """Return the shares of intervals with prefill and of wall time in chunk steps; None without prefill."""
    prefill = measure_prefill_tokens(timeline)
    clean = timeline.clean()
    if prefill is None or not len(clean) or not np.nansum(prefill.tokens) > 0:
        return None
    loaded = float((prefill.tokens > 0).mean())
    if not timeline.has("step_seconds", "decode_seconds"):
        return loaded, 0.0
    chunk_s = float((clean["step_seconds"] - clean["decode_seconds"]).clip(lower=0).sum())
    return loaded, min(loaded, chunk_s / float(clean["seconds"].sum()))


def _power(interval_s: float, *, now: float, seen: tuple[float, float] | None, settings: Settings) -> Power:
    if seen is None:
        return Power(
            interval_s=interval_s,
            shortest_lingering_s=2 * interval_s,
            loaded_share=None,
            quiet_share=None,
            hours_for_a_verdict=None,
        )
    loaded, finest = seen
    times = interval_s / now
    share = finest + (loaded - finest) * times if times <= 1 else 1 - (1 - loaded) ** times
    return Power(
        interval_s=interval_s,
        shortest_lingering_s=2 * interval_s,
        loaded_share=share,
        quiet_share=1 - share,
        hours_for_a_verdict=settings.min_loaded_intervals * interval_s / share / 3600 if share > 0 else None,
    )

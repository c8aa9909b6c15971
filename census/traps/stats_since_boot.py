"""The engine's own page counts since its boot, Prometheus over the window.

Why it fools: both say "steps". Side by side they differ by whatever the process did before the window, and a
difference that has another cause (another process, another engine) passes for that.

How it is found: each counter of the page beside the raw counter at the last scrape: both count since boot.

What is done: they are compared on that overlap alone; the page must be at or a little above the last scrape.
A mismatch is flagged, and the page is not used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from census.model.caveat import Caveat
from census.traps.evidence import Evidence

ID = "trap/stats-since-boot"

PAGE_KEYS: Mapping[str, str] = {
    "steps": "steps",
    "decode_steps": "steps_decode",
    "mixed_steps": "steps_mixed",
    "prefill_steps": "steps_prefill",
    "preemptions": "preemptions",
}
BURST = 4.0
"""A page may be ahead of the last scrape by this many times the boot's own mean rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    role: str
    on_page: float
    counter: float
    rate: float

    def agrees(self, late_s: float) -> bool:
        """Tell whether the page can be of the same process, ``late_s`` after the last scrape."""
        ahead = self.on_page - self.counter
        return 0 <= ahead <= max(BURST * self.rate * late_s, 0.02 * self.counter, 10.0)


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Compare the page with the counters where both exist."""
    snapshot, boots = evidence.stats_page, evidence.timeline.boots
    page, taken = (None, None) if snapshot is None else (snapshot.get("page"), snapshot.get("taken_ms"))
    if not isinstance(page, Mapping) or not isinstance(taken, int | float) or not boots:
        return ()
    late_s = max(0.0, (taken - boots[-1].end_ms) / 1000) + evidence.timeline.scrape_interval_s
    pairs = [pair for role in PAGE_KEYS if (pair := _pair(evidence, page, role)) is not None]
    mismatched = [pair for pair in pairs if not pair.agrees(late_s)]
    if mismatched:
        return (_mismatch(mismatched[0]),)
    return tuple(_longer_than_window(evidence, pair) for pair in pairs[:1] if not boots[-1].start_seen)


def _pair(evidence: Evidence, page: Mapping[str, object], role: str) -> _Pair | None:
    """Return the page's value and the counter at its last scrape; None where either is not there."""
    on_page, raw = page.get(PAGE_KEYS[role]), evidence.raw(role)
    if not isinstance(on_page, int | float) or len(raw) != 1 or role not in evidence.timeline.totals.columns:
        return None
    boot = evidence.timeline.boots[-1]
    seen_s = max(1.0, (boot.end_ms - boot.start_ms) / 1000)
    counted = float(evidence.timeline.totals[role].iloc[-1])
    return _Pair(role=role, on_page=float(on_page), counter=float(raw[0].values[-1]), rate=counted / seen_s)


def _mismatch(pair: _Pair) -> Caveat:
    return Caveat(
        id=ID,
        severity="warning",
        summary=(
            f"the engine's page says {pair.on_page:.0f} {pair.role} since its boot, the counter stood at "
            f"{pair.counter:.0f} at the last scrape: restarted since, or another process or engine; "
            "the page is not used"
        ),
        evidence={
            "role": pair.role,
            "page": pair.on_page,
            "counter_at_last_scrape": pair.counter,
            "mismatch": True,
        },
        touches=("step_phases",),
    )


def _longer_than_window(evidence: Evidence, pair: _Pair) -> Caveat:
    increase = evidence.timeline.total(pair.role)
    return Caveat(
        id=ID,
        severity="info",
        summary=(
            f"the engine's page counts since a boot before the window: {pair.on_page:.0f} {pair.role}, of "
            "which "
            f"{increase:.0f} fell into the window"
        ),
        evidence={
            "role": pair.role,
            "page": pair.on_page,
            "counter_at_last_scrape": pair.counter,
            "increase_in_window": increase,
            "mismatch": False,
        },
        touches=("step_phases",),
    )

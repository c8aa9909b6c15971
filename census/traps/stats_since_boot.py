"""The engine's own page counts since its boot, Prometheus over the window.

Why it fools: both say "steps". Side by side they differ by whatever the process did before the window, and a
difference that has another cause (another process, another engine) passes for that.

How it is found: each counter of the page beside the raw counter at the last scrape: both count since boot.

What is done: they are compared on that overlap alone; the page must be at or a little above the last scrape.
A mismatch is flagged, and the page is not used.
"""

from __future__ import annotations

from collections.abc import Mapping

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
SLACK = 0.02


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Compare the page with the counters where both exist."""
    page = evidence.stats_page
    if page is None or not evidence.timeline.boots:
        return ()
    pairs = {role: pair for role in PAGE_KEYS if (pair := _pair(evidence, page, role)) is not None}
    mismatched = [
        role for role, (on_page, counter) in pairs.items() if not _agree(evidence, page, on_page, counter)
    ]
    if mismatched:
        return (_mismatch(mismatched[0], *pairs[mismatched[0]]),)
    return tuple(
        _longer_than_window(evidence, role, *pairs[role])
        for role in list(pairs)[:1]
        if not evidence.timeline.boots[-1].start_seen
    )


def _pair(evidence: Evidence, page: Mapping[str, object], role: str) -> tuple[float, float] | None:
    """Return the page's value and the counter at its last scrape."""
    on_page, raw = page.get(PAGE_KEYS[role]), evidence.raw(role)
    if not isinstance(on_page, int | float) or len(raw) != 1:
        return None
    return float(on_page), float(raw[0].values[-1])


def _agree(evidence: Evidence, page: Mapping[str, object], on_page: float, counter: float) -> bool:
    """Tell whether the page is of the same process, a little after the last scrape."""
    if on_page < counter:
        return False
    now_ms = page.get("now_ms")
    late_s = (
        (float(now_ms) - evidence.timeline.boots[-1].end_ms) / 1000
        if isinstance(now_ms, int | float)
        else None
    )
    if late_s is None or late_s > 2.5 * evidence.timeline.scrape_interval_s:
        return True
    boot = evidence.timeline.boots[-1]
    seen_s = max(1.0, (boot.end_ms - boot.first_ms) / 1000)
    allowed = counter / seen_s * 4 * max(late_s, evidence.timeline.scrape_interval_s)
    return on_page - counter <= max(allowed, SLACK * counter, 10.0)


def _mismatch(role: str, on_page: float, counter: float) -> Caveat:
    return Caveat(
        id=ID,
        severity="warning",
        summary=(
            f"the engine's page says {on_page:.0f} {role} since its boot, the counter stood at "
            f"{counter:.0f} at the last "
            "scrape: not the same process, or not the same engine; the page is not used"
        ),
        evidence={"role": role, "page": on_page, "counter_at_last_scrape": counter, "mismatch": True},
        touches=("step_phases",),
    )


def _longer_than_window(evidence: Evidence, role: str, on_page: float, counter: float) -> Caveat:
    increase = evidence.timeline.total(role) if role in evidence.timeline.totals.columns else None
    return Caveat(
        id=ID,
        severity="info",
        summary=(
            f"the engine's page counts since a boot before the window: {on_page:.0f} {role}, of which "
            f"{'an unknown part' if increase is None else f'{increase:.0f}'} fell into the window"
        ),
        evidence={
            "role": role,
            "page": on_page,
            "counter_at_last_scrape": counter,
            "increase_in_window": increase,
            "mismatch": False,
        },
        touches=("step_phases",),
    )

"""Which counters cannot be read, because several workers answer one target in turn?

Method: each counter is tested by itself (alternation.py). If two metrics alternate, or most of those that
ever fall, or the process start time comes back to an earlier value, then no counter of the target can be
read, those that stand at zero in every worker included.

When it misleads: see alternation.py. One foreign scrape alone is a boot edge, not an alternation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from census.timeline.alternation import alternates, zeros_alternate
from census.timeline.drops import Falls
from census.timeline.samples import Counter

SEVERAL = 2
WORKERS = "several workers answer this target in turn, each with counters of its own"


def find_alternating(
    counters: Sequence[Counter], *, falls: Mapping[str, Falls], gap_ms: float, starts_return: bool
) -> dict[str, str]:
    """Return counter key -> reason for the counters that cannot be read."""
    if starts_return:
        reason = f"{WORKERS}: the process start time comes back to an earlier value"
        return dict.fromkeys((one.key for one in counters), reason)
    fallen = [one for one in counters if falls[one.key].drops or falls[one.key].bad]
    alternating = [one for one in fallen if _alternates(one, falls=falls[one.key], gap_ms=gap_ms)]
    families = sorted({one.family for one in alternating})
    if not families:
        return {}
    reason = f"{WORKERS}: {', '.join(families[:3])} jump back and forth between rising chains"
    everything = len(families) >= SEVERAL or len(families) * 2 > len({one.family for one in fallen})
    return dict.fromkeys((one.key for one in (counters if everything else alternating)), reason)


def _alternates(counter: Counter, *, falls: Falls, gap_ms: float) -> bool:
    bad = set(falls.bad)
    runs = sum(place - 1 not in bad for place in bad)
    if bad and zeros_alternate(counter.values, bad=len(bad), bad_runs=runs):
        return True
    after_gap = {drop.place for drop in falls.drops if drop.at_ms - drop.before_ms > gap_ms}
    if len(falls.drops) - len(after_gap) < SEVERAL:
        return False
    kept = [place for place in range(len(counter.values)) if place not in bad]
    return alternates(
        [counter.values[place] for place in kept],
        restarts={position for position, place in enumerate(kept) if place in after_gap},
    )

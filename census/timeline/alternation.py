"""Is one target answered in turn by several workers, each with counters of its own?

Method: a counter read from several workers is several rising chains mixed. Each sample is put on the chain
whose last value is nearest below it. A switch is a fall, or a rise as large as the falls; it is explained if
it lands on another chain, nearer to that chain's last value than six tenths of the jump. Restarts explain
nothing: after a fall a new process lands below every chain, and climbs. Falls across a missing scrape are
left out, since a restarting process misses scrapes and a worker does not. A counter alternates if at least
two switches are explained and those that are not are few (each worker's first appearance cannot be).

A process start time that returns to an earlier value is proof by itself; so are zeros in a fifth of all
samples and at least three times (the other worker has counted nothing yet).

When it misleads: workers whose counters differ by less than they count between two scrapes are told apart by
nothing; what is seen is then a counter with dips.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

NEAR_SHARE = 0.6
RISE_SHARE = 0.5
UNEXPLAINED_SHARE = 0.25
SMALL_DIP = 2.0
MOST_WORKERS = 32
SAME_START_S = 1.5
ZERO_SHARE = 0.2
ZERO_RUNS = 3


@dataclass(slots=True)
class _Switches:
    explained: int = 0
    unexplained: int = 0

    def note(self, explained: bool) -> None:
        if explained:
            self.explained += 1
        else:
            self.unexplained += 1

    @property
    def tell(self) -> bool:
        allowed = 1 + UNEXPLAINED_SHARE * (self.explained + self.unexplained)
        return self.explained >= 2 and self.unexplained <= allowed


def alternates(values: Sequence[float], *, restarts: Collection[int] = ()) -> bool:
    """Tell whether these samples (bad zeros removed) come from several workers in turn.

    Parameters
    ----------
    restarts : places of falls that span a missing scrape.
    """
    falls = [
        before - value
        for place, (before, value) in enumerate(pairwise(values), start=1)
        if value < before and place not in restarts
    ]
    growth = max(0.0, (max(values, default=0.0) - values[0]) / len(values)) if values else 0.0
    large = [fall for fall in falls if fall > SMALL_DIP + growth]
    if len(large) < 2:
        return False
    return _count_switches(
        values, fall=SMALL_DIP + growth, rise=RISE_SHARE * median(large), restarts=restarts
    ).tell


def _count_switches(
    values: Sequence[float], *, fall: float, rise: float, restarts: Collection[int]
) -> _Switches:
    switches = _Switches()
    chains = [values[0]]
    current = values[0]
    for place in range(1, len(values)):
        value, before = values[place], values[place - 1]
        at = bisect_right(chains, value) - 1
        is_switch = before - value > fall or value - before >= rise
        if is_switch and place not in restarts:
            near = at >= 0 and value - chains[at] <= NEAR_SHARE * abs(value - before)
            switches.note(near and chains[at] != current)
        if at >= 0:
            chains.pop(at)
        insort(chains, value)
        current = value
        if len(chains) > MOST_WORKERS:
            return _Switches()
    return switches


def start_returns(starts: Sequence[float], *, apart_s: float) -> bool:
    """Tell whether a process start time comes back to a value that it had left by ``apart_s``."""
    seen: list[float] = []
    last: float | None = None
    for start in starts:
        if last is None or abs(start - last) > apart_s:
            if any(abs(start - earlier) <= SAME_START_S for earlier in seen):
                return True
            seen.append(start)
        last = start
    return False


def zeros_alternate(values: Sequence[float], *, bad: int, bad_runs: int) -> bool:
    """Tell whether bad zeros are too many to be single bad samples; a zero at the very end counts as one."""
    last = len(values) > 1 and values[-1] == 0 and values[-2] > 0
    return bad_runs + last >= ZERO_RUNS and bad + last >= ZERO_SHARE * len(values)

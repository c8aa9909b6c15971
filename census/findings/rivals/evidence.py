"""What do the rivals judge on? Gathered once.

Method: the lag structure, the decode-only step given rows, the accounting of lost stream time and its shares,
preemption windows, stalls and queue, other engines. A rival *holds* if its effect is large enough to matter
(5 % of stream time, or of a step while it acts) and surely explains more than a fifth of the loss; it *fails*
if its effect is surely too small, or it may explain less than a fifth and surely explains less than half;
else it cannot be told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from census.findings.cross_engine import CrossEngine
from census.findings.decode_given_rows import DecodeGivenRows
from census.findings.interval_arrays import IntervalArrays
from census.findings.loss_shares import LossShares
from census.findings.preemption_windows import PreemptionWindows
from census.findings.queue_effect import QueueEffect
from census.findings.stream_loss import StreamLoss
from census.model.estimate import Absent, Estimate, Reading
from census.model.findings import LagStructure
from census.model.settings import Settings

SURELY_MINOR = 0.5
"""A rival that does not surely explain a fifth fails if it surely explains less than half."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """All that the rivals judge on; engines without step counters have no evidence at all."""

    arrays: IntervalArrays
    lag: LagStructure | Absent
    given_rows: DecodeGivenRows
    loss: StreamLoss
    shares: LossShares
    windows: PreemptionWindows
    queue: QueueEffect | Absent
    others: tuple[CrossEngine, ...]
    settings: Settings

    @property
    def mixed_steps(self) -> float:
        """Chunk steps that carried decode rows."""
        return float(np.nansum(self.arrays.mixed_steps))

    @property
    def chunk_steps(self) -> float:
        """Steps that carried a chunk."""
        return float(np.nansum(self.arrays.mixed_steps + self.arrays.prefill_steps))

    @property
    def chunk_step_s(self) -> float:
        """Mean seconds of a step that carries a chunk; 0 where there was none."""
        return float(np.nansum(self.arrays.chunk_seconds)) / self.chunk_steps if self.chunk_steps else 0.0

    @property
    def quiet_step_s(self) -> float:
        """Mean seconds of a decode-only step without what prefill adds."""
        return self.given_rows.step_s * (1.0 - min(max(self.given_rows.slowdown.value, 0.0), 0.95))


def weigh(share_of_loss: Reading, share_of_loaded: Reading, settings: Settings, *, acts: bool) -> bool | None:
    """Tell whether a part of the loss is a mechanism: surely, surely not, or neither.

    Parameters
    ----------
    share_of_loaded : the part over stream time in loaded intervals: its size.
    acts : its effect is known to be large while it acts, so that a small share of time does not clear it.
    """
    if isinstance(share_of_loaded, Absent):
        return None
    low, high = ends(share_of_loaded)
    if high < settings.practical_share and not acts:
        return False
    if isinstance(share_of_loss, Absent):
        return False if acts else None
    loss_low, loss_high = ends(share_of_loss)
    if loss_low <= settings.rival_share and loss_high < SURELY_MINOR:
        return False
    large = acts or share_of_loaded.value >= settings.practical_share
    return True if large and low > 0 and loss_low > settings.rival_share else None


def over_loss(effect: Reading, evidence: Evidence) -> Reading:
    """Return an effect on the rate (negative = slower) over the whole loss, both as shares of stream time."""
    lost = evidence.shares.lost
    if isinstance(effect, Absent):
        return effect
    if isinstance(lost, Absent) or isinstance(evidence.shares.of_loss["rest"], Absent):
        return Absent("the loss is too small to divide")
    low, high = ends(effect)
    return Estimate(
        value=-effect.value / lost.value,
        low=-high / lost.value,
        high=-low / lost.value,
        level=effect.level,
        n=effect.n,
        unit="1",
        method=effect.method,
    )


def weigh_effect(effect: Estimate, share: Reading, settings: Settings) -> bool | None:
    """Tell whether an effect on the rate is a mechanism: surely, surely not, or neither."""
    low, high = ends(effect)
    if low > -settings.practical_share or isinstance(share, Absent):
        return False
    share_low, share_high = ends(share)
    if share_low <= settings.rival_share and share_high < SURELY_MINOR:
        return False
    return True if high < -settings.practical_share and share_low > settings.rival_share else None


def ends(reading: Estimate) -> tuple[float, float]:
    """Return the ends of a reading's interval; without one, nothing is sure."""
    if reading.low is None or reading.high is None:
        return -np.inf, np.inf
    return reading.low, reading.high


def percent(share: float) -> str:
    """Return a share as whole or tenth percent, for sentences."""
    return f"{share:.0%}" if abs(share) >= 0.1 else f"{share:.1%}"


def span(reading: Reading) -> str:
    """Return a share and its interval as words."""
    if isinstance(reading, Absent):
        return f"absent ({reading.reason})"
    if reading.low is None or reading.high is None:
        return f"{percent(reading.value)} (no interval)"
    return f"{percent(reading.value)} ({percent(reading.low)} to {percent(reading.high)})"

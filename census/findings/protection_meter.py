"""Did the knob that is believed to protect decode ever act?

Method: held steps and opportunities (mixed steps: a chunk beside decoders) over each boot and over all of
them, heads and gaps included. Moving: held steps were taken. Zero: none although there were opportunities.
No opportunity: no chunk ran beside a decoder, so nothing could act. Not exported: the engine has no such
counter.

Misleads: absent is never zero, and zero is never absent. A meter that moved once may have stood still since
the deploy: the gate judges that.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from census.model.estimate import Absent
from census.model.findings import ProtectionBoot, ProtectionMeter
from census.timeline.timeline import Timeline

NEEDS = ("held_steps", "mixed_steps")

State = Literal["moving", "zero", "no opportunity", "not exported"]


def measure(timeline: Timeline) -> ProtectionMeter | Absent:
    """Return the state of the meter, overall and boot by boot."""
    held = _totals(timeline, "held_steps")
    opportunities = _totals(timeline, "mixed_steps")
    counted = held.notna()
    total_held = round(held[counted].sum()) if counted.any() else None
    chances = opportunities[counted] if counted.any() else opportunities
    total_chances = round(chances.sum()) if chances.notna().any() else None
    if total_held == 0 and total_chances is None:
        return Absent(f"no held step, and no counter of opportunities: {timeline.why_absent('mixed_steps')}")
    return ProtectionMeter(
        metric=timeline.metrics.get("held_steps", ""),
        state=_state(total_held, total_chances),
        held=total_held,
        opportunities=total_chances,
        by_boot=tuple(
            ProtectionBoot(
                boot=boot.index,
                state=_state(_whole(held[boot.index]), _whole(opportunities[boot.index])),
                held=_whole(held[boot.index]),
                opportunities=_whole(opportunities[boot.index]),
            )
            for boot in timeline.boots
        ),
    )


def _totals(timeline: Timeline, role: str) -> pd.Series[float]:
    """Return the increase of each boot, NaN where the role is absent in it."""
    if role not in timeline.totals.columns:
        return pd.Series(np.nan, index=timeline.totals.index)
    return timeline.totals[role].astype(float)


def _whole(value: float) -> int | None:
    return round(value) if np.isfinite(value) else None


def _state(held: int | None, opportunities: int | None) -> State:
    if held is None:
        return "not exported"
    if held > 0:
        return "moving"
    return "zero" if opportunities else "no opportunity"

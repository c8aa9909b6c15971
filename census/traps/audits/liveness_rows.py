"""Does each counter move while work runs, and is any of its rates impossible?

Method: of every counter, the intervals it is known in and those it moved in. For token counters also the
intervals with work that must move it and did not, and the clock that this tells
(``timeline.observed_clocks``). The decode counter's highest rate stands beside the ceiling that the engine's
own step time sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from census.stats.liveness import Liveness
from census.timeline.observed_clocks import observe_clocks
from census.traps.evidence import Evidence
from census.traps.rate_ceiling import measure_ceiling


def audit_liveness(evidence: Evidence) -> tuple[Mapping[str, Any], ...]:
    """Return a row for every counter of the timeline, token counters with their clock."""
    timeline = evidence.timeline
    clocks = observe_clocks(timeline)
    return tuple(
        {
            **_row(evidence, binding.role),
            **_clock(clocks.get(binding.role)),
            **_ceiling(evidence, binding.role),
        }
        for binding in evidence.entry.roles
        if binding.kind == "counter" and binding.role in timeline.frame.columns
    )


def _row(evidence: Evidence, role: str) -> Mapping[str, Any]:
    increase = evidence.increase(role)
    return {
        "role": role,
        "metric": evidence.timeline.metrics[role],
        "clock": evidence.timeline.clocks[role],
        "intervals": int(np.isfinite(increase).sum()),
        "moved": int((increase > 0).sum()),
    }


def _clock(seen: Liveness | None) -> Mapping[str, Any]:
    if seen is None:
        return {}
    told = {True: "at request end", False: "with the work", None: "cannot tell"}
    return {"working": seen.working, "flat_while_working": seen.flat, "moves": told[seen.at_request_end]}


def _ceiling(evidence: Evidence, role: str) -> Mapping[str, Any]:
    ceiling = measure_ceiling(evidence) if role == "decode_tokens" else None
    if ceiling is None:
        return {}
    rates = evidence.increase(role) / evidence.seconds()
    return {"highest_tok_s": float(np.nanmax(rates)), "ceiling_tok_s": ceiling}

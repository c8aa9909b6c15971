"""A token counter that is booked at request end stands still through the work and then jumps.

Why it fools: a rate between two scrapes reads 0 while the engine runs flat out, then a number that no engine
can reach; medians, buckets and lags of such rates are about when requests end, not about speed.

How it is found: the profile declares it, or the data show it: work runs, the counter does not move, a
request ends, it jumps (see the liveness audit).

What is done: only the long-run mean is reported. Findings that need rates between scrapes refuse the counter.
"""

from __future__ import annotations

import numpy as np

from census.model.caveat import Caveat
from census.timeline.observed_clocks import observe_clocks
from census.traps.evidence import Evidence
from census.traps.rate_ceiling import measure_ceiling

ID = "trap/request-clock"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of token counters that the findings need and that move at request end only."""
    return tuple(
        _caveat(evidence, role) for role in _needed(evidence) if evidence.timeline.clocks[role] == "request"
    )


def _needed(evidence: Evidence) -> tuple[str, ...]:
    """Return the counters that the rates of the findings rest on."""
    timeline = evidence.timeline
    prefill = "prefill_tokens" if timeline.has("prefill_tokens") else "prompt_tokens"
    return tuple(role for role in ("decode_tokens", prefill) if timeline.has(role))


def _caveat(evidence: Evidence, role: str) -> Caveat:
    timeline = evidence.timeline
    seconds, tokens = evidence.seconds(), evidence.increase(role)
    known = np.isfinite(tokens)
    mean = float(tokens[known].sum() / seconds[known].sum()) if known.any() else 0.0
    peak = float((tokens[known] / seconds[known]).max()) if known.any() else 0.0
    seen = observe_clocks(timeline)[role]
    binding = evidence.entry.binding(role)
    found = binding is not None and binding.clock != "request"
    ceiling = measure_ceiling(evidence) if role == "decode_tokens" else None
    return Caveat(
        id=ID,
        severity="error",
        summary=(
            f"{timeline.metrics[role]} moves when a request ends "
            f"({'found in the data' if found else 'by design'}: "
            f"flat in {seen.flat} of {seen.working} intervals with work); rates between scrapes would reach "
            f"{peak:.4g} tok/s, the long-run mean is {mean:.4g}"
        ),
        evidence={
            "role": role,
            "declared_clock": binding.clock if binding else None,
            "found_in_data": found,
            "working_intervals": seen.working,
            "flat_intervals": seen.flat,
            "jump_over_mean": seen.jump,
            "moved_without_an_end": seen.moved_without_end,
            "naive_peak_tok_s": peak,
            "long_run_mean_tok_s": mean,
            "ceiling_tok_s": ceiling,
        },
        touches=("decode_under_prefill", "lag_structure", "mechanism"),
    )

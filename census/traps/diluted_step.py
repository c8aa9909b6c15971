"""A two-minute mean of the step time dilutes the chunk step in decode-only steps.

Why it fools: 47 chunk steps of 166 ms among 953 decode-only steps of 15.5 ms give 22.6 ms, a number that no
step takes. As a dashboard line it says "a little slow"; each stream has waited ten times as long for 47 of
its tokens.

How it is found: the two-minute mean is computed as a dashboard would, beside the two classes.

What is done: the classes are reported apart; a mean over both is never called a decode step.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.traps.dilution import measure_dilution
from census.traps.evidence import Evidence

ID = "trap/diluted-step"

WORTH_TELLING = 1.5


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell what a mean over two minutes would have shown of the chunk step."""
    rows = measure_dilution(evidence)
    if not rows:
        return ()
    two, five = rows[0], rows[-1]
    if two.chunk_s is None or two.decode_s is None or two.chunk_s < WORTH_TELLING * two.highest_s:
        return ()
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                "a 2-minute mean never shows the chunk step: at its highest it says "
                f"{two.highest_s * 1000:.3g} ms, "
                f"over everything {two.all_steps_s * 1000:.3g} ms; chunk steps take "
                f"{two.chunk_s * 1000:.3g} ms, "
                f"decode-only steps {two.decode_s * 1000:.3g} ms"
            ),
            evidence={
                "highest_2m_mean_s": two.highest_s,
                "median_2m_mean_s": two.median_s,
                "highest_5m_mean_s": five.highest_s,
                "mean_of_all_steps_s": two.all_steps_s,
                "chunk_step_s": two.chunk_s,
                "decode_step_s": two.decode_s,
                "chunk_over_highest": two.chunk_s / two.highest_s,
            },
            touches=("step_phases",),
        ),
    )

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

WORTH_TELLING = 1.2


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell what a mean over two minutes would have shown of the chunk step."""
    rows = measure_dilution(evidence)
    if not rows:
        return ()
    two, five = rows[0], rows[-1]
    shown = two.median_s if two.at_chunks_s is None else two.at_chunks_s
    if two.chunk_s is None or two.decode_s is None or two.chunk_s < WORTH_TELLING * shown:
        return ()
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                f"a 2-minute mean dilutes the chunk step: where chunks run it says {shown * 1000:.3g} ms "
                "on average, "
                f"over everything {two.all_steps_s * 1000:.3g} ms; chunk steps take "
                f"{two.chunk_s * 1000:.3g} ms, "
                f"decode-only steps {two.decode_s * 1000:.3g} ms"
            ),
            evidence={
                "shown_2m_mean_s": shown,
                "shown_5m_mean_s": five.at_chunks_s,
                "median_2m_mean_s": two.median_s,
                "highest_2m_mean_s": two.highest_s,
                "mean_of_all_steps_s": two.all_steps_s,
                "chunk_step_s": two.chunk_s,
                "decode_step_s": two.decode_s,
                "chunk_over_shown": two.chunk_s / shown,
            },
            touches=("step_phases",),
        ),
    )

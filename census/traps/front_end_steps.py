"""A step counter behind several API servers counts each step several times.

Why it fools: with more than one front-end, every one that gets outputs of a step observes it. 100 steps in
1.55 s are counted as 480, and a step seems to take 3 ms.

How it is found: counted steps x mean inter-token gap is more than the wall clock.

What is done: the step counter is refused; what rests on it is absent.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.timeline.front_ends import count_steps
from census.traps.evidence import Evidence

ID = "trap/front-end-steps"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of a step counter that counts front-ends."""
    seen = count_steps(evidence.timeline)
    if seen is None or not seen.impossible:
        return ()
    naive = seen.mean_gap_s * seen.room / seen.counted
    return (
        Caveat(
            id=ID,
            severity="error",
            summary=(
                f"{seen.counted:.0f} steps are counted where {seen.room:.0f} fit: each is counted by about "
                f"{seen.per_step:.1f} front-ends, so a step would seem to take {naive * 1000:.3g} ms "
                "instead of "
                f"{seen.mean_gap_s * 1000:.3g} ms; refused"
            ),
            evidence={
                "counted_steps": seen.counted,
                "steps_that_fit": seen.room,
                "counted_per_step": seen.per_step,
                "naive_step_s": naive,
                "step_s": seen.mean_gap_s,
            },
            touches=("step_phases",),
        ),
    )

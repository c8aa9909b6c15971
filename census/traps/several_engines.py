"""Two engines or two models on one target are two servers.

Why it fools: a sum over the target adds a loaded engine and an idle one. One of two data-parallel engines
slows under its own prefill, the other does not, and the pooled table shows a mild slowdown that neither has.

How it is found: the series differ in the labels that identify an engine.

What is done: each gets a census of its own; they are pooled only on request, and then the report says so.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.traps.evidence import Evidence

ID = "trap/several-engines"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """List the other engines of the capture."""
    engines = evidence.manifest.engines
    if len(engines) < 2:
        return ()
    keys = ", ".join(one.key for one in engines)
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=f"{len(engines)} engines answer here, kept apart and never pooled unasked: {keys}",
            evidence={"engines": len(engines), "keys": keys, "this": evidence.entry.key},
            touches=("fitness",),
        ),
    )

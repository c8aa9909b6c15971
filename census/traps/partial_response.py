"""A response with status success may hold part of the data.

Why it fools: Thanos and its kin answer "success" with a warning when a store is down. The numbers look
whole, and a counter that is missing for hours reads as an idle server.

How it is found: the server's own warnings, which most clients throw away.

What is done: they stand at the head of the report; a gate on such data is inconclusive.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.traps.evidence import Evidence

ID = "trap/partial-response"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell of partial responses, and pass on the server's warnings."""
    manifest = evidence.manifest
    if not manifest.partial and not manifest.warnings:
        return ()
    words = "; ".join(manifest.warnings) or "no words given"
    what = "the server answered in part" if manifest.partial else "the server warned"
    return (
        Caveat(
            id=ID,
            severity="error" if manifest.partial else "warning",
            summary=f"{what}: {words}",
            evidence={"partial": manifest.partial, "warnings": len(manifest.warnings), "words": words},
            touches=("step_phases", "decode_under_prefill", "protection_meter", "preemptions"),
        ),
    )

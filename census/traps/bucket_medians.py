"""Bucket medians barely move on an interleave that works.

Why it fools: at a given prefill rate the same chunks are paid for, however they are spread, so the decode
rate of an interval does not depend on the interleave. An operator who compares bucket medians before and
after calls a working knob useless, and turns it off.

How it is found: held steps were taken.

What is done: the pending meters stand beside the buckets: the rate that a stream gets while prefill waits,
and the share of its life that this lasts.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.model.estimate import value_of
from census.model.findings import DecodeUnderPrefill, Pending, ProtectionMeter
from census.traps.evidence import Evidence

ID = "trap/bucket-medians"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell what the top bucket says, beside what a stream gets while prefill waits."""
    meter, pending = evidence.findings.protection_meter, evidence.findings.pending
    buckets = evidence.findings.decode_under_prefill
    if not isinstance(meter, ProtectionMeter) or not meter.held or not isinstance(pending, Pending):
        return ()
    rate = value_of(pending.rate_tok_s)
    if rate is None or not isinstance(buckets, DecodeUnderPrefill):
        return ()
    loaded = [row for row in buckets.rows if row.lo > 0 and value_of(row.per_stream_tok_s) is not None]
    top = value_of(loaded[-1].per_stream_tok_s) if loaded else None
    told = "" if top is None else f"the top prefill bucket says {top:.3g} tok/s per stream; "
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                f"{meter.held} held steps were taken, and bucket medians cannot see them work: "
                f"{told}while prefill "
                f"waits a stream gets {rate:.3g}"
            ),
            evidence={
                "held_steps": meter.held,
                "held_per_mixed": pending.held_per_mixed,
                "top_bucket_tok_s": top,
                "pending_rate_tok_s": rate,
            },
            touches=("decode_under_prefill", "pending"),
        ),
    )

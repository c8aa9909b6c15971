"""More sessions bring more prefill and more decode, so the visible rate can rise while every stream starves.

Why it fools: the harness's tokens per second, plotted against prefill, goes up or stays flat: "prefill does
not hurt". In a planted shared-step world visible decode correlates +0.2 with prefill and the rate of a
stream -0.75.

How it is found: the visible and the per-stream rate disagree over the prefill buckets.

What is done: the lag test and the mechanism run on the per-stream rate; both stand in the bucket table.
"""

from __future__ import annotations

from census.model.caveat import Caveat
from census.model.estimate import value_of
from census.model.findings import DecodeUnderPrefill
from census.traps.evidence import Evidence

ID = "trap/load-hides-it"


def inspect(evidence: Evidence) -> tuple[Caveat, ...]:
    """Tell what the visible rate would have said."""
    finding = evidence.findings.decode_under_prefill
    if not isinstance(finding, DecodeUnderPrefill) or not finding.load_hides_it:
        return ()
    known = [row for row in finding.rows if value_of(row.visible_tok_s) and value_of(row.per_stream_tok_s)]
    if len(known) < 2:
        return ()
    quiet, loaded = known[0], known[-1]
    visible = (value_of(quiet.visible_tok_s) or 0.0, value_of(loaded.visible_tok_s) or 0.0)
    stream = (value_of(quiet.per_stream_tok_s) or 0.0, value_of(loaded.per_stream_tok_s) or 0.0)
    return (
        Caveat(
            id=ID,
            severity="info",
            summary=(
                f"load hides it: visible decode goes from {visible[0]:.3g} to {visible[1]:.3g} tok/s as "
                "prefill "
                f"rises, a stream from {stream[0]:.3g} to {stream[1]:.3g}"
            ),
            evidence={
                "visible_quiet_tok_s": visible[0],
                "visible_loaded_tok_s": visible[1],
                "per_stream_quiet_tok_s": stream[0],
                "per_stream_loaded_tok_s": stream[1],
            },
            touches=("decode_under_prefill", "lag_structure"),
        ),
    )

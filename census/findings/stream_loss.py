"""How much stream time is lost against the quiet rate, and to what? One accounting that closes.

Method: a row in a step costs its stream the step's seconds. Without prefill it would cost the quiet
decode-only step at the rows that would then be there. The difference, summed over rows, is the loss, and it
divides exactly: mixed steps cost C instead of that; stalled streams wait; decode-only steps are slower by
what exposure to prefill adds (``decode_given_rows``), by rows that prefill brought (``rows_brought``), and by
what neither explains; a fit that is not surely above zero counts as zero. Beyond the steps, the decode time
that requests themselves report at their end (all seconds from first to last token) shows what streams waited
outside of any row: preempted, between steps, or in ways that no counter here sees.

Misleads: inside an interval rows and step seconds are taken as unrelated, which leaves a little of the loss
to the rest. Load that comes and goes by itself changes rows too; that is load, and no loss to prefill.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.findings.decode_given_rows import DecodeGivenRows
from census.findings.interval_arrays import IntervalArrays
from census.findings.interval_rates import IntervalRates
from census.findings.rows_brought import measure_rows_brought
from census.model.settings import Settings
from census.timeline.timeline import Timeline

NEEDS = ("decode_time", "ttft", "generation_tokens")

Floats = NDArray[np.float64]

PARTS = ("shared", "stalled", "exposure", "growth", "unexplained")
"""Parts of the loss inside steps, stream seconds an interval."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StreamLoss:
    """Stream seconds of each interval.

    Attributes
    ----------
    parts : by name, shape (n,) each; they sum to ``spent_s - quiet_s``.
    spent_s : stream seconds in steps with rows, and stalls where those are counted.
    quiet_s : what the same rows would have cost without prefill.
    tokens : decode tokens.
    reported_s, reported_tokens : decode seconds and tokens after the first of requests that ended, zeros
        where no histogram of decode time exists.
    decode_only_s : stream seconds in decode-only steps.
    grown_rows : mean rows that prefill brought, and the half-width of its interval.
    seconds_per_grown_row : what one more row would cost all decode-only steps together.
    """

    parts: dict[str, Floats]
    spent_s: Floats
    quiet_s: Floats
    tokens: Floats
    reported_s: Floats
    reported_tokens: Floats
    decode_only_s: Floats
    seconds_per_grown_row: float
    grown_rows: tuple[float, float]

    @property
    def has_reports(self) -> bool:
        """Tell whether requests report their decode time."""
        return bool(self.reported_tokens.sum() > 0)

    def total(self, name: str) -> float:
        """Return one part over all intervals."""
        return float(self.parts[name].sum())


def account(
    timeline: Timeline,
    rates: IntervalRates,
    arrays: IntervalArrays,
    given_rows: DecodeGivenRows,
    settings: Settings,
) -> StreamLoss:
    """Return the loss of each interval and its parts."""
    frame = rates.frame
    rows, spent, in_chunks, decode_rows = (
        np.nan_to_num(frame[name].to_numpy(dtype=np.float64))
        for name in ("rows", "stream_seconds", "chunk_stream_seconds", "rows_per_decode_step")
    )
    decode_rows = decode_rows * np.nan_to_num(arrays.decode_steps)
    there = (spent > 0) & np.isfinite(arrays.chunk_seconds + arrays.decode_steps + arrays.mixed_steps)
    stepped = there & (arrays.decode_steps > 0)
    step_s = np.divide(
        arrays.decode_seconds, arrays.decode_steps, out=np.full(rows.shape, given_rows.step_s), where=stepped
    )
    brought = measure_rows_brought(arrays, settings)
    added_s = given_rows.added_s if given_rows.surely_slower else np.zeros(rows.shape)
    per_step = np.nan_to_num(arrays.rows_per_step)
    curve = given_rows.row_curve
    with_rows = curve.seconds(per_step)
    growth_s = with_rows - curve.seconds(np.maximum(per_step - brought.each, 0.0))
    quiet_step_s = _quiet_level(arrays, step_s - with_rows - added_s, stepped) + with_rows - growth_s
    decode_rows = np.where(there, decode_rows, 0.0)
    exposure, growth = decode_rows * added_s, decode_rows * growth_s
    beside = np.where(there, in_chunks - np.maximum(rows - decode_rows, 0.0) * quiet_step_s, 0.0)
    nothing = np.zeros(rows.shape)
    quiet = np.where(there, rows * quiet_step_s, 0.0)
    parts = {
        "shared": nothing if arrays.stalls_counted else beside,
        "stalled": beside if arrays.stalls_counted else nothing,
        "exposure": exposure,
        "growth": growth,
    }
    spent = np.where(there, spent, 0.0)
    reported_s, reported_tokens = _reports(timeline)
    tokens = np.nan_to_num(timeline.clean()["decode_tokens"].to_numpy(dtype=np.float64))
    return StreamLoss(
        parts={**parts, "unexplained": spent - quiet - sum(parts.values(), nothing)},
        spent_s=spent,
        quiet_s=quiet,
        tokens=np.where(there, tokens, 0.0),
        reported_s=reported_s,
        reported_tokens=reported_tokens,
        decode_only_s=decode_rows * step_s,
        seconds_per_grown_row=float((decode_rows * curve.slope(per_step)).sum()),
        grown_rows=(brought.mean, brought.half),
    )


def _quiet_level(arrays: IntervalArrays, rest_s: Floats, there: NDArray[np.bool_]) -> Floats:
    """Return a quiet decode-only step less its rows: of a boot's quiet intervals where it has enough."""
    weights = np.where(there & np.isfinite(rest_s), arrays.decode_steps, 0.0)
    quiet = weights * (arrays.prefill_tok_s == 0)
    boots = arrays.boot
    level = np.empty(rest_s.shape)
    values = np.where(weights > 0, rest_s, 0.0)
    for boot in np.unique(boots):
        mine = boots == boot
        chosen = quiet * mine if np.count_nonzero(quiet * mine) >= 30 else weights * mine
        chosen = chosen if chosen.sum() > 0 else weights
        level[mine] = float((values * chosen).sum() / chosen.sum()) if chosen.sum() > 0 else 0.0
    return level


def _reports(timeline: Timeline) -> tuple[Floats, Floats]:
    """Return decode seconds and tokens after the first that requests reported when they ended."""
    clean = timeline.clean()
    zero = np.zeros(len(clean))
    decode_time, first = timeline.histograms.get("decode_time"), timeline.histograms.get("ttft")
    if decode_time is None or first is None or not timeline.has("generation_tokens"):
        return zero, zero
    if not decode_time.clock == first.clock == timeline.clocks.get("generation_tokens") == "request":
        return zero, zero
    at = timeline.frame.index.get_indexer(clean.index)
    seconds = decode_time.sums[at]
    tokens = clean["generation_tokens"].to_numpy(dtype=np.float64) - first.counts[at].sum(axis=1)
    known = np.isfinite(seconds + tokens)
    return np.where(known, seconds, 0.0), np.where(known, np.maximum(tokens, 0.0), 0.0)

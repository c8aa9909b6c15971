"""Which part of the whole loss does each mechanism explain, and how sure is that?

Method: the loss inside steps (``stream_loss``) divides interval by interval, so each part over it is a ratio
of sums with its bounds (``ratio_spans``). The whole loss is larger by what requests report beyond the steps;
that factor is the same for all parts and is taken at its value; its own interval stands in the rest. Chunk
time beside decoders that is recompute counts for preemption, as do the waits of preempted requests. Parts
that rest on a fit (exposure, rows that prefill brought) reach at least as far as the fit's own interval. How
large a part is while it acts is told by its share of stream time in loaded intervals.

Misleads: shares of a loss that is hardly there are wild; below one percent of stream time none are given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from census.findings.decode_given_rows import DecodeGivenRows
from census.findings.interval_arrays import IntervalArrays
from census.findings.preemption_windows import PreemptionWindows
from census.findings.ratio_spans import RatioBounder, Span
from census.findings.readings import draw_for
from census.findings.stream_loss import StreamLoss
from census.model.estimate import Absent, Estimate, Reading
from census.model.settings import Settings
from census.stats.lag_pairs import Floats

PARTS = ("shared-chunks", "exclusive-prefill", "preemption", "residency", "batch-growth", "slower-decode")
"""Parts of the loss; with the rest they sum to it, slower-decode standing for the two before it."""

LEAST_LOSS = 0.01
"""A loss below this share of stream time is not divided."""

NONE = Span(value=0.0, low=0.0, high=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class LossShares:
    """The whole loss and its parts, by name: those of ``PARTS``, and "rest".

    Attributes
    ----------
    lost : whole loss over all stream time.
    of_loss : part over the whole loss; absent where the loss is too small to divide.
    of_loaded : part over stream time in the intervals with prefill: how large it is while it acts.
    """

    lost: Reading
    of_loss: dict[str, Reading]
    of_loaded: dict[str, Reading]


def divide_loss(
    loss: StreamLoss,
    windows: PreemptionWindows,
    given_rows: DecodeGivenRows,
    *,
    arrays: IntervalArrays,
    settings: Settings,
    rng: np.random.Generator,
) -> LossShares:
    """Return the whole loss and its parts with their intervals."""
    columns = part_columns(loss, windows)
    seen, spent = loss.spent_s - loss.quiet_s, loss.spent_s
    blocks = draw_for([seen, loss.reported_s], arrays.intervals.segment, settings=settings, rng=rng)
    bounder = RatioBounder(intervals=arrays.intervals, blocks=blocks, settings=settings)
    loaded = arrays.prefill_tok_s > 0
    spent_loaded = np.where(loaded, spent, 0.0)
    over_time, rest, *both = bounder.ratios(
        [
            (seen, spent),
            (columns["rest"], seen),
            *((columns[name], seen) for name in PARTS),
            *((np.where(loaded, columns[name], 0.0), spent_loaded) for name in PARTS),
        ]
    )
    of_seen = dict(zip(PARTS, both[: len(PARTS)], strict=True))
    in_load = dict(zip(PARTS, both[len(PARTS) :], strict=True))
    for name, (below_s, above_s) in _fit_errors(loss, given_rows).items():
        of_seen[name] = _widen(of_seen[name], below_s, above_s, float(seen.sum()))
        share = float(loss.decode_only_s[loaded].sum()) / max(float(loss.decode_only_s.sum()), 1e-9)
        in_load[name] = _widen(in_load[name], below_s * share, above_s * share, float(spent_loaded.sum()))
    beyond = _measure_beyond(loss, bounder)
    report = _Reporter(n=int((spent > 0).sum()), settings=settings, has_reports=loss.has_reports)
    lost = Span(
        value=(over_time.value + beyond.value) / (1.0 + beyond.value),
        low=(over_time.low + beyond.low) / (1.0 + beyond.low),
        high=(over_time.high + beyond.high) / (1.0 + beyond.high),
    )
    return LossShares(
        lost=report.reading(lost),
        of_loss=_over_whole(of_seen, rest, lost, beyond, loss, windows, report),
        of_loaded={name: report.reading(span) for name, span in in_load.items()},
    )


def part_columns(loss: StreamLoss, windows: PreemptionWindows) -> dict[str, Floats]:
    """Return the loss inside steps by part and interval, stream seconds."""
    again = np.where(windows.inside, windows.recompute_share, 0.0)
    shared, stalled = loss.parts["shared"], loss.parts["stalled"]
    return {
        "shared-chunks": shared * (1.0 - again),
        "exclusive-prefill": stalled * (1.0 - again),
        "preemption": (shared + stalled) * again,
        "residency": loss.parts["exposure"],
        "batch-growth": loss.parts["growth"],
        "slower-decode": loss.parts["exposure"] + loss.parts["growth"],
        "rest": loss.parts["unexplained"],
    }


def seconds_beyond(loss: StreamLoss) -> float:
    """Return stream seconds outside of any row: what requests report less what the steps explain."""
    if not loss.has_reports:
        return 0.0
    per_token = float(loss.reported_s.sum() / loss.reported_tokens.sum())
    return per_token * float(loss.tokens.sum()) - float(loss.spent_s.sum())


def seconds_waited(loss: StreamLoss, windows: PreemptionWindows) -> float:
    """Return the seconds that preempted streams waited, no more than lie beyond the steps."""
    return min(float(windows.waited_s.sum()), max(seconds_beyond(loss), 0.0))


def _measure_beyond(loss: StreamLoss, bounder: RatioBounder) -> Span:
    """Return the seconds beyond steps over the seconds inside."""
    if not loss.has_reports or loss.spent_s.sum() <= 0:
        return NONE
    columns = np.column_stack([loss.reported_s, loss.reported_tokens, loss.tokens, loss.spent_s])
    return bounder.smooth(
        columns, lambda sums: sums[..., 0] / sums[..., 1] * sums[..., 2] / sums[..., 3] - 1.0
    )


def _over_whole(
    of_seen: dict[str, Span],
    rest: Span,
    lost: Span,
    beyond: Span,
    loss: StreamLoss,
    windows: PreemptionWindows,
    report: _Reporter,
) -> dict[str, Reading]:
    """Turn shares of the loss inside steps into shares of the whole."""
    seen_s = float((loss.spent_s - loss.quiet_s).sum())
    if lost.value < LEAST_LOSS or seen_s <= 0:
        tiny = Absent(f"the loss is {lost.value:.1%} of stream time: too little to divide")
        return dict.fromkeys((*PARTS, "rest"), tiny)
    scale = float(loss.spent_s.sum()) / seen_s
    more = Span(value=beyond.value * scale, low=beyond.low * scale, high=beyond.high * scale)
    waited = seconds_waited(loss, windows) / seen_s
    shares: dict[str, Reading] = {}
    for name, span in of_seen.items():
        extra = waited if name == "preemption" else 0.0
        shares[name] = report.reading(
            Span(
                value=(span.value + extra) / (1.0 + more.value),
                low=(span.low + extra) / (1.0 + more.value),
                high=(span.high + extra) / (1.0 + more.value),
            )
        )
    shares["rest"] = report.reading(
        Span(
            value=(rest.value + more.value - waited) / (1.0 + more.value),
            low=(rest.low + more.low - waited) / (1.0 + more.low),
            high=(rest.high + more.high - waited) / (1.0 + more.high),
        )
    )
    return shares


def _fit_errors(loss: StreamLoss, given_rows: DecodeGivenRows) -> dict[str, tuple[float, float]]:
    """Return how far the fits themselves reach below and above, in stream seconds."""
    slow, steps_s = given_rows.slowdown, float(loss.decode_only_s.sum())
    used = slow.value if given_rows.surely_slower else 0.0
    low = slow.value if slow.low is None else slow.low
    high = slow.value if slow.high is None else slow.high
    by_exposure = ((used - low) * steps_s, (high - used) * steps_s)
    by_rows = loss.grown_rows[1] * loss.seconds_per_grown_row
    return {
        "residency": by_exposure,
        "batch-growth": (by_rows, by_rows),
        "slower-decode": (by_exposure[0] + by_rows, by_exposure[1] + by_rows),
    }


def _widen(span: Span, below_s: float, above_s: float, total_s: float) -> Span:
    return span.widened(below_s / total_s, above_s / total_s) if total_s > 0 else span


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reporter:
    """Turns spans into readings."""

    n: int
    settings: Settings
    has_reports: bool

    def reading(self, span: Span) -> Reading:
        """Return a share as a reading."""
        source = "decode time that requests report" if self.has_reports else "step counters alone"
        return Estimate(
            value=span.value,
            low=min(span.low, span.value),
            high=max(span.high, span.value),
            level=self.settings.level,
            n=self.n,
            unit="1",
            method=f"estimated: stream time, the whole by {source}; block bootstrap or HAC",
        )

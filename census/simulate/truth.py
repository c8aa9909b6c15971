"""What truly happened, cut at any moments?

Method: running totals over the whole run, boots joined end to end, at the moments asked; differences give any
window. Step counts and seconds are of committed steps, seconds as they passed (nothing spilled over). A
decoding stream is a request past its first token and not ended: it counts while it waits out a prefill run
or a preemption. Prefill work is pending during chunk steps and held steps.
When it misleads: inside one segment stream time and pending tokens are taken as even.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from census.simulate.counters import counters_at
from census.simulate.engine import simulate
from census.simulate.run import DECODE, BootLog, Floats, Ints, Run
from census.simulate.world import World


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Truth:
    """Totals, one value a window; ratios are elementwise and NaN where there was nothing.

    Attributes
    ----------
    wall_s : seconds of the window. busy_s : of them inside steps or between two (overhead).
    stream_s : sum over decoding streams of time. pending_* : the part of it while prefill work was pending.
    decode_tokens : of decode rows; first tokens are in ``first_tokens`` alone.
    """

    wall_s: Floats
    busy_s: Floats
    steps_decode: Floats
    steps_mixed: Floats
    steps_prefill: Floats
    seconds_decode: Floats
    seconds_mixed: Floats
    seconds_prefill: Floats
    held: Floats
    rows: Floats
    decode_tokens: Floats
    prefill_tokens: Floats
    stream_s: Floats
    pending_s: Floats
    pending_stream_s: Floats
    pending_tokens: Floats
    first_tokens: Floats
    ended: Floats
    preemptions: Floats

    def pooled(self, which: NDArray[np.bool_] | None = None) -> Truth:
        """Return the sum over all windows, or over those marked, as one window."""
        chosen = slice(None) if which is None else which
        return Truth(
            **{field.name: np.array([getattr(self, field.name)[chosen].sum()]) for field in fields(self)}
        )

    def only(self, name: str) -> float:
        """Return one quantity or ratio of a single window as a float."""
        (value,) = getattr(self, name).tolist()
        return float(value)

    @property
    def steps(self) -> Floats:
        """Steps of all classes."""
        return self.steps_decode + self.steps_mixed + self.steps_prefill

    @property
    def seconds(self) -> Floats:
        """Step seconds of all classes."""
        return self.seconds_decode + self.seconds_mixed + self.seconds_prefill

    @property
    def decode_step_s(self) -> Floats:
        """Mean seconds of a decode-only step: D."""
        return _ratio(self.seconds_decode, self.steps_decode)

    @property
    def mixed_step_s(self) -> Floats:
        """Mean seconds of a mixed step: C."""
        return _ratio(self.seconds_mixed, self.steps_mixed)

    @property
    def chunk_step_s(self) -> Floats:
        """Mean seconds of a step that carries a chunk."""
        return _ratio(self.seconds_mixed + self.seconds_prefill, self.steps_mixed + self.steps_prefill)

    @property
    def chunk_share_of_steps(self) -> Floats:
        """Share of steps that carry a chunk."""
        return _ratio(self.steps_mixed + self.steps_prefill, self.steps)

    @property
    def chunk_share_of_time(self) -> Floats:
        """Share of step seconds in steps that carry a chunk."""
        return _ratio(self.seconds_mixed + self.seconds_prefill, self.seconds)

    @property
    def tokens_per_row(self) -> Floats:
        """Tokens that a decode row commits: k."""
        return _ratio(self.decode_tokens, self.rows)

    @property
    def visible_tok_s(self) -> Floats:
        """Decode tokens per second of wall clock."""
        return _ratio(self.decode_tokens, self.wall_s)

    @property
    def per_stream_tok_s(self) -> Floats:
        """Decode tokens per stream second."""
        return _ratio(self.decode_tokens, self.stream_s)

    @property
    def prefill_tok_s(self) -> Floats:
        """Computed prefill tokens per second of wall clock."""
        return _ratio(self.prefill_tokens, self.wall_s)

    @property
    def pending_share(self) -> Floats:
        """Share of stream time during which prefill work was pending."""
        return _ratio(self.pending_stream_s, self.stream_s)

    @property
    def pending_tok_s(self) -> Floats:
        """Decode tokens per stream second while prefill work was pending."""
        return _ratio(self.pending_tokens, self.pending_stream_s)

    @property
    def quiet_tok_s(self) -> Floats:
        """Decode tokens per stream second while none was."""
        return _ratio(self.decode_tokens - self.pending_tokens, self.stream_s - self.pending_stream_s)


def truth_between(run: Run, edges_ms: Ints) -> Truth:
    """Return the truth of each window between successive moments (integer ms since 1970, rising)."""
    times_s = run.since_epoch(np.asarray(edges_ms, dtype=np.int64))
    total: dict[str, Floats] = {}
    for boot in run.boots:
        for name, values in _running_totals(run, boot, times_s).items():
            total[name] = total[name] + values if name in total else values
    return Truth(wall_s=np.diff(times_s), **{name: np.diff(values) for name, values in total.items()})


def truth_of_window(run: Run) -> Truth:
    """Return the truth of the run's whole window."""
    return truth_between(run, np.array([run.start_ms, run.end_ms]))


def truth_of_boot(run: Run, index: int) -> Truth:
    """Return the truth of one boot inside the window."""
    boot = run.boots[index]
    start = max(0.0, boot.ready_s)
    edges = run.world.epoch_ms + np.round(np.array([start, boot.end_s]) * 1000.0).astype(np.int64)
    return truth_between(run, edges)


def long_run(world: World, *, seeds: Iterable[int]) -> Truth:
    """Return the truth pooled over many runs of a world: what its windows scatter around."""
    runs = [truth_of_window(simulate(world, seed)) for seed in seeds]
    return Truth(
        **{
            field.name: np.array([sum(float(getattr(truth, field.name)[0]) for truth in runs)])
            for field in fields(Truth)
        }
    )


def _running_totals(run: Run, boot: BootLog, times_s: Floats) -> dict[str, Floats]:
    inside = np.clip(times_s, boot.ready_s, boot.end_s)
    counts = counters_at(run, boot, inside)
    log = boot.requests
    stop = np.where(np.isnan(log.end_s), boot.end_s, log.end_s)
    begun = ~np.isnan(log.first_token_s)
    names = (
        "steps_decode",
        "steps_mixed",
        "steps_prefill",
        "seconds_decode",
        "held",
        "rows",
        "decode_tokens",
        "prefill_tokens",
    )
    totals = {name: np.asarray(getattr(counts, name), dtype=float) for name in names}
    segments = boot.segments
    wall = segments.end_s - segments.start_s
    passed = wall / (1.0 + run.world.costs.overhead_share)
    pending = (segments.kind != DECODE) | (segments.held > 0)
    row_steps = np.cumsum(segments.steps * (segments.rows > 0))
    tokens = np.diff(boot.row_step_tokens[row_steps], prepend=0)
    place = np.searchsorted(segments.end_s, inside, side="right")
    for name, kind in (("seconds_mixed", 1), ("seconds_prefill", 2)):
        totals[name] = np.concatenate([[0.0], np.cumsum(passed * (segments.kind == kind))])[place]
    if run.world.costs.spill_share:
        totals["seconds_decode"] = _spread(boot, passed * (segments.kind == DECODE), inside)
    totals["busy_s"] = _spread(boot, wall, inside)
    totals["pending_s"] = _spread(boot, wall * pending, inside)
    totals["pending_stream_s"] = _spread(boot, wall * pending * segments.streams, inside)
    totals["pending_tokens"] = _spread(boot, tokens * pending, inside)
    totals["stream_s"] = _since(log.first_token_s[begun], inside) - _since(stop[begun], inside)
    totals["first_tokens"] = _count(log.first_token_s[begun], inside)
    totals["ended"] = _count(log.end_s[~np.isnan(log.end_s)], inside)
    totals["preemptions"] = _count(boot.preempted_s, inside)
    return totals


def _spread(boot: BootLog, amounts: Floats, times_s: Floats) -> Floats:
    """Return the running total of amounts that are spread evenly over their segments."""
    segments = boot.segments
    if not segments.size:
        return np.zeros(times_s.size)
    knots = np.column_stack([segments.start_s, segments.end_s]).ravel()
    after = np.cumsum(amounts)
    levels = np.column_stack([after - amounts, after]).ravel()
    total: Floats = np.interp(times_s, knots, levels)
    return total


def _since(moments_s: Floats, times_s: Floats) -> Floats:
    """Return the sum over past moments of the time since."""
    rising = np.sort(moments_s)
    count = np.searchsorted(rising, times_s, side="right")
    total: Floats = times_s * count - np.concatenate([[0.0], np.cumsum(rising)])[count]
    return total


def _count(moments_s: Floats, times_s: Floats) -> Floats:
    return np.searchsorted(np.sort(moments_s), times_s, side="right").astype(float)


def _ratio(upper: Floats, lower: Floats) -> Floats:
    ratio: Floats = np.divide(upper, lower, out=np.full(np.shape(upper), np.nan), where=lower != 0)
    return ratio

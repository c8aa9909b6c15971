"""What has a boot counted by a given moment?

Method: the moment falls into a segment; within it, the number of committed steps follows from the running
sum of the noise. Counters are as of the last committed step; shape counters hold the open step too,
because radiance counts a shape when it plans the step.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from census.simulate.run import DECODE, MIXED, PREFILL, BootLog, Floats, Ints, Run


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counters:
    """Counts since the boot began, one value a moment. Seconds are of steps, without overhead.

    ``planned_*`` are the shape counters (they hold the open step), ``steps_*`` what was committed.
    ``accepted`` has one row a draft position. ``open_kind`` is -1 where no step is under way. ``running``
    to ``context`` are instants.
    """

    segment: Ints
    open_kind: Ints
    steps_decode: Floats
    steps_mixed: Floats
    steps_prefill: Floats
    planned_decode: Floats
    planned_mixed: Floats
    planned_prefill: Floats
    seconds_decode: Floats
    seconds_mixed: Floats
    seconds_prefill: Floats
    held: Floats
    ahead: Floats
    prefill_tokens: Floats
    rows: Floats
    decode_tokens: Floats
    accepted: NDArray[np.float64]
    running: Floats
    waiting: Floats
    preempted: Floats
    context: Floats

    @property
    def steps(self) -> Floats:
        """Committed steps of any shape."""
        return self.steps_decode + self.steps_mixed + self.steps_prefill

    @property
    def seconds(self) -> Floats:
        """Seconds inside steps of any shape."""
        return self.seconds_decode + self.seconds_mixed + self.seconds_prefill


def counters_at(run: Run, boot: BootLog, times_s: Floats) -> Counters:
    """Return what ``boot`` has counted at ``times_s`` (seconds since the epoch, rising)."""
    segments = boot.segments
    if not segments.size:
        return _nothing(times_s.size, drafts=len(boot.row_step_accepted))
    place = np.searchsorted(segments.start_s, times_s, side="right") - 1
    here = np.maximum(place, 0)
    inside = (place >= 0) & (times_s < segments.end_s[here])
    whole = np.where(inside, place, place + 1)
    kind = np.where(inside, segments.kind[here], -1)
    done = np.where(inside, _committed(run, boot, here, times_s), 0)
    cut_off = bool(np.isnan(boot.requests.end_s).any())
    shown = inside | (cut_off & (place == segments.size - 1))

    def total(values: NDArray[np.generic]) -> Floats:
        running = np.zeros(values.size + 1)
        np.cumsum(values, out=running[1:])
        return running[whole]

    seconds = step_seconds(run, boot)
    shape = {which: segments.kind == which for which in (DECODE, MIXED, PREFILL)}
    steps = {which: total(segments.steps * mask) for which, mask in shape.items()}
    spent = {which: total(seconds * mask) for which, mask in shape.items()}
    row_step = (total(segments.steps * (segments.rows > 0)) + done).astype(np.int64)
    return Counters(
        segment=place,
        open_kind=kind,
        steps_decode=steps[DECODE] + done,
        steps_mixed=steps[MIXED],
        steps_prefill=steps[PREFILL],
        planned_decode=steps[DECODE] + done + (kind == DECODE),
        planned_mixed=steps[MIXED] + (kind == MIXED),
        planned_prefill=steps[PREFILL] + (kind == PREFILL),
        seconds_decode=spent[DECODE] + _partial_seconds(run, boot, here, done),
        seconds_mixed=spent[MIXED],
        seconds_prefill=spent[PREFILL],
        held=total(segments.steps * segments.held) + done * segments.held[here],
        ahead=total(segments.ahead) + _partial_ahead(boot, here, done),
        prefill_tokens=total(segments.prefill_tokens),
        rows=boot.row_step_rows[row_step].astype(float),
        decode_tokens=boot.row_step_tokens[row_step].astype(float),
        accepted=np.array([line[row_step] for line in boot.row_step_accepted], dtype=float),
        running=np.where(shown, segments.running[here], 0.0),
        waiting=np.where(shown, segments.waiting[here], 0.0),
        preempted=np.where(shown, segments.preempted[here], 0.0),
        context=np.where(shown, segments.context[here], 0.0),
    )


def _nothing(size: int, *, drafts: int) -> Counters:
    values: dict[str, Any] = {field.name: np.zeros(size) for field in fields(Counters)}
    none = np.full(size, -1, dtype=np.int64)
    values |= {"segment": none, "open_kind": none, "accepted": np.zeros((drafts, size))}
    return Counters(**values)


def step_seconds(run: Run, boot: BootLog) -> Floats:
    """Return the seconds booked on each segment: its own steps, and what spilled in and out."""
    segments = boot.segments
    noise = run.noise[segments.noise_at + segments.steps] - run.noise[segments.noise_at]
    booked: Floats = segments.step_cost * noise + segments.spilled_in - segments.spilled_out
    return booked


def _committed(run: Run, boot: BootLog, here: Ints, times_s: Floats) -> Ints:
    """Return how many steps of the segment are over; 0 in a chunk step, whose only step is the open one."""
    segments = boot.segments
    wall = segments.step_cost[here] * (1.0 + run.world.costs.overhead_share)
    at = segments.noise_at[here]
    target = run.noise[at] + (times_s - segments.start_s[here]) / wall
    over = np.searchsorted(run.noise, target, side="right") - 1 - at
    done: Ints = np.clip(over, 0, segments.steps[here] - 1)
    return done


def _partial_seconds(run: Run, boot: BootLog, here: Ints, done: Ints) -> Floats:
    segments = boot.segments
    at = segments.noise_at[here]
    spent = segments.step_cost[here] * (run.noise[at + done] - run.noise[at])
    partial: Floats = spent + np.where(done > 0, segments.spilled_in[here], 0.0)
    return partial


def _partial_ahead(boot: BootLog, here: Ints, done: Ints) -> Ints:
    segments = boot.segments
    late = segments.steps[here] - segments.ahead[here]
    return np.where(segments.ahead[here] > 0, np.maximum(0, done - late), 0)

"""What happened in a simulated engine: segments of steps, requests, boots; all else is derived from these.

Method: a segment is a run of equal steps (or one chunk step). Inside a segment step ``j`` ends at
``start + (end - start) x noise(j) / noise(n)``, so that any counter is known at any moment without a log
of each step. Times are seconds since the world's epoch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.simulate.traffic import Requests
from census.simulate.world import World

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DECODE, MIXED, PREFILL = 0, 1, 2
"""Kinds of segments: decode-only, mixed, prefill-only."""

SEGMENT_COLUMNS = (
    "start_s",  # wall clock of the first step's begin
    "end_s",  # wall clock of the last step's end, overhead included
    "kind",
    "steps",
    "rows",  # decode rows in each step
    "prefill_tokens",  # chunk tokens in the segment
    "noise_at",  # place in the noise pool of the first step
    "step_cost",  # seconds of a step whose noise is 1
    "spilled_in",  # seconds of an earlier prefill-only step that are booked on this segment's first step
    "spilled_out",  # seconds of this step that are booked later
    "row_step",  # how many steps with decode rows the boot had taken before
    "running",
    "waiting",
    "preempted",  # waiting after a preemption
    "streams",  # requests past their first token and not ended
    "held",  # 1 if prefill work waited because of the interleave
    "ahead",  # steps launched before their predecessor committed: nothing waited, nobody mid-prompt
    "context",  # tokens that the running requests hold
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Segments:
    """The columns of ``SEGMENT_COLUMNS``, vectors of one length, in time order."""

    start_s: Floats
    end_s: Floats
    kind: Ints
    steps: Ints
    rows: Ints
    prefill_tokens: Ints
    noise_at: Ints
    step_cost: Floats
    spilled_in: Floats
    spilled_out: Floats
    row_step: Ints
    running: Ints
    waiting: Ints
    preempted: Ints
    streams: Ints
    held: Ints
    ahead: Ints
    context: Ints

    @property
    def size(self) -> int:
        """How many segments."""
        return int(self.start_s.size)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RequestLog:
    """What became of each request that a boot accepted, in order of arrival.

    Attributes
    ----------
    index : place in ``Run.requests``. submit_s : as sent.
    scheduled_s : begin of the step that first scheduled it; first_token_s, end_s : NaN where it never came.
    computed : prefill tokens spent on it, recompute included. output : tokens given, the first included.
    preemptions : how often it was preempted. An end that a restart cut off is NaN.
    """

    index: Ints
    submit_s: Floats
    scheduled_s: Floats
    first_token_s: Floats
    end_s: Floats
    prompt: Ints
    cached: Ints
    computed: Ints
    output: Ints
    preemptions: Ints


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spans:
    """Unbroken runs of row steps in which one request had a row, in order of their end.

    Attributes
    ----------
    row_step : the first of them. rows : how many, 0 where a token's request was preempted before its first
        row.
    request : row of the request log.
    after_chunk_s : when the chunk ended that gave the token before the first row; NaN where the span goes on
        after the request had been left out.
    """

    row_step: Ints
    rows: Ints
    request: Ints
    after_chunk_s: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BootLog:
    """One process lifetime.

    Attributes
    ----------
    process_start_s : when the process began; ready_s : when it began to answer; end_s : when it ended.
    interleave : N in force.
    row_step_tokens : tokens that all steps with decode rows before the k-th committed, shape (row steps +
        1,).
    row_step_accepted : drafts accepted at each position, same shape, one vector a position.
    row_step_rows : rows, same shape.
    admitted_s, admitted_prompt, admitted_cached : each admission (again after a preemption): commit time
        and tokens.
    preempted_s : each preemption. rejected_s : each arrival turned away.
    """

    index: int
    process_start_s: float
    ready_s: float
    end_s: float
    interleave: int
    segments: Segments
    requests: RequestLog
    row_step_rows: Ints
    row_step_tokens: Ints
    row_step_accepted: tuple[Ints, ...]
    spans: Spans
    admitted_s: Floats
    admitted_prompt: Ints
    admitted_cached: Ints
    preempted_s: Floats
    rejected_s: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """One simulated engine.

    Attributes
    ----------
    noise : running sum of step noise, shape (pool + 1,).
    scrape_ms : when it was scraped, integer milliseconds since 1970. scrape_boot : which boot answered.
    """

    world: World
    seed: int
    noise: Floats
    requests: Requests
    boots: tuple[BootLog, ...]
    scrape_ms: Ints
    scrape_boot: Ints

    def since_epoch(self, times_ms: Ints) -> Floats:
        """Return times in seconds since the world's epoch."""
        return (times_ms - self.world.epoch_ms) / 1000.0

    @property
    def start_ms(self) -> int:
        """Start of the world's window."""
        return self.world.epoch_ms

    @property
    def end_ms(self) -> int:
        """End of the world's window (half-open)."""
        return self.world.epoch_ms + round(self.world.duration_s * 1000)

"""What happened in each single step, and between two tokens of one stream?

Method: segments are unrolled with the noise that they used. A stream emits at the end of each step in
which it has a row; the gap to its emission before is the same for all streams that had a row in the row
step before too, so one entry with a weight stands for all of them.
When it misleads: it is large (a row a step); counters and truth do not need it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from census.simulate.run import BootLog, Floats, Ints, Run


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepTable:
    """One row a step, in time order: end, step seconds without overhead, kind, and what it carried."""

    end_s: Floats
    seconds: Floats
    kind: Ints
    rows: Ints
    decode_tokens: Ints
    prefill_tokens: Ints


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Emissions:
    """Gaps between two emissions of a stream, in time order of the later one; ``weight`` streams saw each."""

    time_s: Floats
    gap_s: Floats
    weight: Ints


def expand_steps(run: Run, boot: BootLog) -> StepTable:
    """Return every step of a boot."""
    segments = boot.segments
    count = segments.steps
    first = np.cumsum(count) - count
    place = np.repeat(np.arange(segments.size), count)
    step = np.arange(int(count.sum())) - first[place]
    at = segments.noise_at[place] + step
    begun = run.noise[segments.noise_at][place]
    cost = segments.step_cost[place]
    wall = cost * (1.0 + run.world.costs.overhead_share)
    rows = segments.rows[place]
    with_rows = rows > 0
    row_step = np.cumsum(with_rows)
    tokens = boot.row_step_tokens[row_step] - boot.row_step_tokens[row_step - with_rows]
    return StepTable(
        end_s=segments.start_s[place] + wall * (run.noise[at + 1] - begun),
        seconds=cost * (run.noise[at + 1] - run.noise[at]),
        kind=segments.kind[place],
        rows=rows,
        decode_tokens=tokens,
        prefill_tokens=segments.prefill_tokens[place],
    )


def emissions(run: Run, boot: BootLog) -> Emissions:
    """Return the gaps between emissions of all streams of a boot, the first token's wait left out."""
    steps = expand_steps(run, boot)
    ends = steps.end_s[steps.rows > 0]
    rows = steps.rows[steps.rows > 0]
    going_on = rows - np.bincount(boot.spans.row_step[boot.spans.rows > 0], minlength=ends.size)
    gaps = np.diff(ends, prepend=np.nan)
    order = np.lexsort((boot.spans.row_step, boot.spans.request))
    begin, had, request, chunk_s = (
        values[order]
        for values in (boot.spans.row_step, boot.spans.rows, boot.spans.request, boot.spans.after_chunk_s)
    )
    some = had > 0
    last_s = np.where(some, ends[np.maximum(begin + had - 1, 0)], chunk_s)
    before = np.concatenate([[np.nan], np.where(request[1:] == request[:-1], last_s[:-1], np.nan)])
    since = np.where(np.isnan(chunk_s), before, chunk_s)
    resumed = ~np.isnan(before) & ~np.isnan(chunk_s)
    whole = going_on > 0
    times = np.concatenate([ends[whole], ends[begin[some]], chunk_s[resumed]])
    widths = np.concatenate([gaps[whole], ends[begin[some]] - since[some], (chunk_s - before)[resumed]])
    weights = np.concatenate([going_on[whole], np.ones(int(some.sum() + resumed.sum()), dtype=np.int64)])
    rank = np.argsort(times, kind="stable")
    return Emissions(time_s=times[rank], gap_s=widths[rank], weight=weights[rank])

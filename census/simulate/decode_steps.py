"""How many decode-only steps come before anything changes?

Method: with the rows fixed, every step costs the same but for noise; a step that begins in a stall of the
engine's group lasts to its end. The run ends with the first decoder, the end of a hold, or the first step
boundary at or after the next event, found by bisection in the running sum of the noise.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from heapq import heappop

from census.simulate.engine_state import EngineState
from census.simulate.pools import NOISE_SIZE
from census.simulate.run import DECODE


def take_decode_steps(state: EngineState, *, most: int | None = None) -> bool:
    """Run decode-only steps up to the next event, at most so many. False: the process ended."""
    rows = len(state.decoding)
    pending = state.prefill_pending()
    count = rows_to_next_end(state)
    if most is not None:
        count = min(count, most)
    if state.hold:
        count = min(count, state.hold)
    until = next_event(state)
    cost = state.costs.decode_only(rows) + state.costs.per_context_token * state.context
    factor, settled = state.slowness.of_decode(state.now)
    cost *= factor
    until = min(until, settled)
    at = state.take_noise()
    noise = state.noise
    count = min(count, NOISE_SIZE - at)
    stall_from, stall_to = state.stall_at_hand()
    if stall_from <= state.now:
        count = 1
        own = noise[at + 1] - noise[at]
        cost = max(cost, (stall_to - state.now) / (own * state.wall_factor))
    until = min(until, max(stall_from, state.now))
    wall = cost * state.wall_factor
    target = noise[at] + (until - state.now) / wall
    if noise[at + count] > target:
        count = max(1, bisect_left(noise, target, at, at + count) - at)
    last = noise[at] + (state.end_s - state.now) / wall
    if noise[at + count] > last:
        count = bisect_right(noise, last, at, at + count) - at - 1
        if count < 1:
            return False
    end = state.now + wall * (noise[at + count] - noise[at])
    held = bool(state.hold) and pending
    ahead = not state.waiting and not state.prefilling
    state.note(end, DECODE, count, rows, 0, cost, 0.0, held=held, ahead=ahead)
    state.noise_at = at + count
    state.row_step += count
    state.hold = max(0, state.hold - count)
    state.now = end
    state.end_finished()
    return True


def next_event(state: EngineState) -> float:
    """Return the moment after which the next step must be planned anew."""
    until = state.end_s
    if state.arrivals:
        until = min(until, state.arrivals[0][0])
    if state.next_preemption < len(state.preemptions_due) and len(state.decoding) + len(state.prefilling) > 1:
        until = min(until, max(state.preemptions_due[state.next_preemption], state.now))
    return until


def rows_to_next_end(state: EngineState) -> int:
    """Return how many more steps until the first decoder ends."""
    ends = state.ends
    while ends[0][2] != ends[0][3].version:
        heappop(ends)
    return ends[0][0] - state.row_step

"""What does a step carry that has a chunk in it?

Method: the running list goes first, in order of arrival: each decode row takes 1 + drafts of the budget,
each request in its prompt a chunk of what is left; then waiting requests come in, head of line. After a
preemption an older prompt can stand before younger decoders and leave them without a row.
"""

from __future__ import annotations

import math
from bisect import insort
from heapq import heappush

from census.simulate.decode_steps import take_decode_steps
from census.simulate.engine_state import EngineState
from census.simulate.flight import Flight
from census.simulate.run import MIXED, PREFILL


def take_chunk_step(state: EngineState) -> bool:
    """Take one step that carries a chunk. False: the process ended before it was committed."""
    budget = state.world.chunk_budget
    starved: list[Flight] = []
    rows = 0 if state.world.exclusive else len(state.decoding)
    chunks: list[tuple[Flight, int]] = []
    if state.out_of_order and rows:
        budget, starved = fill_in_order(state, budget, chunks)
        rows -= len(starved)
    else:
        budget -= rows * state.world.row_budget
        for flight in state.prefilling:
            chunk = chunk_for(state, flight, budget)
            if not chunk:
                break
            chunks.append((flight, chunk))
            budget -= chunk
    admitted = [] if state.skip_admission else admit(state, budget, chunks)
    if not chunks:
        return take_decode_steps(state, most=1)
    tokens = sum(chunk for _, chunk in chunks)
    cost = state.costs.chunk(tokens, rows) * state.slowness.of_all(state.now)
    at = state.take_noise()
    seconds = cost * (state.noise[at + 1] - state.noise[at])
    begin = state.now
    end = begin + seconds * state.wall_factor
    if end > state.end_s:
        return False
    samples = rows > 0 or any(chunk == flight.remaining for flight, chunk in chunks)
    spilled = 0.0 if samples else seconds * state.costs.spill_share
    kind = MIXED if rows else PREFILL
    for flight in admitted:
        start_prefill(state, flight, begin, end)
    state.note(end, kind, 1, rows, tokens, cost, spilled, held=False, ahead=False)
    state.noise_at = at + 1
    state.now = end
    if rows:
        for flight in starved:
            skip_row(state, flight)
        state.row_step += 1
        state.hold = state.interleave
    state.slowness.displace(tokens, state.now)
    for flight, chunk in chunks:
        commit_chunk(state, flight, chunk)
    state.end_finished()
    return True


def chunk_for(state: EngineState, flight: Flight, budget: int) -> int:
    """Return the chunk that a request gets from this budget: its rest, or whole quanta."""
    if flight.remaining <= budget:
        return flight.remaining
    return budget // state.world.chunk_quantum * state.world.chunk_quantum


def admit(state: EngineState, budget: int, chunks: list[tuple[Flight, int]]) -> list[Flight]:
    """Give waiting requests what is left, head of line; return those that come in."""
    admitted: list[Flight] = []
    free = state.world.slots - len(state.prefilling) - len(state.decoding)
    for flight in state.waiting:
        chunk = chunk_for(state, flight, budget) if free > 0 else 0
        if not chunk:
            break
        admitted.append(flight)
        chunks.append((flight, chunk))
        budget -= chunk
        free -= 1
    return admitted


def start_prefill(state: EngineState, flight: Flight, begin: float, end: float) -> None:
    """Move a request from the queue into a slot."""
    state.waiting.remove(flight)
    flight.admitted = True
    if math.isnan(flight.scheduled_s):
        flight.scheduled_s = begin
    flight.context = flight.prompt + flight.output
    state.context += flight.context
    if flight.preemptions:
        state.preempted -= 1
        state.out_of_order += 1
    insort(state.prefilling, flight)
    state.admissions.append((end, flight.prompt + flight.output, flight.cached))


def commit_chunk(state: EngineState, flight: Flight, chunk: int) -> None:
    """Book a committed chunk; the last one of a prompt gives a token and turns it into a decoder."""
    flight.computed += chunk
    flight.remaining -= chunk
    if flight.remaining:
        return
    state.prefilling.remove(flight)
    state.out_of_order -= flight.preemptions > 0
    flight.output += 1
    flight.token_s = state.now
    if math.isnan(flight.first_s):
        flight.first_s = state.now
        state.streams += 1
    if not flight.rows_left:
        state.end_request(flight)
        state.streams -= 1
        return
    state.decoding.add(flight)
    flight.span_from = state.row_step
    flight.end_row_step = state.row_step + flight.rows_left
    heappush(state.ends, (flight.end_row_step, flight.place, flight.version, flight))


def fill_in_order(
    state: EngineState, budget: int, chunks: list[tuple[Flight, int]]
) -> tuple[int, list[Flight]]:
    """Serve the running list strictly by arrival, as after a preemption; later rows may starve."""
    starved: list[Flight] = []
    full = False
    for flight in sorted([*state.prefilling, *state.decoding]):
        if flight in state.decoding:
            if full or budget < state.world.row_budget:
                starved.append(flight)
            else:
                budget -= state.world.row_budget
            continue
        chunk = 0 if full else chunk_for(state, flight, budget)
        full = full or not chunk
        if chunk:
            chunks.append((flight, chunk))
            budget -= chunk
    return budget, starved


def skip_row(state: EngineState, flight: Flight) -> None:
    """Let a decoder miss the coming step with rows: its span breaks off and its end moves."""
    state.close_span(flight)
    flight.version += 1
    flight.span_from = state.row_step + 1
    flight.end_row_step = flight.span_from + flight.rows_left
    heappush(state.ends, (flight.end_row_step, flight.place, flight.version, flight))

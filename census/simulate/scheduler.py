"""Which step comes next? The scheduler of one process lifetime.

Method: radiance's rules. In a step the running list goes first, in order of arrival: a decode row takes 1
+ drafts of the token budget, a request in its prompt takes a chunk of what is left; then waiting requests
are admitted, head of line, while slots and budget last. With an interleave of N, each chunk step beside
decoders is followed by N decode-only steps that admit nothing. An exclusive engine runs prefill work alone
and lets the decoders wait. Chunk steps are taken one by one; decode-only steps in runs up to the next
event (an arrival, an end, a preemption, the end of a hold), their number found by bisection in the running
sum of the noise. When it misleads: an arrival is seen at the next step boundary; a killed process loses
its open step.
"""

from __future__ import annotations

from heapq import heappop

from census.simulate.chunk_steps import take_chunk_step
from census.simulate.decode_steps import take_decode_steps
from census.simulate.engine_state import EngineState
from census.simulate.flight import Flight
from census.simulate.preemption import preempt_if_due


def play(state: EngineState) -> None:
    """Play the process from its first moment to its end."""
    while state.now < state.end_s:
        take_arrivals(state)
        preempt_if_due(state)
        if not (state.waiting or state.prefilling or state.decoding):
            if not state.arrivals:
                return
            state.now = state.arrivals[0][0]
            state.was_decode_only = False
            continue
        if not state.decoding:
            state.hold = 0
        if state.prefill_pending() and not state.hold:
            alive = take_chunk_step(state)
        else:
            alive = take_decode_steps(state)
        if not alive:
            return


def take_arrivals(state: EngineState) -> None:
    """Queue what has come, turn away what is too much."""
    while state.arrivals and state.arrivals[0][0] <= state.now:
        submit, index = heappop(state.arrivals)
        if state.in_flight >= state.world.queue_cap:
            state.rejected_s.append(submit)
            continue
        flight = Flight(len(state.flights), index, submit_s=submit, requests=state.machine.requests)
        state.flights.append(flight)
        state.in_flight += 1
        state.waiting.append(flight)

"""Who is preempted, and what does it lose?

Method: planted preemptions fall due in time order; each takes, at the next step boundary with two or more
running, the latest arrival. It loses its KV, waits again at its old place in the queue, and computes anew
what the cache does not give back.
"""

from __future__ import annotations

from bisect import insort

from census.simulate.engine_state import EngineState


def preempt_if_due(state: EngineState) -> None:
    """Preempt the latest arrival among two or more running, once a step, when one is due."""
    state.skip_admission = False
    if state.next_preemption == len(state.preemptions_due):
        return
    if state.preemptions_due[state.next_preemption] > state.now:
        return
    if len(state.prefilling) + len(state.decoding) < 2:
        return
    victim = max([*state.prefilling, *state.decoding])
    state.next_preemption += 1
    state.skip_admission = True
    state.preempted_s.append(state.now)
    if victim in state.decoding:
        state.close_span(victim)
        state.decoding.remove(victim)
    else:
        state.prefilling.remove(victim)
        state.out_of_order -= victim.preemptions > 0
    victim.version += 1
    victim.preemptions += 1
    victim.admitted = False
    state.context -= victim.context
    held = victim.prompt + victim.output
    kept = max(victim.cached, int(held * state.world.recompute_cached_share))
    victim.cached = min(kept, held - 1)
    victim.remaining = held - victim.cached
    state.preempted += 1
    insort(state.waiting, victim)

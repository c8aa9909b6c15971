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

import math
from array import array
from bisect import bisect_left, bisect_right, insort
from heapq import heappop, heappush

import numpy as np

from census.simulate.flight import Flight
from census.simulate.machine import Machine
from census.simulate.pools import NOISE_SIZE
from census.simulate.run import DECODE, MIXED, PREFILL
from census.simulate.slowness import Slowness


class Scheduler:
    """The state of one process; ``run`` plays it to its end, ``log`` says what happened."""

    def __init__(self, machine: Machine, *, interleave: int, ready_s: float, end_s: float):
        world = machine.world
        self.world = world
        self.machine = machine
        self.costs = world.costs
        self.interleave = interleave
        self.ready_s = ready_s
        self.end_s = end_s
        self.now = ready_s
        self.noise = memoryview(machine.noise.data)
        self.noise_at = 0
        self.wall_factor = 1.0 + world.costs.overhead_share
        self.arrivals = first_turns(machine, ready_s=ready_s, end_s=end_s)
        self.preemptions_due = sorted(
            at
            for storm in world.storms
            for at in (storm.at_s + (np.arange(storm.count) + 0.5) * storm.span_s / storm.count).tolist()
            if ready_s <= at < end_s
        )
        self.next_preemption = 0
        self.flights: list[Flight] = []
        self.in_flight = 0
        self.waiting: list[Flight] = []
        self.prefilling: list[Flight] = []
        self.decoding: set[Flight] = set()
        self.ends: list[tuple[int, int, int, Flight]] = []
        self.row_step = 0
        self.streams = 0
        self.preempted = 0
        self.context = 0
        self.hold = 0
        self.slowness = Slowness(machine, now=ready_s)
        self.spill = 0.0
        self.out_of_order = 0
        self.skip_admission = False
        self.was_decode_only = False
        self.segments = array("d")
        self.spans: list[tuple[int, int, int, int, float]] = []
        self.admissions: list[tuple[float, int, int]] = []
        self.preempted_s: list[float] = []
        self.rejected_s: list[float] = []

    # -- the loop ----------------------------------------------------------------------------------

    def run(self) -> None:
        """Play the process from its first moment to its end."""
        while self.now < self.end_s:
            self.take_arrivals()
            self.preempt_if_due()
            if not (self.waiting or self.prefilling or self.decoding):
                if not self.arrivals:
                    return
                self.now = self.arrivals[0][0]
                self.was_decode_only = False
                continue
            if not self.decoding:
                self.hold = 0
            if self.prefill_pending() and not self.hold:
                alive = self.take_chunk_step()
            else:
                alive = self.take_decode_steps()
            if not alive:
                return

    def prefill_pending(self) -> bool:
        """Tell whether prefill work could run: a request in its prompt, or one waiting beside a free slot."""
        return bool(self.prefilling) or bool(
            self.waiting and len(self.prefilling) + len(self.decoding) < self.world.slots
        )

    def take_arrivals(self) -> None:
        """Queue what has come, turn away what is too much."""
        while self.arrivals and self.arrivals[0][0] <= self.now:
            submit, index = heappop(self.arrivals)
            if self.in_flight >= self.world.queue_cap:
                self.rejected_s.append(submit)
                continue
            flight = Flight(len(self.flights), index, submit_s=submit, requests=self.machine.requests)
            self.flights.append(flight)
            self.in_flight += 1
            self.waiting.append(flight)

    # -- preemption --------------------------------------------------------------------------------

    def preempt_if_due(self) -> None:
        """Preempt the latest arrival among two or more running, once a step, when one is due."""
        self.skip_admission = False
        if self.next_preemption == len(self.preemptions_due):
            return
        if self.preemptions_due[self.next_preemption] > self.now:
            return
        if len(self.prefilling) + len(self.decoding) < 2:
            return
        victim = max([*self.prefilling, *self.decoding])
        self.next_preemption += 1
        self.skip_admission = True
        self.preempted_s.append(self.now)
        if victim in self.decoding:
            self.close_span(victim)
            self.decoding.remove(victim)
        else:
            self.prefilling.remove(victim)
            self.out_of_order -= victim.preemptions > 0
        victim.version += 1
        victim.preemptions += 1
        victim.admitted = False
        self.context -= victim.context
        held = victim.prompt + victim.output
        kept = max(victim.cached, int(held * self.world.recompute_cached_share))
        victim.cached = min(kept, held - 1)
        victim.remaining = held - victim.cached
        self.preempted += 1
        insort(self.waiting, victim)

    def close_span(self, flight: Flight) -> None:
        """Book the rows that a decoder has had since its span began."""
        had = self.row_step - flight.span_from
        if had or not math.isnan(flight.token_s):
            self.spans.append((flight.span_from, had, flight.row_at, flight.place, flight.token_s))
            flight.token_s = math.nan
        flight.output += self.tokens_of(flight.row_at, had)
        flight.row_at += had
        flight.rows_left -= had

    def tokens_of(self, row_at: int, rows: int) -> int:
        """Return what these rows of the acceptance pool commit."""
        before = self.machine.pool.tokens_before
        return int(before[row_at + rows] - before[row_at])

    # -- decode-only steps -------------------------------------------------------------------------

    def take_decode_steps(self, *, most: int | None = None) -> bool:
        """Run decode-only steps up to the next event, at most so many. False: the process ended."""
        rows = len(self.decoding)
        pending = self.prefill_pending()
        count = self.rows_to_next_end()
        if most is not None:
            count = min(count, most)
        if self.hold:
            count = min(count, self.hold)
        until = self.next_event()
        cost = self.costs.decode_only(rows) + self.costs.per_context_token * self.context
        factor, settled = self.slowness.of_decode(self.now)
        cost *= factor
        until = min(until, settled)
        if self.noise_at == NOISE_SIZE:
            self.noise_at = 0
        at = self.noise_at
        noise = self.noise
        count = min(count, NOISE_SIZE - at)
        wall = cost * self.wall_factor
        target = noise[at] + (until - self.now) / wall
        if noise[at + count] > target:
            count = max(1, bisect_left(noise, target, at, at + count) - at)
        last = noise[at] + (self.end_s - self.now) / wall
        if noise[at + count] > last:
            count = bisect_right(noise, last, at, at + count) - at - 1
            if count < 1:
                return False
        end = self.now + wall * (noise[at + count] - noise[at])
        held = bool(self.hold) and pending
        ahead = not self.waiting and not self.prefilling
        self.note(end, DECODE, count, rows, 0, cost, 0.0, held=held, ahead=ahead)
        self.noise_at = at + count
        self.row_step += count
        self.hold = max(0, self.hold - count)
        self.now = end
        self.end_finished()
        return True

    def next_event(self) -> float:
        """Return the moment after which the next step must be planned anew."""
        until = self.end_s
        if self.arrivals:
            until = min(until, self.arrivals[0][0])
        if self.next_preemption < len(self.preemptions_due) and len(self.decoding) + len(self.prefilling) > 1:
            until = min(until, max(self.preemptions_due[self.next_preemption], self.now))
        return until

    def rows_to_next_end(self) -> int:
        """Return how many more steps until the first decoder ends."""
        ends = self.ends
        while ends[0][2] != ends[0][3].version:
            heappop(ends)
        return ends[0][0] - self.row_step

    def end_finished(self) -> None:
        """End the decoders whose last row has been committed."""
        ends = self.ends
        while ends:
            row_step, _, version, flight = ends[0]
            if version == flight.version and row_step > self.row_step:
                return
            heappop(ends)
            if version == flight.version:
                self.close_span(flight)
                self.decoding.remove(flight)
                self.end_request(flight)
                self.streams -= 1

    def end_request(self, flight: Flight) -> None:
        """Close a request at the present moment."""
        flight.end_s = self.now
        flight.version += 1
        self.context -= flight.context
        self.in_flight -= 1
        following, think_s = self.machine.following[flight.index]
        if following >= 0 and self.now + think_s < self.end_s:
            heappush(self.arrivals, (self.now + think_s, following))

    # -- chunk steps -------------------------------------------------------------------------------

    def take_chunk_step(self) -> bool:
        """Take one step that carries a chunk. False: the process ended before it was committed."""
        budget = self.world.chunk_budget
        starved: list[Flight] = []
        rows = 0 if self.world.exclusive else len(self.decoding)
        chunks: list[tuple[Flight, int]] = []
        if self.out_of_order and rows:
            budget, starved = self.fill_in_order(budget, chunks)
            rows -= len(starved)
        else:
            budget -= rows * self.world.row_budget
            for flight in self.prefilling:
                chunk = self.chunk_for(flight, budget)
                if not chunk:
                    break
                chunks.append((flight, chunk))
                budget -= chunk
        admitted = [] if self.skip_admission else self.admit(budget, chunks)
        if not chunks:
            return self.take_decode_steps(most=1)
        tokens = sum(chunk for _, chunk in chunks)
        cost = self.costs.chunk(tokens, rows) * self.slowness.of_all(self.now)
        if self.noise_at == NOISE_SIZE:
            self.noise_at = 0
        at = self.noise_at
        seconds = cost * (self.noise[at + 1] - self.noise[at])
        begin = self.now
        end = begin + seconds * self.wall_factor
        if end > self.end_s:
            return False
        samples = rows > 0 or any(chunk == flight.remaining for flight, chunk in chunks)
        spilled = 0.0 if samples else seconds * self.costs.spill_share
        kind = MIXED if rows else PREFILL
        for flight in admitted:
            self.start_prefill(flight, begin, end)
        self.note(end, kind, 1, rows, tokens, cost, spilled, held=False, ahead=False)
        self.noise_at = at + 1
        self.now = end
        if rows:
            for flight in starved:
                self.skip_row(flight)
            self.row_step += 1
            self.hold = self.interleave
        self.slowness.displace(tokens, self.now)
        for flight, chunk in chunks:
            self.commit_chunk(flight, chunk)
        self.end_finished()
        return True

    def chunk_for(self, flight: Flight, budget: int) -> int:
        """Return the chunk that a request gets from this budget: its rest, or whole quanta."""
        if flight.remaining <= budget:
            return flight.remaining
        return budget // self.world.chunk_quantum * self.world.chunk_quantum

    def admit(self, budget: int, chunks: list[tuple[Flight, int]]) -> list[Flight]:
        """Give waiting requests what is left, head of line; return those that come in."""
        admitted: list[Flight] = []
        free = self.world.slots - len(self.prefilling) - len(self.decoding)
        for flight in self.waiting:
            chunk = self.chunk_for(flight, budget) if free > 0 else 0
            if not chunk:
                break
            admitted.append(flight)
            chunks.append((flight, chunk))
            budget -= chunk
            free -= 1
        return admitted

    def start_prefill(self, flight: Flight, begin: float, end: float) -> None:
        """Move a request from the queue into a slot."""
        self.waiting.remove(flight)
        flight.admitted = True
        if math.isnan(flight.scheduled_s):
            flight.scheduled_s = begin
        flight.context = flight.prompt + flight.output
        self.context += flight.context
        if flight.preemptions:
            self.preempted -= 1
            self.out_of_order += 1
        insort(self.prefilling, flight)
        self.admissions.append((end, flight.prompt + flight.output, flight.cached))

    def commit_chunk(self, flight: Flight, chunk: int) -> None:
        """Book a committed chunk; the last one of a prompt gives a token and turns it into a decoder."""
        flight.computed += chunk
        flight.remaining -= chunk
        if flight.remaining:
            return
        self.prefilling.remove(flight)
        self.out_of_order -= flight.preemptions > 0
        flight.output += 1
        flight.token_s = self.now
        if math.isnan(flight.first_s):
            flight.first_s = self.now
            self.streams += 1
        if not flight.rows_left:
            self.end_request(flight)
            self.streams -= 1
            return
        self.decoding.add(flight)
        flight.span_from = self.row_step
        flight.end_row_step = self.row_step + flight.rows_left
        heappush(self.ends, (flight.end_row_step, flight.place, flight.version, flight))

    def fill_in_order(self, budget: int, chunks: list[tuple[Flight, int]]) -> tuple[int, list[Flight]]:
        """Serve the running list strictly by arrival, as after a preemption; later rows may starve."""
        starved: list[Flight] = []
        full = False
        for flight in sorted([*self.prefilling, *self.decoding]):
            if flight in self.decoding:
                if full or budget < self.world.row_budget:
                    starved.append(flight)
                else:
                    budget -= self.world.row_budget
                continue
            chunk = 0 if full else self.chunk_for(flight, budget)
            full = full or not chunk
            if chunk:
                chunks.append((flight, chunk))
                budget -= chunk
        return budget, starved

    def skip_row(self, flight: Flight) -> None:
        """Let a decoder miss the coming step with rows: its span breaks off and its end moves."""
        self.close_span(flight)
        flight.version += 1
        flight.span_from = self.row_step + 1
        flight.end_row_step = flight.span_from + flight.rows_left
        heappush(self.ends, (flight.end_row_step, flight.place, flight.version, flight))

    # -- the log -----------------------------------------------------------------------------------

    def note(
        self,
        end: float,
        kind: int,
        steps: int,
        rows: int,
        tokens: int,
        cost: float,
        spilled: float,
        *,
        held: bool,
        ahead: bool,
    ) -> None:
        """Append one segment that begins now."""
        self.segments.extend(
            (
                self.now,
                end,
                kind,
                steps,
                rows,
                tokens,
                self.noise_at,
                cost,
                self.spill,
                spilled,
                self.row_step,
                len(self.prefilling) + len(self.decoding),
                len(self.waiting),
                self.preempted,
                self.streams,
                held,
                steps - (not self.was_decode_only) if ahead else 0,
                self.context,
            )
        )
        self.spill = spilled
        self.was_decode_only = kind == DECODE


def first_turns(machine: Machine, *, ready_s: float, end_s: float) -> list[tuple[float, int]]:
    """Return (time, request) of the sessions that begin in a process's life, as a heap."""
    submit = machine.requests.submit_s
    first, last = np.searchsorted(submit, [ready_s, end_s])
    return list(zip(submit[first:last].tolist(), range(int(first), int(last)), strict=True))

"""What is true of a simulated process at this moment?

Method: plain mutable state of one process lifetime, with the few changes that several kinds of steps
share. Requests stand in ``waiting`` or ``prefilling``, both in order of arrival, or in ``decoding``;
``ends`` knows at which row step each decoder has had its last row.
"""

from __future__ import annotations

import math
from array import array
from heapq import heappop, heappush

import numpy as np

from census.simulate.flight import Flight
from census.simulate.machine import Machine
from census.simulate.pools import NOISE_SIZE
from census.simulate.run import DECODE
from census.simulate.slowness import Slowness


class EngineState:
    """One process: who waits, who runs, what has been logged."""

    def __init__(self, machine: Machine, *, interleave: int, ready_s: float, end_s: float) -> None:
        """Begin idle."""
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
        self.next_stall = 0
        self.spill = 0.0
        self.out_of_order = 0
        self.skip_admission = False
        self.was_decode_only = False
        self.segments = array("d")
        self.spans: list[tuple[int, int, int, int, float]] = []
        self.admissions: list[tuple[float, int, int]] = []
        self.preempted_s: list[float] = []
        self.rejected_s: list[float] = []

    def prefill_pending(self) -> bool:
        """Tell whether prefill work could run: a request in its prompt, or one waiting beside a free slot."""
        return bool(self.prefilling) or bool(
            self.waiting and len(self.prefilling) + len(self.decoding) < self.world.slots
        )

    def stall_at_hand(self) -> tuple[float, float]:
        """Return the stall that is on or comes next, (infinity, infinity) where none does."""
        stalls = self.machine.stalls
        while self.next_stall < len(stalls) and stalls[self.next_stall][1] <= self.now:
            self.next_stall += 1
        return stalls[self.next_stall] if self.next_stall < len(stalls) else (math.inf, math.inf)

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

    def take_noise(self) -> int:
        """Return the place of the next step in the noise pool."""
        if self.noise_at == NOISE_SIZE:
            self.noise_at = 0
        return self.noise_at


def first_turns(machine: Machine, *, ready_s: float, end_s: float) -> list[tuple[float, int]]:
    """Return (time, request) of the sessions that begin in a process's life, as a heap."""
    submit = machine.requests.submit_s
    first, last = np.searchsorted(submit, [ready_s, end_s])
    return list(zip(submit[first:last].tolist(), range(int(first), int(last)), strict=True))

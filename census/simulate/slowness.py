"""By what factor are steps slower now than their plain cost?

Method: residency is a displaced share in 0..1 that chunk tokens push up and time lets decay; a slow drift
is common to all steps. Both are held constant for a short while (a twentieth of the time constant, one
cell of the drift grid).
"""

from __future__ import annotations

import math

from census.simulate.machine import Machine

OVER = 0.002
"""A residency factor closer to 1 than this is over."""


class Slowness:
    """The slow state of one process."""

    __slots__ = ("at", "costs", "displaced", "drift", "drift_s", "origin")

    def __init__(self, machine: Machine, *, now: float) -> None:
        """Begin with everything resident."""
        self.costs = machine.world.costs
        self.drift = machine.drift
        self.drift_s = machine.drift_s
        self.origin = -machine.world.warm_up_s
        self.displaced = 0.0
        self.at = now

    def of_decode(self, now: float) -> tuple[float, float]:
        """Return the factor on a decode-only step, and until when it may be taken as constant."""
        until = math.inf
        factor = 1.0
        if self.displaced:
            self.decay(now)
            slow = self.costs.residency_slowdown * self.displaced
            if slow > OVER:
                factor += slow
                until = now + self.costs.residency_tau_s / 20.0
        if self.costs.drift_cv:
            factor *= self.of_all(now)
            begun = (now - self.origin) // self.drift_s
            until = min(until, self.origin + (begun + 1) * self.drift_s)
        return factor, until

    def of_all(self, now: float) -> float:
        """Return the drift factor on any step."""
        if not self.costs.drift_cv:
            return 1.0
        return self.drift[int((now - self.origin) // self.drift_s)]

    def decay(self, now: float) -> None:
        """Let what was displaced come back."""
        self.displaced *= math.exp(-(now - self.at) / self.costs.residency_tau_s)
        self.at = now

    def displace(self, tokens: int, now: float) -> None:
        """Let a chunk displace what decode wants resident."""
        if not self.costs.residency_slowdown:
            return
        self.decay(now)
        self.displaced = 1.0 - (1.0 - self.displaced) * math.exp(-tokens / self.costs.residency_tokens)

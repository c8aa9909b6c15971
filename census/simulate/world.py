"""What does a simulated engine and its traffic look like? Every knob, frozen.

Method: an engine that batches one scheduler step after another over a fixed number of slots, as radiance's
source describes its scheduler (running list first, a decode row takes 1 + drafts of the token budget, a chunk
takes what is left, admission is head-of-line). Times are seconds since ``epoch_ms``; a world may begin
before its window (``warm_up_s``), so that its first boot has no start inside the window.
When it misleads: KV memory has no model; preemptions are planted (``Storm``), not caused.
"""

from __future__ import annotations

from dataclasses import dataclass, field

EPOCH_MS = 1_792_353_600_000
"""2026-10-18T20:00:00Z: the default start of a world's window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lognormal:
    """A token length: lognormal with this median and sigma of the log, clipped to [low, high]."""

    median: float
    sigma: float
    low: int = 1
    high: int = 200_000


Mixture = tuple[tuple[float, Lognormal], ...]
"""Weights (they need not sum to 1) and lengths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surge:
    """A planted crowd: ``count`` sessions spread evenly over ``span_s`` from ``at_s`` on."""

    at_s: float
    span_s: float
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """One class of requests: sessions whose turns follow one another.

    Attributes
    ----------
    rate_per_s : mean sessions begun per second (requests, where a session has one turn).
    turns_mean : mean requests of a session (geometric); each is sent when the one before has ended.
    think_s, think_sigma : time between two turns, lognormal: median and sigma of the log.
    prompts, outputs : total prompt tokens (cached ones included) and output tokens (the first included).
    cached_low, cached_high : a warm prompt's cached share is uniform between them.
    cold_share : share of prompts that hit no cache.
    cycle_amplitude : 0..1, of a sine in the arrival rate with period ``cycle_s`` and its peak at
        ``cycle_peak_s``.
    burst_mean : mean sessions per burst (geometric); 1 is a plain Poisson process.
    burst_spacing_s : mean seconds between the sessions of one burst.
    surges : planted crowds on top.
    population : sessions that never end, begun anew when a process begins to answer.
    """

    rate_per_s: float
    prompts: Mixture
    outputs: Mixture
    turns_mean: float = 1.0
    think_s: float = 3.0
    think_sigma: float = 0.8
    cached_low: float = 0.0
    cached_high: float = 0.0
    cold_share: float = 0.0
    cycle_amplitude: float = 0.0
    cycle_s: float = 86_400.0
    cycle_peak_s: float = 0.0
    burst_mean: float = 1.0
    burst_spacing_s: float = 1.0
    surges: tuple[Surge, ...] = ()
    population: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCosts:
    """What a step costs, seconds.

    decode-only: (decode_base + per_row x rows + per_context_token x tokens held) x residency x drift.
    chunk step: (chunk_base + per_chunk_token x chunk tokens + per_row x rows) x drift.
    Each step is multiplied by gamma noise of mean 1.

    Attributes
    ----------
    noise_cv : coefficient of variation of that noise.
    overhead_share : wall time between steps (planning, admission), as a share of the step before it.
    drift_cv, drift_tau_s : a slow common factor exp(OU), its spread and its time constant; 0 is none.
    residency_slowdown : a decode-only step is up to 1 + this slower after prefill.
    residency_tau_s : time constant of the recovery.
    residency_tokens : prefill tokens that displace 63 % of what is left to displace.
    spill_share : share of a prefill-only mid-prompt step that is booked on the step after it.
    """

    decode_base: float
    per_row: float
    chunk_base: float
    per_chunk_token: float
    per_context_token: float = 0.0
    noise_cv: float = 0.04
    overhead_share: float = 0.0
    drift_cv: float = 0.0
    drift_tau_s: float = 600.0
    residency_slowdown: float = 0.0
    residency_tau_s: float = 30.0
    residency_tokens: float = 4_000.0
    spill_share: float = 0.0

    def decode_only(self, rows: float) -> float:
        """Return the mean decode-only step seconds at this many rows, residency and context aside."""
        return self.decode_base + self.per_row * rows

    def chunk(self, tokens: float, rows: float) -> float:
        """Return the mean seconds of a step with this many chunk tokens beside this many rows."""
        return self.chunk_base + self.per_chunk_token * tokens + self.per_row * rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """The process ends at ``at_s``; the next one answers ``downtime_s`` later."""

    at_s: float
    downtime_s: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Storm:
    """``count`` preemptions spread over ``span_s``, each of the latest arrival of two or more running."""

    at_s: float
    span_s: float
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scraping:
    """When a Prometheus scrapes this engine.

    Attributes
    ----------
    interval_s, offset_s : the grid.
    jitter_s, jitter_share : this share of scrapes comes late, by up to ``jitter_s``.
    missed_share : this share fails.
    gaps : (start, length) in seconds without any scrape.
    """

    interval_s: float = 15.0
    offset_s: float = 7.173
    jitter_s: float = 0.05
    jitter_share: float = 0.15
    missed_share: float = 0.002
    gaps: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """What tells this engine's series from others: two labels of a scrape, two of the engine."""

    job: str = "radiance"
    instance: str = "127.0.0.1:8000"
    model_name: str = "qwen3.8-flash-next"
    engine: str = "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """One engine, its traffic and its scraper.

    Attributes
    ----------
    slots : most running requests (max-num-seqs). chunk_budget : tokens a step (max-num-batched-tokens).
    chunk_quantum : a chunk that is not a prompt's last is a multiple of this.
    acceptance : conditional acceptance at each draft position; its length is the number of drafts.
    interleave : N held steps after a chunk step beside decoders, boot by boot; the last stands for later
        boots.
    exclusive : prefill runs exclude decode rows.
    recompute_cached_share : share of a preempted request's context that the cache gives back.
    queue_cap : unfinished requests above which an arrival is rejected (429).
    kv_tokens : what the KV cache can hold; it shows in the usage gauges only.
    """

    name: str
    duration_s: float
    traffic: tuple[Traffic, ...]
    costs: StepCosts
    slots: int = 2
    chunk_budget: int = 2048
    chunk_quantum: int = 64
    acceptance: tuple[float, ...] = (0.70, 0.66)
    interleave: tuple[int, ...] = (0,)
    exclusive: bool = False
    recompute_cached_share: float = 0.9
    queue_cap: int = 16
    kv_tokens: int = 486_788
    restarts: tuple[Restart, ...] = ()
    storms: tuple[Storm, ...] = ()
    warm_up_s: float = 900.0
    epoch_ms: int = EPOCH_MS
    labels: Labels = field(default_factory=Labels)
    scraping: Scraping = field(default_factory=Scraping)

    def __post_init__(self) -> None:
        """Refuse what the scheduler cannot run."""
        if self.slots * self.row_budget >= self.chunk_budget - self.chunk_quantum:
            raise ValueError(f"{self.slots} decode rows leave no budget for a chunk")
        if not self.interleave or min(self.interleave) < 0:
            raise ValueError("interleave needs a number >= 0 for each boot")
        if any(end <= ready for _, ready, end in self.lifetimes()):
            raise ValueError("a boot ends before it answers: restarts overlap or lie outside the world")

    def lifetimes(self) -> tuple[tuple[float, float, float], ...]:
        """Return (process start, ready, end) of each boot, seconds since the epoch."""
        begin = -self.warm_up_s
        starts = [(begin, begin)]
        starts += [
            (restart.at_s + min(2.0, restart.downtime_s), restart.at_s + restart.downtime_s)
            for restart in self.restarts
        ]
        ends = [restart.at_s for restart in self.restarts] + [self.duration_s]
        return tuple((start, ready, end) for (start, ready), end in zip(starts, ends, strict=True))

    @property
    def row_budget(self) -> int:
        """Budget that one decode row takes: itself and its drafts."""
        return 1 + len(self.acceptance)

    @property
    def tokens_per_row(self) -> float:
        """Mean tokens that a decode row commits: k."""
        kept, total = 1.0, 1.0
        for chance in self.acceptance:
            kept *= chance
            total += kept
        return total

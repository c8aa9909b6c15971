"""Frozen results, one class a finding; field names are the keys of the report JSON (docs/report-json.md).

A finding that cannot be made is ``Absent``. Units: seconds, tokens, tokens per second, shares 0..1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from census.model.estimate import Absent, Reading

STEP_CLASSES = ("decode", "mixed", "prefill", "chunk", "other")

MechanismId = Literal[
    "shared-step",
    "exclusive-prefill",
    "residency",
    "batch-growth",
    "preemption",
    "queueing",
    "group-stall",
    "load",
    "none",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepClass:
    """One class of steps. Totals include heads and gaps; null where the engine does not split it."""

    steps: float | None
    seconds: float | None
    mean_s: Reading
    share_of_steps: float | None
    share_of_time: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepClasses:
    """All five classes, always; chunk = mixed + prefill; decode + chunk + other = 1 in steps and in time."""

    decode: StepClass
    mixed: StepClass
    prefill: StepClass
    chunk: StepClass
    other: StepClass


@dataclass(frozen=True, slots=True, kw_only=True)
class BootStepClasses:
    """The classes of one boot."""

    boot: int
    classes: StepClasses


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPhases:
    """What does a decode-only step cost, and what a step that carries a chunk?"""

    source: Literal["counters", "estimated"]
    boot: int | Literal["all"]
    classes: StepClasses
    by_boot: tuple[BootStepClasses, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quartiles:
    """First quartile, median, third quartile of interval values."""

    q1: float
    median: float
    q3: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeBucket:
    """Intervals whose rate of computed prefill tokens lies in [lo, hi); hi null = open; lo = hi = 0: none."""

    lo: float
    hi: float | None
    intervals: int
    episodes: int
    seconds: float
    prefill_tok_s: float | None
    visible_tok_s: Reading
    visible_quartiles: Quartiles | None
    per_stream_tok_s: Reading
    per_stream_quartiles: Quartiles | None
    per_stream_pooled_tok_s: float | None
    decode_step_s: Reading
    chunk_step_s: Reading
    chunk_share_of_time: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeUnderPrefill:
    """What happens to decode as prefill rises? Both rates, bucket by bucket."""

    edges: tuple[float, ...]
    prefill_axis: str
    per_stream_source: str
    stalls: str
    load_hides_it: bool
    rows: tuple[DecodeBucket, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileBound:
    """A histogram quantile, interpolated as Prometheus does, with the edges of its bucket as bounds.

    First bucket: value null, low 0. Overflow bucket: value and high null.
    """

    value: float | None
    low: float
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareRange:
    """A share that is exact on a bucket edge (low = high), else a range."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalBucket:
    """Requests booked in intervals with a prefill rate in [lo, hi). Quantiles are null without any."""

    lo: float
    hi: float | None
    requests: int
    p50_s: QuantileBound | None
    p90_s: QuantileBound | None
    p99_s: QuantileBound | None
    over: dict[str, ShareRange]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalWait:
    """What does an arriving request wait for its first token? ``clock`` says when its histogram moves."""

    metric: str
    clock: str
    lag_s: float | None
    note: str
    rows: tuple[ArrivalBucket, ...]
    all: ArrivalBucket


@dataclass(frozen=True, slots=True, kw_only=True)
class LagResponse:
    """The response of the decode rate at one lag, net of the other lags (distributed lags, HAC errors).

    ``effect`` is the slope times the typical loaded prefill rate (that of the median prefill token) over the
    zero-prefill baseline: a share.
    """

    lag_s: float
    effect: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class LagRow:
    """Pearson r at one lag; positive lag = prefill leads. band: half the null band; p: family-wise."""

    lag_s: float
    r: float | None
    low: float | None
    high: float | None
    spearman: float | None
    band: float | None
    n: int
    n_eff: float | None
    p_family: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LagTable:
    """One lag table of one outcome, with or without its drift."""

    rows: tuple[LagRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LagStructure:
    """Does the effect of prefill live at lag 0 only, or does it linger?

    ``rows`` are raw, ``detrended`` has the running median removed; both of the per-stream rate. ``visible``
    is the visible rate's own table (raw). ``lingering`` is the summed response over positive lags of two
    intervals and more.
    """

    verdict: Literal["lag-0-only", "lingering", "none", "inconclusive"]
    reason: str
    outcome: str
    effect_at_0: Reading
    lingering: Reading
    response: tuple[LagResponse, ...]
    rows: tuple[LagRow, ...]
    detrended: LagTable
    visible: LagTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """One explanation: what it predicts, what was seen, and whether it holds (null: cannot tell)."""

    id: str
    prediction: str
    observed: str
    holds: bool | None
    share_of_loss: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """By which mechanism does prefill slow decode? Named only after its rivals failed."""

    verdict: str
    closest: str | None
    reason: str
    would_settle: str
    predicted_over_measured: Reading
    decode_step_given_rows: Reading
    rivals: tuple[Rival, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectionBoot:
    """The meter in one boot; counts are null where the metric is not exported."""

    boot: int
    state: str
    held: int | None
    opportunities: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectionMeter:
    """Did the knob believed to protect decode ever act? held = increase, opportunities = mixed steps."""

    metric: str
    state: Literal["moving", "zero", "no opportunity", "not exported"]
    held: int | None
    opportunities: int | None
    by_boot: tuple[ProtectionBoot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """Preemptions that came close together; start is RFC 3339."""

    start: str
    span_s: float
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preemptions:
    """How many, and did they come in bursts that a gauge cannot see?"""

    total: int
    bursts: tuple[Burst, ...]
    most_in_120_s: int
    per_hour: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """The pair that an interleave can move.

    rate: k (1 + h) / (C + h D), what a stream gets while prefill work is pending. share: how much of decoding
    time is spent so. exchange: tokens that each stream loses per 1,000 prefill tokens. quiet: what a stream
    gets otherwise.
    """

    rate_tok_s: Reading
    share_of_stream_time: Reading
    exchange_tok_per_1000: Reading
    quiet_tok_s: Reading
    held_per_mixed: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A computed range; high null = without bound ("unstable": the queue grows)."""

    low: float
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderInputs:
    """What the ladder is computed from, as plain numbers (``LadderReadings`` has their intervals).

    k tokens per row and step; C, D mixed and decode-only step seconds; q share of mixed steps with prefill
    still pending after them; s = mixed / all chunk steps; u share of wall time with prefill pending;
    lambda_ ("lambda" in the JSON) = mixed steps per second of decoding time; chunk_tokens = tokens a chunk.
    """

    k: float
    C: float
    D: float
    q: float
    s: float
    u: Range
    lambda_: float
    chunk_tokens: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderReadings:
    """The same inputs with interval, n and method."""

    k: Reading
    C: Reading
    D: Reading
    q: Reading
    lambda_: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderRow:
    """What N held steps after each chunk step beside decoders would give. Computed, not measured."""

    n: int
    pending_tok_s: float
    pending_interval: Range | None
    all_time_tok_s: Range
    stretch: float
    u: Range
    ttft_factor: Range
    unstable: bool
    mean_gap_s: float
    worst_gap_s: float
    naive_tok_s: float
    naive_slowdown: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """The priced interleave knob. ``accepted`` false: the mechanism is not the one that the knob acts on."""

    basis: Literal["computed"]
    accepted: bool
    reason: str
    flag: str
    formula: str
    inputs: LadderInputs
    readings: LadderReadings
    n_star: float | None
    rows: tuple[LadderRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionPart:
    """One part of the lost stream time; the shares of all parts sum to 1."""

    id: str
    share: Reading
    tokens_share: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """How the lost decode time divides; ``lost_share`` of stream seconds is lost against the quiet rate."""

    unit: Literal["stream seconds"]
    lost_share: Reading
    parts: tuple[AttributionPart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All findings of one engine, in reading order."""

    step_phases: StepPhases | Absent
    decode_under_prefill: DecodeUnderPrefill | Absent
    pending: Pending | Absent
    lag_structure: LagStructure | Absent
    mechanism: Mechanism | Absent
    arrival_wait: ArrivalWait | Absent
    protection_meter: ProtectionMeter | Absent
    preemptions: Preemptions | Absent
    ladder: Ladder | Absent

"""Hand-made censuses: a full one near the founding text, one that knows nothing, a hostile one, several
engines."""

from __future__ import annotations

import dataclasses
import math

from census.model.boot import Boot
from census.model.caveat import Caveat
from census.model.census import Audits, Census, Coverage, Engine, Provenance, ResolvedName
from census.model.estimate import Absent, Estimate
from census.model.findings import (
    ArrivalBucket,
    ArrivalWait,
    Attribution,
    AttributionPart,
    BootStepClasses,
    Burst,
    DecodeBucket,
    DecodeUnderPrefill,
    Findings,
    Ladder,
    LadderInputs,
    LadderReadings,
    LadderRow,
    LagResponse,
    LagRow,
    LagStructure,
    LagTable,
    Mechanism,
    Pending,
    Preemptions,
    ProtectionBoot,
    ProtectionMeter,
    QuantileBound,
    Quartiles,
    Range,
    Rival,
    ShareRange,
    StepClass,
    StepClasses,
    StepPhases,
)
from census.model.settings import Settings
from census.model.track import Track, TrackEvent, TrackGap, TrackLine
from census.model.window import Window

START_MS = 1_792_368_000_000
HOUR_MS = 3_600_000
K, C, D, Q, S, LAMBDA = 2.16, 0.166, 0.0155, 0.92, 0.69, 0.62

HOSTILE = (
    '<script>window.pwned=1</script>|`"]()<img src=x onerror="window.pwned=1">\n'
    "# not a heading\x1b[31m${7*7}{{7*7}}"
)


def estimate(
    value: float, low: float | None, high: float | None, *, n: int = 412, unit: str = "s"
) -> Estimate:
    """Return a measured reading."""
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=0.95,
        n=n,
        unit=unit,
        method="measured: ratio of sums, block bootstrap",
    )


def _step_classes(scale: float) -> StepClasses:
    decode_steps, mixed_steps, prefill_steps = 1_200_000 * scale, 40_800 * scale, 18_380 * scale
    chunk_steps = mixed_steps + prefill_steps
    total_steps = decode_steps + chunk_steps
    decode_s, chunk_s = decode_steps * D, chunk_steps * C
    total_s = decode_s + chunk_s
    not_split = Absent("this engine does not split the seconds of mixed and prefill-only steps")
    return StepClasses(
        decode=StepClass(
            steps=decode_steps,
            seconds=decode_s,
            mean_s=estimate(D, 0.01544, 0.01556),
            share_of_steps=decode_steps / total_steps,
            share_of_time=decode_s / total_s,
        ),
        mixed=StepClass(
            steps=mixed_steps,
            seconds=None,
            mean_s=not_split,
            share_of_steps=mixed_steps / total_steps,
            share_of_time=None,
        ),
        prefill=StepClass(
            steps=prefill_steps,
            seconds=None,
            mean_s=not_split,
            share_of_steps=prefill_steps / total_steps,
            share_of_time=None,
        ),
        chunk=StepClass(
            steps=chunk_steps,
            seconds=chunk_s,
            mean_s=estimate(C, 0.1634, 0.1687),
            share_of_steps=chunk_steps / total_steps,
            share_of_time=chunk_s / total_s,
        ),
        other=StepClass(
            steps=0.0,
            seconds=0.0,
            mean_s=Absent("no step outside the classes"),
            share_of_steps=0.0,
            share_of_time=0.0,
        ),
    )


def _bucket(
    lo: float, hi: float | None, intervals: int, stream: float, visible: float, share: float
) -> DecodeBucket:
    few = intervals < 20
    none = Absent("3 episodes: fewer than 5 give no interval and no median") if few else None
    return DecodeBucket(
        lo=lo,
        hi=hi,
        intervals=intervals,
        episodes=3 if few else intervals // 3,
        seconds=intervals * 15.0,
        prefill_tok_s=0.0 if hi == 0 else lo * 1.3 + 120,
        visible_tok_s=none or estimate(visible, visible * 0.94, visible * 1.05, n=intervals, unit="tok/s"),
        visible_quartiles=Quartiles(q1=visible * 0.7, median=visible, q3=visible * 1.4),
        per_stream_tok_s=none or estimate(stream, stream * 0.96, stream * 1.03, n=intervals, unit="tok/s"),
        per_stream_quartiles=Quartiles(q1=stream * 0.8, median=stream, q3=stream * 1.15),
        per_stream_pooled_tok_s=stream * (1.4 if lo >= 5000 else 1.01),
        decode_step_s=estimate(D, 0.0152, 0.0158)
        if share < 0.9
        else Absent("12 decode-only steps: fewer than 30"),
        chunk_step_s=estimate(C, 0.161, 0.171) if share else Absent("0 chunk steps: fewer than 30"),
        chunk_share_of_time=share,
    )


def _lag_rows(strength: float) -> tuple[LagRow, ...]:
    rows = []
    for lag in range(-300, 301, 15):
        r = strength * math.exp(-abs(lag) / 25.0) + 0.02 * math.sin(lag / 40)
        rows.append(
            LagRow(
                lag_s=float(lag),
                r=r,
                low=r - 0.05,
                high=r + 0.05,
                spearman=r * 0.9,
                band=0.06,
                n=9000 - abs(lag),
                n_eff=1100.5,
                p_family=0.0005 if lag == 0 else 0.4,
            )
        )
    return tuple(rows)


def _lag_structure() -> LagStructure:
    response = tuple(
        LagResponse(
            lag_s=float(lag),
            effect=estimate(-0.71, -0.74, -0.68, unit="1")
            if lag == 0
            else estimate(-0.004, -0.03, 0.022, unit="1"),
        )
        for lag in range(-60, 301, 15)
    )
    return LagStructure(
        verdict="lag-0-only",
        reason="the response at lag 0 is large, and the summed response over later lags is inside 20 % of it",
        outcome="per_stream",
        effect_at_0=estimate(-0.71, -0.74, -0.68, unit="1"),
        lingering=estimate(-0.01, -0.06, 0.04, unit="1"),
        response=response,
        rows=_lag_rows(-0.74),
        detrended=LagTable(rows=_lag_rows(-0.70)),
        visible=LagTable(rows=_lag_rows(0.19)),
    )


def _rival(name: str, prediction: str, observed: str, *, holds: bool | None, loss: float | None) -> Rival:
    share = (
        Absent("cannot be told from these counters")
        if loss is None
        else estimate(loss, loss * 0.7, loss * 1.3, unit="1")
    )
    return Rival(id=name, prediction=prediction, observed=observed, holds=holds, share_of_loss=share)


def _mechanism() -> Mechanism:
    return Mechanism(
        verdict="shared-step",
        closest="batch-growth",
        reason="mixed steps carry the loss and the decode-only step given rows is flat",
        would_settle="",
        predicted_over_measured=estimate(0.97, 0.93, 1.02, unit="1"),
        decode_step_given_rows=estimate(0.004, -0.01, 0.018, unit="1"),
        rivals=(
            _rival(
                "shared-step",
                "decode-only step flat; mixed steps carry the loss",
                "flat within 2 %; 40,800 mixed steps",
                holds=True,
                loss=0.94,
            ),
            _rival(
                "exclusive-prefill",
                "no mixed step while chunks and decoders run",
                "69 % of chunk steps are mixed",
                holds=False,
                loss=0.0,
            ),
            _rival(
                "residency",
                "decode-only step slower after prefill, given rows",
                "+0.4 % [−1.0, 1.8]",
                holds=False,
                loss=0.02,
            ),
            _rival(
                "batch-growth",
                "decode-only step rises with rows alone",
                "+2.1 % from one row to two",
                holds=False,
                loss=0.03,
            ),
            _rival(
                "preemption",
                "loss sits in intervals with preemptions",
                "264 preemptions in 2 bursts",
                holds=False,
                loss=0.01,
            ),
            _rival(
                "group-stall",
                "all engines of the group stall together",
                "one engine in the capture",
                holds=None,
                loss=None,
            ),
        ),
    )


def _arrival(
    lo: float, hi: float | None, requests: int, p90: QuantileBound, over_10: ShareRange
) -> ArrivalBucket:
    return ArrivalBucket(
        lo=lo,
        hi=hi,
        requests=requests,
        p50_s=QuantileBound(value=0.7 + lo / 4000, low=0.5, high=2.5 if lo < 5000 else 5.0),
        p90_s=p90,
        p99_s=QuantileBound(value=None, low=20.0, high=None)
        if lo
        else QuantileBound(value=6.1, low=5.0, high=7.5),
        over={
            "1": ShareRange(low=0.3 + lo / 12000, high=0.3 + lo / 12000),
            "5": ShareRange(low=0.04 + lo / 20000, high=0.04 + lo / 20000),
            "10": over_10,
            "30": ShareRange(low=0.0, high=over_10.low / 2),
        },
    )


def _arrivals() -> ArrivalWait:
    calm = QuantileBound(value=2.4, low=1.0, high=2.5)
    late = QuantileBound(value=18.0, low=10.0, high=20.0)
    return ArrivalWait(
        metric="vllm:time_to_first_token_seconds",
        clock="request",
        lag_s=21.0,
        note="rows are widened by the mean decode time",
        rows=(
            _arrival(0.0, 0.0, 2100, calm, ShareRange(low=0.004, high=0.004)),
            _arrival(0.0, 500.0, 310, calm, ShareRange(low=0.01, high=0.01)),
            _arrival(
                500.0,
                1000.0,
                402,
                QuantileBound(value=4.2, low=2.5, high=5.0),
                ShareRange(low=0.03, high=0.03),
            ),
            _arrival(
                1000.0,
                2000.0,
                777,
                QuantileBound(value=7.2, low=5.0, high=7.5),
                ShareRange(low=0.06, high=0.08),
            ),
            _arrival(
                2000.0,
                5000.0,
                1012,
                QuantileBound(value=11.0, low=10.0, high=20.0),
                ShareRange(low=0.11, high=0.11),
            ),
            _arrival(5000.0, None, 611, late, ShareRange(low=0.155, high=0.155)),
        ),
        all=_arrival(
            0.0, None, 5212, QuantileBound(value=8.0, low=7.5, high=10.0), ShareRange(low=0.06, high=0.06)
        ),
    )


def _ladder() -> Ladder:
    rows = []
    for n in (0, 1, 2, 4, 8, 16):
        stretch = 1 + S * Q * n * D / C
        u = Range(low=min(1.0, 0.33 * stretch), high=min(1.0, 0.52 * stretch))
        unstable = 0.52 * stretch >= 1
        pending = K * (1 + Q * n) / (C + Q * n * D)
        rows.append(
            LadderRow(
                n=n,
                pending_tok_s=pending,
                pending_interval=Range(low=pending * 0.95, high=pending * 1.06),
                all_time_tok_s=Range(low=K / D * 0.907, high=K / D * (0.907 + n * 0.003)),
                stretch=stretch,
                u=u,
                ttft_factor=Range(low=stretch, high=None if unstable else stretch * 1.2),
                unstable=unstable,
                mean_gap_s=(C + Q * n * D) / (1 + Q * n),
                worst_gap_s=C,
                naive_tok_s=K / C * (n + 1) * C / (C + n * D),
                naive_slowdown=(C + n * D) / C,
            )
        )
    return Ladder(
        basis="computed",
        accepted=True,
        reason="the mechanism is shared steps, which the knob acts on",
        flag="--prefill-interleave",
        formula="R(N) = k (1 + q N) / (C + q N D)\nx(N) = 1 + s q N D / C",
        inputs=LadderInputs(
            k=K, C=C, D=D, q=Q, s=S, u=Range(low=0.33, high=0.52), lambda_=LAMBDA, chunk_tokens=1920.0
        ),
        readings=LadderReadings(
            k=estimate(K, 2.14, 2.19, unit="tokens"),
            C=estimate(C, 0.1634, 0.1687),
            D=estimate(D, 0.01544, 0.01556),
            q=estimate(Q, 0.90, 0.94, unit="1"),
            lambda_=estimate(LAMBDA, 0.58, 0.66, unit="1/s"),
        ),
        n_star=(1 / LAMBDA - C) / D,
        rows=tuple(rows),
    )


def _caveats() -> tuple[Caveat, ...]:
    return (
        Caveat(
            id="trap/gauge-aliasing",
            severity="warning",
            summary="the 1 s throughput gauge read every 15 s says 41 tok/s where the counter says 13",
            evidence={"naive_tok_s": 41.2, "true_tok_s": 13.02, "ratio": 3.16, "accepted": False},
            touches=("decode-under-prefill",),
        ),
        Caveat(
            id="trap/counter-reset",
            severity="info",
            summary="1 restart inside the window; last minus first would be −810 steps",
            evidence={"resets": 1, "naive_increase": -810, "increase": 490},
            touches=("finding/step-phases", "protection_meter"),
        ),
        Caveat(
            id="trap/cache-hits",
            severity="error",
            summary="vllm:prompt_tokens_total includes cache hits and moves at request end; it was not used",
            evidence={"naive_tok_s": 4000.0, "true_tok_s": 200.0},
            touches=("decode-under-prefill", "lag-structure"),
        ),
    )


def _audits() -> Audits:
    return Audits(
        names=(
            ResolvedName(
                role="decode_steps",
                metric="radiance:engine_steps_decode_total",
                kind="counter",
                clock="step",
                series=1,
                samples=11521,
                note="",
            ),
            ResolvedName(
                role="held_steps",
                metric="radiance:engine_steps_held_total",
                kind="counter",
                clock="step",
                series=1,
                samples=11521,
                note="absent before 1.8",
            ),
            ResolvedName(
                role="queue_time",
                metric=None,
                kind="histogram",
                clock="request",
                series=0,
                samples=0,
                note="not found; nearest: vllm:e2e_request_latency_seconds",
            ),
        ),
        scrapes=({"boot": 0, "median_s": 15.0, "longest_s": 61.2, "missed": 4, "coverage": 0.998},),
        liveness=({"role": "decode_steps", "moved_in": 0.92, "work_in": 0.92, "live": True},),
        gauges=({"gauge": "radiance:decode_tokens_per_second", "ratio": 3.16, "r": 0.41, "accepted": False},),
        dilution=({"mean_over_s": 120.0, "reads_ms": 22.6, "true_ms": 166.0},),
        histograms=(
            {
                "metric": "vllm:time_to_first_token_seconds",
                "floor_s": 0.001,
                "cap_s": 2560.0,
                "widest_s": 10.0,
            },
        ),
        duplicates=(),
    )


def _track() -> Track:
    times = tuple(START_MS + step * 120_000 for step in range(1440))
    load = [max(0.0, math.sin(step / 60.0)) * (5200.0 if step % 7 < 4 else 0.0) for step in range(1440)]
    hole = range(700, 716)

    def line(values: list[float], unit: str) -> TrackLine:
        return TrackLine(
            times_ms=times,
            values=tuple(None if step in hole else value for step, value in enumerate(values)),
            unit=unit,
            means=tuple(None if place == 23 else values[place * 30 + 9] for place in range(48)),
        )

    return Track(
        intervals=11498,
        prefill_tok_s=line(load, "tok/s"),
        per_stream_tok_s=line([139.0 - value / 42.0 for value in load], "tok/s"),
        visible_tok_s=line([166.0 - value / 60.0 for value in load], "tok/s"),
        running=line([float(1 + (value > 0)) for value in load], "requests"),
        waiting=line([float(value > 4000) * 3 for value in load], "requests"),
        preemptions=(
            TrackEvent(time_ms=START_MS + 20 * HOUR_MS, count=108),
            TrackEvent(time_ms=START_MS + 31 * HOUR_MS, count=156),
        ),
        gaps=(TrackGap(start_ms=times[700], end_ms=times[715]),),
    )


def full_census() -> Census:
    """Return a census near the founding text, with every finding made."""
    boundary = START_MS + 13 * HOUR_MS
    end = START_MS + 48 * HOUR_MS
    findings = Findings(
        step_phases=StepPhases(
            source="counters",
            boot="all",
            classes=_step_classes(1.0),
            by_boot=(
                BootStepClasses(boot=0, classes=_step_classes(0.27)),
                BootStepClasses(boot=1, classes=_step_classes(0.73)),
            ),
        ),
        decode_under_prefill=DecodeUnderPrefill(
            edges=(500.0, 1000.0, 2000.0, 5000.0),
            prefill_axis="computed prefill tokens, cache hits excluded",
            per_stream_source="from rows (decode tokens less accepted drafts)",
            stalls="nobody's",
            load_hides_it=True,
            rows=(
                _bucket(0.0, 0.0, 5210, 139.4, 166.0, 0.0),
                _bucket(0.0, 500.0, 640, 121.0, 160.0, 0.12),
                _bucket(500.0, 1000.0, 811, 98.0, 150.0, 0.31),
                _bucket(1000.0, 2000.0, 1300, 60.0, 110.0, 0.52),
                _bucket(2000.0, 5000.0, 1530, 31.0, 57.0, 0.79),
                _bucket(5000.0, None, 412, 13.0, 13.0, 0.97),
            ),
        ),
        pending=Pending(
            rate_tok_s=estimate(13.0, 12.4, 13.7, unit="tok/s"),
            share_of_stream_time=estimate(0.376, 0.34, 0.41, unit="1"),
            exchange_tok_per_1000=estimate(10.9, 10.2, 11.5, unit="tokens"),
            quiet_tok_s=estimate(139.4, 138.1, 140.6, unit="tok/s"),
            held_per_mixed=0.0,
        ),
        lag_structure=_lag_structure(),
        mechanism=_mechanism(),
        arrival_wait=_arrivals(),
        protection_meter=ProtectionMeter(
            metric="radiance:engine_steps_held_total",
            state="zero",
            held=0,
            opportunities=40_800,
            by_boot=(
                ProtectionBoot(boot=0, state="zero", held=0, opportunities=11_016),
                ProtectionBoot(boot=1, state="zero", held=0, opportunities=29_784),
            ),
        ),
        preemptions=Preemptions(
            total=264,
            bursts=(
                Burst(start="2026-10-19T20:00:00Z", span_s=105.0, count=108),
                Burst(start="2026-10-20T07:00:00Z", span_s=240.0, count=156),
            ),
            most_in_120_s=108,
            per_hour=5.5,
        ),
        ladder=_ladder(),
    )
    return Census(
        engine=Engine(
            profile="radiance", labels={"model_name": "qwen3.8-flash-next", "engine": "0", "job": "archon"}
        ),
        coverage=Coverage(
            window=Window(start_ms=START_MS, end_ms=end), scrape_interval_s=15.0, coverage=0.9979
        ),
        boots=(
            Boot(
                index=0,
                start_ms=START_MS,
                end_ms=boundary,
                first_ms=START_MS,
                start_seen=False,
                evidence="window start",
            ),
            Boot(
                index=1,
                start_ms=boundary + 40_000,
                end_ms=end - 2000,
                first_ms=boundary + 55_000,
                start_seen=True,
                evidence="9 counters fell together",
            ),
        ),
        loaded_intervals=4693,
        intervals=11498,
        findings=findings,
        attribution=Attribution(
            unit="stream seconds",
            lost_share=estimate(0.342, 0.31, 0.37, unit="1"),
            parts=(
                AttributionPart(
                    id="shared-step", share=estimate(0.91, 0.88, 0.93, unit="1"), tokens_share=0.9
                ),
                AttributionPart(
                    id="exclusive-prefill", share=estimate(0.02, 0.01, 0.03, unit="1"), tokens_share=0.02
                ),
                AttributionPart(
                    id="preemption", share=estimate(0.01, 0.0, 0.02, unit="1"), tokens_share=0.02
                ),
                AttributionPart(id="residency", share=estimate(0.02, 0.0, 0.04, unit="1"), tokens_share=0.02),
                AttributionPart(id="rest", share=estimate(0.04, 0.02, 0.06, unit="1"), tokens_share=0.04),
            ),
        ),
        audits=_audits(),
        caveats=_caveats(),
        provenance=Provenance(
            census_version="0.1.0",
            capture_sha256="9c1d" * 16,
            settings=Settings(),
            queries=('{__name__=~"radiance:.+|vllm:.+",job="archon"}[2h]',),
            backend={"kind": "prometheus", "version": "2.42.0"},
            way="instant query, range selector",
            warnings=(),
        ),
        pooled=False,
        track=_track(),
    )


def absent_census() -> Census:
    """Return a census of which nothing is known."""
    reason = "decode_steps: not found; nearest: vllm:request_success_total"
    absent = Absent(reason)
    full = full_census()
    return dataclasses.replace(
        full,
        engine=Engine(profile="vllm", labels={}),
        coverage=dataclasses.replace(full.coverage, scrape_interval_s=None, coverage=0.41),
        boots=full.boots[:1],
        loaded_intervals=0,
        intervals=0,
        findings=Findings(
            step_phases=absent,
            decode_under_prefill=absent,
            pending=absent,
            lag_structure=absent,
            mechanism=absent,
            arrival_wait=absent,
            protection_meter=absent,
            preemptions=absent,
            ladder=absent,
        ),
        attribution=absent,
        audits=Audits(
            names=(), scrapes=(), liveness=(), gauges=(), dilution=(), histograms=(), duplicates=()
        ),
        caveats=(),
        track=None,
    )


def hostile_census() -> Census:
    """Return a full census in which every foreign word is an attack."""
    full = full_census()
    findings = full.findings
    assert isinstance(findings.arrival_wait, ArrivalWait)
    assert isinstance(findings.protection_meter, ProtectionMeter)
    assert isinstance(findings.mechanism, Mechanism)
    assert isinstance(findings.decode_under_prefill, DecodeUnderPrefill)
    assert isinstance(findings.ladder, Ladder)
    return dataclasses.replace(
        full,
        engine=Engine(profile="radiance", labels={"model_name": HOSTILE, "job": "a|b", "engine": "`0`"}),
        boots=tuple(dataclasses.replace(boot, evidence=HOSTILE) for boot in full.boots),
        findings=dataclasses.replace(
            findings,
            arrival_wait=dataclasses.replace(findings.arrival_wait, metric=HOSTILE, note=HOSTILE),
            protection_meter=dataclasses.replace(findings.protection_meter, metric=HOSTILE),
            mechanism=dataclasses.replace(findings.mechanism, reason=HOSTILE, would_settle=HOSTILE),
            decode_under_prefill=dataclasses.replace(findings.decode_under_prefill, prefill_axis=HOSTILE),
            ladder=dataclasses.replace(findings.ladder, flag=HOSTILE, formula=HOSTILE),
            preemptions=Absent(HOSTILE),
        ),
        caveats=tuple(
            dataclasses.replace(caveat, summary=HOSTILE, evidence={HOSTILE: HOSTILE})
            for caveat in full.caveats
        ),
        audits=dataclasses.replace(
            full.audits,
            names=(dataclasses.replace(full.audits.names[0], metric=HOSTILE, note=HOSTILE),),
            gauges=({HOSTILE: HOSTILE},),
        ),
        provenance=dataclasses.replace(
            full.provenance,
            queries=(HOSTILE, "```\n</script>"),
            backend={"kind": HOSTILE},
            way=HOSTILE,
            warnings=(HOSTILE,),
        ),
    )


def several_engines() -> tuple[Census, ...]:
    """Return two engines of one target: one full, one of which nothing is known."""
    return (full_census(), absent_census())

"""What would a Prometheus have scraped from radiance?

Method: the families, names, labels and clocks of radiance. Scheduler families are as of the last committed
step, shape counters hold the open step too; everything of requests is booked at their end.
``radiance_series`` reads them at the run's scrape times, ``radiance_columns`` at any moments of one boot.
When it misleads: cache families (hit rates, evictions, KV usage) are plausible fillers without a cache
model behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from census.capture.series import Series
from census.simulate.counters import Counters, counters_at
from census.simulate.exposure import Column, plain, to_series
from census.simulate.radiance_requests import request_columns
from census.simulate.rate_gauges import rate_gauges
from census.simulate.run import BootLog, Floats, Run
from census.simulate.traffic import REASONS

BLOCK_TOKENS = 16
CHECKPOINT_TOKENS = 2048
CHECKPOINT_SLOTS = 20
REFILL_TOKENS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class RadianceOptions:
    """What this build exports.

    Attributes
    ----------
    held : ``engine_steps_held_total`` "always", only "once moved" above zero, or "never".
    process_start : add ``process_start_time_seconds``, which radiance itself does not have.
    """

    held: Literal["always", "once moved", "never"] = "always"
    process_start: bool = False


def radiance_series(run: Run, options: RadianceOptions | None = None) -> list[Series]:
    """Return every series of a radiance that ran this world, as scraped."""
    chosen = options or RadianceOptions()
    by_boot = []
    for boot in run.boots:
        here = run.scrape_boot == boot.index
        by_boot.append(radiance_columns(run, boot, run.since_epoch(run.scrape_ms[here]), options=chosen))
    joined = [
        Column(
            family=parts[0].family,
            name=parts[0].name,
            kind=parts[0].kind,
            labels=parts[0].labels,
            values=np.concatenate([part.values for part in parts]),
        )
        for parts in zip(*by_boot, strict=True)
    ]
    return to_series(joined, times_ms=run.scrape_ms, labels=run.world.labels)


def radiance_columns(run: Run, boot: BootLog, times_s: Floats, *, options: RadianceOptions) -> list[Column]:
    """Return the families of one boot at rising moments (seconds since the epoch)."""
    counts = counters_at(run, boot, times_s)
    columns = [
        *_queue_columns(run, boot, counts, times_s),
        *request_columns(run, boot, times_s),
        *_step_columns(boot, counts, times_s),
        *_draft_columns(counts),
        *_cache_columns(run, boot, counts, times_s),
        *_http_columns(run, boot, times_s),
    ]
    held = counts.held
    if options.held == "once moved":
        held = np.where(held > 0, held, np.nan)
    if options.held != "never":
        columns.append(plain("counter", "radiance:engine_steps_held_total", held))
    columns.append(plain("gauge", "radiance:kv_cache_max_tokens", np.full(times_s.size, run.world.kv_tokens)))
    if options.process_start:
        start = round(run.world.epoch_ms + boot.process_start_s * 1000.0) / 1000.0
        columns.append(plain("gauge", "process_start_time_seconds", np.full(times_s.size, start)))
    return columns


def _queue_columns(run: Run, boot: BootLog, counts: Counters, times_s: Floats) -> list[Column]:
    kept = np.minimum(0.75, _admitted(boot, boot.admitted_prompt, times_s) / run.world.kv_tokens)
    usage = np.clip(np.maximum(counts.context / run.world.kv_tokens, kept), 0.0, 1.0)
    preemptions = np.searchsorted(boot.preempted_s, times_s, side="right").astype(float)
    return [
        plain("gauge", "vllm:num_requests_running", counts.running),
        plain("gauge", "vllm:num_requests_waiting", counts.waiting),
        plain("gauge", "vllm:gpu_cache_usage_perc", usage),
        plain("gauge", "vllm:kv_cache_usage_perc", usage),
        plain("counter", "vllm:num_preemptions_total", preemptions),
        plain("gauge", "radiance:num_requests_preempted", counts.preempted),
    ]


def _step_columns(boot: BootLog, counts: Counters, times_s: Floats) -> list[Column]:
    prefill_rate, decode_rate = rate_gauges(boot, times_s)
    drafts = len(boot.row_step_accepted)
    return [
        plain("gauge", "radiance:prefill_tokens_per_second", prefill_rate),
        plain("gauge", "radiance:decode_tokens_per_second", decode_rate),
        plain("counter", "radiance:engine_steps_total", counts.steps),
        plain("counter", "radiance:engine_steps_prefill_total", counts.planned_prefill),
        plain("counter", "radiance:engine_steps_mixed_total", counts.planned_mixed),
        plain("counter", "radiance:engine_steps_decode_total", counts.planned_decode),
        plain("counter", "radiance:engine_steps_ahead_total", counts.ahead),
        plain("counter", "radiance:decode_rows_unspeculated_total", counts.rows * (drafts == 0)),
        plain("counter", "radiance:engine_step_seconds_total", counts.seconds),
        plain("counter", "radiance:engine_step_seconds_decode_total", counts.seconds_decode),
        plain("counter", "radiance:prefill_tokens_total", counts.prefill_tokens),
        plain("counter", "radiance:decode_tokens_total", counts.decode_tokens),
    ]


def _draft_columns(counts: Counters) -> list[Column]:
    drafts = len(counts.accepted)
    drafted = counts.rows * drafts
    accepted = counts.accepted.sum(axis=0)
    reached = [counts.rows, *counts.accepted[:-1]] if drafts else []
    columns = [
        plain("counter", "radiance:draft_tokens_total", drafted),
        plain("counter", "radiance:draft_accepted_total", accepted),
        plain("gauge", "radiance:draft_acceptance_ratio", accepted / np.maximum(drafted, 1)),
    ]
    for position, (tried, kept) in enumerate(zip(reached, counts.accepted, strict=True)):
        ratio = np.where(tried > 0, kept / np.maximum(tried, 1), np.nan)
        columns.append(
            plain("gauge", "radiance:draft_position_acceptance_ratio", ratio, position=str(position))
        )
    for position, tried in enumerate(reached):
        seen = np.where(tried > 0, tried, np.nan)
        columns.append(
            plain("counter", "radiance:draft_position_reached_total", seen, position=str(position))
        )
    return columns


def _cache_columns(run: Run, boot: BootLog, counts: Counters, times_s: Floats) -> list[Column]:
    prompt = _admitted(boot, boot.admitted_prompt, times_s)
    cached = _admitted(boot, boot.admitted_cached, times_s)
    matched = np.minimum(boot.admitted_prompt, boot.admitted_cached * 43 // 40 // BLOCK_TOKENS * BLOCK_TOKENS)
    matched = np.maximum(matched, boot.admitted_cached)
    attention = _admitted(boot, matched, times_s)
    refilled = _admitted(boot, np.minimum(boot.admitted_cached, REFILL_TOKENS), times_s)
    written = counts.prefill_tokens // CHECKPOINT_TOKENS
    lost = np.maximum(0.0, counts.prefill_tokens - 0.75 * run.world.kv_tokens) // BLOCK_TOKENS
    return [
        plain("gauge", "vllm:gpu_prefix_cache_hit_rate", attention / np.maximum(prompt, 1)),
        plain("gauge", "radiance:linear_prefix_cache_hit_rate", cached / np.maximum(prompt, 1)),
        plain("counter", "radiance:attn_cached_tokens_total", attention),
        plain("counter", "radiance:linear_cached_tokens_total", cached),
        plain("counter", "radiance:linear_checkpoints_written_total", written),
        plain("counter", "radiance:prefix_cache_evictions_total", lost),
        plain(
            "counter",
            "radiance:prefix_cache_ckpt_evictions_total",
            np.maximum(0.0, written - CHECKPOINT_SLOTS),
        ),
        plain("counter", "radiance:draft_refill_tokens_total", refilled),
    ]


def _http_columns(run: Run, boot: BootLog, times_s: Floats) -> list[Column]:
    log = boot.requests
    ended = ~np.isnan(log.end_s)
    reason = run.requests.reason[log.index]
    dropped = reason == REASONS.index("abort")
    failed = reason == REASONS.index("error")

    def ends(which: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Floats:
        return np.searchsorted(np.sort(log.end_s[ended & which]), times_s, side="right").astype(float)

    came = np.searchsorted(log.submit_s, times_s, side="right")
    rejected = np.searchsorted(boot.rejected_s, times_s, side="right").astype(float)
    name = "radiance:http_responses_total"
    return [
        plain("gauge", "radiance:http_queue_depth", came - ends(np.ones_like(ended))),
        plain("counter", "radiance:http_admission_rejected_total", rejected),
        plain("counter", "radiance:client_disconnect_total", ends(dropped)),
        plain("counter", "radiance:stream_overflow_total", np.zeros(times_s.size)),
        plain("counter", name, ends(~dropped & ~failed), **{"class": "2xx"}),
        plain("counter", name, rejected, **{"class": "4xx"}),
        plain("counter", name, ends(failed), **{"class": "5xx"}),
    ]


def _admitted(boot: BootLog, tokens: np.ndarray[tuple[int], np.dtype[np.int64]], times_s: Floats) -> Floats:
    """Return tokens counted at admissions up to each moment."""
    seen = np.searchsorted(boot.admitted_s, times_s, side="right")
    return np.concatenate([[0], np.cumsum(tokens)])[seen].astype(float)

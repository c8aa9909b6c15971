"""What would radiance's /stats and /health say at a moment?

Method: cumulative counts of the boot that answers, in the keys of radiance's dashboard page; parts that
this engine does not measure (experts, link, cards) are absent, as radiance leaves them out.
When it misleads: the progress of a single request is taken as even between its known moments.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from census.simulate.counters import counters_at
from census.simulate.rate_gauges import rate_gauges
from census.simulate.run import BootLog, Run

VERSION = "1.8.1"


def stats_document(run: Run, boot: BootLog, time_s: float) -> dict[str, Any]:
    """Return the /stats page of one boot at a moment (seconds since the epoch)."""
    at = np.array([time_s])
    counts = counters_at(run, boot, at)
    prefill_rate, decode_rate = rate_gauges(boot, at)
    prompt = int(boot.admitted_prompt[boot.admitted_s <= time_s].sum())
    cached = int(boot.admitted_cached[boot.admitted_s <= time_s].sum())
    accepted = float(counts.accepted.sum())
    drafted = float(counts.rows[0]) * len(counts.accepted)
    used = min(run.world.kv_tokens, int(counts.context[0]))
    return {
        "model": run.world.labels.model_name,
        "version": VERSION,
        "uptime_s": int(time_s - boot.process_start_s),
        "in_flight": _in_flight(boot, time_s),
        "queue_cap": run.world.queue_cap,
        "now_ms": int(run.world.epoch_ms // 1000 + int(time_s)) * 1000,
        "running": int(counts.running[0]),
        "waiting": int(counts.waiting[0]),
        "preempted": int(counts.preempted[0]),
        "kv_util": used / run.world.kv_tokens,
        "kv_tokens_used": used,
        "kv_tokens_total": run.world.kv_tokens,
        "prefix_hit_rate": cached / max(prompt, 1),
        "linear_hit_rate": cached / max(prompt, 1),
        "linear_cached_tokens": float(cached),
        "prefill_tps": float(prefill_rate[0]),
        "decode_tps": float(decode_rate[0]),
        "draft_accept": accepted / max(drafted, 1.0),
        "preemptions": int(np.sum(boot.preempted_s <= time_s)),
        "total_requests": int(np.sum(boot.admitted_s <= time_s)),
        "steps": int(counts.steps[0]),
        "steps_prefill": int(counts.planned_prefill[0]),
        "steps_mixed": int(counts.planned_mixed[0]),
        "steps_decode": int(counts.planned_decode[0]),
        "step_ns": round(float(counts.seconds[0]) * 1e9),
        "step_ns_decode": round(float(counts.seconds_decode[0]) * 1e9),
        "rows_unspec": 0 if run.world.acceptance else int(counts.rows[0]),
        "draft_positions": _draft_positions(float(counts.rows[0]), counts.accepted[:, 0].tolist()),
        "requests": _live_requests(boot, time_s),
    }


def health_document(run: Run, boot: BootLog, time_s: float) -> dict[str, Any]:
    """Return the /health page."""
    return {
        "status": "ok",
        "model": run.world.labels.model_name,
        "in_flight": _in_flight(boot, time_s),
        "queue_cap": run.world.queue_cap,
    }


def _in_flight(boot: BootLog, time_s: float) -> int:
    log = boot.requests
    return int(np.count_nonzero(log.submit_s <= time_s) - np.count_nonzero(log.end_s <= time_s))


def _draft_positions(rows: float, accepted: list[float]) -> list[dict[str, float]]:
    reached = [rows, *accepted[:-1]]
    return [
        {"reached": int(tried), "accepted": int(kept), "rate": kept / tried}
        for tried, kept in zip(reached, accepted, strict=True)
        if tried > 0
    ]


def _live_requests(boot: BootLog, time_s: float) -> list[dict[str, Any]]:
    log = boot.requests
    live = np.flatnonzero((log.submit_s <= time_s) & ~(log.end_s <= time_s))
    return [_request(boot, int(place), time_s) for place in live[:256]]


def _request(boot: BootLog, place: int, time_s: float) -> dict[str, Any]:
    log = boot.requests
    prompt, cached = int(log.prompt[place]), int(log.cached[place])
    scheduled, first = float(log.scheduled_s[place]), float(log.first_token_s[place])
    age = time_s - float(log.submit_s[place])
    row: dict[str, Any] = {"id": place + 1, "prompt": prompt, "cached": cached, "age_s": age, "output": 0}
    if not scheduled <= time_s:
        return row | {"state": "waiting", "computed": 0}
    if not first <= time_s:
        share = 0.0 if math.isnan(first) else (time_s - scheduled) / (first - scheduled)
        return row | {"state": "prefill", "computed": cached + int((prompt - cached) * share)}
    end = float(log.end_s[place])
    share = 0.0 if math.isnan(end) else (time_s - first) / (end - first)
    output = 1 + int((int(log.output[place]) - 1) * share)
    return row | {
        "state": "decode",
        "computed": prompt + output - 1,
        "output": output,
        "ttft_s": first - float(log.submit_s[place]),
        "tps": output / max(time_s - first, 1e-3),
    }

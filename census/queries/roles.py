"""Which quantities does a census need, whatever an engine calls them?

A role has one name, one kind and one unit everywhere in census; a profile says which metric of an engine
answers it. The kind is ours, not the exporter's: a counter that is exported with type gauge is still read as
a counter.
"""

from __future__ import annotations

from dataclasses import dataclass

from census.capture.manifest import Kind


@dataclass(frozen=True, slots=True)
class Role:
    """A quantity: its name, how it accumulates, its unit, and what it means in one line."""

    name: str
    kind: Kind
    unit: str
    meaning: str


ROLES: tuple[Role, ...] = (
    # steps
    Role("steps", "counter", "steps", "scheduler steps of any shape"),
    Role("decode_steps", "counter", "steps", "steps that carried decode rows alone"),
    Role("mixed_steps", "counter", "steps", "steps that carried a prefill chunk beside decode rows"),
    Role("prefill_steps", "counter", "steps", "steps that carried prefill chunks alone"),
    Role(
        "ahead_steps", "counter", "steps", "decode-only steps launched before the previous one was committed"
    ),
    Role(
        "held_steps", "counter", "steps", "decode-only steps taken while prefill work was held back by a knob"
    ),
    Role("step_seconds", "counter", "s", "wall time inside steps of any shape"),
    Role("decode_seconds", "counter", "s", "wall time inside decode-only steps"),
    Role("tokens_per_iteration", "histogram", "tokens", "tokens booked in one iteration"),
    # tokens
    Role("decode_tokens", "counter", "tokens", "generated tokens, live"),
    Role("prefill_tokens", "counter", "tokens", "prompt tokens computed, cache hits left out"),
    Role("prompt_tokens", "counter", "tokens", "prompt tokens, cache hits included"),
    Role("generation_tokens", "counter", "tokens", "generated tokens as the request counters book them"),
    Role("cached_tokens", "counter", "tokens", "prompt tokens skipped because they were cached"),
    Role("attn_cached_tokens", "counter", "tokens", "prompt tokens that the attention cache matched"),
    Role("prefix_queries", "counter", "tokens", "prompt tokens looked up in the prefix cache"),
    Role("prefix_hits", "counter", "tokens", "prompt tokens found in the prefix cache"),
    Role("unspeculated_rows", "counter", "rows", "decode rows that carried no draft"),
    Role("drafts", "counter", "drafts", "drafts verified, one a row and step"),
    Role("draft_tokens", "counter", "tokens", "draft tokens verified"),
    Role("draft_accepted", "counter", "tokens", "draft tokens kept"),
    # requests
    Role("running", "gauge", "requests", "requests in the running list, those still prefilling included"),
    Role("waiting", "gauge", "requests", "requests waiting for a place, preempted ones included"),
    Role("preempted_now", "gauge", "requests", "preempted requests that wait right now"),
    Role("preemptions", "counter", "events", "preemptions by recompute"),
    Role("requests_finished", "counter", "requests", "requests that ended, by reason"),
    Role("http_queue_depth", "gauge", "requests", "choices admitted by HTTP and unfinished"),
    Role("admission_rejected", "counter", "requests", "requests refused because the queue was full"),
    Role("client_disconnects", "counter", "requests", "requests dropped by their client"),
    Role("request_prompt_tokens", "histogram", "tokens", "prompt tokens of a request"),
    Role("request_generation_tokens", "histogram", "tokens", "generated tokens of a request"),
    # latencies
    Role("ttft", "histogram", "s", "time to first token"),
    Role("inter_token_latency", "histogram", "s", "time between two emissions of a stream, observed live"),
    Role("request_tpot", "histogram", "s", "mean time per token after the first, one value a request"),
    Role("e2e", "histogram", "s", "time from arrival to the last token"),
    Role("queue_time", "histogram", "s", "time from arrival to the first scheduled step"),
    Role("prefill_time", "histogram", "s", "time from the first scheduled step to the first token"),
    Role("decode_time", "histogram", "s", "time from the first to the last token"),
    # memory
    Role("kv_usage", "gauge", "1", "share of the KV cache held"),
    Role("kv_capacity_tokens", "gauge", "tokens", "tokens that the KV cache can hold"),
    Role("evictions", "counter", "entries", "prefix cache entries evicted"),
    Role("checkpoint_evictions", "counter", "snapshots", "state snapshots dropped"),
    Role("checkpoints_written", "counter", "snapshots", "state snapshots written"),
    # the engine's own rates, for the audits
    Role("prefill_rate_gauge", "gauge", "tok/s", "the engine's own gauge of prefill tokens per second"),
    Role("decode_rate_gauge", "gauge", "tok/s", "the engine's own gauge of generated tokens per second"),
    # the process
    Role("process_start", "gauge", "unix s", "when the process started"),
    Role("uptime", "gauge", "s", "how long the process has run"),
)

ROLE_BY_NAME: dict[str, Role] = {role.name: role for role in ROLES}

"""What traffic gives an engine this much decode load and this much prefill?

Method: two classes of requests. *Answers* have short uncached prompts and long outputs and make the decode
load; *documents* have long uncached prompts and short outputs, come in episodes, and make the prefill.
Rates follow from what is wanted: the share of wall time in chunk steps, and the mean number of decoding
streams as a share of slots, both at the costs of a shared-step engine.
When it misleads: near saturation requests queue, and both shares fall short of what was asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from census.simulate.traffic import draw_lengths
from census.simulate.world import Lognormal, Mixture, StepCosts, Traffic

DECODE_BASE_S = 0.0125
CHUNK_BASE_S = 0.030
CHUNK_TOKEN_S = 0.0000665
CHUNK_TOKENS = 1984


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """How busy, and with what.

    Attributes
    ----------
    streams : slots of the engine.
    prefill_duty : share of wall time in chunk steps of documents; above about 0.9 prefill queues for ever.
    load : mean decoding streams over slots.
    document_tokens : median prompt of a document. document_output : its median output.
    episode : mean documents of one episode. episode_spacing_s : mean seconds between them.
    answer_tokens : mean output of an answer; None lets one answer begin about every 30 s.
    """

    streams: int = 8
    prefill_duty: float = 0.15
    load: float = 0.4
    document_tokens: float = 12_000.0
    document_output: float = 40.0
    episode: float = 6.0
    episode_spacing_s: float = 3.0
    answer_tokens: float | None = None


def shared_costs(streams: int, *, growth: float = 0.35, noise_cv: float = 0.05) -> StepCosts:
    """Return costs at which a chunk of a full budget takes 166 ms and a decode-only step 12.5 ms and more.

    Parameters
    ----------
    growth : by what share a decode-only step is slower with all slots decoding.
    """
    return StepCosts(
        decode_base=DECODE_BASE_S,
        per_row=growth * DECODE_BASE_S / streams,
        chunk_base=CHUNK_BASE_S,
        per_chunk_token=CHUNK_TOKEN_S,
        noise_cv=noise_cv,
    )


def free_chunks(costs: StepCosts) -> StepCosts:
    """Return the same costs with chunks that cost a decode-only step and nothing more."""
    return replace(costs, chunk_base=costs.decode_base, per_chunk_token=0.0)


def traffic_of(mix: Mix, *, tokens_per_row: float, cycle: Traffic | None = None) -> tuple[Traffic, Traffic]:
    """Return the answers and the documents of a mix.

    Parameters
    ----------
    cycle : its cycle (amplitude, period, peak) is taken over by both classes.
    """
    costs = shared_costs(mix.streams)
    rows = max(1.0, mix.load * mix.streams)
    decode_s, chunk_s = costs.decode_only(rows), costs.chunk(CHUNK_TOKENS, rows)
    duty = min(mix.prefill_duty, 0.9)
    rate = tokens_per_row * ((1.0 - duty) / decode_s + duty / chunk_s)
    mean_answer = mix.answer_tokens or float(np.clip(rows * 30.0 * rate, 600.0, 16_000.0))
    shape = cycle or Traffic(rate_per_s=0.0, prompts=(), outputs=())
    sigma = 0.7
    answers = replace(
        shape,
        rate_per_s=mix.load * mix.streams * rate / mean_answer,
        prompts=((1.0, Lognormal(median=4_000, sigma=0.5)),),
        outputs=((1.0, Lognormal(median=mean_answer * np.exp(-(sigma**2) / 2), sigma=sigma, high=100_000)),),
        cached_low=0.98,
        cached_high=0.99,
    )
    prompts: Mixture = ((1.0, Lognormal(median=mix.document_tokens, sigma=0.6, low=64, high=150_000)),)
    documents = replace(
        shape,
        rate_per_s=mix.prefill_duty / document_seconds(prompts, costs),
        prompts=prompts,
        outputs=((1.0, Lognormal(median=mix.document_output, sigma=0.6, high=20_000)),),
        burst_mean=mix.episode,
        burst_spacing_s=mix.episode_spacing_s,
    )
    return answers, documents


def document_seconds(prompts: Mixture, costs: StepCosts) -> float:
    """Return the mean seconds of chunk steps that one document takes."""
    lengths = draw_lengths(prompts, 20_000, rng=np.random.default_rng(0))
    chunks = np.ceil(lengths / CHUNK_TOKENS)
    return float(np.mean(costs.chunk_base * chunks + costs.per_chunk_token * lengths))

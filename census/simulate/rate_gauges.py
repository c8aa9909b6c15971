"""What do radiance's two rate gauges read at a scrape?

Method: tokens and busy seconds decay with a time constant of 1 s; the gauge is decayed tokens over decayed
busy time (at least 0.5 s), and fades with 0.5 s once the engine has been idle for 50 ms. The state is
carried from segment to segment; inside a segment, tokens are spread evenly.
When it misleads: radiance decays at each step's end, this at each moment; they differ by less than a step.
"""

from __future__ import annotations

import math

import numpy as np

from census.simulate.run import BootLog, Floats

DECAY_S = 1.0
LEAST_BUSY_S = 0.5
IDLE_S = 0.05
FADE_S = 0.5
JOINED_S = 0.5


def rate_gauges(boot: BootLog, times_s: Floats) -> tuple[Floats, Floats]:
    """Return prefill and decode tokens per second as the gauges read at each moment."""
    segments = boot.segments
    if not segments.size:
        return np.zeros(times_s.size), np.zeros(times_s.size)
    rowed = np.cumsum(segments.steps * (segments.rows > 0))
    decode = np.diff(boot.row_step_tokens[rowed], prepend=0).astype(float)
    prefill = segments.prefill_tokens.astype(float)
    before = _states(segments.start_s, segments.end_s, prefill, decode)
    place = np.searchsorted(segments.start_s, times_s, side="right") - 1
    here = np.maximum(place, 0)
    ended = times_s >= segments.end_s[here]
    span = segments.end_s[here] - segments.start_s[here]
    part = np.where(ended, span, np.where(segments.steps[here] > 1, times_s - segments.start_s[here], 0.0))
    fade = np.exp(-part / DECAY_S)
    grown = DECAY_S * (1.0 - fade)
    gap = np.where(ended, times_s - segments.end_s[here], 0.0)
    busy = before[here, 2] * fade + grown
    idle = np.where(gap > IDLE_S, np.exp(-gap / FADE_S), 1.0)
    rates = []
    for column, tokens in ((0, prefill), (1, decode)):
        held = before[here, column] * fade + tokens[here] / span * grown
        rate = np.where(place >= 0, held / np.maximum(busy, LEAST_BUSY_S) * idle, 0.0)
        rates.append(np.where(rate < 0.05, 0.0, rate))
    return rates[0], rates[1]


def _states(start: Floats, end: Floats, prefill: Floats, decode: Floats) -> Floats:
    """Return the decayed (prefill tokens, decode tokens, busy seconds) at each segment's start."""
    states = np.zeros((start.size, 3))
    tokens_in = tokens_out = busy = 0.0
    last = -math.inf
    rows = zip(start.tolist(), end.tolist(), prefill.tolist(), decode.tolist(), strict=True)
    for place, (begin, finish, chunk, rows_tokens) in enumerate(rows):
        gap = begin - last
        if gap > 1e-9:
            fade = math.exp(-gap / DECAY_S)
            tokens_in *= fade
            tokens_out *= fade
            busy = busy * fade + (DECAY_S * (1.0 - fade) if gap < JOINED_S else 0.0)
        states[place, 0] = tokens_in
        states[place, 1] = tokens_out
        states[place, 2] = busy
        span = finish - begin
        fade = math.exp(-span / DECAY_S)
        grown = DECAY_S * (1.0 - fade)
        tokens_in = tokens_in * fade + chunk / span * grown
        tokens_out = tokens_out * fade + rows_tokens / span * grown
        busy = busy * fade + grown
        last = finish
    return states

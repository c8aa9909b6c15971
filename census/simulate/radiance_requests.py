"""What does radiance book when a request ends? Every vllm: token and request counter, and all histograms.

Method: each ended request is one observation, booked at its end, whatever happened when.
"""

from __future__ import annotations

import numpy as np

from census.simulate.exposure import Column, histogram, plain
from census.simulate.run import BootLog, Floats, Run
from census.simulate.traffic import REASONS

TTFT_EDGES = (
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0,
    80.0, 160.0, 640.0, 2560.0,
)  # fmt: skip
TOKEN_TIME_EDGES = (
    0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0,
)  # fmt: skip
LONG_EDGES = (
    0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0,
    960.0, 1920.0, 7680.0,
)  # fmt: skip
TOKEN_EDGES = tuple(float(digit * 10**power) for power in range(6) for digit in (1, 2, 5))[:17]
CHOICE_EDGES = (1.0, 2.0, 5.0, 10.0, 20.0)


def request_columns(run: Run, boot: BootLog, times_s: Floats) -> list[Column]:
    """Return the families that move at request end, at each moment."""
    log = boot.requests
    order = np.argsort(log.end_s, kind="stable")
    order = order[: int(np.sum(~np.isnan(log.end_s)))]
    end = log.end_s[order]
    index = log.index[order]
    prompt, output = log.prompt[order].astype(float), log.output[order].astype(float)
    first = log.first_token_s[order]
    submit = log.submit_s[order]
    long = output > 1
    seen = np.searchsorted(end, times_s, side="right")

    def total(values: Floats) -> Floats:
        return np.concatenate([[0.0], np.cumsum(values)])[seen]

    reason = run.requests.reason[index]
    columns = [
        plain("counter", "vllm:prompt_tokens_total", total(prompt)),
        plain("counter", "vllm:generation_tokens_total", total(output)),
    ]
    columns += [
        plain("counter", "vllm:request_success_total", total(reason == place), finished_reason=name)
        for place, name in enumerate(REASONS)
    ]

    def booked(family: str, values: Floats, edges: tuple[float, ...]) -> list[Column]:
        return histogram(f"vllm:{family}", booked_s=end, values=values, edges=edges, times_s=times_s)

    def booked_long(family: str, values: Floats, edges: tuple[float, ...]) -> list[Column]:
        return histogram(
            f"vllm:{family}", booked_s=end[long], values=values[long], edges=edges, times_s=times_s
        )

    per_token = (end - first) / np.maximum(output - 1, 1)
    columns += booked("time_to_first_token_seconds", first - submit, TTFT_EDGES)
    columns += booked_long("time_per_output_token_seconds", per_token, TOKEN_TIME_EDGES)
    columns += booked_long("inter_token_latency_seconds", per_token, TOKEN_TIME_EDGES)
    columns += booked("e2e_request_latency_seconds", end - submit, LONG_EDGES)
    columns += booked_long("request_decode_time_seconds", end - first, LONG_EDGES)
    columns += booked("request_prompt_tokens", prompt, TOKEN_EDGES)
    columns += booked("request_generation_tokens", output, TOKEN_EDGES)
    columns += booked("request_params_n", np.ones(end.size), CHOICE_EDGES)
    columns += booked("request_params_max_tokens", run.requests.max_tokens[index].astype(float), TOKEN_EDGES)
    return columns

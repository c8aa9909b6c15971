"""The clock of a counter is found from what it does while work runs."""

from __future__ import annotations

import numpy as np
import pytest

from census.stats.liveness import measure_liveness

N = 240


def one_stream(seed: int, *, mean_requests: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return tokens booked live, tokens booked at request end, and ends, per 15 s interval of steady work."""
    rng = np.random.default_rng(seed)
    ended = rng.poisson(mean_requests, N).astype(float)
    live = rng.normal(450, 20, N)
    since, at_end = 0.0, np.zeros(N)
    for place in range(N):
        since += live[place]
        if ended[place]:
            at_end[place], since = since, 0.0
    return live, at_end, ended


@pytest.mark.parametrize("mean_requests", [0.1, 0.5, 1.5])
def test_with_ends_counted_the_clock_is_told_either_way(mean_requests: float) -> None:
    live, at_end, ended = one_stream(3, mean_requests=mean_requests)
    everywhere = np.full(N, True)
    assert (
        measure_liveness(live, working=everywhere, must_move=everywhere, ended=ended).at_request_end is False
    )
    assert (
        measure_liveness(at_end, working=everywhere, must_move=everywhere, ended=ended).at_request_end is True
    )


@pytest.mark.parametrize("mean_requests", [0.1, 0.5, 1.5])
def test_without_ends_it_is_told_by_flats_and_jumps(mean_requests: float) -> None:
    live, at_end, _ = one_stream(4, mean_requests=mean_requests)
    everywhere = np.full(N, True)
    assert (
        measure_liveness(live, working=everywhere, must_move=everywhere, ended=None).at_request_end is False
    )
    assert (
        measure_liveness(at_end, working=everywhere, must_move=everywhere, ended=None).at_request_end is True
    )


def test_where_every_interval_holds_an_end_no_clock_is_told() -> None:
    live, _, _ = one_stream(5, mean_requests=1.0)
    flats = live.copy()
    flats[::60] = 0
    assert (
        measure_liveness(
            flats, working=np.full(N, True), must_move=np.full(N, True), ended=np.full(N, 30.0)
        ).at_request_end
        is None
    )


def test_an_idle_counter_is_not_called_late() -> None:
    idle = measure_liveness(
        np.zeros(N), working=np.full(N, False), must_move=np.full(N, False), ended=np.zeros(N)
    )
    assert (idle.working, idle.flat, idle.at_request_end) == (0, 0, None)


def test_a_stall_without_a_jump_after_it_is_not_a_late_clock() -> None:
    stalls = np.tile([450.0, 0, 0, 450, 450, 450], 40)
    seen = measure_liveness(stalls, working=np.full(N, True), must_move=np.full(N, True), ended=None)
    assert (seen.flat, seen.at_request_end) == (80, True if seen.jump and seen.jump >= 1.3 else None)

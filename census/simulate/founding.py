"""The world of the founding text: two slots, no interleave, one restart, a decoder that pays for each chunk.

Method: one agent that never rests, others that come and go, and ingestion sessions that send one uncached
document after another. Calibrated so that 48 h show decode-only steps of 15.5 ms, chunk steps of 166 ms
that are 4.7 % of steps and 34 % of step time, no held step, and 264 preemptions in the last boot, 108 of
them inside 105 s. When it misleads: the founding text's median of 13 tok/s above 5k prefill tok/s needs
prefill runs that fill several scrapes, and then decode still correlates with the prefill of 30 s ago,
which that text denies; this world has the long runs.
"""

from __future__ import annotations

from census.simulate.world import (
    Labels,
    Lognormal,
    Restart,
    Scraping,
    StepCosts,
    Storm,
    Surge,
    Traffic,
    World,
)

FOUNDING_SEED = 17
"""The demo's seed: its 48 h come closest to the founding text's shares."""
LAST_BOOT_HOURS = 34.7
DOWNTIME_S = 95.0
STORMS = ((4.2, 105.0, 108), (11.6, 60.0, 56), (19.3, 90.0, 60), (28.1, 50.0, 40))
"""Hours after the last boot's start, span in seconds, preemptions."""
CROWD = 3
"""Agents that arrive just before each storm, so that there is somebody to preempt."""


def founding(*, hours: float = 48.0, scrape_interval_s: float = 15.0, interleave: int = 0) -> World:
    """Return the founding world; shorter ones keep the share of the last boot.

    Parameters
    ----------
    interleave : N of the last boot, as if the deploy had come with the restart.
    """
    duration_s = hours * 3600.0
    last_boot_s = min(LAST_BOOT_HOURS * 3600.0, 0.723 * duration_s)
    restart = Restart(at_s=duration_s - last_boot_s - DOWNTIME_S, downtime_s=DOWNTIME_S)
    begun = restart.at_s + DOWNTIME_S
    storms = tuple(
        Storm(at_s=begun + at * 3600.0, span_s=span, count=count)
        for at, span, count in STORMS
        if at * 3600.0 + span < last_boot_s
    )
    crowds = tuple(Surge(at_s=storm.at_s - 45.0, span_s=30.0, count=CROWD) for storm in storms)
    return World(
        name="founding",
        duration_s=duration_s,
        traffic=(steady_agent(), passing_agents(crowds), ingestion()),
        costs=StepCosts(
            decode_base=0.01198,
            per_row=0.0024,
            chunk_base=0.0321,
            per_chunk_token=0.000068,
            noise_cv=0.05,
            overhead_share=0.004,
        ),
        interleave=(0, interleave),
        restarts=(restart,),
        storms=storms,
        labels=Labels(),
        scraping=Scraping(
            interval_s=scrape_interval_s, gaps=((0.11 * duration_s, min(400.0, 0.02 * duration_s)),)
        ),
    )


def steady_agent() -> Traffic:
    """Return one agent that works all the time: warm long prompts, tool calls and long answers."""
    return _agents(rate_per_s=0.0, population=1, crowds=())


def passing_agents(crowds: tuple[Surge, ...]) -> Traffic:
    """Return agents whose sessions of some forty turns come and go."""
    return _agents(rate_per_s=0.0008, population=0, crowds=crowds)


def _agents(*, rate_per_s: float, population: int, crowds: tuple[Surge, ...]) -> Traffic:
    return Traffic(
        rate_per_s=rate_per_s,
        turns_mean=40.0,
        think_s=3.0,
        prompts=((1.0, Lognormal(median=50_000, sigma=0.6, high=180_000)),),
        outputs=(
            (0.7, Lognormal(median=250, sigma=0.8, high=8_000)),
            (0.3, Lognormal(median=3_500, sigma=0.7, high=16_000)),
        ),
        cached_low=0.93,
        cached_high=0.995,
        cold_share=0.01,
        cycle_amplitude=0.4,
        surges=crowds,
        population=population,
    )


def ingestion() -> Traffic:
    """Return sessions that read a dozen long documents, each without a cache hit, and say little."""
    return Traffic(
        rate_per_s=0.00228,
        turns_mean=12.0,
        think_s=0.02,
        prompts=((1.0, Lognormal(median=120_000, sigma=0.5, high=180_000)),),
        outputs=((1.0, Lognormal(median=3, sigma=0.6, high=8_000)),),
        cold_share=1.0,
        cycle_amplitude=0.4,
    )

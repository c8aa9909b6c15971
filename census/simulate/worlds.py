"""Named worlds: one mechanism each, planted, at any size.

Method: all take hours, scrape interval, slots (``streams``), prefill duty and decode load; the traffic is
that of ``mix``, solved at the costs of a shared-step engine, so that the worlds differ in mechanism and
not in demand. When it misleads: with many slots hardly any interval is free of prefill; a saturated world
queues and turns away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from census.simulate.founding import founding
from census.simulate.mix import Mix, free_chunks, shared_costs, traffic_of
from census.simulate.world import Labels, Restart, Scraping, StepCosts, Storm, Traffic, World

ACCEPTANCE = (0.70, 0.66)
TOKENS_PER_ROW = 2.162


def shared_step(
    *,
    hours: float = 24.0,
    scrape_interval_s: float = 15.0,
    streams: int = 8,
    prefill_duty: float = 0.15,
    load: float = 0.4,
    interleave: int = 0,
) -> World:
    """Chunks and decode rows share a step: each stream gets one step's tokens for a chunk's whole time."""
    mix = Mix(streams=streams, prefill_duty=prefill_duty, load=load)
    return _world(
        "shared_step", hours, scrape_interval_s, mix, shared_costs(streams), interleave=(interleave,)
    )


def exclusive_prefill(
    *,
    hours: float = 24.0,
    scrape_interval_s: float = 15.0,
    streams: int = 8,
    prefill_duty: float = 0.15,
    load: float = 0.4,
) -> World:
    """Prefill runs exclude decode rows: streams wait, no step is mixed."""
    mix = Mix(streams=streams, prefill_duty=prefill_duty, load=load)
    world = _world("exclusive_prefill", hours, scrape_interval_s, mix, shared_costs(streams))
    return replace(world, exclusive=True)


def residency(
    *,
    hours: float = 24.0,
    scrape_interval_s: float = 15.0,
    streams: int = 8,
    prefill_duty: float = 0.15,
    load: float = 0.4,
    tau_s: float = 30.0,
    slowdown: float = 1.0,
    saturated: bool = False,
) -> World:
    """Prefill displaces what decode wants resident: chunks are cheap, later decode-only steps are slow and
    recover.

    Parameters
    ----------
    tau_s, slowdown : time constant of the recovery, and by what share steps are slower when all is displaced.
    saturated : small prompts come so often that there is no recovery, and no quiet span to compare with.
    """
    mix = Mix(streams=streams, prefill_duty=prefill_duty, load=load)
    costs = replace(free_chunks(shared_costs(streams)), residency_slowdown=slowdown, residency_tau_s=tau_s)
    world = _world("residency", hours, scrape_interval_s, mix, costs)
    if not saturated:
        return world
    answers, documents = world.traffic
    short = replace(
        documents,
        rate_per_s=30.0 / min(tau_s, 60.0),
        prompts=((1.0, replace(documents.prompts[0][1], median=2_000)),),
        outputs=((1.0, replace(documents.outputs[0][1], median=5)),),
        burst_mean=1.0,
    )
    return replace(
        world,
        name="residency_saturated",
        traffic=(answers, short),
        costs=replace(costs, residency_tokens=1_000.0),
    )


def batch_growth(
    *,
    hours: float = 24.0,
    scrape_interval_s: float = 15.0,
    streams: int = 8,
    prefill_duty: float = 0.1,
    load: float = 0.2,
    growth: float = 1.5,
) -> World:
    """A prefill costs nothing, but afterwards one more row decodes, and every row makes the step slower."""
    mix = Mix(
        streams=streams, prefill_duty=prefill_duty, load=load, document_output=600.0, episode_spacing_s=1.0
    )
    costs = free_chunks(shared_costs(streams, growth=growth))
    return _world("batch_growth", hours, scrape_interval_s, mix, costs)


def preemption_storms(
    *,
    hours: float = 24.0,
    scrape_interval_s: float = 15.0,
    streams: int = 8,
    prefill_duty: float = 0.003,
    load: float = 0.5,
    every_s: float = 900.0,
    span_s: float = 90.0,
    count: int = 60,
) -> World:
    """Requests are preempted in storms and computed anew; between them there is little prefill."""
    mix = Mix(streams=streams, prefill_duty=prefill_duty, load=load)
    world = _world("preemption_storms", hours, scrape_interval_s, mix, shared_costs(streams))
    starts = (every_s * (place + 0.5) for place in range(int(world.duration_s / every_s)))
    storms = tuple(Storm(at_s=start, span_s=span_s, count=count) for start in starts)
    return replace(world, storms=storms, recompute_cached_share=0.5)


def no_interference(
    *,
    hours: float = 24.0,
    scrape_interval_s: float = 15.0,
    streams: int = 8,
    prefill_duty: float = 0.15,
    load: float = 0.4,
    amplitude: float = 0.8,
    cycle_s: float = 86_400.0,
) -> World:
    """Prefill costs nothing; prefill and load share a daily cycle and nothing else."""
    mix = Mix(streams=streams, prefill_duty=prefill_duty, load=load)
    cycle = _cycle(amplitude, cycle_s=cycle_s, peak_s=hours * 1800.0)
    costs = free_chunks(shared_costs(streams, growth=0.0))
    return _world("no_interference", hours, scrape_interval_s, mix, costs, cycle=cycle)


def load_alone(
    *,
    hours: float = 24.0,
    scrape_interval_s: float = 15.0,
    streams: int = 8,
    prefill_duty: float = 0.15,
    load: float = 0.4,
    cycle_s: float = 7_200.0,
) -> World:
    """Prefill costs nothing, but documents come while answers pause: visible decode falls, no stream does."""
    mix = Mix(streams=streams, prefill_duty=prefill_duty, load=load)
    costs = free_chunks(shared_costs(streams, growth=0.0))
    world = _world(
        "load_alone", hours, scrape_interval_s, mix, costs, cycle=_cycle(0.95, cycle_s=cycle_s, peak_s=0.0)
    )
    answers, documents = world.traffic
    return replace(world, traffic=(answers, replace(documents, cycle_peak_s=cycle_s / 2.0)))


def held_steps(
    *,
    hours: float = 24.0,
    scrape_interval_s: float = 15.0,
    streams: int = 8,
    prefill_duty: float = 0.15,
    load: float = 0.4,
    interleave: int = 1,
    deploy_at: float | None = 0.5,
) -> World:
    """Shared steps with N held steps after each chunk beside decoders.

    Parameters
    ----------
    deploy_at : share of the window at which a restart brings N, 0 before it; None: N throughout.
    """
    world = shared_step(
        hours=hours,
        scrape_interval_s=scrape_interval_s,
        streams=streams,
        prefill_duty=prefill_duty,
        load=load,
    )
    if deploy_at is None:
        return replace(world, name="held_steps", interleave=(interleave,))
    restart = Restart(at_s=deploy_at * world.duration_s, downtime_s=60.0)
    return replace(world, name="held_steps", interleave=(0, interleave), restarts=(restart,))


def two_engines(
    *,
    hours: float = 24.0,
    scrape_interval_s: float = 15.0,
    streams: int = 8,
    prefill_duty: float = 0.15,
    load: float = 0.4,
) -> tuple[World, World]:
    """Two engines of one target with traffic of their own: 0 slows under its own prefill, 1 does not."""
    slowed = shared_step(
        hours=hours,
        scrape_interval_s=scrape_interval_s,
        streams=streams,
        prefill_duty=prefill_duty,
        load=load,
    )
    spared = replace(
        slowed,
        costs=free_chunks(shared_costs(streams, growth=0.0)),
        labels=replace(slowed.labels, engine="1"),
    )
    return replace(slowed, name="two_engines_0"), replace(spared, name="two_engines_1")


def group_stall(
    *,
    hours: float = 24.0,
    scrape_interval_s: float = 15.0,
    streams: int = 8,
    prefill_duty: float = 0.15,
    load: float = 0.4,
) -> tuple[World, World]:
    """Two engines of one group, for ``simulate_group``: 0 takes all documents, and 1 waits for its chunks."""
    leader = shared_step(
        hours=hours,
        scrape_interval_s=scrape_interval_s,
        streams=streams,
        prefill_duty=prefill_duty,
        load=load,
    )
    follower = replace(leader, traffic=leader.traffic[:1], labels=replace(leader.labels, engine="1"))
    return replace(leader, name="group_stall_0"), replace(follower, name="group_stall_1")


WORLDS: Mapping[str, Callable[..., World]] = {
    "founding": founding,
    "shared_step": shared_step,
    "exclusive_prefill": exclusive_prefill,
    "residency": residency,
    "batch_growth": batch_growth,
    "preemption_storms": preemption_storms,
    "no_interference": no_interference,
    "load_alone": load_alone,
    "held_steps": held_steps,
}
"""Worlds of one engine, by name; ``two_engines`` and ``group_stall`` stand apart."""


def _cycle(amplitude: float, *, cycle_s: float, peak_s: float) -> Traffic:
    return Traffic(
        rate_per_s=0.0,
        prompts=(),
        outputs=(),
        cycle_amplitude=amplitude,
        cycle_s=cycle_s,
        cycle_peak_s=peak_s,
    )


def _world(
    name: str,
    hours: float,
    scrape_interval_s: float,
    mix: Mix,
    costs: StepCosts,
    *,
    interleave: tuple[int, ...] = (0,),
    cycle: Traffic | None = None,
) -> World:
    return World(
        name=name,
        duration_s=hours * 3600.0,
        traffic=traffic_of(mix, tokens_per_row=TOKENS_PER_ROW, cycle=cycle),
        costs=costs,
        slots=mix.streams,
        acceptance=ACCEPTANCE,
        interleave=interleave,
        queue_cap=8 * mix.streams,
        labels=Labels(),
        scraping=Scraping(interval_s=scrape_interval_s),
    )

"""What does a decode-only step cost, and what a step that carries a chunk?

Method: counters of steps and seconds by class, heads and gaps included. Chunk steps = mixed + prefill-only;
chunk seconds = all step seconds less decode-only ones; other = the total less all classes. Shares are of
decode + chunk + other, so they sum to one and mean x steps gives back the time share. Bounds come from the
block bootstrap of the ratio of sums over the clean intervals.

Misleads: a mean over both classes is neither. Where seconds are not split between mixed and prefill-only
steps, those two have no mean. A prefill-only step that does not wait for the device reads short, and the
step after it long.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.findings.interval_rates import number_segments
from census.findings.readings import draw_for, to_reading
from census.model.estimate import Absent, Reading
from census.model.findings import BootStepClasses, StepClass, StepClasses, StepPhases
from census.model.settings import Settings
from census.stats.block_bootstrap import Blocks
from census.stats.bounds import OfSums, bound_all, ratio
from census.stats.interval import Interval
from census.timeline.timeline import Timeline

NEEDS = ("steps", "decode_steps", "mixed_steps", "prefill_steps", "step_seconds", "decode_seconds")

Floats = NDArray[np.float64]

CLASS_ROLES = ("decode_steps", "mixed_steps", "prefill_steps", "step_seconds", "decode_seconds")
TOLERATED = 0.01
"""Classes may sum to this much more than the total (shapes are counted when planned), not more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Totals:
    """Increases of one boot or of all."""

    decode: float
    mixed: float
    prefill: float
    other: float
    decode_seconds: float
    chunk_seconds: float

    @property
    def chunk(self) -> float:
        return self.mixed + self.prefill

    @property
    def steps(self) -> float:
        return self.decode + self.chunk + self.other

    @property
    def seconds(self) -> float:
        return self.decode_seconds + self.chunk_seconds


def measure(timeline: Timeline, settings: Settings, rng: np.random.Generator) -> StepPhases | Absent:
    """Return steps, seconds and means by class, over all boots and boot by boot."""
    if not timeline.has(*CLASS_ROLES):
        return Absent(timeline.why_absent(*CLASS_ROLES))
    excess = _excess(timeline)
    if excess > TOLERATED:
        return Absent(
            f"step classes sum to {excess:.1%} more than {timeline.metrics.get('steps', 'all steps')}"
        )
    by_boot = {boot.index: _boot_totals(timeline, boot.index) for boot in timeline.boots}
    known = {index: totals for index, totals in by_boot.items() if totals is not None}
    everything = _add(list(known.values()))
    if everything.steps == 0:
        return Absent("the engine took no step in the window")
    bounds = _bound_means(timeline, list(known), settings, rng)
    return StepPhases(
        source="counters",
        boot="all",
        classes=_classes(everything, bounds["all"], settings),
        by_boot=tuple(
            BootStepClasses(boot=index, classes=_classes(totals, bounds[index], settings))
            for index, totals in known.items()
        ),
    )


def _excess(timeline: Timeline) -> float:
    """Return by which share the classes sum to more than the total."""
    if not timeline.has("steps") or timeline.total("steps") == 0:
        return 0.0
    classes = sum(timeline.total(role) for role in ("decode_steps", "mixed_steps", "prefill_steps"))
    return classes / timeline.total("steps") - 1


def _boot_totals(timeline: Timeline, index: int) -> _Totals | None:
    """Return the totals of a boot, None where a counter is absent in it."""
    counts = {role: float(timeline.totals[role].loc[index]) for role in CLASS_ROLES}
    if not np.isfinite(list(counts.values())).all():
        return None
    classes = counts["decode_steps"] + counts["mixed_steps"] + counts["prefill_steps"]
    total = float(timeline.totals["steps"].loc[index]) if timeline.has("steps") else classes
    total = total if np.isfinite(total) else classes
    return _Totals(
        decode=counts["decode_steps"],
        mixed=counts["mixed_steps"],
        prefill=counts["prefill_steps"],
        other=max(total - classes, 0.0),
        decode_seconds=counts["decode_seconds"],
        chunk_seconds=max(counts["step_seconds"] - counts["decode_seconds"], 0.0),
    )


def _add(parts: list[_Totals]) -> _Totals:
    return _Totals(
        decode=sum(part.decode for part in parts),
        mixed=sum(part.mixed for part in parts),
        prefill=sum(part.prefill for part in parts),
        other=sum(part.other for part in parts),
        decode_seconds=sum(part.decode_seconds for part in parts),
        chunk_seconds=sum(part.chunk_seconds for part in parts),
    )


Means = dict[str, Interval]


def _bound_means(
    timeline: Timeline, boots: list[int], settings: Settings, rng: np.random.Generator
) -> dict[int | str, Means]:
    """Bound both means over the clean intervals: of all boots, and of each."""
    clean = timeline.clean()
    columns = {role: clean[role].to_numpy(dtype=np.float64) for role in CLASS_ROLES}
    known = np.isfinite(np.column_stack(list(columns.values()))).all(axis=1)
    columns = {role: np.where(known, values, 0.0) for role, values in columns.items()}
    parts = {
        "decode": (columns["decode_seconds"], columns["decode_steps"]),
        "chunk": (
            np.maximum(columns["step_seconds"] - columns["decode_seconds"], 0.0),
            columns["mixed_steps"] + columns["prefill_steps"],
        ),
    }
    if not len(clean):
        nothing: dict[int | str, Means] = {"all": {}}
        return nothing | {index: {} for index in boots}
    blocks = draw_for([parts["chunk"][0]], number_segments(clean), settings=settings, rng=rng)
    of_boot = clean["boot"].to_numpy()
    everywhere = np.ones(len(clean), dtype=bool)
    chosen: dict[int | str, NDArray[np.bool_]] = {"all": everywhere}
    for index in boots:
        chosen[index] = of_boot == index
    return {key: _bound_parts(parts, member, blocks, settings) for key, member in chosen.items()}


def _bound_parts(
    parts: dict[str, tuple[Floats, Floats]], member: NDArray[np.bool_], blocks: Blocks, settings: Settings
) -> Means:
    questions = {
        name: OfSums(columns=np.column_stack([top, bottom]) * member[:, None], statistic=ratio)
        for name, (top, bottom) in parts.items()
        if bottom[member].sum() > 0
    }
    found = bound_all(list(questions.values()), blocks=blocks, level=settings.level)
    return dict(zip(questions, found, strict=True))


def _classes(totals: _Totals, means: Means, settings: Settings) -> StepClasses:
    unsplit = Absent("the engine does not split step seconds between mixed and prefill-only steps")
    return StepClasses(
        decode=_class(totals, totals.decode, totals.decode_seconds, _mean("decode", totals, means, settings)),
        mixed=_class(totals, totals.mixed, None, unsplit),
        prefill=_class(totals, totals.prefill, None, unsplit),
        chunk=_class(totals, totals.chunk, totals.chunk_seconds, _mean("chunk", totals, means, settings)),
        other=_class(totals, totals.other, 0.0, Absent("no step seconds are booked outside the classes")),
    )


def _class(totals: _Totals, steps: float, seconds: float | None, mean: Reading) -> StepClass:
    return StepClass(
        steps=steps,
        seconds=seconds,
        mean_s=mean,
        share_of_steps=steps / totals.steps if totals.steps > 0 else None,
        share_of_time=seconds / totals.seconds if seconds is not None and totals.seconds > 0 else None,
    )


def _mean(name: str, totals: _Totals, means: Means, settings: Settings) -> Reading:
    """Return seconds over steps, or why there are too few."""
    steps, seconds = (
        (totals.decode, totals.decode_seconds) if name == "decode" else (totals.chunk, totals.chunk_seconds)
    )
    if steps < settings.min_class_steps:
        return Absent(f"{steps:.0f} such steps, fewer than {settings.min_class_steps}")
    if name not in means:
        return Absent("no such step fell into an interval between two scrapes")
    return to_reading(
        means[name],
        n=round(steps),
        unit="s",
        method="measured: seconds over steps",
        settings=settings,
        value=seconds / steps,
    )

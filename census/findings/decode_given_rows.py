"""Is a decode-only step slower after prefill than its rows explain?

Method: the mean decode-only step of an interval is regressed on rows per step (and their square) and on
prefill, in two ways. (1) *Lags*: prefill in the interval itself and over stretches of time before it, as in
``lag_response``. (2) *Exposure*: a state that prefill pushes up and that fades with a time constant; the
time constant (a third of the scrape spacing up to the longest lag) and how far it saturates are those that
fit best, and the interval spans all that fit nearly as well. The exposure tells the mean slowdown, also where
prefill comes so often that steps never recover in full. Rows in decode-only steps are told from the running
requests, and lie between two bounds (a mixed step may have one row less); the interval spans both.

Misleads: without intervals free of prefill a constant slowdown cannot be excluded. A context that grows with
each prompt slows steps as well, and radiance does not export it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.findings.buckets import count_episodes
from census.findings.exposure_fit import RowCurve, fit_exposures
from census.findings.interval_arrays import IntervalArrays
from census.findings.lag_response import Response, fit_response, typical_rate
from census.model.estimate import Absent, Estimate, Reading
from census.model.settings import Settings

NEEDS = ("decode_steps", "decode_seconds", "mixed_steps", "prefill_tokens", "decode_tokens")

Floats = NDArray[np.float64]

FEWEST_QUIET = 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecodeGivenRows:
    """What prefill does to decode-only steps, rows held.

    Attributes
    ----------
    step_s : mean seconds of a decode-only step.
    effect_at_0, lingering : response at lag 0 and summed over later lags, at the typical loaded prefill
        rate, as a share of ``step_s``.
    slowdown : share of decode-only step time that prefill adds, by exposure; its interval spans both bounds
        of rows and all time constants that fit.
    tau_s : time constant that fits best. lingers : every one that fits is longer than a scrape.
    quiet_intervals, quiet_hours, quiet_episodes : without prefill, with enough decode-only steps.
    quiet_stretch_s : the longest time without prefill, gaps apart: what fades more slowly has no reference.
    added_s : shape (n,), seconds that prefill adds to the decode-only step of each interval (fitted).
    row_curve : seconds of a step against its rows, up to a constant.
    n : intervals.
    """

    step_s: float
    effect_at_0: Reading
    lingering: Reading
    slowdown: Estimate
    tau_s: float
    lingers: bool
    quiet_intervals: int
    quiet_hours: float
    quiet_episodes: int
    quiet_stretch_s: float
    added_s: Floats
    row_curve: RowCurve
    n: int

    @property
    def surely_slower(self) -> bool:
        """Tell whether prefill surely adds to decode-only steps."""
        return self.slowdown.low is not None and self.slowdown.low > 0

    @property
    def has_reference(self) -> bool:
        """Tell whether enough time without prefill was seen to compare with."""
        return self.quiet_intervals >= FEWEST_QUIET and self.quiet_episodes >= 5


def measure_given_rows(arrays: IntervalArrays, settings: Settings) -> DecodeGivenRows | Absent:
    """Return what prefill does to decode-only steps, rows held, or why that cannot be told."""
    if not arrays.has_steps:
        return Absent("no step counters tell decode-only steps apart")
    enough = arrays.decode_steps >= settings.min_class_steps
    step_s = np.divide(
        arrays.decode_seconds, arrays.decode_steps, out=np.full(enough.shape, np.nan), where=enough
    )
    known = np.isfinite(step_s) & np.isfinite(arrays.rows_per_step) & np.isfinite(arrays.prefill_tok_s)
    if known.sum() < settings.min_loaded_intervals:
        return Absent(f"{int(known.sum())} intervals have enough decode-only steps")
    fitted = fit_exposures(arrays, step_s, known=known, settings=settings)
    if not fitted:
        return Absent("rows and prefill do not vary enough to tell their parts of a decode-only step")
    best = fitted[0]
    mean_s = float(np.average(step_s[known], weights=arrays.decode_steps[known]))
    at_zero, lingering = _by_lags(arrays, step_s, mean_s=mean_s, settings=settings)
    quiet = known & (arrays.prefill_tok_s == 0)
    return DecodeGivenRows(
        step_s=mean_s,
        effect_at_0=at_zero,
        lingering=lingering,
        slowdown=Estimate(
            value=min(best.added_share, 1.0),
            low=min(1.0, *(one.added_share - one.half for one in fitted)),
            high=min(1.0, max(one.added_share + one.half for one in fitted)),
            level=settings.level,
            n=int(known.sum()),
            unit="1",
            method="estimated: share of decode-only step time that prefill adds, rows held; exposure with a "
            f"time constant of {best.tau_s:.0f} s, HAC errors, over all constants that fit",
        ),
        tau_s=best.tau_s,
        lingers=min(one.tau_s for one in fitted) >= 0.99 * arrays.spacing_s,
        quiet_intervals=int(quiet.sum()),
        quiet_hours=float(arrays.intervals.seconds[quiet].sum() / 3600.0),
        quiet_episodes=count_episodes(quiet, arrays.intervals.segment),
        quiet_stretch_s=_longest_stretch(arrays),
        added_s=best.added_s,
        row_curve=best.row_curve,
        n=int(known.sum()),
    )


def _longest_stretch(arrays: IntervalArrays) -> float:
    """Return the seconds of the longest run of adjoining intervals without prefill, 0 where there is none."""
    quiet = arrays.prefill_tok_s == 0
    breaks = ~quiet
    breaks[1:] |= arrays.intervals.segment[1:] != arrays.intervals.segment[:-1]
    runs = np.cumsum(breaks)
    lengths = np.bincount(runs, weights=np.where(quiet, arrays.intervals.seconds, 0.0))
    return float(lengths.max(initial=0.0))


def _by_lags(
    arrays: IntervalArrays, step_s: Floats, *, mean_s: float, settings: Settings
) -> tuple[Reading, Reading]:
    """Return the response at lag 0 and the summed later one, as shares of the mean step."""
    rows = arrays.rows_per_decode_step
    response = fit_response(
        arrays,
        step_s,
        at_zero=arrays.prefill_tok_s,
        covariates=np.column_stack([rows, np.square(rows)]),
        weights=np.where(np.isfinite(step_s), arrays.decode_steps, 0.0),
        settings=settings,
    )
    if isinstance(response, str):
        return Absent(response), Absent(response)
    scale = typical_rate(arrays) / mean_s
    return _reading(response, scale * response.at_zero()), _reading(response, scale * response.later())


def _reading(response: Response, mix: Floats) -> Reading:
    value, half = response.fit.combine(mix)
    return Estimate(
        value=value,
        low=value - half,
        high=value + half,
        level=response.fit.level,
        n=response.fit.n,
        unit="1",
        method="estimated: distributed-lag regression of the decode-only step, rows held, HAC errors",
    )

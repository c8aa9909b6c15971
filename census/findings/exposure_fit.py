"""Which time constant and saturation of exposure to prefill explain decode-only steps best?

Method: weighted least squares of the step on rows (a quadratic) and one exposure (``stats.exposure``), drift
taken off by a running mean and what memory the errors have by filtering, for a grid of time constants and
saturations. Kept are the best and all whose
fit is not worse than two free parameters may be at 95 %, with the number of intervals discounted for the
autocorrelation of the residuals; each with HAC errors.

Misleads: a time constant outside the grid looks like its edge. Exposure that hardly varies has a wide
interval, and rightly so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from census.findings.interval_arrays import IntervalArrays
from census.findings.lag_response import leave
from census.model.settings import Settings
from census.stats.detrend import subtract_running_mean
from census.stats.exposure import measure_exposure
from census.stats.prewhiten import filter_table
from census.stats.regression import NotIdentifiedError, fit_hac

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

SATURATIONS = (0.0, 0.5, 0.8, 0.95)
"""Share that the mean prefill rate would hold displaced; 0 is the plain linear response."""

MISSING_ROWS = (0.0, 1.0)
"""Rows that a mixed step may have less than a decode-only one of the same interval: the two bounds."""

TIME_CONSTANTS = 5
"""From a third of the scrape spacing to the longest lag, evenly in their logarithm."""

NEAR_BEST = 5.99
"""Log-likelihood ratio that two free parameters leave at 95 % (chi-square, 2 degrees of freedom)."""

FEWEST_IN_WINDOW = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCurve:
    """Seconds of a decode-only step against its rows, up to a constant: linear x rows + square x rows^2."""

    linear: float
    square: float

    def seconds(self, rows: Floats) -> Floats:
        """Return the part of a step that these rows make."""
        return self.linear * rows + self.square * np.square(rows)

    def slope(self, rows: Floats) -> Floats:
        """Return what one more row would add at these rows."""
        return self.linear + 2.0 * self.square * rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExposureFit:
    """One time constant and saturation.

    Attributes
    ----------
    added_share, half : mean share of the step that exposure adds, and the half-width of its interval.
    added_s : shape (n,), added seconds of each interval.
    row_curve : fitted beside it.
    """

    tau_s: float
    added_share: float
    half: float
    added_s: Floats
    row_curve: RowCurve


def fit_exposures(
    arrays: IntervalArrays, step_s: Floats, *, known: Flags, settings: Settings
) -> list[ExposureFit]:
    """Return the best fits and those nearly as good; none where not determined.

    The first is the best with the rows of decode-only steps as told; the others, also those with both bounds
    of rows, say how far it may be off.

    Parameters
    ----------
    step_s : shape (n,), mean decode-only step. known : intervals that take part.
    """
    tau_s, saturation = _grid(arrays, settings)
    exposure, age_s = measure_exposure(
        arrays.prefill_tok_s, arrays.intervals, tau_s=tau_s, saturation=saturation
    )
    used = known & (age_s >= 2.0 * tau_s.max())
    if used.sum() < 0.5 * known.sum():
        used = known & (age_s >= 3.0 * arrays.spacing_s)
    weights = np.where(used, arrays.decode_steps, 0.0)
    if not used.any():
        return []
    bounds = [arrays.rows_per_step + missing * _mixed_share(arrays) for missing in MISSING_ROWS]
    rows = [np.where(used, one, 0.0) for one in (arrays.rows_per_decode_step, *bounds)]
    table = np.column_stack([step_s, *rows, *(np.square(row) for row in rows), exposure])
    window_s = max(2 * settings.detrend_factor * settings.max_lag_s, FEWEST_IN_WINDOW * arrays.spacing_s)
    flat = subtract_running_mean(
        np.where(used[:, None], table, 0.0), weights, arrays.intervals, window_s=window_s
    )
    mean_s = float(np.average(step_s[used], weights=weights[used]))
    first = 1 + 2 * len(rows)
    kept: list[ExposureFit] = []
    for bound, row in enumerate(rows):
        row_columns = [1 + bound + len(rows) * power for power in range(_powers(row[used]))]
        pick = [[0, first + place, *row_columns] for place in range(tau_s.size)]
        best, _ = _best_of([flat[:, columns] for columns in pick], weights)
        white, white_weights = filter_table(
            flat, weights, arrays.intervals, leftover=leave(flat[:, pick[best]], weights)
        )
        for place in _near_best([white[:, columns] for columns in pick], white_weights, arrays):
            design = white[:, pick[place]]
            try:
                fit = fit_hac(
                    design[:, 0], design[:, 1:], arrays.intervals, weights=white_weights, level=settings.level
                )
            except NotIdentifiedError:
                continue
            share = float(np.average(exposure[used, place], weights=weights[used])) / mean_s
            value, half = fit.combine(np.array([share] + [0.0] * len(row_columns)))
            kept.append(
                ExposureFit(
                    tau_s=float(tau_s[place]),
                    added_share=value,
                    half=half,
                    added_s=fit.coefficients[0] * exposure[:, place],
                    row_curve=_curve(fit.coefficients[1:]),
                )
            )
    return kept


def _grid(arrays: IntervalArrays, settings: Settings) -> tuple[Floats, Floats]:
    """Return time constants and saturations, every pair."""
    longest_s = max(settings.max_lag_s, arrays.spacing_s)
    taus = np.geomspace(arrays.spacing_s / 3.0, longest_s, TIME_CONSTANTS)
    return np.repeat(taus, len(SATURATIONS)), np.tile(np.asarray(SATURATIONS), TIME_CONSTANTS)


def _mixed_share(arrays: IntervalArrays) -> Floats:
    steps = arrays.decode_steps + arrays.mixed_steps
    share: Floats = np.divide(arrays.mixed_steps, steps, out=np.zeros(steps.shape), where=steps > 0)
    return share


def _powers(rows: Floats) -> int:
    """Return how many powers of rows vary enough to be fitted: none, rows, or rows and their square."""
    spread = float(np.ptp(rows))
    return 0 if spread < 0.05 else 1 if spread < 1.0 else 2


def _curve(coefficients: Floats) -> RowCurve:
    linear, square = (*coefficients.tolist(), 0.0, 0.0)[:2]
    return RowCurve(linear=linear, square=square)


def _best_of(tables: list[Floats], weights: Floats) -> tuple[int, list[float]]:
    """Return the place of the table whose first column the others explain best, and all squares left."""
    squares = [float((weights * np.square(leave(table, weights))).sum()) for table in tables]
    return int(np.argmin(squares)), squares


def _near_best(tables: list[Floats], weights: Floats, arrays: IntervalArrays) -> list[int]:
    """Return the places of the tables that fit best or nearly so, the best first."""
    best, squares = _best_of(tables, weights)
    if squares[best] <= 0:
        return [best]
    worth = _worth(leave(tables[best], weights), weights, arrays)
    order = np.argsort(squares, kind="stable").tolist()
    return [place for place in order if worth * np.log(squares[place] / squares[best]) <= NEAR_BEST]


def _worth(residuals: Floats, weights: Floats, arrays: IntervalArrays) -> float:
    """Return how many independent rows the residuals are worth, by their correlation with the row before."""
    segment = arrays.intervals.segment
    together = (segment[1:] == segment[:-1]) & (weights[1:] > 0) & (weights[:-1] > 0)
    before, after = residuals[:-1][together], residuals[1:][together]
    power = float((np.square(before).sum() + np.square(after).sum()) / 2.0)
    rho = float(np.clip((before * after).sum() / power, 0.0, 0.98)) if power > 0 else 0.0
    return float((weights > 0).sum()) * (1.0 - rho) / (1.0 + rho)

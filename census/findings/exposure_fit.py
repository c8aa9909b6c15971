"""Which time constant and saturation of exposure to prefill explain decode-only steps best?

Method: weighted least squares of the step on rows (a quadratic) and one exposure (``stats.exposure``), drift
taken off by a running mean, for a grid of time constants and saturations. Kept are the best and all whose
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
from census.model.settings import Settings
from census.stats.detrend import subtract_running_mean
from census.stats.exposure import measure_exposure
from census.stats.regression import Fit, NotIdentifiedError, fit_hac

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

SATURATIONS = (0.0, 0.5, 0.8, 0.95)
"""Share that the mean prefill rate would hold displaced; 0 is the plain linear response."""

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
    squares : weighted residual squares. added_s : shape (n,), added seconds of each interval.
    row_curve : fitted beside it.
    """

    tau_s: float
    saturation: float
    added_share: float
    half: float
    squares: float
    added_s: Floats
    row_curve: RowCurve


def fit_exposures(
    arrays: IntervalArrays, step_s: Floats, *, known: Flags, missing_rows: float, settings: Settings
) -> list[ExposureFit]:
    """Return the best fit and those nearly as good, none where the data do not determine any.

    Parameters
    ----------
    step_s : shape (n,), mean decode-only step. known : intervals that take part.
    missing_rows : rows that a mixed step has less than a decode-only step of the same interval.
    """
    tau_s, saturation = _grid(arrays, settings)
    exposure, age_s = measure_exposure(
        arrays.prefill_tok_s, arrays.intervals, tau_s=tau_s, saturation=saturation
    )
    used = known & (age_s >= 2.0 * tau_s.max())
    if used.sum() < 0.5 * known.sum():
        used = known & (age_s >= 3.0 * arrays.spacing_s)
    weights = np.where(used, arrays.decode_steps, 0.0)
    rows = arrays.rows_per_step + missing_rows * _mixed_share(arrays)
    columns = np.column_stack([step_s, rows, np.square(rows), exposure])
    window_s = max(2 * settings.detrend_factor * settings.max_lag_s, FEWEST_IN_WINDOW * arrays.spacing_s)
    flat = subtract_running_mean(
        np.where(used[:, None], columns, 0.0), weights, arrays.intervals, window_s=window_s
    )
    row_columns = _row_columns(rows[used])
    mean_s = float(np.average(step_s[used], weights=weights[used])) if used.any() else 0.0
    fitted: list[tuple[ExposureFit, Fit]] = []
    for place in range(tau_s.size):
        design = flat[:, [3 + place, *row_columns]]
        try:
            fit = fit_hac(flat[:, 0], design, arrays.intervals, weights=weights, level=settings.level)
        except NotIdentifiedError:
            continue
        share = float(np.average(exposure[used, place], weights=weights[used])) / mean_s
        value, half = fit.combine(np.array([share] + [0.0] * len(row_columns)))
        found = ExposureFit(
            tau_s=float(tau_s[place]),
            saturation=float(saturation[place]),
            added_share=value,
            half=half,
            squares=float((weights * np.square(fit.residuals)).sum()),
            added_s=fit.coefficients[0] * exposure[:, place],
            row_curve=_curve(fit.coefficients[1:]),
        )
        fitted.append((found, fit))
    return _keep_near_best(fitted, arrays, weights)


def _grid(arrays: IntervalArrays, settings: Settings) -> tuple[Floats, Floats]:
    """Return time constants and saturations, every pair."""
    longest_s = max(settings.max_lag_s, arrays.spacing_s)
    taus = np.geomspace(arrays.spacing_s / 3.0, longest_s, TIME_CONSTANTS)
    return np.repeat(taus, len(SATURATIONS)), np.tile(np.asarray(SATURATIONS), TIME_CONSTANTS)


def _mixed_share(arrays: IntervalArrays) -> Floats:
    steps = arrays.decode_steps + arrays.mixed_steps
    share: Floats = np.divide(arrays.mixed_steps, steps, out=np.zeros(steps.shape), where=steps > 0)
    return share


def _row_columns(rows: Floats) -> list[int]:
    """Return which columns of rows vary enough to be fitted: none, rows, or rows and their square."""
    if not rows.size or np.ptp(rows) < 0.05:
        return []
    return [1, 2] if np.ptp(rows) >= 1.0 else [1]


def _curve(coefficients: Floats) -> RowCurve:
    linear, square = (*coefficients.tolist(), 0.0, 0.0)[:2]
    return RowCurve(linear=linear, square=square)


def _keep_near_best(
    fitted: list[tuple[ExposureFit, Fit]], arrays: IntervalArrays, weights: Floats
) -> list[ExposureFit]:
    if not fitted:
        return []
    best, best_fit = min(fitted, key=lambda pair: pair[0].squares)
    together = arrays.intervals.segment[1:] == arrays.intervals.segment[:-1]
    together &= (weights[1:] > 0) & (weights[:-1] > 0)
    before, after = best_fit.residuals[:-1][together], best_fit.residuals[1:][together]
    power = float(np.square(best_fit.residuals).sum()) * together.sum() / best_fit.n
    rho = float(np.clip((before * after).sum() / power, 0.0, 0.98)) if power > 0 else 0.0
    worth = best_fit.n * (1.0 - rho) / (1.0 + rho)
    if best.squares <= 0:
        return [best]
    return [one for one, _ in fitted if worth * np.log(one.squares / best.squares) <= NEAR_BEST]

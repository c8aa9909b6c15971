"""How much of something displaced by load is still displaced, if it comes back with a time constant?

Method: a leaky state between 0 and 1. Load at rate x displaces what is left to displace at x / capacity, and
what is displaced returns with time constant tau: ds/dt = (x / capacity) (1 - s) - s / tau. Inside an interval
x is constant, so the mean of s over it is exact. Without saturation the state is the plain exponential
average of x. At the start of a segment s is what the mean rate would hold it at; its memory is gone after a
few tau.

Misleads: load is bursty inside an interval; where tau is shorter than the spacing, s is an average over that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from census.stats.lag_pairs import Floats, Intervals


def measure_exposure(
    x: Floats, intervals: Intervals, *, tau_s: Floats, saturation: Floats
) -> tuple[Floats, NDArray[np.float64]]:
    """Return the mean displaced share in each interval for several time constants and saturations.

    Parameters
    ----------
    x : float64, shape (n,), rate of load per second, >= 0; NaN counts as none.
    intervals : n intervals.
    tau_s : float64, shape (g,), seconds.
    saturation : float64, shape (g,), 0 .. below 1: share that a steady load at the mean rate would hold
        displaced. 0: no saturation; the state is then the exponential average of x over its mean.

    Returns
    -------
    exposure : float64, shape (n, g), >= 0.
    age_s : float64, shape (n,): seconds since the segment began, at the start of the interval.

    References
    ----------
    The saturating form is Michaelis and Menten's at rest; the linear one is Koyck's distributed lag (1954).

    Examples
    --------
    >>> import numpy as np
    >>> start = np.arange(4) * 10.0
    >>> intervals = Intervals(start_s=start, end_s=start + 10.0, segment=np.zeros(4, dtype=np.int64))
    >>> load = np.array([0.0, 8.0, 0.0, 0.0])
    >>> exposure, _ = measure_exposure(load, intervals, tau_s=np.array([10.0]), saturation=np.array([0.5]))
    >>> bool(exposure[1, 0] > exposure[2, 0] > exposure[3, 0] > 0)
    True
    """
    load = np.nan_to_num(x)
    seconds = intervals.seconds
    mean = float((load * seconds).sum() / seconds.sum()) if intervals.size else 0.0
    relative = load / mean if mean > 0 else np.zeros(load.shape)
    linear = saturation <= 0
    push = np.where(linear, 0.0, saturation / (1.0 - np.where(linear, 0.0, saturation))) / tau_s
    rest = np.where(linear, 1.0, saturation)
    exposure = np.empty((intervals.size, tau_s.size))
    age_s = np.empty(intervals.size)
    for start, stop in intervals.bounds():
        state = rest.copy()
        for row in range(start, stop):
            rate = 1.0 / tau_s + push * relative[row]
            level = np.where(linear, relative[row], push * relative[row] / rate)
            faded = np.exp(-rate * seconds[row])
            exposure[row] = level + (state - level) * (1.0 - faded) / (rate * seconds[row])
            state = level + (state - level) * faded
        age_s[start:stop] = intervals.start_s[start:stop] - intervals.start_s[start]
    return exposure, age_s

"""Which points of a long line must be drawn so that no extreme is lost?

Method: the line is cut into equal runs of points; of each run the first, the last, the lowest and the highest
stay (M4, Jugel et al. 2014). Breaks (NaN) stay as one break a run.

Misleads: times inside a run keep their own places, so the eye must not read spacing from the points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def thin_extremes(values: NDArray[np.float64], *, runs: int) -> NDArray[np.int64]:
    """Return the indices to keep, rising.

    Parameters
    ----------
    values : float64, shape (n,); NaN breaks the line.
    runs : how many runs the line is cut into; at most about five points of each stay.

    Returns
    -------
    int64, shape (m,) with m <= min(n, 5 * runs): indices into ``values``.

    References
    ----------
    U. Jugel et al., M4: A Visualization-Oriented Time Series Data Aggregation, PVLDB 7(10), 2014.

    Examples
    --------
    >>> thin_extremes(np.array([0.0, 9.0, 1.0, 2.0, -3.0, 2.0]), runs=1).tolist()
    [0, 1, 4, 5]
    """
    if runs < 1:
        raise ValueError(f"runs is {runs}: want 1 or more")
    size = values.size
    if size <= 5 * runs:
        return np.arange(size, dtype=np.int64)
    keep: set[int] = set()
    for run in np.array_split(np.arange(size), runs):
        part = values[run]
        keep.update((int(run[0]), int(run[-1])))
        known = np.flatnonzero(~np.isnan(part))
        if known.size:
            keep.add(int(run[known[np.argmin(part[known])]]))
            keep.add(int(run[known[np.argmax(part[known])]]))
        broken = np.flatnonzero(np.isnan(part))
        if broken.size:
            keep.add(int(run[broken[0]]))
    return np.array(sorted(keep), dtype=np.int64)

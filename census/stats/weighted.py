"""Which value leaves a given share of the weight below it?

Method: the sorted values stand at the shares that half the weight between neighbours has passed; in
between, straight lines. With equal weights this is the ordinary quantile (Hyndman and Fan's type 7, numpy's
default).

Misleads: weights say how long a value lasted, not how well it is known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    """Return the quantile of values that lasted for different times.

    Parameters
    ----------
    values : shape (n,), n >= 1, no NaN.
    weights : shape (n,), above 0, e.g. seconds.
    share : 0..1.

    Returns
    -------
    A value between the least and the largest.

    References
    ----------
    Hyndman, R. J. and Fan, Y. (1996), Sample quantiles in statistical packages, American Statistician 50(4).

    Examples
    --------
    >>> weighted_quantile(np.array([1.0, 2.0, 4.0]), np.array([15.0, 15.0, 15.0]), 0.5)
    2.0
    """
    order = np.argsort(values, kind="stable")
    ordered, weight = values[order], weights[order]
    passed = np.concatenate(([0.0], np.cumsum((weight[:-1] + weight[1:]) / 2)))
    if passed[-1] == 0:
        return float(ordered[0])
    return float(np.interp(share * passed[-1], passed, ordered))

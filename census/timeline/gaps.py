"""Which intervals between scrapes are gaps?

Method: an interval is a gap if it is longer than 2.5 times the local median, over 20 intervals each side and
itself, of its own boot; boots of fewer than five intervals are judged against all intervals around them. The
local median follows a scrape interval that was changed inside the window, which is not two days of gaps. What
lies before the first or after the last scrape is no interval, so a window edge is no gap.

When it misleads: for up to 20 intervals beside a change of the scrape interval that happened that close to
the end of a boot.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from census.model.settings import Settings

FEW_INTERVALS = 5


def find_gaps(
    seconds: NDArray[np.float64], boot: NDArray[np.int64], *, settings: Settings
) -> NDArray[np.bool_]:
    """Return which intervals are gaps.

    Parameters
    ----------
    seconds, boot : shape (intervals,), in time order.
    """
    spacing = pd.Series(seconds)
    everywhere = _local_median(spacing, neighbours=settings.gap_neighbours).to_numpy()
    own = np.empty(seconds.size)
    for number in np.unique(boot):
        rows = boot == number
        few = int(rows.sum()) < FEW_INTERVALS
        own[rows] = (
            everywhere[rows]
            if few
            else _local_median(spacing[rows], neighbours=settings.gap_neighbours).to_numpy()
        )
    return np.asarray(seconds > settings.gap_factor * own, dtype=bool)


def _local_median(spacing: pd.Series[float], *, neighbours: int) -> pd.Series[float]:
    return spacing.rolling(2 * neighbours + 1, center=True, min_periods=1).median()

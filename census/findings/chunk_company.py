"""How many decoders share a mixed step, and how many wait out a prefill-only one?

Method: counters give the rows of an interval, not of a class of steps. A mixed step has at least one decode
row and at least one running request without, so its rows lie between 1 and the most that ever ran less one.
Inside that, the newcomer joins afterwards (rows in a mixed step are those of its neighbours less one) or
replaces somebody (they are the same): the middle of both is within 5 % of the planted stream time from 2 to
64 slots, with short and long requests.

On an engine whose prefill excludes decode, the decoders that wait lie between those seen at scrapes beside
another request, and the rows of decode-only steps. Where between is told by the running gauge over the
whole window: running requests are decoding, waiting out a prefill, or in prefill themselves.

Misleads: several prompts in prefill at once are read as decoders that wait; few scrapes tell the gauge's
mean badly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def rows_in_mixed_steps(mean_rows: Floats, start: Floats, end: Floats) -> Floats:
    """Return the decode rows of a mixed step in each interval.

    Parameters
    ----------
    mean_rows : shape (n,), rows over the steps that had any; NaN where there was none.
    start, end : shape (n,), running requests at the scrapes; NaN throughout where there is no such gauge.
    """
    if not np.isfinite(start).any():
        return np.maximum(mean_rows, 1.0)
    most = max(float(np.nanmax(np.fmax(start, end))) - 1, 1.0)
    same = np.clip(mean_rows, 1.0, most)
    one_less = np.clip(np.fmin(mean_rows, np.fmax(start, end) - 1), 1.0, most)
    middle: Floats = (same + one_less) / 2
    return middle


def waiting_decoders(
    decode_rows: Floats,
    start: Floats,
    end: Floats,
    *,
    chunk_seconds: Floats,
    seconds: Floats,
    row_seconds: Floats,
) -> Floats:
    """Return the mean number of decoders that wait during each interval's prefill-only steps.

    Parameters
    ----------
    decode_rows : shape (n,), rows in a decode-only step; NaN where there was none.
    start, end : shape (n,), running requests at the scrapes.
    chunk_seconds, seconds, row_seconds : shape (n,), seconds of chunk steps, of the interval, and of rows
        (stream seconds inside decode-only steps).
    """
    if not np.isfinite(start).any():
        return np.nan_to_num(decode_rows)
    most = max(float(np.nanmax(np.fmax(start, end))) - 1, 0.0)
    upper = np.where(np.isfinite(decode_rows), np.minimum(decode_rows, most), most)
    seen = np.nan_to_num((np.maximum(start - 1, 0.0) + np.maximum(end - 1, 0.0)) / 2)
    lower = np.minimum(seen, upper)
    known = np.isfinite(start + end + chunk_seconds + row_seconds)
    running_seconds = ((start + end) / 2 * seconds)[known].sum()
    wanted = running_seconds - chunk_seconds[known].sum() - row_seconds[known].sum()
    least = (lower * chunk_seconds)[known].sum()
    span = (upper * chunk_seconds)[known].sum() - least
    between = float(np.clip((wanted - least) / span, 0.0, 1.0)) if span > 0 else 0.0
    blended: Floats = lower + between * (upper - lower)
    return blended

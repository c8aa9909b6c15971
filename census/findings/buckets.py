"""Into which bucket of prefill does an interval fall?

Method: exactly 0 is a bucket of its own (lo = hi = 0); the next holds what is above 0 and below the first
edge; then [lo, hi); the last is open (hi None). Intervals whose prefill is unknown fall in none.

Misleads: a bucket of one long stretch holds many intervals and one episode; so episodes (maximal runs of
adjoining intervals) are counted, and a bucket of few gives no interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from census.model.settings import Settings

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Prefill tokens per second in [lo, hi); lo = hi = 0 is none, hi None is open."""

    lo: float
    hi: float | None


def list_buckets(settings: Settings) -> tuple[Bucket, ...]:
    """Return all buckets, from no prefill up."""
    edges = (0.0, *settings.edges)
    inner = (Bucket(lo=low, hi=high) for low, high in pairwise(edges))
    return (Bucket(lo=0.0, hi=0.0), *inner, Bucket(lo=edges[-1], hi=None))


def place_in_buckets(rates: Floats, settings: Settings) -> Ints:
    """Return the index of each rate's bucket, -1 where the rate is unknown."""
    place = 1 + np.searchsorted(np.asarray(settings.edges), np.nan_to_num(rates), side="right")
    place = np.where(rates == 0, 0, place)
    return np.where(np.isfinite(rates), place, -1).astype(np.int64)


def count_episodes(member: Flags, segments: Ints) -> int:
    """Return the number of maximal runs of adjoining member intervals; segments part what does not adjoin."""
    begins = member.copy()
    begins[1:] &= ~(member[:-1] & (segments[1:] == segments[:-1]))
    return int(begins.sum())

"""Raw samples of one series, as scraped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Series:
    """One series.

    Attributes
    ----------
    labels : all labels, ``__name__`` included.
    times_ms : int64, shape (n,), strictly rising, as scraped.
    values : float64, shape (n,); no stale markers.
    """

    labels: Mapping[str, str]
    times_ms: NDArray[np.int64]
    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        """Refuse shapes that differ and times that do not rise."""
        if self.times_ms.shape != self.values.shape or self.times_ms.ndim != 1:
            raise ValueError("times_ms and values must be vectors of one length")
        if self.times_ms.size > 1 and not bool(np.all(np.diff(self.times_ms) > 0)):
            raise ValueError(f"times of {dict(self.labels)} do not rise")

    @property
    def name(self) -> str:
        """The metric name."""
        return self.labels.get("__name__", "")

    @classmethod
    def empty(cls, labels: Mapping[str, str]) -> Series:
        """Return a series without samples."""
        return cls(labels=labels, times_ms=np.empty(0, dtype=np.int64), values=np.empty(0, dtype=np.float64))

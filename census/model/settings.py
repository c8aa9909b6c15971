"""Every modelling choice, in one frozen value that each report prints."""

from __future__ import annotations

from dataclasses import dataclass

from census.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The choices behind the numbers.

    Attributes
    ----------
    edges : inner edges of the prefill buckets, computed prefill tokens per second, rising, all above 0.
    level : coverage of every interval.
    resamples : bootstrap resamples.
    min_episodes : a bucket of fewer separate episodes gives no interval.
    min_class_steps : a step class with fewer steps has no mean.
    gap_factor : an interval longer than this many local median spacings is a gap.
    gap_neighbours : how many intervals each side make the local median spacing.
    max_lag_s : the longest lag of the lag test, each sign.
    detrend_factor : the running median that removes drift spans at least this many times ``max_lag_s``.
    shifts : circular shifts for the family-wise p.
    practical_share : an effect smaller than this share of the baseline is nobody's problem.
    min_loaded_intervals : fewer loaded intervals than this is inconclusive.
    rival_share : a verdict stands only if its rivals explain less than this share of the loss.
    burst_gap_s : events closer than this belong to one burst.
    burst_window_s : the window of "the most in any".
    ttft_thresholds_s : shares of requests over these are printed.
    ladder : the rungs N that are priced.
    """

    edges: tuple[float, ...] = (500.0, 1000.0, 2000.0, 5000.0)
    level: float = 0.95
    resamples: int = 1000
    min_episodes: int = 5
    min_class_steps: int = 30
    gap_factor: float = 2.5
    gap_neighbours: int = 20
    max_lag_s: float = 300.0
    detrend_factor: float = 4.0
    shifts: int = 999
    practical_share: float = 0.05
    min_loaded_intervals: int = 50
    rival_share: float = 0.20
    burst_gap_s: float = 120.0
    burst_window_s: float = 120.0
    ttft_thresholds_s: tuple[float, ...] = (1.0, 5.0, 10.0, 30.0)
    ladder: tuple[int, ...] = (0, 1, 2, 4, 8, 16)

    def __post_init__(self) -> None:
        """Refuse edges that are not rising and positive, and levels outside 0..1."""
        if not self.edges or any(edge <= 0 for edge in self.edges):
            raise UsageError(
                "bucket edges must be above 0 tok/s", hint="for example --edges 500,1000,2000,5000"
            )
        if list(self.edges) != sorted(set(self.edges)):
            raise UsageError(
                f"bucket edges {list(self.edges)} do not rise", hint="for example --edges 500,1000,2000,5000"
            )
        if not 0.5 <= self.level < 1:
            raise UsageError(f"level {self.level} is not between 0.5 and 1")

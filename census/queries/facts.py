"""What is known of a series before, or without, its samples: labels, and the span that its samples cover."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # keeps numpy out of the gates
    from census.capture.series import Series


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesFacts:
    """Labels with ``__name__``; span and number of samples, None where not asked for."""

    labels: Mapping[str, str]
    first_ms: int | None
    last_ms: int | None
    samples: int | None

    @property
    def name(self) -> str:
        """The metric name."""
        return self.labels.get("__name__", "")


def facts_of(series: Iterable[Series]) -> tuple[SeriesFacts, ...]:
    """Return what is known of series whose samples are at hand."""
    return tuple(
        SeriesFacts(
            labels=one.labels,
            first_ms=int(one.times_ms[0]) if one.times_ms.size else None,
            last_ms=int(one.times_ms[-1]) if one.times_ms.size else None,
            samples=int(one.times_ms.size),
        )
        for one in series
    )


def facts_of_labels(label_sets: Iterable[Mapping[str, str]]) -> tuple[SeriesFacts, ...]:
    """Return what is known of series of which only labels are at hand."""
    return tuple(SeriesFacts(labels=one, first_ms=None, last_ms=None, samples=None) for one in label_sets)

"""From a capture on disk to the timeline of one of its engines."""

from __future__ import annotations

from census.capture.folder import Capture
from census.model.settings import Settings
from census.model.window import Window
from census.timeline.build import build_timeline
from census.timeline.corrections import correct
from census.timeline.timeline import Timeline


def load_timeline(
    capture: Capture, key: str, *, settings: Settings, window: Window | None = None
) -> Timeline:
    """Return the timeline of the engine of this key, over the capture's window or a part of it.

    What the samples contradict in their profile is taken back (``corrections``).

    Raises
    ------
    UsageError : the capture has no such engine.
    InconclusiveError : fewer than two scrapes in the window.
    """
    entry = capture.engine(key)
    ids = sorted({one for binding in entry.roles for part in binding.parts for one in part.series})
    series = dict(zip(ids, capture.series(ids), strict=True))
    return correct(build_timeline(entry, series, window=window or capture.manifest.window, settings=settings))

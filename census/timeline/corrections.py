"""What do the samples themselves say against their profile, and what is then taken back?

Method: a token counter that moves only when requests end gets that clock (``observed_clocks``), so that
findings which need rates between scrapes refuse it; a step counter that counts front-ends is removed
(``front_ends``).
"""

from __future__ import annotations

from census.timeline.front_ends import refuse_front_end_steps
from census.timeline.observed_clocks import correct_clocks
from census.timeline.timeline import Timeline


def correct(timeline: Timeline) -> Timeline:
    """Return the timeline with what its samples contradict taken back."""
    return refuse_front_end_steps(correct_clocks(timeline))

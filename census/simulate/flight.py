"""What does the scheduler know of one request while it lives?

Method: plain mutable state, ordered by arrival. ``row_at`` is its place in the acceptance pool,
``span_from`` the row step from which on it has had a row in each, ``token_s`` the moment of the chunk that
gave a token just before that.
"""

from __future__ import annotations

import math

from census.simulate.traffic import Requests


class Flight:
    """One accepted request while a process lives."""

    __slots__ = (
        "admitted",
        "cached",
        "computed",
        "context",
        "end_row_step",
        "end_s",
        "first_s",
        "index",
        "output",
        "place",
        "preemptions",
        "prompt",
        "remaining",
        "row_at",
        "rows_left",
        "scheduled_s",
        "span_from",
        "submit_s",
        "token_s",
        "version",
    )

    def __init__(self, place: int, index: int, *, submit_s: float, requests: Requests) -> None:
        """Begin outside the queue."""
        self.place = place
        self.index = index
        self.submit_s = submit_s
        self.prompt = int(requests.prompt[index])
        self.cached = int(requests.cached[index])
        self.remaining = self.prompt - self.cached
        self.rows_left = int(requests.rows[index])
        self.row_at = int(requests.offset[index])
        self.scheduled_s = math.nan
        self.first_s = math.nan
        self.token_s = math.nan
        self.end_s = math.nan
        self.end_row_step = -1
        self.span_from = -1
        self.version = 0
        self.admitted = False
        self.computed = 0
        self.output = 0
        self.context = 0
        self.preemptions = 0

    def __lt__(self, other: Flight) -> bool:
        """Order by arrival."""
        return self.place < other.place

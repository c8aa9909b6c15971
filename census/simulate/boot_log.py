"""What did one process do, as arrays?

Method: the segments as they were noted; the tokens of every step with decode rows, added up from the
acceptance pool over the spans in which each request had a row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from census.simulate.engine_state import EngineState
from census.simulate.run import SEGMENT_COLUMNS, BootLog, RequestLog, Segments, Spans

FLOAT_COLUMNS = frozenset({"start_s", "end_s", "step_cost", "spilled_in", "spilled_out"})


def build_log(state: EngineState, index: int, *, process_start_s: float) -> BootLog:
    """Return the log of a process that has been played to its end."""
    for flight in sorted(state.decoding):
        state.close_span(flight)
    rows, reached = _row_step_sums(state)
    admissions = np.array(state.admissions, dtype=float).reshape(-1, 3)
    return BootLog(
        index=index,
        process_start_s=process_start_s,
        ready_s=state.ready_s,
        end_s=state.end_s,
        interleave=state.interleave,
        segments=_segments(state),
        requests=_requests(state),
        row_step_rows=rows,
        row_step_tokens=rows + sum(reached, np.zeros_like(rows)),
        row_step_accepted=tuple(reached),
        spans=_spans(state),
        admitted_s=admissions[:, 0],
        admitted_prompt=admissions[:, 1].astype(np.int64),
        admitted_cached=admissions[:, 2].astype(np.int64),
        preempted_s=np.array(state.preempted_s),
        rejected_s=np.array(state.rejected_s),
    )


def _segments(state: EngineState) -> Segments:
    table = np.frombuffer(state.segments, dtype=np.float64).reshape(-1, len(SEGMENT_COLUMNS))
    columns = {
        name: table[:, place].copy() if name in FLOAT_COLUMNS else table[:, place].astype(np.int64)
        for place, name in enumerate(SEGMENT_COLUMNS)
    }
    return Segments(**columns)  # type: ignore[arg-type]


def _row_step_sums(state: EngineState) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Return running sums over row steps: rows, and drafts accepted at each position."""
    size = state.row_step
    accepted = state.machine.pool.accepted
    drafts = len(state.world.acceptance)
    kept = [(accepted > position).astype(np.int16) for position in range(drafts)]
    dense = np.zeros((drafts, size), dtype=np.int16)
    edges = np.zeros(size + 1, dtype=np.int64)
    for begin, count, at, _, _ in state.spans:
        for position in range(drafts):
            dense[position, begin : begin + count] += kept[position][at : at + count]
        edges[begin] += 1
        edges[begin + count] -= 1
    rows = np.cumsum(edges)[:size]
    return _running(rows), [_running(line) for line in dense]


def _spans(state: EngineState) -> Spans:
    table = np.array(
        [(begin, count, place, since) for begin, count, _, place, since in state.spans], dtype=float
    ).reshape(-1, 4)
    return Spans(
        row_step=table[:, 0].astype(np.int64),
        rows=table[:, 1].astype(np.int64),
        request=table[:, 2].astype(np.int64),
        after_chunk_s=table[:, 3],
    )


def _running(values: NDArray[np.integer]) -> NDArray[np.int64]:
    total = np.zeros(values.size + 1, dtype=np.int64)
    np.cumsum(values, out=total[1:])
    return total


def _requests(state: EngineState) -> RequestLog:
    flights = state.flights
    index = np.array([flight.index for flight in flights], dtype=np.int64)
    requests = state.machine.requests

    def floats(name: str) -> NDArray[np.float64]:
        return np.array([getattr(flight, name) for flight in flights], dtype=np.float64)

    def ints(name: str) -> NDArray[np.int64]:
        return np.array([getattr(flight, name) for flight in flights], dtype=np.int64)

    return RequestLog(
        index=index,
        submit_s=floats("submit_s"),
        scheduled_s=floats("scheduled_s"),
        first_token_s=floats("first_s"),
        end_s=floats("end_s"),
        prompt=ints("prompt"),
        cached=requests.cached[index],
        computed=ints("computed"),
        output=ints("output"),
        preemptions=ints("preemptions"),
    )

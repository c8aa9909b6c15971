"""How do raw samples lie on disk? One long Parquet table: series id, milliseconds, value.

Columns ``series`` int32 (run lengths), ``t_ms`` int64 (delta packed), ``value`` float64 (byte streams),
sorted by series and time. A series is never cut by a row group, and a row group holds about half a million
samples: so some series of a big capture are read without the others, in bounded memory. NaN is a legal
value; stale markers never come in, because a range of raw samples ends where the series ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from census.capture.series import Series
from census.errors import CaptureError

ROWS_PER_GROUP = 500_000
_SCHEMA = pa.schema([("series", pa.int32()), ("t_ms", pa.int64()), ("value", pa.float64())])


class SamplesWriter:
    """Writes series one after another; ids count from 0 in the order of writing."""

    def __init__(self, path: Path) -> None:
        self._writer = pq.ParquetWriter(
            path,
            _SCHEMA,
            compression="zstd",
            use_dictionary=["series"],
            column_encoding={"t_ms": "DELTA_BINARY_PACKED", "value": "BYTE_STREAM_SPLIT"},
            write_statistics=["series"],
        )
        self._pending: list[Series] = []
        self._pending_rows = 0
        self._next_id = 0

    def __enter__(self) -> SamplesWriter:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        """Write what is pending and close the file."""
        if kind is None:
            self._flush()
        self._writer.close()

    def add(self, series: Series) -> None:
        """Take the next series."""
        self._pending.append(series)
        self._pending_rows += series.times_ms.size
        if self._pending_rows >= ROWS_PER_GROUP:
            self._flush()

    def _flush(self) -> None:
        sizes = [one.times_ms.size for one in self._pending]
        ids = np.arange(self._next_id, self._next_id + len(sizes), dtype=np.int32)
        self._next_id += len(sizes)
        if self._pending_rows:
            columns = [
                np.repeat(ids, sizes),
                np.concatenate([one.times_ms for one in self._pending]),
                np.concatenate([one.values for one in self._pending]),
            ]
            table = pa.Table.from_arrays([pa.array(column) for column in columns], schema=_SCHEMA)
            self._writer.write_table(table, row_group_size=self._pending_rows)
        self._pending = []
        self._pending_rows = 0


def count_rows(path: Path) -> int:
    """Return how many samples the file holds, from its footer alone."""
    return int(_open(path).metadata.num_rows)


def read_samples(
    path: Path, *, wanted: Collection[int]
) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.float64]]]:
    """Yield (id, times, values) of the wanted series in rising id, holding one row group at a time.

    Series without samples are not in the file and do not come.
    """
    file = _open(path)
    for group in range(file.metadata.num_row_groups):
        lowest, highest = _id_span(file.metadata.row_group(group).column(0))
        if not any(lowest <= one <= highest for one in wanted):
            continue
        try:
            table = file.read_row_group(group)
        except (pa.ArrowException, OSError) as error:
            raise CaptureError(f"{path} is damaged: {_first_line(error)}", hint="pull it again") from error
        yield from _cut_by_series(table, wanted=wanted)


def _cut_by_series(
    table: pa.Table, *, wanted: Collection[int]
) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.float64]]]:
    ids = table.column("series").to_numpy()
    times = table.column("t_ms").to_numpy()
    values = table.column("value").to_numpy()
    starts = np.flatnonzero(np.diff(ids, prepend=ids[0] - 1))
    for start, stop in zip(starts, [*starts[1:], ids.size], strict=True):
        if int(ids[start]) in wanted:
            yield int(ids[start]), times[start:stop].copy(), values[start:stop].copy()


def _id_span(column: Any) -> tuple[int, int]:
    statistics = column.statistics
    return int(statistics.min), int(statistics.max)


def _open(path: Path) -> Any:
    try:
        return pq.ParquetFile(path)
    except FileNotFoundError as error:
        raise CaptureError(f"{path} is missing", hint="pull it again") from error
    except (pa.ArrowException, OSError) as error:
        raise CaptureError(
            f"{path} is no readable Parquet file: {_first_line(error)}", hint="pull it again"
        ) from error


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]

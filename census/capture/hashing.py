"""Are these the same samples? One sha256 over canonical samples, whatever file or server they came from.

Each series is digested alone: its labels as JSON (keys sorted, no blanks, UTF-8), a newline, then its times
as little-endian int64 milliseconds and its values as little-endian float64 bits. The capture's hash is the
sha256 over the lines ``labels JSON, blank, digest, newline``, sorted by labels JSON. So the order in which
series were fetched does not matter, and a capture can be hashed series by series in bounded memory.

It misleads nowhere that we know of, with one choice to know: every NaN counts as the same NaN. Text answers
of a server do not tell one NaN from another, binary ones do, and both must give one hash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

import numpy as np

from census.capture.series import Series

_ONE_NAN = np.array([0x7FF8000000000000], dtype="<u8").view("<f8")[0]


def labels_json(labels: Mapping[str, str]) -> str:
    """Return the canonical text of a label set."""
    return json.dumps(dict(labels), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def series_digest(series: Series) -> str:
    """Return the hex sha256 of one series."""
    values = series.values.astype("<f8", copy=False)
    missing = np.isnan(values)
    if bool(missing.any()):
        values = values.copy()
        values[missing] = _ONE_NAN
    digest = hashlib.sha256(labels_json(series.labels).encode())
    digest.update(b"\n")
    digest.update(np.ascontiguousarray(series.times_ms.astype("<i8", copy=False)).data)
    digest.update(np.ascontiguousarray(values).data)
    return digest.hexdigest()


def combine_digests(digests: Iterable[tuple[Mapping[str, str], str]]) -> str:
    """Return the hash of a capture from (labels, digest) of each series, in any order."""
    lines = sorted(f"{labels_json(labels)} {digest}\n" for labels, digest in digests)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def canonical_sha256(series: Iterable[Series]) -> str:
    """Return the hash of these series, in any order."""
    return combine_digests((one.labels, series_digest(one)) for one in series)

"""How do series get into a real Prometheus? As OpenMetrics text, one file for each two hours.

Method: ``promtool tsdb create-blocks-from openmetrics FILE DATADIR`` makes blocks of two hours and reads
its whole input once for each, so that one file a block loads several times faster than one file for all.
Counter families lose their ``_total`` in the TYPE line, as the format wants; values are shortest
round-trip decimals, times have milliseconds.
When it misleads: a stale marker has no text; a series that ends simply stops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path

import numpy as np

from census.capture.series import Series
from census.simulate.exposure import escape
from census.simulate.run import Ints

BLOCK_MS = 7_200_000


def write_openmetrics(series: Sequence[Series], folder: Path) -> tuple[Path, ...]:
    """Write one file for each block of two hours that holds samples; return them in time order.

    Parameters
    ----------
    series : of any number of targets; names tell counters (``_total``) and histograms (``_bucket`` and
        siblings).
    folder : made if it is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ordered = sorted(
        (one for one in series if one.times_ms.size),
        key=lambda one: (family_of(one.name), one.name, sorted(one.labels.items())),
    )
    if not ordered:
        return ()
    heads = [(family_of(one.name), _head(one)) for one in ordered]
    paths = []
    first = min(int(one.times_ms[0]) for one in ordered) // BLOCK_MS
    last = max(int(one.times_ms[-1]) for one in ordered) // BLOCK_MS
    for block in range(first, last + 1):
        window = (block * BLOCK_MS, (block + 1) * BLOCK_MS)
        path = folder / f"block-{block - first:03d}.txt"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(_lines(ordered, heads, window=window))
        paths.append(path)
    return tuple(paths)


def family_of(name: str) -> tuple[str, str]:
    """Return the OpenMetrics family of a sample name and its type, told from the name alone."""
    if name.endswith("_total"):
        return name.removesuffix("_total"), "counter"
    for suffix in ("_bucket", "_sum", "_count"):
        if name.endswith(suffix):
            return name.removesuffix(suffix), "histogram"
    return name, "gauge"


def _head(one: Series) -> str:
    labels = ",".join(
        f'{key}="{escape(value)}"' for key, value in sorted(one.labels.items()) if key != "__name__"
    )
    return f"{one.name}{{{labels}}}"


def _lines(
    ordered: Sequence[Series],
    heads: Sequence[tuple[tuple[str, str], str]],
    *,
    window: tuple[int, int],
) -> Iterator[str]:
    """Yield the text of one block, series by series; the texts of a shared time vector are made once."""
    texts: dict[int, list[str]] = {}
    begun = None
    for one, (family, head) in zip(ordered, heads, strict=True):
        low, high = np.searchsorted(one.times_ms, window)
        if low == high:
            continue
        if family != begun:
            begun = family
            yield f"# TYPE {family[0]} {family[1]}\n"
        key = id(one.times_ms)
        if key not in texts:
            texts[key] = _time_texts(one.times_ms[low:high])
        values = map(_value_text, one.values[low:high].tolist())
        yield "".join([f"{head} {value} {time}\n" for value, time in zip(values, texts[key], strict=True)])
    yield "# EOF\n"


def _value_text(value: float) -> str:
    return repr(value) if isfinite(value) else {"inf": "+Inf", "-inf": "-Inf", "nan": "NaN"}[repr(value)]


def _time_texts(times_ms: Ints) -> list[str]:
    return [f"{time // 1000}.{time % 1000:03d}" for time in times_ms.tolist()]

"""Is this metric that metric, in another spelling?

The same family reaches a Prometheus as ``vllm:x``, ``vllm_x``, ``ray_vllm_x`` or ``ray_vllm:x``, a counter
with or without ``_total``. A canonical name undoes the prefix; the suffix is compared by what a name is
looked for as. A gauge is never found under ``_total``, and ``iteration_tokens_total`` stays the histogram
that it is.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from census.capture.manifest import Component, Kind

RAY = "ray_"
TOTAL = "_total"
_HISTOGRAM_SUFFIXES: tuple[tuple[str, Component], ...] = (
    ("_bucket", "bucket"),
    ("_sum", "sum"),
    ("_count", "count"),
)


def canonical_name(name: str, *, namespaces: Iterable[str]) -> str:
    """Return the name with its namespace written ``namespace:rest``; other names come back as they are."""
    bare = name.removeprefix(RAY)
    for namespace in namespaces:
        if bare.startswith((f"{namespace}:", f"{namespace}_")):
            return f"{namespace}:{bare[len(namespace) + 1 :]}"
    return name


def component_of(canonical: str, *, wanted: str, kind: Kind) -> Component | None:
    """Return which part of the wanted metric this canonical name is, None where it is none.

    >>> component_of("vllm:ttft_bucket", wanted="vllm:ttft", kind="histogram")
    'bucket'
    >>> component_of("vllm:preemptions", wanted="vllm:preemptions_total", kind="counter")
    'value'
    """
    if kind == "histogram":
        return next((part for suffix, part in _HISTOGRAM_SUFFIXES if canonical == wanted + suffix), None)
    if canonical == wanted:
        return "value"
    if kind == "counter" and canonical.removesuffix(TOTAL) == wanted.removesuffix(TOTAL):
        return "value"
    return None


def is_signature(canonical: str, *, patterns: Iterable[str]) -> bool:
    """Tell whether a canonical name is one of these families; ``namespace:*`` means any of that namespace."""
    for pattern in patterns:
        if pattern.endswith("*"):
            if canonical.startswith(pattern[:-1]):
                return True
        elif canonical in (pattern, pattern + TOTAL) or any(
            canonical == pattern + suffix for suffix, _ in _HISTOGRAM_SUFFIXES
        ):
            return True
    return False


def base_name(name: str, *, component: Component) -> str:
    """Return the name of the family that a series name belongs to."""
    suffix = next((suffix for suffix, part in _HISTOGRAM_SUFFIXES if part == component), "")
    return name.removesuffix(suffix) if suffix else name


def nearest(wanted: Iterable[str], *, among: Iterable[str]) -> str | None:
    """Return the name that looks most like one of the wanted ones, None where none comes near."""
    known = sorted(set(among))
    best: tuple[float, str] | None = None
    for name in wanted:
        for close in difflib.get_close_matches(name, known, n=1, cutoff=0.7):
            score = difflib.SequenceMatcher(a=name, b=close).ratio()
            if best is None or score > best[0]:
                best = (score, close)
    return best[1] if best else None

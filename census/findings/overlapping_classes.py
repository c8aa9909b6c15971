"""How many steps were decode-only, mixed and prefill-only, if the engine counts overlapping classes?

Method: some engines count every step with decode rows and every step with a chunk; a mixed step is in both.
With the total, mixed = with rows + with chunks - total. Without it the two counts only bound the classes.

Misleads: the counts must be of the same steps; a total that holds empty steps makes mixed too small.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Least and most steps of a class; equal where it is known."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassSplit:
    """The three classes that exclude one another."""

    decode_only: Bounds
    mixed: Bounds
    prefill_only: Bounds


def split_overlapping(*, with_rows: float, with_chunks: float, total: float | None) -> ClassSplit:
    """Return the classes, exact where the total is known.

    Raises
    ------
    ValueError : the counts cannot be of the same steps.

    Examples
    --------
    >>> split_overlapping(with_rows=990, with_chunks=47, total=1000).mixed
    Bounds(low=37, high=37)
    """
    if total is None:
        shared = min(with_rows, with_chunks)
        return ClassSplit(
            decode_only=Bounds(low=with_rows - shared, high=with_rows),
            mixed=Bounds(low=0, high=shared),
            prefill_only=Bounds(low=with_chunks - shared, high=with_chunks),
        )
    mixed = with_rows + with_chunks - total
    if not 0 <= mixed <= min(with_rows, with_chunks):
        raise ValueError(
            f"{with_rows} steps with rows and {with_chunks} with chunks do not make {total} steps"
        )
    return ClassSplit(
        decode_only=Bounds(low=with_rows - mixed, high=with_rows - mixed),
        mixed=Bounds(low=mixed, high=mixed),
        prefill_only=Bounds(low=with_chunks - mixed, high=with_chunks - mixed),
    )

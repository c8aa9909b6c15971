"""What does a row of numbers look like, in letters? Bars and spark rows of block characters, for markdown."""

from __future__ import annotations

EIGHTHS = "▏▎▍▌▋▊▉█"
HEIGHTS = "▁▂▃▄▅▆▇█"


def bar(share: float | None, *, width: int = 10) -> str:
    """Return a horizontal bar, ``width`` characters where the share is 1; "" where there is none."""
    if share is None or share <= 0:
        return ""
    eighths = max(1, min(width * 8, round(share * width * 8)))
    whole, rest = divmod(eighths, 8)
    return EIGHTHS[-1] * whole + (EIGHTHS[rest - 1] if rest else "")


def spark(values: tuple[float | None, ...], *, full: float) -> str:
    """Return one character a value, its height the share of ``full``; a dot where there is none."""
    return "".join("·" if value is None else HEIGHTS[_height(abs(value), full)] for value in values)


def _height(value: float, full: float) -> int:
    return 0 if full <= 0 else max(0, min(7, round(value / full * 7)))

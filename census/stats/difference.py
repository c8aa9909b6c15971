"""How far apart are two independent values, e.g. of the windows before and after a deploy?

Method: each side keeps its own interval, whose two half widths may differ; half widths add in squares, at
the degrees of freedom of the sum (Welch and Satterthwaite).

Misleads: two windows of one server share their users; what both saw cancels only if it stayed the same.
"""

from __future__ import annotations

import math

from census.stats.interval import Interval, no_interval, t_quantile


def interval_of_difference(after: Interval, before: Interval, *, level: float) -> Interval:
    """Bound the difference of two independent values (after less before).

    Parameters
    ----------
    after, before : intervals at the same level, of one unit.
    level : that level.

    References
    ----------
    Satterthwaite, F. E. (1946), An approximate distribution of estimates of variance components, Biometrics
    Bulletin 2(6).

    Examples
    --------
    >>> one = Interval(
    ...     value=2.0, low=1.0, high=3.0, standard_error=0.5, degrees=20, n_effective=99.0, why_none=""
    ... )
    >>> interval_of_difference(one, one, level=0.95).value
    0.0
    """
    value = after.value - before.value
    n_effective = min(after.n_effective, before.n_effective)
    if after.low is None or after.high is None or before.low is None or before.high is None:
        return no_interval(value, 0, n_effective, after.why_none or before.why_none)
    variances = (after.standard_error**2, before.standard_error**2)
    counts = (max(after.degrees, 1), max(before.degrees, 1))
    parts = variances[0] ** 2 / counts[0] + variances[1] ** 2 / counts[1]
    degrees = int(sum(variances) ** 2 / parts) if parts > 0 else min(counts)
    wanted = t_quantile(max(degrees, 1), level)
    after_scale, before_scale = (wanted / t_quantile(count, level) for count in counts)
    down = math.hypot((after.value - after.low) * after_scale, (before.high - before.value) * before_scale)
    up = math.hypot((after.high - after.value) * after_scale, (before.value - before.low) * before_scale)
    return Interval(
        value=value,
        low=value - down,
        high=value + up,
        standard_error=math.sqrt(sum(variances)),
        degrees=degrees,
        n_effective=n_effective,
        why_none="",
    )

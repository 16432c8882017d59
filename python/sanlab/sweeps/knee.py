"""The knee of a curve of latency against load."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The rule, as it is named beside every knee.
RULE = "largest IOPS / mean response time (Kleinrock's power)"
#: Largest IOPS over smallest ones from which a curve grows at all.
GROWS = 1.05


def knee(iops: Sequence[float], response: Sequence[float]) -> int | None:
    """Index of the point with the largest power, IOPS over mean response time.

    Below it more load brings more IOPS than latency, above it more latency than IOPS: Kleinrock,
    *Power and deterministic rules of thumb for probabilistic problems in computer communications*,
    ICC 1979. None if the first or the last point has it, or if IOPS stay within 5 %: then the curve
    shows no knee.

    >>> knee([10, 20, 40, 42], [1.0, 1.0, 1.1, 2.0])
    2
    >>> knee([100.0, 100.1, 99.9], [5.0, 5.0, 5.0]) is None
    True
    """
    power = [rate / time if time > 0 else 0.0 for rate, time in zip(iops, response, strict=True)]
    if len(power) < 3 or max(iops) < GROWS * min(iops):
        return None
    best = max(range(len(power)), key=lambda index: (power[index], -index))
    return best if 0 < best < len(power) - 1 else None

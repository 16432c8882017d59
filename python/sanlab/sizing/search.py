"""The last position that meets the goals, by sections in parallel."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Point = TypeVar("Point")


@dataclass(frozen=True)
class Found(Generic[Point]):
    """The edge between positions that meet the goals and positions that miss them.

    Attributes
    ----------
    points
        All that were simulated, by position in order.
    last
        The position at the edge that meets the goals; None if none does.
    beyond
        Its neighbour that misses them; None if none does.
    is_upward
        Positions up to `last` meet the goals; else those from `last` on.
    odd
        Positions that contradict the edge: the goals are met and missed in turns.
    """

    points: dict[int, Point]
    last: int | None
    beyond: int | None
    is_upward: bool
    odd: tuple[int, ...]


def search(
    count: int,
    measure: Callable[[Sequence[int]], Sequence[Point]],
    is_met: Callable[[Point], bool],
    width: int,
    is_possible: Callable[[Point], bool] = lambda _: True,
) -> Found[Point]:
    """Find the edge among `count` positions; both ends are simulated first.

    A position that is not possible counts as one that misses, unless both beside it are possible:
    of RAID 10 every second number of drives is refused, which says nothing about the goals.

    Parameters
    ----------
    measure
        Simulates positions, in parallel.
    width
        Positions in each round.

    >>> found = search(1000, lambda at: at, lambda position: position <= 617, 2)
    >>> found.last, found.beyond, len(found.points) < 20
    (617, 618, True)
    """
    points: dict[int, Point] = {}

    def look(positions: Sequence[int]) -> None:
        new = [at for at in dict.fromkeys(positions) if at not in points]
        points.update(zip(new, measure(new), strict=True))

    def is_gap(at: int) -> bool:
        """Whether a position is not possible, and both beside it are."""
        beside = [points[near] for near in (at - 1, at + 1) if near in points]
        return (
            not is_possible(points[at])
            and len(beside) == 2
            and all(is_possible(point) for point in beside)
        )

    look([0, count - 1])
    first, final = is_met(points[0]), is_met(points[count - 1])
    if first == final:
        return _without_edge(points, count, is_met)
    good, bad = (0, count - 1) if first else (count - 1, 0)
    while True:
        low, high = sorted((good, bad))
        left = [at for at in range(low + 1, high) if at not in points]
        if not left:
            break
        inner = min(width, high - low - 1)
        wanted = [low + (high - low) * step // (inner + 1) for step in range(1, inner + 1)]
        new = [left[min(bisect_left(left, at), len(left) - 1)] for at in wanted]
        look(new)
        refused = [at for at in new if not is_possible(points[at])]
        look([near for at in refused for near in (at - 1, at + 1) if low < near < high])
        between = [at for at in sorted(points) if low <= at <= high]
        between = [at for at in between if at in (good, bad) or not is_gap(at)]
        if not first:
            between.reverse()
        # The first position that misses is the new end, so that odd ones beyond do not matter.
        misses = next(place for place, at in enumerate(between) if not is_met(points[at]))
        good, bad = between[misses - 1], between[misses]
    odd = tuple(
        at
        for at in sorted(points)
        if not is_gap(at) and is_met(points[at]) != ((at <= good) if first else (at >= good))
    )
    return Found(dict(sorted(points.items())), good, bad, first, odd)


def _without_edge(
    points: dict[int, Point], count: int, is_met: Callable[[Point], bool]
) -> Found[Point]:
    """Both ends alike: all positions meet the goals, or none."""
    met = is_met(points[0])
    return Found(
        dict(sorted(points.items())), count - 1 if met else None, None if met else 0, True, ()
    )

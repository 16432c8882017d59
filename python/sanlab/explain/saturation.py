"""Times in which a port or a station is busy all the time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sanlab.simulation.tables import numbers, texts

if TYPE_CHECKING:
    import numpy.typing as npt

    from sanlab.results.record import Record

#: Utilisation from which a transmitter or a station counts as saturated.
SATURATED = 0.9
#: Utilisation below which it no longer does.
RELAXED = 0.7
#: Share of the bins of a window that are most of them.
MOST = 0.5
#: Time lines with a use of elements: table, column of the name, column of the use.
_LINES = (
    ("port_series", "port", "tx_utilisation"),
    ("station_series", "station", "utilisation"),
)
#: Smallest share of the run for which an element is full.
LEAST_SHARE = 0.1
#: Most elements: the ones that are full longest.
MOST_ELEMENTS = 4


def saturations(run: Record, ends: npt.NDArray[np.int64]) -> list[tuple[int, str]]:
    """Return when elements become full and when they no longer are, each in words.

    Parameters
    ----------
    ends
        Ends of the bins, in ps. Only the longest time of each element counts.
    """
    longest: list[tuple[int, int, int, str]] = []
    for table, name, column in _LINES:
        if table not in run.tables or not run.table(table).num_rows:
            continue
        used = numbers(run.table(table), column).astype(np.float64).reshape(len(ends), -1)
        names = texts(run.table(table), name)
        for place in np.flatnonzero((used >= SATURATED).mean(axis=0) >= LEAST_SHARE):
            first, last = _longest(used[:, place] >= RELAXED)
            is_full = used[first:last, place].mean() >= SATURATED
            if is_full and last - first >= LEAST_SHARE * len(ends):
                longest.append((first - last, first, last, str(names[place])))
    found = []
    for _, first, last, name in sorted(longest)[:MOST_ELEMENTS]:
        if first > 0:
            found.append((int(ends[first - 1]), f"{name} is busy all the time"))
        if last < len(ends):
            found.append((int(ends[last - 1]), f"{name} is no longer busy all the time"))
    return found


def _longest(full: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """First bin of the longest time in which all bins are full, and the first bin after it."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], full, [False]]).astype(np.int8)))
    begins, ends = edges[::2], edges[1::2]
    place = int(np.argmax(ends - begins))
    return int(begins[place]), int(ends[place])

"""Times in which a part of a run is busy, or holds something back, all the time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sanlab.explain.parts import line_of
from sanlab.results.loops import name_of_string, stacks, stopped_share
from sanlab.simulation.tables import numbers, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

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
#: Most elements of the time lines, and most of the other parts: the ones that are full longest.
MOST_ELEMENTS = 4
_BUSY = ("is busy all the time", "is no longer busy all the time")
_HOLDS = ("holds back all the time", "no longer holds back all the time")


@dataclass(frozen=True)
class _Full:
    """Use of elements in each bin, shape (bins, elements), and what to say when one is full."""

    names: list[str]
    used: npt.NDArray[np.float64]
    words: tuple[str, str] = _BUSY


def saturations(run: Record, ends: npt.NDArray[np.int64]) -> list[tuple[int, str]]:
    """Return when elements become full and when they no longer are, each in words.

    Parameters
    ----------
    ends
        Ends of the bins, in ps. Only the longest time of each element counts.
    """
    return [
        *_turns(_elements(run, len(ends)), ends),
        *_turns((*_loops(run, ends), *_limits(run, ends), *_servers(run)), ends),
    ]


def _turns(
    lines: Iterator[_Full] | tuple[_Full, ...], ends: npt.NDArray[np.int64]
) -> list[tuple[int, str]]:
    """When the elements that are full longest become so, and when they no longer are."""
    longest: list[tuple[int, int, int, str, tuple[str, str]]] = []
    for line in lines:
        for place in np.flatnonzero((line.used >= SATURATED).mean(axis=0) >= LEAST_SHARE):
            first, last = _longest(line.used[:, place] >= RELAXED)
            is_full = line.used[first:last, place].mean() >= SATURATED
            if is_full and last - first >= LEAST_SHARE * len(ends):
                longest.append((first - last, first, last, line.names[place], line.words))
    found = []
    for _, first, last, name, (begins, stops) in sorted(longest)[:MOST_ELEMENTS]:
        if first > 0:
            found.append((int(ends[first - 1]), f"{name} {begins}"))
        if last < len(ends):
            found.append((int(ends[last - 1]), f"{name} {stops}"))
    return found


def _elements(run: Record, bins: int) -> Iterator[_Full]:
    """Ports and stations."""
    for table, name, column in _LINES:
        if table in run.tables and run.table(table).num_rows:
            used = numbers(run.table(table), column).astype(np.float64).reshape(bins, -1)
            names = texts(run.table(table), name)[: used.shape[1]].tolist()
            yield _Full(names, used)


def _loops(run: Record, ends: npt.NDArray[np.int64]) -> Iterator[_Full]:
    """Shared loops, the host ports on switched ones together, and strings.

    While a loop is stopped it is not busy.
    """
    line = line_of(run, "loops")
    if line is None:
        return
    owned = line.columns["owned_share"]
    names = [name for (name,) in line.names]
    begins = np.concatenate([[0], ends[:-1]])
    stopped = [
        [stopped_share(run.plan, name, begin, end) for name in names]
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
    ]
    taken = owned + np.maximum(0.0, line.columns["arbitrating_share"] - np.array(stopped))
    others = dict.fromkeys(names, 0)
    for stack in stacks(run.plan).values():
        for loop in stack.loops if stack.is_switched else ():
            others[loop] = sum(plug.loop == loop for plug in stack.plugged)
    switched = {loop["name"] for loop in run.plan["loops"] if loop["medium"]["kind"] == "switched"}
    shown = [place for place, name in enumerate(names) if others[name] or name not in switched]
    columns = [
        owned[:, place] / others[names[place]] if others[names[place]] else taken[:, place]
        for place in shown
    ]
    if columns:
        used = np.minimum(1.0, np.stack(columns, axis=1))
        yield _Full([names[place] for place in shown], used)
    strings = line_of(run, "strings")
    if strings is not None:
        rows = [dict(zip(("loop", "from", "to"), name, strict=True)) for name in strings.names]
        yield _Full([name_of_string(row) for row in rows], strings.columns["utilisation"])


def _limits(run: Record, ends: npt.NDArray[np.int64]) -> Iterator[_Full]:
    """Limits of arrays and of the fabric; full while at least one command or frame waits."""
    spans = np.diff(ends, prepend=0).astype(np.float64)[:, None]
    limits = line_of(run, "limits")
    if limits is not None:
        names = [f"the limit of {name}" for (name,) in limits.names]
        yield _Full(names, np.minimum(1.0, limits.columns["wait_ps"] / spans), _HOLDS)
    pairs = line_of(run, "pairs")
    if pairs is None:
        return
    ports = [port["name"] for port in run.plan["n_ports"]]
    limited = {
        (ports[change["policy"]["source"]], ports[change["policy"]["destination"]])
        for change in run.plan["qos"]
        if change["policy"]["kind"] == "limit"
    }
    own = [place for place, name in enumerate(pairs.names) if name[1:] in limited]
    names = ["the limit from {1} to {2}".format(*pairs.names[place]) for place in own]
    yield _Full(names, np.minimum(1.0, pairs.columns["held_ps"][:, own] / spans), _HOLDS)


def _servers(run: Record) -> Iterator[_Full]:
    """What allocates the blocks of file systems."""
    line = line_of(run, "file_systems")
    if line is not None:
        names = [f"the allocation of blocks for {name}" for (name,) in line.names]
        yield _Full(names, line.columns["allocation_utilisation"])


def _longest(full: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """First bin of the longest time in which all bins are full, and the first bin after it."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], full, [False]]).astype(np.int8)))
    begins, ends = edges[::2], edges[1::2]
    place = int(np.argmax(ends - begins))
    return int(begins[place]), int(ends[place])

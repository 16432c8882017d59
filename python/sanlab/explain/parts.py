"""Rows of loops, strings, limits, pairs, caches and file systems, as they were in a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sanlab.simulation.tables import numbers, texts

if TYPE_CHECKING:
    import numpy.typing as npt

    from sanlab.results.record import Record

Row = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """A table of parts and its time line.

    Attributes
    ----------
    keys
        Columns that name a part.
    sums
        Columns of the time line whose values add up over its bins.
    means
        Columns whose values are means over a bin.
    """

    series: str
    keys: tuple[str, ...]
    sums: tuple[str, ...]
    means: tuple[str, ...] = ()


#: Tables of parts, by name.
KINDS: Final[dict[str, Kind]] = {
    "loops": Kind(
        "loop_series",
        ("loop",),
        ("tenancies_count",),
        ("owned_share", "arbitrating_share", "sending_share"),
    ),
    "strings": Kind("string_series", ("loop", "from", "to"), ("circuits_count",), ("utilisation",)),
    "limits": Kind(
        "limit_series", ("limit",), ("commands_count", "bytes", "delayed_count", "wait_ps")
    ),
    "pairs": Kind(
        "pair_series",
        ("port", "source", "destination"),
        ("tx_frames_count", "tx_bytes", "tx_payload_bytes", "held_ps"),
    ),
    "caches": Kind(
        "cache_series",
        ("controller",),
        ("room_waits_count", "full_ps", "through_count", "alone_ps"),
        ("mean_dirty_bytes",),
    ),
    "file_systems": Kind(
        "file_system_series", ("file_system",), ("allocation_count",), ("allocation_utilisation",)
    ),
}


@dataclass(frozen=True)
class Line:
    """The time line of a table of parts.

    Attributes
    ----------
    names
        Keys of the parts.
    columns
        Each of shape (bins, parts).
    """

    names: list[tuple[str, ...]]
    columns: dict[str, npt.NDArray[np.float64]]


def line_of(run: Record, table: str) -> Line | None:
    """Return the time line of a table of parts; None without one, or without parts."""
    kind = KINDS[table]
    if kind.series not in run.tables or not run.table(kind.series).num_rows:
        return None
    rows = run.table(kind.series)
    ends = np.unique(numbers(rows, "time_ps"))
    width = rows.num_rows // len(ends)
    keys = [texts(rows, key)[:width].tolist() for key in kind.keys]
    columns = {
        column: numbers(rows, column).astype(np.float64).reshape(-1, width)
        for column in (*kind.sums, *kind.means)
    }
    if table == "loops":
        _spread(columns, [loop["medium"]["kind"] != "switched" for loop in run.plan["loops"]], ends)
    return Line(list(zip(*keys, strict=True)), columns)


def _spread(
    columns: dict[str, npt.NDArray[np.float64]],
    is_shared: list[bool],
    ends: npt.NDArray[np.int64],
) -> None:
    """Put the time of circuits and of arbitration on shared loops into the bins in which it passed.

    The engine counts both in the bin in which they end, but a shared loop has one circuit, or
    arbitrates, at a time. What does not fit into a bin has passed in the bins before it.
    """
    spans = np.diff(ends, prepend=0).astype(np.float64)
    places = np.flatnonzero(is_shared)
    room = np.repeat(spans[:, None], len(places), axis=1)
    for column in ("owned_share", "arbitrating_share"):
        times = columns[column][:, places] * spans[:, None]
        late = np.zeros(len(places))
        for place in range(len(spans) - 1, -1, -1):
            here = times[place] + late
            times[place] = np.minimum(here, room[place])
            late = here - times[place]
        room -= times
        columns[column][:, places] = times / spans[:, None]


def rows_in(
    run: Record, table: str, line: Line, here: slice, weights: npt.NDArray[np.float64]
) -> list[Row]:
    """Return the rows of a table of parts with the figures of some bins.

    Parameters
    ----------
    here
        The bins.
    weights
        Their lengths as shares of the sum, shape (bins,).
    """
    kind = KINDS[table]
    found = {column: line.columns[column][here].sum(axis=0) for column in kind.sums}
    found |= {column: weights @ line.columns[column][here] for column in kind.means}
    place_of = {name: place for place, name in enumerate(line.names)}
    rows = []
    for row in run.rows(table):
        place = place_of.get(tuple(row[key] for key in kind.keys))
        if place is None:
            continue
        here_row: Row = {
            column: int(values[place]) if column in kind.sums else float(values[place])
            for column, values in found.items()
        }
        if table == "limits":
            here_row["mean_wait_ps"] = here_row["wait_ps"] / max(1, here_row["delayed_count"])
        rows.append(row | here_row)
    return rows

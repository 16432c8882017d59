"""Tables of faults and their effects: events, paths, I/Os, frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.report.tables import Cell, Column, Declaration, text
from sanlab.results.happenings import happenings
from sanlab.words import show_count, show_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sanlab.report.tables import Row
    from sanlab.results.run import Run

#: Sorts events that never happened last.
_NEVER = Cell("never", 1e30)


def _count(title: str, key: str) -> Column:
    return Column(title, lambda row: Cell(show_count(row[key]), float(row[key])))


def _time(title: str, key: str) -> Column:
    """Return a time, or a note that the event never happened."""

    def cell(row: dict[str, Any]) -> Cell:
        value = row[key]
        return _NEVER if value is None else Cell(show_time(value), float(value))

    return Column(title, cell)


def _in_faulty_runs(rows: Callable[[Run], Iterator[Row]]) -> Callable[[Run], Iterator[Row]]:
    """Return the rows of a run with events, or no rows."""
    return lambda run: rows(run) if happenings(run) else iter(())


def _event_rows(run: Run) -> Iterator[Row]:
    for number, event in enumerate(happenings(run)):
        yield {"at_ps": event.at_ps, "what": event.what, "order": f"{number:09}"}


def _path_rows(run: Run) -> Iterator[Row]:
    for row in run.rows("paths"):
        if row["losses_count"]:
            replaced = row["replaced_ps"] or None
            after = None if replaced is None else replaced - row["lost_first_ps"]
            yield row | {"replaced_ps": replaced, "after_ps": after}


def _dropped_rows(run: Run) -> Iterator[Row]:
    for row in run.rows("ports"):
        if row.get("tx_dropped_count"):
            yield row


TABLES = (
    Declaration(
        "fault_events",
        (
            _time("time", "at_ps"),
            Column("what happened", lambda row: Cell(row["what"], row["order"]), is_number=False),
        ),
        _event_rows,
        has_filter=True,
    ),
    Declaration(
        "fault_paths",
        (
            text("path", "path"),
            text("at the end", "state"),
            _count("lost", "losses_count"),
            _time("down for", "lost_ps"),
            _time("first lost at", "lost_first_ps"),
            _time("first I/O on another path at", "replaced_ps"),
            _time("after", "after_ps"),
        ),
        _in_faulty_runs(_path_rows),
        has_filter=True,
    ),
    Declaration(
        "fault_cost",
        (
            text("workload", "workload"),
            text("op", "op"),
            _count("I/Os completed", "io_count"),
            _count("delayed", "delayed_count"),
            _count("retried", "retried_count"),
            _count("failed", "error_count"),
        ),
        _in_faulty_runs(lambda run: iter(run.rows("workloads"))),
        has_filter=True,
    ),
    Declaration(
        "fault_frames",
        (text("port", "port"), text("peer", "peer"), _count("frames dropped", "tx_dropped_count")),
        _in_faulty_runs(_dropped_rows),
        has_filter=True,
    ),
)

"""What went wrong, and what it cost, as rows of text: events, paths, I/Os, frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.report.fabric_tables import same
from sanlab.report.words import show_count, show_time
from sanlab.results.happenings import happenings

if TYPE_CHECKING:
    from sanlab.report.fabric_tables import Entry, Rows
    from sanlab.results.run import Run


def fault_tables(run: Run) -> list[Rows]:
    """Return the tables of the section on faults; none where nothing happened."""
    if not happenings(run):
        return []
    return [_events(run), _paths(run), _cost(run), _dropped(run)]


def _time(ps: float) -> Entry:
    return show_time(ps), float(ps)


def _count(number: int) -> Entry:
    return show_count(number), float(number)


def _events(run: Run) -> Rows:
    rows: list[list[Entry]] = [
        [_time(it.at_ps), (it.what, f"{number:09}")] for number, it in enumerate(happenings(run))
    ]
    return "fault_events", ["time", "what happened"], rows


def _paths(run: Run) -> Rows:
    """Paths that were lost; a time that never came sorts behind all that did."""
    never: Entry = ("never", 1e30)
    rows: list[list[Entry]] = []
    for row in run.rows("paths"):
        if not row["losses_count"]:
            continue
        replaced = row["replaced_ps"]
        rows.append(
            [
                *same(row["path"], row["state"]),
                _count(row["losses_count"]),
                _time(row["lost_ps"]),
                _time(row["lost_first_ps"]),
                _time(replaced) if replaced else never,
                _time(replaced - row["lost_first_ps"]) if replaced else never,
            ]
        )
    headings = ["path", "at the end", "lost", "down for", "first lost at"]
    return "fault_paths", [*headings, "first I/O on another path at", "after"], rows


def _cost(run: Run) -> Rows:
    keys = ("io_count", "delayed_count", "retried_count", "error_count")
    rows: list[list[Entry]] = [
        [*same(row["workload"], row["op"]), *(_count(row[key]) for key in keys)]
        for row in run.rows("workloads")
    ]
    return "fault_cost", ["workload", "op", "I/Os done", "delayed", "retried", "failed"], rows


def _dropped(run: Run) -> Rows:
    rows: list[list[Entry]] = [
        [*same(row["port"], row["peer"]), _count(row["tx_dropped_count"])]
        for row in run.rows("ports")
        if row.get("tx_dropped_count")
    ]
    return "fault_frames", ["port", "peer", "frames dropped"], rows

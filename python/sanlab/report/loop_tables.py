"""Tables of arbitrated loops: loops, strings between enclosures, disks by enclosure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.report.tables import (
    Cell,
    Column,
    Declaration,
    count,
    number,
    share,
    share_cell,
    text,
    time,
)
from sanlab.results.loops import frames_share, name_of_string, stacks, taken_share
from sanlab.words import show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.report.tables import Row
    from sanlab.results.run import Run


def _is_shared(row: dict[str, Any]) -> bool:
    return bool(row["medium"] == "shared")


def _at_once(circuits: float) -> Cell:
    return Cell(f"{circuits:.2f} at once", circuits)


def _taken(row: dict[str, Any]) -> Cell:
    return share_cell(taken_share(row)) if _is_shared(row) else _at_once(row["owned_share"])


def _frames(row: dict[str, Any]) -> Cell:
    return share_cell(frames_share(row)) if _is_shared(row) else _at_once(row["sending_share"])


def _arbitration(row: dict[str, Any]) -> Cell:
    return share_cell(row["arbitrating_share"]) if _is_shared(row) else Cell("none", 0.0)


def _round_trip(row: dict[str, Any]) -> Cell:
    span = row["round_ps"]
    return Cell(show_time(span), span) if _is_shared(row) else Cell("by pair", 0.0)


def _loop_rows(run: Run) -> Iterator[Row]:
    for row in run.rows("loops"):
        yield row | {"circuit_mean_ps": row["owned_ps"] / max(1, row["tenancies_count"])}


LOOPS = Declaration(
    "loops",
    (
        text("loop", "loop"),
        text("medium", "medium"),
        text("speed", "speed"),
        count("ports", "ports_count"),
        Column(
            "taken",
            _taken,
            tip="share of the run with a circuit or arbitration; on a switched loop mean circuits",
        ),
        Column("frames", _frames, tip="share of the run with frames, both directions together"),
        Column(
            "arbitration",
            _arbitration,
            tip="share of the run without a circuit while a port arbitrates",
        ),
        count("circuits", "tenancies_count"),
        time("mean circuit", "circuit_mean_ps"),
        Column("round trip", _round_trip, tip="of a word through all ports"),
    ),
    _loop_rows,
)


def _string_rows(run: Run) -> Iterator[Row]:
    for row in run.rows("strings"):
        yield row | {
            "string": name_of_string(row),
            "circuit_mean_ps": row["held_ps"] / max(1, row["circuits_count"]),
        }


STRINGS = Declaration(
    "strings",
    (
        text("string", "string"),
        count("links", "links_count"),
        share("held", "utilisation", "share of the run during which circuits use its links"),
        count("most at once", "most_held_count", "links in use at once"),
        count("circuits", "circuits_count"),
        time("mean circuit", "circuit_mean_ps"),
    ),
    _string_rows,
)


def _enclosure_rows(run: Run) -> Iterator[Row]:
    """Return the disks of a stack by enclosure: a stack may have too many for single rows."""
    stations = {row["station"]: row for row in run.rows("stations") if row["kind"] == "disk"}
    for stack in stacks(run.plan).values():
        for enclosure in range(stack.enclosures):
            names = [disk for disk, place in stack.disks.items() if place == enclosure]
            disks = [stations[name] for name in names if name in stations]
            if not names:
                continue
            busiest = max(disks, key=lambda row: row["utilisation"], default=None)
            yield {
                "enclosure": f"{stack.name}.e{enclosure + 1}",
                "disks": len(names),
                "arrivals_count": sum(row["arrivals_count"] for row in disks),
                "utilisation_mean": sum(row["utilisation"] for row in disks) / len(names),
                "utilisation_most": busiest["utilisation"] if busiest else 0.0,
                "busiest": busiest["station"] if busiest else "none",
                "mean_in_system": sum(row["mean_in_system"] for row in disks) / len(names),
            }


ENCLOSURES = Declaration(
    "enclosures",
    (
        text("enclosure", "enclosure"),
        count("disks", "disks"),
        count("requests", "arrivals_count"),
        share("busy mean", "utilisation_mean"),
        share("busy most", "utilisation_most"),
        text("busiest disk", "busiest"),
        number("in system", "mean_in_system", "requests of a disk waiting or in service, mean"),
    ),
    _enclosure_rows,
)

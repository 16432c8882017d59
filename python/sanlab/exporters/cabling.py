"""The cables of a scenario as a list for those who plug them in."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from sanlab.topology.build import PS_PER_METRE

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Columns of the list.
COLUMNS = (
    "cable", "from_box", "from_port", "to_box", "to_port", "speed", "length_m", "cables", "note",
)  # fmt: skip


def cabling(plan: dict[str, Any]) -> str:
    """Return the cables of a plan as CSV, one row for each link.

    The length is that of a fibre with the delay of the link, at 5 us for each kilometre. A trunk is
    one row with its number of `cables`.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_rows(plan))
    return text.getvalue()


def _rows(plan: dict[str, Any]) -> Iterator[list[object]]:
    for number, link in enumerate(plan["links"], 1):
        ends = [_end(plan, link[side]) for side in ("a", "b")]
        notes = []
        if link["members"] > 1:
            notes.append("trunk")
        if link["virtual_channels"]:
            notes.append(f"{len(link['virtual_channels'])} virtual channels")
        if link["outages"]:
            notes.append("not plugged in or down for a time")
        metres = link["delay_ps"] / PS_PER_METRE
        yield [
            number, *ends[0], *ends[1], link["speed"], f"{metres:g}", link["members"],
            ", ".join(notes),
        ]  # fmt: skip


def _end(plan: dict[str, Any], end: dict[str, Any]) -> tuple[str, str]:
    """Box and port of an end of a link."""
    if end["kind"] == "n_port":
        box, _, port = plan["n_ports"][end["n_port"]]["name"].partition(".")
        return box, port
    if end["kind"] == "switch":
        return plan["switches"][end["switch"]]["name"], str(end["port"])
    return plan["loops"][end["loop_id"]]["name"], "loop"

"""Tables of the decisions of the fabric services: ports, zones, zoned pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.report.tables import Cell, Column, Declaration, text
from sanlab.words import show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.report.tables import Row
    from sanlab.results.run import Run

#: Ports without a cable stand below all others of a switch.
_UNLIT_PLACE = 1e9


def _decided(run: Run, kind: str) -> Iterator[Row]:
    """Decisions of one kind that were made before the run ended; none without services."""
    services = run.plan["services"]
    for row in services[kind] if services else ():
        if row["at_ps"] <= run.manifest.simulated_ps:
            yield row


def _names(run: Run, kind: str) -> list[str]:
    return [row["name"] for row in run.plan[kind]]


def _since(row: dict[str, Any]) -> Cell:
    at = row["at_ps"]
    return Cell("start" if at == 0 else show_time(at), float(at))


_SINCE = Column("since", _since)


def _port_rows(run: Run) -> Iterator[Row]:
    names = _names(run, "switches")
    for row in _decided(run, "ports"):
        yield row | {
            "switch_name": names[row["switch"]],
            "place": float(row["port"]),
            "type": f"{row['kind']}_Port",
        }
    if run.plan["services"]:
        for switch, name in enumerate(names):
            yield from _unlit_rows(run, switch, name)


def _unlit_rows(run: Run, switch: int, name: str) -> Iterator[Row]:
    """Return one row for all ports of a switch without a cable."""
    used = sum(
        end["kind"] == "switch" and end["switch"] == switch
        for link in run.plan["links"]
        for end in (link["a"], link["b"])
    )
    count = run.plan["switches"][switch]["ports"] - used
    if count > 0:
        yield {
            "switch_name": name,
            "port": f"{count} other{'' if count == 1 else 's'}",
            "place": _UNLIT_PLACE,
            "type": "",
            "peer": "",
            "at_ps": 0,
            "state": "no light",
            "reason": "nothing is plugged in",
        }


def _zone_rows(run: Run) -> Iterator[Row]:
    names = _names(run, "switches")
    for row in _decided(run, "zones"):
        yield row | {
            "fabric": names[row["switch"]],
            "vsan": "all" if row["vsan"] is None else str(row["vsan"]),
            "zone_set": row["zone_set"] or "none active",
            "zone": row["zone"] or "",
            "members": ", ".join(row["members"]),
        }


def _sight_rows(run: Run) -> Iterator[Row]:
    names = _names(run, "n_ports")
    for row in _decided(run, "sights"):
        seen = ", ".join(names[port] for port in row["targets"])
        yield row | {"port": names[row["n_port"]], "sees": seen or "no port"}


def _apart_rows(run: Run) -> Iterator[Row]:
    names = _names(run, "n_ports")
    for row in _decided(run, "apart"):
        reason = row["reason"] or "they see each other again"
        yield {"a": names[row["a"]], "b": names[row["b"]], "at_ps": row["at_ps"], "reason": reason}


TABLES = (
    Declaration(
        "fabric_ports",
        (
            text("switch", "switch_name"),
            Column("port", lambda row: Cell(str(row["port"]), row["place"])),
            text("type", "type"),
            text("cabled to", "peer"),
            _SINCE,
            text("state", "state"),
            text("reason", "reason"),
        ),
        _port_rows,
        has_filter=True,
    ),
    Declaration(
        "fabric_zones",
        (
            text("fabric of", "fabric"),
            text("VSAN", "vsan"),
            _SINCE,
            text("zone set", "zone_set"),
            text("zone", "zone"),
            text("members", "members"),
        ),
        _zone_rows,
        has_filter=True,
    ),
    Declaration(
        "fabric_sights",
        (text("port", "port"), _SINCE, text("sees", "sees")),
        _sight_rows,
        has_filter=True,
    ),
    Declaration(
        "fabric_apart",
        (text("port", "a"), text("and", "b"), _SINCE, text("why not", "reason")),
        _apart_rows,
        has_filter=True,
    ),
)

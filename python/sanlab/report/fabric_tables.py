"""What the services of the fabrics decided, as rows of text: ports, zones, who sees whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.report.words import show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.results.run import Run

#: A text and the value it is sorted by.
Entry = tuple[str, float | str]
#: Name of a table, its headings, its rows.
Rows = tuple[str, list[str], list[list[Entry]]]


def fabric_tables(run: Run) -> list[Rows]:
    """Return the tables of the section on the fabric; none where the run used no services."""
    services = run.plan.get("services")
    if not services:
        return []
    return [
        _ports(run, services),
        _zones(run, services),
        _sights(run, services),
        _apart(run, services),
    ]


def _at(ps: int) -> Entry:
    return ("start" if ps == 0 else show_time(ps)), float(ps)


def same(*texts: str) -> list[Entry]:
    """Return texts that are sorted by themselves."""
    return [(text, text) for text in texts]


def _in_time(run: Run, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (row for row in rows if row["at_ps"] <= run.manifest.simulated_ps)


def _ports(run: Run, services: dict[str, Any]) -> Rows:
    names = [switch["name"] for switch in run.plan["switches"]]
    rows = [
        [
            *same(names[it["switch"]]),
            (str(it["port"]), float(it["port"])),
            *same(f"{it['kind']}_Port", it["peer"]),
            _at(it["at_ps"]),
            *same(it["state"], it["reason"]),
        ]
        for it in _in_time(run, services["ports"])
    ]
    rows += [_unlit(number, name, run) for number, name in enumerate(names)]
    rows = [row for row in rows if row]
    headings = ["switch", "port", "type", "cabled to", "since", "state", "reason"]
    return "fabric_ports", headings, rows


def _unlit(number: int, name: str, run: Run) -> list[Entry]:
    """One row for all ports of a switch without a cable."""
    used = sum(
        end.get("switch", {}).get("switch") == number
        for link in run.plan["links"]
        for end in (link["a"], link["b"])
    )
    count = run.plan["switches"][number]["ports"] - used
    if count <= 0:
        return []
    others = f"{count} other{'' if count == 1 else 's'}"
    return [
        *same(name),
        (others, 1e9),
        *same("", ""),
        _at(0),
        *same("no light", "nothing is plugged in"),
    ]


def _zones(run: Run, services: dict[str, Any]) -> Rows:
    names = [switch["name"] for switch in run.plan["switches"]]
    rows = [
        [
            *same(names[it["switch"]], "all" if it["vsan"] == 0 else str(it["vsan"])),
            _at(it["at_ps"]),
            *same(it["zone_set"] or "none active", it["zone"], ", ".join(it["members"])),
        ]
        for it in _in_time(run, services["zones"])
    ]
    headings = ["fabric of", "VSAN", "since", "zone set", "zone", "members"]
    return "fabric_zones", headings, rows


def _sights(run: Run, services: dict[str, Any]) -> Rows:
    names = [port["name"] for port in run.plan["n_ports"]]
    rows = [
        [
            *same(names[it["n_port"]]),
            _at(it["at_ps"]),
            *same(", ".join(names[port] for port in it["targets"]) or "nobody"),
        ]
        for it in _in_time(run, services["sights"])
    ]
    return "fabric_sights", ["port", "since", "sees"], rows


def _apart(run: Run, services: dict[str, Any]) -> Rows:
    names = [port["name"] for port in run.plan["n_ports"]]
    rows = [
        [
            *same(names[it["a"]], names[it["b"]]),
            _at(it["at_ps"]),
            *same(it["reason"] or "they see each other again"),
        ]
        for it in _in_time(run, services["apart"])
    ]
    return "fabric_apart", ["port", "and", "since", "why not"], rows

"""Settings and optics of Brocade's ports, and links that its routing knows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sanlab.importers.fabric.facts import Finding, LoginFact, PortFact, RouteFact
from sanlab.importers.fabric.rows import WWN, gigabits, keep, name_at, refuse_cut, rows

if TYPE_CHECKING:
    from sanlab.importers.fabric.facts import Block, Facts

#: Distances of the modes that have a fixed one.
_MODES = {"LE": "10km", "LM": "25km", "L0.5": "25km", "L1": "50km", "L2": "100km"}
_LONG = {*_MODES, "LD", "LS"}
_OFF = {"..", "OFF", "L0", "-", "--"}


def _long_distance(block: Block, facts: Facts, line: int, port: str, mode: str) -> None:
    if mode.upper() in _LONG:
        keep(block, facts, (line, port), "mode", mode.upper())
        if mode.upper() in _MODES:
            keep(block, facts, (line, port), "distance", _MODES[mode.upper()])


_PORTS = re.compile(r"\s*Ports of Slot\s+(?P<slot>\d+)(?P<ports>(?:\s+\d+)*)\s*$")
_ROW = re.compile(r"\s*(?P<key>Speed|Long Distance)\s+(?P<values>(?:\S+\s*)+)$")
_AREA = re.compile(r"\s*Area Number:\s*(\d+)")
_ONE = re.compile(
    r"\s*(?P<key>Speed Level|Long Distance|Desired Distance|Reserved Buffers):?\s+(?P<value>\S.*)$"
)


def port_configuration(block: Block, facts: Facts) -> None:
    """Read `portcfgshow`: the table of many ports, or the list of one."""
    ports: list[str] = []
    one = _place(block.words)
    before = len(facts.settings)
    for number, line in block.lines:
        header, row = _PORTS.match(line), _ROW.match(line)
        area, single = _AREA.match(line), _ONE.match(line)
        if header:
            slot = header["slot"]
            ports = [p if slot == "0" else f"{slot}/{p}" for p in header["ports"].split()]
        elif area:
            ports, one = [], one or area[1]
        elif ports and row:
            _table_row(block, facts, number, ports, (row["key"], row["values"].split()))
        elif one and single and not ports:
            _one_value(block, facts, number, one, (single["key"], single["value"].strip()))
    if not ports and not one and len(facts.settings) == before:
        refuse_cut(block, facts, block.line, "The output of portcfgshow has no port")


def _place(words: str) -> str:
    """Return the port that a command names, `12` or `3/12`; nothing for other arguments."""
    match = re.match(r"(?:-i\s+)?(\d+(?:/\d+)?)\s*$", words)
    return match[1] if match else ""


def _table_row(
    block: Block, facts: Facts, line: int, ports: list[str], row: tuple[str, list[str]]
) -> None:
    key, values = row
    if len(values) != len(ports):
        reason = f"The row '{key}' of portcfgshow has {len(values)} values for {len(ports)} ports"
        refuse_cut(block, facts, line, reason)
        return
    for port, value in zip(ports, values, strict=True):
        if key == "Long Distance":
            _long_distance(block, facts, line, port, value)
        elif gigabits(value) and value not in _OFF:
            keep(block, facts, (line, port), "speed", str(gigabits(value)))


def _one_value(block: Block, facts: Facts, line: int, port: str, entry: tuple[str, str]) -> None:
    key, value = entry
    match key:
        case "Long Distance":
            _long_distance(block, facts, line, port, value.split()[0])
        case "Desired Distance" if gigabits(value):
            keep(block, facts, (line, port), "distance", f"{gigabits(value)}km")
        case "Reserved Buffers" if gigabits(value):
            keep(block, facts, (line, port), "credit", str(gigabits(value)))
        case "Speed Level" if value[0].isdigit() and gigabits(value):
            keep(block, facts, (line, port), "speed", str(gigabits(value)))


def port_buffers(block: Block, facts: Facts) -> None:
    """Read the distances of links between switches, and the buffers of long ones."""
    for number, line in block.lines:
        far = re.match(r"\s*(\d+)\s+E\s+\S+\s+\d+.*\s(\d+) ?km\b", line)
        row = re.match(r"\s*(?P<port>\d+)\s+E\s+(?P<mode>L\S+)\s+(?P<buffers>\d+)\s", line)
        if far:
            keep(block, facts, (number, far[1]), "length", f"{far[2]}km")
        if row and row["mode"] in _LONG:
            _long_distance(block, facts, number, row["port"], row["mode"])
            keep(block, facts, (number, row["port"]), "credit", row["buffers"])


_SHOWN = re.compile(
    r"\s*(?P<key>portIndex|portFlags|portState|portId|portSpeed|Distance):\s*(?P<value>\S.*)$"
)


def port_show(block: Block, facts: Facts) -> None:
    """Read `portshow`: state, speed and devices of one port."""
    fact = PortFact(block.at(block.line), block.switch, _place(block.words))
    devices: list[tuple[int, str]] = []
    is_listing = False
    for number, line in rows(block):
        value = _SHOWN.match(line)
        if value:
            _fill(fact, block, facts, number, (value["key"], value["value"].strip()))
        if re.match(r"\s*portWwn of device\(s\) connected:", line):
            is_listing = True
        elif is_listing and (name := re.match(rf"\s*({WWN})\s*$", line)):
            devices.append((number, name_at(block, number, name[1])))
        elif line.strip():
            is_listing = False
    if not fact.port:
        facts.findings.append(
            Finding("An output of portshow does not name its port", (fact.source,))
        )
        return
    facts.ports.append(fact)
    if fact.kind == "E" or fact.state == "down":
        return
    for number, device in devices:
        login = LoginFact(block.at(number), device, block.switch, port=fact.port)
        login.speed, login.fcid = fact.speed, fact.fcid if len(devices) == 1 else 0
        facts.logins.append(login)


def _fill(fact: PortFact, block: Block, facts: Facts, line: int, entry: tuple[str, str]) -> None:
    key, value = entry
    match key:
        case "portIndex" if value.split()[0].isdigit():
            fact.place = fact.port if "/" in fact.port else ""
            fact.port, fact.source = value.split()[0], block.at(line)
        case "portFlags":
            kind = re.search(r"\b([EFL])_PORT\b", value)
            fact.kind = kind[1] if kind else ""
        case "portState":
            fact.state = "up" if "Online" in value else "down"
        case "portId" if re.match(r"[0-9a-f]{6}\b", value):
            fact.fcid = int(value[:6], 16)
        case "portSpeed":
            fact.speed = gigabits(value)
        case "Distance" if fact.port and (far := re.search(r"(\d+) ?km", value, re.IGNORECASE)):
            keep(block, facts, (line, fact.port), "distance", f"{far[1]}km")


_SFP = re.compile(
    r"\s*(?:Slot\s+(?P<slot>\d+)/\s*)?Port\s+(?P<port>\d+):\s+(?:id|cu|--)\s*(?:\((?P<kind>\w+)\))?"
)
_REACH = re.compile(r"\s*Length 9u:\s+(\d+)\s+\(units km\)")
_TRANSCEIVER = re.compile(r"\s*Transceiver:.*\s(?P<kind>sw|lw|el|lwl|elw)\b")


def optics(block: Block, facts: Facts) -> None:
    """Read `sfpshow`: short or long wave, and how far the optics of one port reach."""
    one = _place(block.words)
    for number, line in block.lines:
        row, kind, reach = _SFP.match(line), _TRANSCEIVER.match(line), _REACH.match(line)
        if row:
            one = f"{row['slot']}/{row['port']}" if row["slot"] else row["port"]
            kind = row if row["kind"] in {"sw", "lw", "el", "elw"} else None
        if kind and one:
            wave = "swl" if kind["kind"] == "sw" else "lwl"
            keep(block, facts, (number, one), "optics", wave)
        elif reach and one and int(reach[1]):
            keep(block, facts, (number, one), "reach", f"{reach[1]}km")


def topology(block: Block, facts: Facts) -> None:
    """Read `topologyshow`: neighbours one hop away, as ports of this switch."""
    domain = name = ""
    hops = 0
    for number, line in block.lines:
        match = re.match(r"\s*(Domain|Name|Hops|Out Port):\s*(\S+)", line)
        if not match:
            continue
        key, value = match[1], match[2]
        if key == "Domain":
            domain, name, hops = value, "", 0
        elif key == "Name":
            name = value
        elif key == "Hops":
            hops = int(value) if value.isdigit() else 0
        elif hops == 1 and name and value.isdigit():
            fact = PortFact(block.at(number), block.switch, value, state="up", kind="E")
            fact.peer_name = name
            facts.ports.append(fact)
    if not domain:
        refuse_cut(block, facts, block.line, "The output of topologyshow has no domain")


_LINK = re.compile(
    r"\s*(?:Link \d+:\s*)?LinkI[dD]\s*=\s*(?P<peer>\d+),\s*out port\s*=\s*(?P<out>\d+),"
    r"\s*rem port\s*=\s*(?P<far>\d+),\s*cost\s*=\s*(?P<cost>\d+)"
)


def link_states(block: Block, facts: Facts) -> None:
    """Read `lsdbshow`: the links of every domain, with both ports and the cost."""
    domain = 0
    for number, line in block.lines:
        head = re.match(r"\s*Domain\s*=\s*(\d+)\b", line)
        domain = int(head[1]) if head else domain
        link = _LINK.match(line)
        if link and domain:
            fact = RouteFact(block.at(number), block.switch, domain, int(link["peer"]))
            fact.port, fact.peer_port = link["out"], link["far"]
            fact.cost = int(link["cost"])
            facts.routes.append(fact)

"""Outputs of Fabric OS: switches, ports, name servers, links between switches, counters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sanlab.importers.fabric import port_counters
from sanlab.importers.fabric.facts import (
    FICON,
    BundleFact,
    CounterFact,
    Finding,
    IslFact,
    LoginFact,
    PortFact,
    SwitchFact,
)
from sanlab.importers.fabric.rows import (
    WWN,
    expect,
    gigabits,
    name_at,
    refuse_cut,
    rows,
    symbols,
)

if TYPE_CHECKING:
    from sanlab.importers.fabric.facts import Block, Facts

_HEADER = re.compile(r"switch(?P<key>Name|Type|State|Mode|Domain|Wwn):\s*(?P<value>\S.*)?$")
_PORT = re.compile(
    r"\s*(?P<index>\d+)\s+(?:(?:(?P<slot>\d+)\s+)?(?P<port>\d{1,4})\s+)?(?:(?P<address>[0-9a-f]{6}|-{6})\s+)?"
    r"(?P<media>id|cu|--|sw|lw|\*\*)\s+(?P<speed>\w+|--)\s+(?P<state>[A-Z]\w+)\s*(?P<rest>.*)$"
)
_KIND = re.compile(r"\b(?P<kind>[EFNGULDXV]{1,3})-Port\b")
_NAME = re.compile(r"\"(?P<name>[^\"]+)\"")
_MASTER = re.compile(r"master is (?:Slot\s+(?P<slot>\d+)\s+)?Port\s+(?P<port>\d+)")


def switchshow(block: Block, facts: Facts) -> None:
    """Read a switch and its ports."""
    fact = SwitchFact(block.at(block.line), vendor="brocade", is_own=True)
    has_table = False
    ports = []
    indices: dict[str, str] = {}
    for number, line in rows(block):
        header = _HEADER.match(line)
        if header and header["value"]:
            _fill(fact, block, number, header["key"], header["value"].strip())
        has_table = has_table or bool(re.match(r"\s*(?:Index|Area|Port)\s.*State", line))
        row = _PORT.match(line)
        if row and has_table:
            ports.append(_port(block, number, row))
            if row["slot"]:
                indices[f"{row['slot']}/{row['port']}"] = row["index"]
    if not fact.name:
        refuse_cut(block, facts, block.line, "The output of switchshow has no switchName")
        return
    facts.switches.append(fact)
    if not has_table:
        _note_no_table(block, facts, fact)
    if "Access Gateway" in fact.mode:
        what = f"'{fact.name}' is an access gateway: its devices are at the ports of the fabric"
        facts.findings.append(Finding(what, (fact.source,)))
        return
    for port in ports:
        if port.kind == "E" and port.state == "segmented":
            text = f"Port {port.place or port.port} of '{fact.name}' is segmented"
            text += ": its link carries nothing and is left out"
            facts.findings.append(Finding(text, (port.source,)))
            port.state = "down"
        _note_far(port, fact.name, facts)
        port.master = indices.get(port.master, port.master)
    facts.ports += ports
    facts.logins += [_login(port) for port in ports if port.device]


def _note_far(port: PortFact, name: str, facts: Facts) -> None:
    """Note a port to another fabric behind a router, or to a tunnel, which carries an ISL."""
    where = f"Port {port.place or port.port} of '{name}'"
    if port.kind in {"EX", "VEX"} and port.state == "up":
        text = f"{where} leads to another fabric through a router ({port.kind}_Port): left out"
        facts.findings.append(Finding(text, (port.source,)))
    elif port.kind == "VE":
        text = f"{where} leads into a tunnel over IP (VE_Port), whose rate and delay no output has"
        facts.findings.append(Finding(f"{text}: it is a link here", (port.source,)))
        port.kind = "E"


def _note_no_table(block: Block, facts: Facts, fact: SwitchFact) -> None:
    """Note that a switch that was disabled shows no ports, and refuse any other without them."""
    if fact.is_online:
        refuse_cut(block, facts, fact.source.line, "The output of switchshow has no table of ports")
        return
    text = f"Switch '{fact.name}' was disabled in one capture, which has no ports"
    facts.findings.append(Finding(text, (fact.source,)))


def _login(port: PortFact) -> LoginFact:
    login = LoginFact(port.source, port.device, port.switch, port=port.port)
    login.speed, login.fcid = port.speed, port.fcid
    return login


def _fill(fact: SwitchFact, block: Block, line: int, key: str, value: str) -> None:
    fact.lines[key.lower()] = block.at(line)
    match key:
        case "Name":
            fact.name, fact.source = value, block.at(line)
        case "Type":
            fact.type = value
        case "Mode":
            fact.mode = value
        case "State":
            fact.is_online = value.startswith("Online")
        case "Domain" if "unconfirmed" not in value:
            number = re.match(r"\d+", value)
            fact.domain = int(number[0]) if number else None
        case "Wwn":
            fact.wwn = name_at(block, line, value)


def _port(block: Block, line: int, row: re.Match[str]) -> PortFact:
    rest = row["rest"]
    kind = _KIND.search(rest)
    fact = PortFact(block.at(line), block.switch, row["index"], gigabits(row["speed"]))
    fact.state = "up" if row["state"] == "Online" else "down"
    fact.place = f"{row['slot']}/{row['port']}" if row["slot"] else ""
    fact.optics = {"sw": "swl", "lw": "lwl"}.get(row["media"], "")
    if "Disabled" in rest:
        fact.state = "disabled"
    fact.kind = kind["kind"] if kind else ""
    found = re.search(WWN, rest[kind.end() :]) if kind else None
    name, master = _NAME.search(rest), _MASTER.search(rest)
    if master:
        fact.master = f"{master['slot']}/{master['port']}" if master["slot"] else master["port"]
    if fact.kind in {"E", "VE"} and "segmented" in rest:
        fact.state = "segmented"
    elif fact.kind in {"E", "VE"}:
        fact.peer_wwn = name_at(block, line, found[0]) if found else ""
        fact.peer_name = name["name"] if name else ""
    elif fact.kind in {"F", "L", "FL"} and found and fact.state == "up":
        fact.device = name_at(block, line, found[0])
        address = row["address"] or "------"
        fact.fcid = 0 if address.startswith("-") else int(address, 16)
    return fact


_SWITCH = re.compile(
    rf"\s*(?P<domain>\d+):\s+[0-9a-f]{{6}}\s+(?P<wwn>{WWN})\s.*?\"(?P<name>[^\"]*)\""
)


def fabricshow(block: Block, facts: Facts) -> None:
    """Read the switches of a fabric."""
    found = 0
    rest = ""
    for number, line in rows(block):
        text = f"{rest} {line}" if rest else line
        match = _SWITCH.match(text)
        is_open = re.match(rf"\s*\d+:\s+[0-9a-f]{{6}}\s+{WWN}", text) is not None
        rest = text if is_open and not match else ""
        if match:
            found += 1
            if match["name"].startswith("fcr_"):  # a phantom domain of a router
                facts.findings.append(Finding("A router's domain is left out", (block.at(number),)))
                continue
            wwn = name_at(block, number, match["wwn"])
            fact = SwitchFact(block.at(number), match["name"], wwn, int(match["domain"]))
            fact.vendor, fact.fabric = "brocade", block.switch
            facts.switches.append(fact)
        total = re.match(r"\s*The Fabric has (\d+) switch", line)
        if total:
            expect(block, facts, number, (int(total[1]), found), "switches")
    if not found:
        refuse_cut(block, facts, block.line, "The output of fabricshow has no switch")


_ISL = re.compile(
    rf"\s*(?P<n>\d+):\s*(?P<port>\d+)\s*->\s*(?P<peer>\d+)\s+(?P<wwn>{WWN})\s+(?P<domain>\d+)\s+"
    r"(?P<name>\S+)\s+sp:\s*(?P<speed>\S+)\s+bw:\s*(?P<bw>\S+)\s*(?P<flags>.*)$"
)


def islshow(block: Block, facts: Facts) -> None:
    """Read links between switches."""
    for number, line in rows(block):
        match = _ISL.match(line)
        if not match:
            if re.match(r"\s*\d+:\s*\d+\s*->", line):
                refuse_cut(block, facts, number, "A row of islshow is not complete")
            continue
        fact = IslFact(block.at(number), block.switch, match["port"], match["name"])
        fact.peer_wwn = name_at(block, number, match["wwn"])
        fact.peer_port, fact.peer_domain = match["peer"], int(match["domain"])
        fact.speed = gigabits(match["speed"])
        if "TRUNK" in match["flags"] and fact.speed:
            fact.count, fact.is_bundle = max(1, gigabits(match["bw"]) // fact.speed), True
        facts.isls.append(fact)


_TRUNK = re.compile(
    rf"\s*(?:(?P<group>\d+):)?\s*(?P<port>\d+)\s*->\s*(?P<peer>\d+)\s+(?P<wwn>{WWN})\s+\d+\s+"
    r"deskew\s+(?P<deskew>\d+)(?P<master>\s+MASTER)?"
)


def trunkshow(block: Block, facts: Facts) -> None:
    """Read trunks; a group of the output may hold several, one for each neighbour."""
    trunks: list[BundleFact] = []
    for number, line in rows(block):
        match = _TRUNK.match(line)
        if not match:
            continue
        wwn = name_at(block, number, match["wwn"])
        if match["group"]:
            trunks = []
        trunk = next((t for t in trunks if t.peer_wwn == wwn), None)
        if trunk is None:
            trunk = BundleFact(block.at(number), block.switch, match["port"], [], [], wwn)
            trunks.append(trunk)
            facts.bundles.append(trunk)
        if match["master"]:
            trunk.name = match["port"]
        trunk.members.append(match["port"])
        trunk.deskews.append(int(match["deskew"]))


_DEVICE = re.compile(
    rf"\s*(?:N|NL|U)\s+(?P<pid>[0-9a-f]{{6}});\s*[\d,]+;\s*(?P<wwpn>{WWN});\s*(?P<wwnn>{WWN})"
)
_BEGUN = re.compile(r"\s*(?:N|NL|U)\s+[0-9a-f]{6};")
_ATTRIBUTE = re.compile(r"\s+(?P<key>[A-Z][A-Za-z0-9 ]+?):\s*(?P<value>.*)$")
_WELL_KNOWN = 0xFFFC00


def name_server(block: Block, facts: Facts) -> None:
    """Read `nsshow` and `nscamshow`."""
    login: LoginFact | None = None
    announced: tuple[int, int] | None = None
    found = 0
    for number, line in rows(block):
        row = _DEVICE.match(line)
        if row:
            login = LoginFact(block.at(number), name_at(block, number, row["wwpn"]), block.switch)
            login.wwnn, login.fcid = name_at(block, number, row["wwnn"]), int(row["pid"], 16)
            found += 1
            if login.fcid < _WELL_KNOWN:
                facts.logins.append(login)
            continue
        if _BEGUN.match(line):
            refuse_cut(block, facts, number, "A row of the name server is not complete")
        count = re.search(r"Device list: count (\d+)", line)
        total = re.search(r"The Local Name Server has (\d+) entr", line)
        if count:
            _finish(block, facts, announced, found)
            announced, found = (number, int(count[1])), 0
        elif total:
            expect(block, facts, number, (int(total[1]), found), "devices")
        attribute = _ATTRIBUTE.match(line)
        if login is not None and attribute:
            _describe(login, block, number, attribute["key"], attribute["value"].strip())
    _finish(block, facts, announced, found)
    if block.kind == "nsshow" and any(line.strip() == "{" for _, line in block.lines):
        _check_end(block, facts)


def _check_end(block: Block, facts: Facts) -> None:
    reason = "The output of nsshow has no end"
    is_closed = any(line.rstrip().endswith("}") for _, line in block.lines)
    if not is_closed and block.is_last:
        refuse_cut(block, facts, block.line, reason)
    elif not is_closed:
        facts.findings.append(Finding(reason, (block.at(block.line),)))


def _finish(block: Block, facts: Facts, announced: tuple[int, int] | None, found: int) -> None:
    if announced:
        expect(block, facts, announced[0], (announced[1], found), "devices")


def _types(login: LoginFact, value: str) -> None:
    """Take from the types of a device whether it is a target, and whether it speaks FICON alone."""
    if "FICON" in value and "FCP" not in value:
        login.role = FICON
    inquiry = re.search(r"\[(\S+)\s+([^\]]*?)\s*\]", value)
    if inquiry:
        login.vendor, login.role = inquiry[1], login.role or "target"


def _describe(login: LoginFact, block: Block, line: int, key: str, value: str) -> None:
    """Keep one attribute of a device; its free texts are not kept as a whole."""
    match key:
        case "FC4s":
            _types(login, value)
        case "Device type":
            kinds = {"Target": "target", "Initiator": "init"}
            both = "Initiator+Target" in value.replace(" ", "")
            known = next((role for word, role in kinds.items() if word in value), "")
            if login.role != FICON:
                login.role = "both" if both else known or login.role
        case "NodeSymb" | "PortSymb":
            symbols(login, block.at(line), value)
        case "Permanent Port Name":
            login.base = name_at(block, line, value)
        case "Fabric Port Name":
            login.fabric_port = name_at(block, line, value)
        case "Connected through AG":
            login.is_behind_gateway = value.startswith("Yes")
        case "Port Index" if value.isdigit():
            login.port = value
        case "Device link speed":
            login.speed = gigabits(value)


#: A value of porterrshow; one that the switch does not have is a hyphen.
_NUMBER = re.compile(r"[\d.]+[kmg]?|--?")
_NO_TROUBLE = {"0", "-", "--"}
#: Values of a row in the oldest versions.
_LEAST_COLUMNS = 15
#: Columns of porterrshow that show trouble; those from 15 on are of newer versions.
_TROUBLE = {3: "CRC errors", 9: "discards of class 3", 15: "time-outs of class 3, transmitted"}


def porterrshow(block: Block, facts: Facts) -> None:
    """Read counters of errors; abbreviated ones are kept as text."""
    is_short = False
    for number, line in block.lines:
        match = re.match(r"\s*(\d+):((?:\s+(?:[\d.]+[kmg]?|--?))+)\s*$", line)
        if not match:
            continue
        values = _NUMBER.findall(match[2])
        if len(values) < _LEAST_COLUMNS and not is_short:
            is_short = True
            reason = f"A row of porterrshow has {len(values)} values; the lines may be broken"
            facts.findings.append(Finding(reason, (block.at(number),)))
        for column, name in _TROUBLE.items():
            if column < len(values) and values[column] not in _NO_TROUBLE:
                source = block.at(number)
                facts.counters.append(
                    CounterFact(source, block.switch, match[1], name, values[column])
                )


#: Counters of portstatsshow that show trouble.
_STATISTICS = {
    "tim_txcrd_z": "ticks of 2.5 us without credit",
    "er_crc": "CRC errors",
    "er_c3_timeout": "time-outs of class 3",
    "er_tx_c3_timeout": "time-outs of class 3, transmitted",
    "other_credit_loss": "losses of all credit",
}


def portstats(block: Block, facts: Facts) -> None:
    """Read `portstatsshow`: counters that show trouble, and bytes."""
    port_counters.port_statistics(block, facts)
    port = ""
    for number, line in block.lines:
        begin = re.match(r"port:\s+(\d+)", line)
        port = begin[1] if begin else port
        value = re.match(r"(\w+)\s+(\d+)\s", line)
        if port and value and value[1] in _STATISTICS and int(value[2]):
            name = _STATISTICS[value[1]]
            facts.counters.append(CounterFact(block.at(number), block.switch, port, name, value[2]))

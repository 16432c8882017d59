"""Outputs of NX-OS: logins, name server, interfaces, links between switches, counters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sanlab.importers.fabric import port_counters
from sanlab.importers.fabric.facts import (
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
    keep,
    model_in,
    name_at,
    refuse_cut,
    rows,
    symbols,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.importers.fabric.facts import Block, Facts

_INTERFACE = r"(?:fc|vfc|vfc-po|san-port-channel |san-port-channel|port-channel ?|ext|sup-fc)[\d/]+"
_FLOGI = re.compile(
    rf"\s*(?P<port>\S+)\s+(?:(?P<vsan>\d+)\s+)?(?P<fcid>0x[0-9a-f]{{6}})\s+(?P<wwpn>{WWN})"
    rf"(?:\s+(?P<wwnn>{WWN}))?"
)
_BEGUN = re.compile(rf"\s*{_INTERFACE}\s+(?:\d+\s+)?0x")
_ALIAS = re.compile(r"\s+\[([^\]]+)\]\s*$")
#: VSANs for ports that are isolated.
_ISOLATION = {4079, 4094}


def flogi(block: Block, facts: Facts) -> None:
    """Read the logins at a switch; those at an NPV switch are logins at the fabric as well."""
    if any("EXTERNAL" in line for _, line in block.lines):
        text = f"'{block.switch}' is an NPV switch: its devices are at the ports of the fabric"
        facts.findings.append(Finding(text, (block.at(block.line),)))
        return
    facts.switches.append(_own(block))
    login: LoginFact | None = None
    found = 0
    for number, line in rows(block):
        row = _FLOGI.match(line)
        alias = _ALIAS.match(line)
        total = re.match(r"\s*Total number of flogi = (\d+)", line)
        if row:
            found += 1
            login = LoginFact(block.at(number), name_at(block, number, row["wwpn"]), block.switch)
            login.wwnn = name_at(block, number, row["wwnn"]) if row["wwnn"] else ""
            login.fcid, login.vsan = int(row["fcid"], 16), int(row["vsan"] or 0)
            login.port = row["port"]
            if not login.port.startswith("sup-fc"):
                facts.logins.append(login)
        elif alias and login is not None and not login.alias:
            login.alias = alias[1]
        elif login is not None and not login.wwnn and re.match(rf"\s+{WWN}\s*$", line):
            login.wwnn = name_at(block, number, line)
        elif total:
            expect(block, facts, number, (int(total[1]), found), "logins")
        elif _BEGUN.match(line):
            refuse_cut(block, facts, number, "A row of the logins is not complete")


def _own(block: Block) -> SwitchFact:
    return SwitchFact(block.at(block.line), block.switch, vendor="cisco", is_own=True)


_FCNS = re.compile(
    rf"\s*(?P<fcid>0x[0-9a-f]{{6}})\s+(?P<type>\w+)\s+(?P<wwpn>{WWN})\s*(?:\((?P<vendor>[^)]*)\))?"
    r"\s*(?P<rest>.*)$"
)
_VSAN = re.compile(r"\s*VSAN\s*:?\s*(\d+)")
_DETAIL = re.compile(r"\s*VSAN\s*:\s*(\d+)\s+FCID\s*:\s*(0x[0-9a-f]{6})")
_VALUE = re.compile(r"(?P<key>[a-z][\w \-()/:]*?)\s*:(?P<value>.*)$")


def fcns(block: Block, facts: Facts) -> None:
    """Read the name server of a fabric, in its short or its detailed form."""
    vsan = found = in_vsan = 0
    login: LoginFact | None = None
    for number, line in rows(block):
        detail, row, header = _DETAIL.match(line), _FCNS.match(line), _VSAN.match(line)
        total = re.match(r"\s*Total number of entries = (\d+)", line)
        if detail:
            login = LoginFact(block.at(number), "", block.switch, vsan=int(detail[1]))
            login.fcid, found = int(detail[2], 16), found + 1
            facts.logins.append(login)
        elif row:
            login = LoginFact(block.at(number), name_at(block, number, row["wwpn"]), block.switch)
            login.fcid, login.vsan, in_vsan = int(row["fcid"], 16), vsan, in_vsan + 1
            login.vendor, login.role = row["vendor"] or "", _role(row["rest"])
            if "ipfc" not in row["rest"]:
                facts.logins.append(login)
        elif header:
            vsan, in_vsan = int(header[1]), 0
        elif total:
            expect(block, facts, number, (int(total[1]), max(found, in_vsan)), "devices")
        elif login is not None and (alias := _ALIAS.match(line)):
            login.alias = alias[1]
        elif login is not None and found and (value := _VALUE.match(line)):
            _describe(login, block, number, value["key"], value["value"].strip())
    if any(not login.wwpn for login in facts.logins):
        at = next(login.source.line for login in facts.logins if not login.wwpn)
        facts.logins = [login for login in facts.logins if login.wwpn]
        refuse_cut(block, facts, at, "An entry of the name server has no port-wwn")


def _role(text: str) -> str:
    match = re.search(r":?\b(init|target|both|npv)\b", text)
    return match[1] if match else ""


def _describe(login: LoginFact, block: Block, line: int, key: str, value: str) -> None:
    name = re.match(WWN, value)
    match key.replace(" (vendor)", ""):
        case "port-wwn":
            vendor = re.search(r"\((\w+)\)", value)
            login.wwpn = name_at(block, line, name[0] if name else value.split(" ", maxsplit=1)[0])
            login.vendor = vendor[1] if vendor else ""
        case "node-wwn" if name:
            login.wwnn = name_at(block, line, name[0])
        case "fc4-types:fc4_features" | "fc4-types":
            login.role = _role(value)
        case "symbolic-port-name" | "symbolic-node-name":
            symbols(login, block.at(line), value)
        case "fabric-port-wwn" if name:
            login.fabric_port = name_at(block, line, name[0])
        case "permanent-port-wwn" if name:
            login.base = name_at(block, line, name[0])
        case "connected interface":
            login.port = value
        case "switch name (IP address)":
            login.on_switch = value.partition(" (")[0]


_TOPOLOGY = re.compile(
    rf"\s*(?P<port>{_INTERFACE})\s+(?P<hex>0x[0-9a-f]+)\((?P<domain>\d+)\)\s+(?P<peer>\S+(?: \d+)?)"
    r"\s+(?P<ip>[\d.:a-f]*)\((?P<name>[^)]*)\)?\s*$"
)


def topology(block: Block, facts: Facts) -> None:
    """Read links to other switches, listed once for each VSAN."""
    facts.switches.append(_own(block))
    vsan = 0
    for number, line in block.lines:
        header = re.match(r"\s*FC Topology for VSAN (\d+)", line)
        vsan = int(header[1]) if header else vsan
        row = _TOPOLOGY.match(line)
        if row:
            fact = IslFact(block.at(number), block.switch, _short(row["port"]), row["name"])
            fact.peer_port, fact.peer_domain = _short(row["peer"]), int(row["domain"])
            fact.vsan, fact.is_bundle = vsan, "port-channel" in row["port"]
            facts.isls.append(fact)
        elif re.match(rf"\s*{_INTERFACE}\s+0x", line):
            refuse_cut(block, facts, number, "A row of the topology is not complete")


def _short(port: str) -> str:
    return port.replace(" ", "")


_BRIEF = re.compile(rf"(?P<port>{_INTERFACE})\s+(?P<vsan>\d+|--)\s+(?P<rest>.*)$")
_UP = {"up", "trunking"}


def interface_brief(block: Block, facts: Facts) -> None:
    """Read speed, state and port channel of interfaces."""
    facts.switches.append(_own(block))
    for number, line in block.lines:
        row = _BRIEF.match(line)
        if not row:
            continue
        words = row["rest"].split()
        fact = PortFact(block.at(number), block.switch, _short(row["port"]))
        status = next((w for w in words if w in _UP or w.endswith("Absent") or w == "down"), "")
        fact.state = "up" if status in _UP else "down"
        if any(word in {"adminDown", "outOfServc"} for word in words) or "disabled" in row["rest"]:
            fact.state = "disabled"
        kinds = {"F", "E", "TE", "TF", "NP", "TNP", "SD", "FL"}
        oper = words[words.index(status) + 1 :] if status in words else []
        fact.kind = next((word for word in oper if word in kinds), "")
        numbers = [word for word in oper if word.isdigit()]
        fact.speed = int(numbers[0]) if numbers else 0
        is_bundle = fact.port.startswith(("port-channel", "san-port-channel"))
        if len(numbers) > 1 and not is_bundle:
            fact.master = f"port-channel{numbers[1]}"
        fact.optics = next((word for word in words if word in {"swl", "lwl"}), "")
        fact.vsan = int(row["vsan"]) if row["vsan"].isdigit() else 0
        facts.ports.append(fact)


_HEAD = re.compile(rf"(?P<port>{_INTERFACE})(?: is (?P<state>[a-z]+).*)?\s*$")
#: Counters that show trouble.
_TROUBLE = {
    "time-outs of frames": re.compile(r"(\d+) timeout discards|Tx Timeout discards:\s+(\d+)"),
    "losses of all credit": re.compile(
        r"timeout discards, (\d+) credit loss|Tx Credit loss:\s+(\d+)"
    ),
    "ticks of 2.5 us without credit": re.compile(
        r"(\d+) 2\.5us TxWait|TxWait 2\.5us due to lack of transmit credits:\s+(\d+)"
    ),
}


def counters(block: Block, facts: Facts) -> None:
    """Read `show interface` and `show interface counters`."""
    port_counters.interfaces(block, facts)
    port: PortFact | None = None
    for number, line in block.lines:
        head = _HEAD.match(line)
        if head:
            port = PortFact(block.at(number), block.switch, _short(head["port"]))
            port.state = "up" if head["state"] in _UP else "down" if head["state"] else ""
            facts.ports.append(port)
        elif re.match(r"\S", line) and not port_counters.DETAILED.match(line):
            port = None
        elif port is not None:
            _count(block, facts, number, line, port)


def _count(block: Block, facts: Facts, number: int, line: str, port: PortFact) -> None:
    speed = re.search(r"Operating Speed is (\d+) Gbps", line)
    vsan = re.search(r"Port vsan is (\d+)", line)
    channel = re.search(r"Belongs to (port-channel ?\d+)", line)
    wave = re.search(r"SFP is (short|long) wave", line)
    credit = re.search(r"Receive B2B Credit is (\d+)", line)
    if wave:
        port.optics = "swl" if wave[1] == "short" else "lwl"
    if credit and int(credit[1]):
        keep(block, facts, (number, port.port), "credit", credit[1])
    port.speed = int(speed[1]) if speed else port.speed
    port.vsan = int(vsan[1]) if vsan else port.vsan
    port.master = _short(channel[1]) if channel else port.master
    for name, pattern in _TROUBLE.items():
        match = pattern.search(line)
        value = match[match.lastindex or 0] if match else "0"
        if int(value):
            source = block.at(number)
            facts.counters.append(CounterFact(source, block.switch, port.port, name, value))


def port_channel(block: Block, facts: Facts) -> None:
    """Read the members of port channels."""
    bundle: BundleFact | None = None
    announced: tuple[int, int] | None = None
    states: list[tuple[str, str]] = []
    for number, line in [*block.lines, (0, "end")]:
        head = re.match(r"((?:san-)?port-channel ?\d+)\s*$", line)
        if head or not number:
            if bundle is not None and announced:
                expect(block, facts, announced[0], (announced[1], len(states)), "members")
            announced = None
            if bundle is not None:
                _keep_up(bundle, states, facts)
        if head:
            states = []
            bundle = BundleFact(block.at(number), block.switch, _short(head[1]), [])
            facts.bundles.append(bundle)
        total = re.match(r"\s+(\d+) ports? in total", line)
        announced = (number, int(total[1])) if total else announced
        if bundle is not None:
            states += re.findall(r"\b((?:v?fc)[\d/]+)\s+\[([\w-]+)", line)


def _keep_up(bundle: BundleFact, states: list[tuple[str, str]], facts: Facts) -> None:
    """Keep the members of a port channel that are up, and list the others if some are."""
    bundle.members = [port for port, state in states if state == "up"]
    down = [port for port, state in states if state != "up"]
    if not bundle.members:
        bundle.members = down
    elif down:
        text = f"{len(down)} of the {len(states)} links of {bundle.name} of '{bundle.switch}'"
        text += f" are not up, and are left out: {', '.join(down)}"
        facts.findings.append(Finding(text, (bundle.source,)))


def membership(block: Block, facts: Facts) -> None:
    """Read the VSAN of each interface."""
    vsan = 0
    for _, line in block.lines:
        head = re.match(r"\s*vsan (\d+)(?:\([^)]*\))? interfaces:", line)
        vsan = int(head[1]) if head else vsan
        if vsan and vsan not in _ISOLATION:
            for port in re.findall(r"\bv?fc[\d/]+", line):
                facts.vsans[block.switch, port] = vsan


def show_version(block: Block, facts: Facts) -> None:
    """Read the model of a switch, from `show version`, `hardware`, `inventory` or `module`."""
    for number, line in block.lines:
        match = re.match(r"\s*cisco (?P<model>(?:MDS|Nexus)\s?\d\S*)", line, re.IGNORECASE)
        product = re.search(r"\bDS-C(?P<model>9\d{3}[A-Z]?)\b", line)
        if match or product:
            fact = _own(block)
            fact.source = block.at(number)
            fact.type = (
                match["model"][:60] if match else f"MDS {product['model']}" if product else ""
            )
            facts.switches.append(fact)
            return
    facts.switches.append(_own(block))


def switch_name(block: Block, facts: Facts) -> None:
    """Read `show switchname`, whose name is that of the block already."""
    facts.switches.append(_own(block))


def fcdomain(block: Block, facts: Facts) -> None:
    """Read the domain of a switch in each VSAN, from `show fcdomain` with or without a list."""
    vsan = 0
    for number, line in block.lines:
        head = re.match(r"\s*VSAN (\d+)", line)
        vsan = int(head[1]) if head else vsan
        own = re.search(r"(?:Current|Running) domain ID: 0x[0-9a-f]+\((\d+)\)", line)
        listed = re.match(rf"\s*0x[0-9a-f]+\((\d+)\)\s+({WWN})\s+\[Local\]", line)
        if own or listed:
            fact = _own(block)
            fact.source, fact.vsan = block.at(number), vsan
            fact.domain = int((own or listed)[1])  # type: ignore[index]
            facts.switches.append(fact)


def fdmi(block: Block, facts: Facts) -> None:
    """Read model, host and ports of adapters."""
    for entry in _adapters(block):
        values = {key: value for _, key, value in entry}
        ports = [(n, v) for n, k, v in entry if k in {"port", "HBA-ID"}]
        for number, text in ports:
            login = LoginFact(block.at(number), name_at(block, number, text), block.switch)
            login.model, login.host = model_in(values.get("Model", "")), values.get("Host", "")
            facts.logins.append(login)


def _adapters(block: Block) -> Iterator[list[tuple[int, str, str]]]:
    entry: list[tuple[int, str, str]] = []
    for number, line in block.lines:
        begin = re.match(rf"\s*HBA-ID\s*:\s*({WWN})", line)
        if begin:
            yield entry
            entry = [(number, "HBA-ID", begin[1])]
        model = re.match(r"\s*Model\s*:\s*(\S+)", line)
        host = re.match(r"\s*Host\s?-?[nN]ame\s*:\s*(\S+)", line)
        port = re.match(rf"\s*Port-id\s*:\s*({WWN})", line)
        for key, match in (("Model", model), ("Host", host), ("port", port)):
            if match and entry:
                entry.append((number, key, match[1]))
    yield entry

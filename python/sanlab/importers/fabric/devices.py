"""Ports in the fabric grouped to hosts with adapters and to arrays with controllers."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

from sanlab.importers.fabric import wwn
from sanlab.importers.generic_san import NO_TEXTS
from sanlab.words import show_wwn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sanlab.importers.fabric.graph import Graph
    from sanlab.importers.fabric.nodes import Device, Node
    from sanlab.importers.fabric.zoning import ZoneSet

#: Words at the end of an alias that name a port, not the box it belongs to.
_PORT_WORD = re.compile(
    r"(?:v?hba|vmhba|vfc|fc|fcp|port|p|pt|ct|ctl|ctrl|c|sp|spa|spb|n|node|slot|s|fab|fabric|san|e|h|"
    r"a|b|fa|fb|lif|cl|t|0[a-h]|[0-9]+[a-h]?)\d*[a-d]?\d*",
    re.IGNORECASE,
)
#: Words at the end of an alias of a host that can only name an adapter or its port.
_ADAPTER_WORD = re.compile(r"(?:v?hba|vmhba|vfc|fcp?|port|p)\d*", re.IGNORECASE)
_CONTROLLER = re.compile(r"(?:ct|ctl|ctrl|sp|node|n|c)_?(\d+|[ab])\d*", re.IGNORECASE)
#: Words in aliases of targets, where nothing else tells.
_TARGET_WORD = re.compile(
    r"(?:^|[_\-])(?:arr|array|vmax|vnx|unity|pure|netapp|svm|3par|eva|svc|ds\d|spa|spb|ct\d|tape|"
    r"lto|drive|vtl|storage|san_port)",
    re.IGNORECASE,
)
_LEAST_STEM = 2


@dataclass(slots=True, eq=False)
class Port:
    """A port of a box with its link to a switch."""

    device: Device
    others: list[Device] = field(default_factory=list)
    """Further names behind it: virtual ports of a host, or of an array."""
    name: str = ""
    """Its name in the scenario."""
    names: dict[str, str] = field(default_factory=dict)
    """Names in the scenario by world-wide name."""


@dataclass(slots=True, eq=False)
class Box:
    """A host or an array."""

    name: str
    ports: list[Port]
    is_array: bool
    vendor: str = ""
    controllers: list[list[int]] = field(default_factory=list)
    """Numbers of the ports of each controller, where the aliases tell."""
    grouped_by: str = ""
    """What joins its ports, where it is a guess."""


@dataclass(slots=True)
class Boxes:
    """All hosts and arrays, and where each world-wide name is in the scenario."""

    hosts: list[Box]
    arrays: list[Box]
    places: dict[str, str]
    by_wwpn: dict[str, Box]


def group(graph: Graph, zones: list[ZoneSet], taken: set[str]) -> Boxes:
    """Group the devices of a graph; `taken` are names that boxes must not have."""
    aliases = _aliases(graph)
    peers = _peers(zones)
    roles = _roles(graph, aliases, peers)
    ports = _ports(graph, roles)
    targets = [port for port in ports if roles[port.device.wwpn] == "target"]
    others = [port for port in ports if roles[port.device.wwpn] != "target"]
    boxes = Boxes(_hosts(graph, others, aliases), _arrays(targets, aliases), {}, {})
    for box in [*boxes.hosts, *boxes.arrays]:
        box.name = unused(word(box.name, "array" if box.is_array else "host"), taken)
        _name_ports(box, aliases)
        for port in box.ports:
            boxes.places |= port.names
            boxes.by_wwpn |= dict.fromkeys(port.names, box)
    return boxes


def word(text: str, fallback: str) -> str:
    """Return a text as a name in a scenario."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-")
    is_text = re.match(r"[A-Za-z]", name) and name.lower() not in NO_TEXTS
    return name if is_text else f"{fallback}-{name}".strip("-")


def unused(name: str, taken: set[str]) -> str:
    """Return a name that is not taken yet, and take it."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name}-{number}", number + 1
    taken.add(found)
    return found


def _aliases(graph: Graph) -> dict[str, str]:
    """Return the alias of each port: one of the whole fabric, else the first by its letters."""
    found: dict[str, list[tuple[int, str]]] = {}
    for fact in graph.facts.aliases:
        names = [text for kind, text in fact.members if kind == "wwn"]
        if len(names) == 1:
            rank = 0 if fact.is_fabric_wide else 1
            found.setdefault(names[0], []).append((rank, fact.name))
    for device in graph.devices.values():
        if alias := device.first("alias"):
            found.setdefault(device.wwpn, []).append((0, alias))
    for name, given in found.items():
        several = sorted({alias for _, alias in given})
        if len(several) > 1:
            shown = "', '".join(several[:3])
            text = f"{show_wwn(name)} has several aliases, '{shown}'"
            graph.note(f"{text}; '{min(given)[1]}' names its box")
    return {name: min(given)[1] for name, given in found.items()}


def _peers(zones: list[ZoneSet]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in (zone for part in zones for zone in part.zones):
        for name in one.wwpns if len(one.wwpns) < 256 else []:
            found.setdefault(name, set()).update(one.wwpns)
    return found


def _roles(graph: Graph, aliases: dict[str, str], peers: dict[str, set[str]]) -> dict[str, str]:
    roles = {name: _told_role(device) for name, device in graph.devices.items()}
    for adapter in graph.facts.adapters:
        if adapter.wwpn in roles:
            roles[adapter.wwpn] = "init"
    for path in graph.facts.paths:
        if path.target in roles:
            roles[path.target] = "target"
    for name in [name for name, role in roles.items() if not role]:
        if _TARGET_WORD.search(aliases.get(name, "")):
            roles[name] = "target"
    unknown = [name for name, role in roles.items() if not role]
    guessed: dict[tuple[str, bool], list[str]] = {}
    for name in unknown:
        others = {roles[peer] for peer in peers.get(name, set()) if peer != name} - {""}
        roles[name] = "target" if others == {"init"} else "init"
        role = "an array" if others == {"init"} else "a host"
        guessed.setdefault((role, bool(others)), []).append(name)
    for (role, is_zoned), names in guessed.items():
        reason = "from the zones they are in" if is_zoned else "without any sign"
        shown = ", ".join(show_wwn(name) for name in names[:3])
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        source = graph.devices[names[0]].sources[0]
        graph.note(f"Taken for ports of {role}, {reason}: {shown}{more}", source)
    return roles


def _told_role(device: Device) -> str:
    roles = {fact.role for fact in device.facts} - {""}
    if "npv" in roles:
        return "init"
    if roles == {"both"} or {"init", "target"} <= roles:
        is_host = device.first("host") or wwn.role_of(device.wwpn) == "init"
        return "init" if is_host else "target"
    if roles - {"both"}:
        return (roles - {"both"}).pop()
    return "init" if device.first("host") else wwn.role_of(device.wwpn)


def _ports(graph: Graph, roles: dict[str, str]) -> list[Port]:
    """Group the devices at each port of a switch; one of them is the port itself."""
    found: dict[tuple[Node, str], list[Device]] = {}
    for device in graph.devices.values():
        found.setdefault((device.node, device.port or f"?{device.wwpn}"), []).append(device)
    ports = []
    for (node, number), devices in found.items():
        devices.sort(key=lambda d: (d.first("base") not in {"", d.wwpn}, d.number("fcid"), d.wwpn))
        targets = [device for device in devices if roles[device.wwpn] == "target"]
        rest = [device for device in devices if roles[device.wwpn] != "target"]
        if targets and rest:
            text = f"Port {number} of '{node.name}' has targets and hosts behind it"
            graph.note(f"{text}; all are taken for one port of an array", devices[0].sources[0])
        nodes = {device.first("wwnn") for device in rest} - {""}
        uplink = next((device for device in rest if _is_uplink(device)), None)
        if uplink is not None:
            rest = [uplink, *(device for device in rest if device is not uplink)]
            text = f"{show_wwn(uplink.wwpn)} is the uplink of an NPV switch, at port {number} of"
            text += f" '{node.name}': the {len(rest) - 1} devices behind it are virtual ports of"
            graph.note(f"{text} one host here", uplink.sources[0])
        elif behind := [d for d in rest if any(fact.is_behind_gateway for fact in d.facts)]:
            text = f"Port {number} of '{node.name}' leads to an access gateway: the hosts behind it"
            text += f" ({len(behind)}) are virtual ports of one host here"
            graph.note(text, behind[0].sources[0])
        elif len(rest) > 1 and len(nodes) == len(rest) and not any(d.first("base") for d in rest):
            text = f"Port {number} of '{node.name}' has {len(rest)} devices of different nodes"
            text += " behind it; they are virtual ports of the first"
            graph.note(text, devices[0].sources[0])
        mine = targets + rest if targets else rest
        ports.append(Port(mine[0], mine[1:]))
    return ports


def _is_uplink(device: Device) -> bool:
    """Tell whether the name server calls a device the uplink of an NPV switch."""
    return any(fact.role == "npv" for fact in device.facts)


def stem(alias: str, *, is_host: bool = False) -> str:
    """Return the part of an alias that names the box.

    Before the word for an adapter, a letter with a number is a part of the name of a host, and a
    controller of an array.

    >>> stem("esx01_hba0"), stem("arr01_ct0_fc2"), stem("SERVER_A_PORT_1"), stem("db-01-a")
    ('esx01', 'arr01', 'SERVER_A', 'db-01')
    >>> stem("esx-a1-hba0", is_host=True), stem("vsp-a1-p0")
    ('esx-a1', 'vsp')
    """
    parts = re.split(r"([_\-])", alias)
    is_told = is_host and bool(_ADAPTER_WORD.fullmatch(parts[-1]))
    while len(parts) > _LEAST_STEM:
        if is_told and re.fullmatch(r"[A-Za-z]\d+", parts[-1]):
            break
        is_number_of_name = parts[-1].isdigit() and not _PORT_WORD.fullmatch(parts[-3])
        is_only = len(parts) == 3 and is_number_of_name
        if not _PORT_WORD.fullmatch(parts[-1]) or is_only:
            break
        if parts[-1].isdigit() and is_number_of_name and len(parts[-1]) > 1:
            break
        was_word = not parts[-1].isdigit()
        del parts[-2:]
        is_letter = len(parts[-1]) == 1 and parts[-1].isalpha()
        if was_word and is_letter:
            break
    return "".join(parts)


def _hosts(graph: Graph, ports: list[Port], aliases: dict[str, str]) -> list[Box]:
    owners = {a.wwpn: PurePath(a.host).name for a in graph.facts.adapters}
    nodes = Counter(p.device.first("wwnn") for p in ports)
    boxes: dict[str, Box] = {}
    for port in sorted(ports, key=lambda p: p.device.wwpn):
        name, reason = _host_name(port, owners, aliases, nodes)
        box = boxes.setdefault(name.lower(), Box(name, [], is_array=False, grouped_by=reason))
        box.ports.append(port)
    return sorted(boxes.values(), key=lambda box: box.name.lower())


def _host_name(
    port: Port, owners: dict[str, str], aliases: dict[str, str], nodes: Counter[str]
) -> tuple[str, str]:
    device = port.device
    if name := device.first("host"):
        return name.partition(".")[0], ""
    if name := owners.get(device.wwpn, ""):
        return name, ""
    if alias := aliases.get(device.wwpn):
        return stem(alias, is_host=True), "the beginnings of aliases"
    node = device.first("wwnn")
    if _is_uplink(device):
        return f"npv-{(node or device.wwpn)[-6:]}", "nothing: it is the uplink of an NPV switch"
    if node and nodes[node] > 1:
        return f"host-{node[-6:]}", "their node name"
    return f"host-{device.wwpn[-6:]}", "nothing: each port is a host"


def _arrays(ports: list[Port], aliases: dict[str, str]) -> list[Box]:
    """Group target ports by node name; groups whose aliases begin alike are one array."""
    groups: dict[str, list[Port]] = {}
    for port in ports:
        groups.setdefault(port.device.first("wwnn") or port.device.wwpn, []).append(port)
    named: dict[str, Box] = {}
    for node, members in sorted(groups.items()):
        stems = Counter(stem(aliases[n]) for p in members for n in _all(p) if n in aliases)
        vendor = next((v for p in members if (v := _vendor(p))), "")
        name = stems.most_common(1)[0][0] if stems else f"{vendor.lower() or 'array'}-{node[-6:]}"
        box = named.setdefault(name.lower(), Box(name, [], is_array=True, vendor=vendor))
        box.grouped_by = "node names, or the beginnings of aliases"
        box.ports += members
    for box in named.values():
        _find_controllers(box, aliases)
    return sorted(named.values(), key=lambda box: box.name.lower())


def _all(port: Port) -> Iterable[str]:
    return (device.wwpn for device in (port.device, *port.others))


def _vendor(port: Port) -> str:
    told = port.device.first("vendor").upper()
    part = wwn.vendor_part(port.device.wwpn)
    return wwn.TARGET_VENDORS.get(part, "") or re.sub(r"\W", "", told)


def _find_controllers(box: Box, aliases: dict[str, str]) -> None:
    """Order the ports of an array, and give them to controllers if all aliases name one."""
    names = {port.device.wwpn: aliases.get(port.device.wwpn, "") for port in box.ports}
    owners: dict[str, str] = {}
    for number, alias in names.items():
        words = re.split(r"[_\-]", alias)
        found = (match[1] for text in words if (match := _CONTROLLER.fullmatch(text)))
        owners[number] = next(found, "")
    box.ports.sort(key=lambda p: (owners[p.device.wwpn], p.device.wwpn))
    kinds = sorted(set(owners.values()))
    if len(kinds) > 1 and all(kinds):
        numbers = [owners[port.device.wwpn] for port in box.ports]
        box.controllers = [[i for i, k in enumerate(numbers) if k == kind] for kind in kinds]


def _name_ports(box: Box, aliases: dict[str, str]) -> None:
    for index, port in enumerate(box.ports):
        port.name = f"{box.name}.p{index}" if box.is_array else f"{box.name}.hba{index}.p0"
        port.names[port.device.wwpn] = port.name
        taken = {"p0"}
        for other in port.others:
            if box.is_array:
                port.names[other.wwpn] = port.name
                continue
            alias = aliases.get(other.wwpn) or other.first("host") or f"v{other.wwpn[-6:]}"
            virtual = unused(word(alias, "v"), taken)
            port.names[other.wwpn] = f"{box.name}.hba{index}.{virtual}"

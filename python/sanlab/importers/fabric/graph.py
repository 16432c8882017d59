"""Facts joined to one graph: switches, fabrics, devices at ports, cables between switches."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

from sanlab.importers.fabric.cables import PortTable, measure
from sanlab.importers.fabric.facts import FICON, Facts, Finding, IslFact, LoginFact, Source
from sanlab.importers.fabric.nodes import Cable, Device, Node, Told
from sanlab.importers.fabric.texts import problem
from sanlab.words import show_wwn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sanlab.importers.fabric.facts import SwitchFact

#: Names of islshow end after this many characters.
CUT_NAME = 15
#: Kinds of ports that devices are plugged into, and ports that a finding names.
_EDGE = {"F", "FL", "L", "TF"}
_SHOWN = 8


@dataclass(slots=True)
class Graph:
    """All that the facts give together."""

    facts: Facts
    nodes: list[Node] = field(default_factory=list)
    owners: dict[str, Node] = field(default_factory=dict)
    by_wwn: dict[str, Node] = field(default_factory=dict)
    by_name: dict[str, Node] = field(default_factory=dict)
    devices: dict[str, Device] = field(default_factory=dict)
    cables: list[Cable] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    table: PortTable = field(default_factory=lambda: PortTable(Facts(), {}))
    noted: set[str] = field(default_factory=set)
    """Texts of the findings so far."""

    def owners_name(self, owner: str) -> str:
        """Return the name of the switch that printed an output."""
        node = self.owners.get(owner) or self.by_name.get(owner)
        return node.name if node is not None else PurePath(owner).name

    def note(self, text: str, *sources: Source) -> None:
        """Keep a finding once."""
        if text not in self.noted:
            self.noted.add(text)
            self.findings.append(Finding(text, tuple(sources)))


def build(facts: Facts) -> Graph:
    """Join facts.

    Raises
    ------
    ScenarioError
        Two switches have one world-wide name or one name.
    """
    graph = Graph(facts, findings=list(facts.findings))
    graph.noted = {finding.text for finding in facts.findings}
    _add_switches(graph)
    _join_fabrics(graph)
    _find_domains(graph)
    _add_devices(graph)
    _note_unnamed(graph)
    _note_channels(graph)
    _add_cables(graph)
    _connect(graph)
    return graph


def _add_switches(graph: Graph) -> None:
    own = [fact for fact in graph.facts.switches if fact.is_own]
    for fact in own:
        if not fact.name.endswith("/"):
            _add_own(graph, fact)
    for fact in graph.facts.switches:
        if not fact.is_own:
            _merge(_node(graph, fact.name, fact.wwn, fact.source), fact)
    for port in graph.facts.ports:
        if port.peer_wwn or (port.kind == "E" and port.peer_name):
            _node(graph, port.peer_name, port.peer_wwn, port.source)
    for isl in graph.facts.isls:
        _node(graph, isl.peer_name, isl.peer_wwn, isl.source)
    _add_unnamed(graph, [fact for fact in own if fact.name.endswith("/")])


def _add_unnamed(graph: Graph, own: list[SwitchFact]) -> None:
    """Find the switches whose outputs do not name them."""
    for login in graph.facts.logins:
        if login.on_switch:
            _node(graph, login.on_switch, "", login.source)
    is_alone = len({fact.name for fact in own}) == 1
    for fact in own:
        if fact.name not in graph.owners:
            graph.owners[fact.name] = _unnamed(graph, fact.name, fact.source, is_alone=is_alone)
        graph.owners[fact.name].is_own = True
        _merge(graph.owners[fact.name], fact)
    for owner, source in _owners(graph.facts):
        if owner not in graph.owners:
            graph.owners[owner] = _unnamed(graph, owner, source)


def _add_own(graph: Graph, fact: SwitchFact) -> None:
    known = graph.by_wwn.get(fact.wwn) if fact.wwn else None
    if known is not None and known.name != fact.name:
        reason = (
            f"The switches '{known.name}' ({known.source}) and '{fact.name}' have one world-wide "
            f"name, {show_wwn(fact.wwn)}"
        )
        remedy = "Name the outputs of one of them, or those after its change of name"
        raise problem(fact.source.file, fact.source.line, reason, remedy)
    named = graph.by_name.get(fact.name)
    if named is not None and fact.wwn and named.wwn and named.wwn != fact.wwn:
        reason = f"Two switches are called '{fact.name}', with different world-wide names"
        remedy = f"Import one without the other; {named.source} has the first"
        raise problem(fact.source.file, fact.source.line, reason, remedy)
    node = _node(graph, fact.name, fact.wwn, fact.source)
    node.is_own = True
    graph.owners[fact.name] = node
    if fact.domain is not None and fact.vsan == 0 and 0 in node.domains:
        before, where = node.domains[0]
        if before != fact.domain:
            text = f"Switch '{fact.name}' has domain {before} in one capture and {fact.domain}"
            graph.note(f"{text} in another; the first is used", where, fact.source)
            return
    _merge(node, fact)


def _merge(node: Node, fact: SwitchFact) -> None:
    node.vendor = node.vendor or fact.vendor
    if fact.type and not node.type:
        node.type, node.type_source = fact.type, fact.lines.get("type", fact.source)
    if fact.domain is not None:
        where = fact.lines.get("domain", fact.source)
        node.domains.setdefault(fact.vsan, (fact.domain, where))


def _node(graph: Graph, name: str, number: str, source: Source) -> Node:
    """Return the switch with a world-wide name or else a name; a new one if it is unknown."""
    node = graph.by_wwn.get(number) if number else None
    if node is None and name:
        node = graph.by_name.get(name) or _by_host_name(graph, name)
        if node is not None and number and node.wwn and node.wwn != number:
            node = None
    if node is None:
        node = Node(name or f"switch-{number[-6:] or len(graph.nodes) + 1}", source, number)
        graph.nodes.append(node)
    node.wwn = node.wwn or number
    is_longer = len(node.name) <= CUT_NAME < len(name) and name.startswith(node.name)
    node.name = name if is_longer else node.name
    for key, table in ((number, graph.by_wwn), (name, graph.by_name)):
        if key:
            table.setdefault(key, node)
    return node


def _by_host_name(graph: Graph, name: str) -> Node | None:
    """Return the switch that calls itself by a name without the domain that a neighbour adds."""
    host, dot, _ = name.partition(".")
    node = graph.by_name.get(host) if dot else None
    return node if node is not None and node.is_own else None


def _owners(facts: Facts) -> Iterable[tuple[str, Source]]:
    lists = (
        facts.logins,
        facts.isls,
        facts.bundles,
        facts.ports,
        facts.routes,
        facts.settings,
        facts.traffic,
    )
    seen: dict[str, Source] = {}
    for kind in lists:
        for fact in kind:
            seen.setdefault(fact.switch, fact.source)
    return seen.items()


def _unnamed(graph: Graph, owner: str, source: Source, *, is_alone: bool = True) -> Node:
    """Return the switch that printed outputs which do not name it.

    It is the only one that names itself, if no other does not.
    """
    if owner in graph.by_name:
        return graph.by_name[owner]
    tails = {node.wwn[4:]: node for node in graph.nodes if node.wwn}
    own_tails = {p.wwn[4:] for p in graph.facts.ports if p.switch == owner and p.wwn}
    if len(own_tails) > 1:
        reason = f"The answers in one folder have ports of {len(own_tails)} switches"
        remedy = "Put the answers of each switch into a folder with its name"
        raise problem(source.file, source.line, reason, remedy)
    if len(own_tails) == 1:
        return _of_ports(graph, owner, own_tails.pop(), source)
    if known := _of_logins(graph, owner) or _of_devices(graph, owner):
        return known
    mine = [fact for fact in graph.facts.logins if fact.switch == owner and fact.fabric_port]
    found = Counter(fact.fabric_port[4:] for fact in mine if fact.fabric_port[4:] in tails)
    if found:
        return tails[found.most_common(1)[0][0]]
    own = [node for node in graph.nodes if node.is_own]
    if len(own) == 1 and owner.endswith("/") and is_alone:
        return own[0]
    name = PurePath(owner).name if owner.strip("./") else "switch"
    if owner.endswith("/"):
        graph.note(f"Some outputs do not name their switch; it is called '{name}'", source)
    node = Node(name, source)
    graph.nodes.append(node)
    graph.by_name.setdefault(name, node)
    return node


def _of_logins(graph: Graph, owner: str) -> Node | None:
    """Return the switch at whose ports a name server has the logins that an output lists."""
    logins = graph.facts.logins
    mine = {(f.wwpn, f.port) for f in logins if f.switch == owner and f.port and not f.on_switch}
    names = Counter(f.on_switch for f in logins if f.on_switch and (f.wwpn, f.port) in mine)
    return graph.by_name.get(names.most_common(1)[0][0]) if names else None


def _of_devices(graph: Graph, owner: str) -> Node | None:
    """Return a switch of the fabric whose devices a name server lists, which has no name itself."""
    logins = graph.facts.logins
    mine = {fact.wwpn for fact in logins if fact.switch == owner and not fact.port}
    near = [
        graph.owners[fact.switch]
        for fact in logins
        if fact.port and fact.wwpn in mine and fact.switch in graph.owners
    ]
    for node in near[1:]:
        _unite(near[0], node)
    return near[0] if near else None


def _of_ports(graph: Graph, owner: str, tail: str, source: Source) -> Node:
    """Return the switch whose ports have world-wide names with this end, as its own one has."""
    known = next((node for node in graph.nodes if node.wwn[4:] == tail), None)
    folder = PurePath(owner).name if owner.strip("./") else ""
    if known is None:
        return _node(graph, folder or f"switch-{tail[-6:]}", f"1000{tail}", source)
    if folder and known.name == f"switch-{known.wwn[-6:]}":
        known.name = folder
        graph.by_name.setdefault(folder, known)
    return known


def _unite(one: Node, other: Node) -> None:
    first, second = one.root(), other.root()
    if first is not second:
        second.above = first


def _join_fabrics(graph: Graph) -> None:
    lists: dict[str, Node] = {}
    for fact in graph.facts.switches:
        node = graph.by_wwn.get(fact.wwn) if fact.wwn else graph.by_name.get(fact.name)
        if fact.fabric and node is not None:
            first = lists.setdefault(fact.fabric, graph.owners.get(fact.fabric, node))
            _unite(first, node)
    for isl in graph.facts.isls:
        _unite(graph.owners[isl.switch], _node(graph, isl.peer_name, isl.peer_wwn, isl.source))
    for port in graph.facts.ports:
        if port.peer_wwn or (port.kind == "E" and port.peer_name):
            peer = _node(graph, port.peer_name, port.peer_wwn, port.source)
            _unite(graph.owners[port.switch], peer)


def _find_domains(graph: Graph) -> None:
    """Take domains from neighbours, and from addresses: of ports, and of logins at Cisco's."""
    for isl in graph.facts.isls:
        if isl.peer_domain is not None:
            peer = _node(graph, isl.peer_name, isl.peer_wwn, isl.source)
            peer.domains.setdefault(isl.vsan, (isl.peer_domain, isl.source))
    for port in graph.facts.ports:
        if port.wwn and port.fcid >> 16:
            graph.owners[port.switch].domains.setdefault(0, (port.fcid >> 16, port.source))
    for login in graph.facts.logins:
        node = graph.owners[login.switch]
        is_local = login.port and not login.on_switch and node.vendor == "cisco"
        if is_local and login.fcid >> 16:
            node.domains.setdefault(login.vsan, (login.fcid >> 16, login.source))


def _add_devices(graph: Graph) -> None:
    places = {
        (node.root(), domain, vsan): node
        for node in reversed(graph.nodes)
        for vsan, (domain, _) in node.domains.items()
    }
    tails = {node.wwn[4:]: node for node in graph.nodes if node.wwn}
    others = _without_scsi(graph)
    for fact in graph.facts.logins:
        if fact.wwpn in others:
            continue
        node, port = _place(graph, fact, places, tails)
        device = graph.devices.get(fact.wwpn)
        if device is None:
            graph.devices[fact.wwpn] = Device(fact.wwpn, [fact.source], node, port, [fact])
            continue
        device.facts.append(fact)
        device.sources.append(fact.source)
        if not device.port and node is device.node:
            device.port = port
        elif (port and device.port != port) or node is not device.node:
            _differ(graph, device, fact, node, port)


def _without_scsi(graph: Graph) -> set[str]:
    """Return the devices that speak FICON alone, and list them."""
    found = {fact.wwpn: fact for fact in graph.facts.logins if fact.role == FICON}
    if found:
        shown = ", ".join(show_wwn(name) for name in list(found)[:3])
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        text = f"Devices with FICON, which is not simulated, are left out: {shown}{more}"
        graph.note(text, *(fact.source for fact in found.values()))
    return set(found)


def _note_unnamed(graph: Graph) -> None:
    """List ports that are up, and whose devices no output names."""
    known = {(device.node, device.port) for device in graph.devices.values()}
    known |= {
        (graph.owners[fact.switch], fact.port)
        for fact in graph.facts.logins
        if fact.wwpn not in graph.devices
    }
    found: dict[Node, dict[str, Source]] = {}
    for port in graph.facts.ports:
        node = graph.owners[port.switch]
        is_edge = port.kind in _EDGE and port.state == "up" and not port.master
        if is_edge and (node, port.port) not in known:
            found.setdefault(node, {}).setdefault(port.place or port.port, port.source)
    for node, ports in found.items():
        names = list(ports)
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        remedy = "show flogi database" if node.vendor == "cisco" else "nsshow -t"
        text = f"No output names the devices at ports {', '.join(names[:_SHOWN])}{more}"
        graph.note(f"{text} of '{node.name}', which are up; add {remedy}", ports[names[0]])


def _note_channels(graph: Graph) -> None:
    """Note port channels with devices behind them, which a scenario has as one link."""
    members = Counter(
        (graph.owners[port.switch], port.master)
        for port in graph.facts.ports
        if port.master and port.state == "up"
    )
    for device in graph.devices.values():
        count = members[device.node, device.port]
        if count > 1 and "port-channel" in device.port:
            text = f"{device.port} of '{device.node.name}' has {count} links to what is behind it"
            graph.note(f"{text}; they are one of their speed together here", device.sources[0])


def _differ(graph: Graph, device: Device, fact: LoginFact, node: Node, port: str) -> None:
    name = show_wwn(device.wwpn)
    here, there = f"'{device.node.name}' port {device.port}", f"'{node.name}' port {port}"
    if node.root() is not device.node.root():
        text = f"{name} is in two fabrics, at {here} and at {there}; the first is used"
    elif not port:
        return
    else:
        text = f"{name} is at {here} and at {there}; the captures may be of different times"
        text += "; the first is used"
    graph.note(text, device.sources[0], fact.source)


def _place(
    graph: Graph,
    fact: LoginFact,
    places: dict[tuple[Node, int, int], Node],
    tails: dict[str, Node],
) -> tuple[Node, str]:
    """Return switch and port of a device."""
    owner = graph.owners[fact.switch]
    if fact.on_switch:
        return _node(graph, fact.on_switch, "", fact.source), fact.port
    is_brocade = owner.vendor != "cisco" and not fact.port.startswith(("fc", "vfc", "port-c"))
    area = str(fact.fcid >> 8 & 0xFF) if fact.fcid and is_brocade else ""
    if fact.fabric_port and fact.fabric_port[4:] in tails and is_brocade:
        return tails[fact.fabric_port[4:]], fact.port or area
    domain = fact.fcid >> 16
    if not domain or (fact.port and not is_brocade):
        return owner, fact.port or area
    key = (owner.root(), domain, fact.vsan)
    node = places.get(key) or places.get((owner.root(), domain, 0))
    if node is None:
        node = _of_domain(graph, owner, fact, places)
    return node, fact.port or area


def _of_domain(
    graph: Graph, owner: Node, fact: LoginFact, places: dict[tuple[Node, int, int], Node]
) -> Node:
    """Return the switch of a domain that no output names."""
    domain = fact.fcid >> 16
    if not owner.domains and not owner.is_own:
        node = owner
    else:
        node = Node(f"domain-{domain}", fact.source, vendor=owner.vendor)
        graph.nodes.append(node)
        _unite(owner, node)
    node.domains[fact.vsan] = (domain, fact.source)
    places[owner.root(), domain, fact.vsan] = node
    return node


def _add_cables(graph: Graph) -> None:
    found: dict[frozenset[tuple[int, str]], Cable] = {}
    graph.table = table = PortTable(graph.facts, graph.owners)
    measured: set[tuple[int, int]] = set()
    listed = [*graph.facts.isls, *_from_routes(graph)]
    bundled = {
        (graph.owners[bundle.switch], member)
        for bundle in graph.facts.bundles
        for member in bundle.members
        if member != bundle.name
    }
    for isl in [*listed, *_from_ports(graph, listed)]:
        near = (graph.owners[isl.switch], isl.port)
        if near in bundled:
            continue
        far = (_node(graph, isl.peer_name, isl.peer_wwn, isl.source), isl.peer_port)
        if near[0] is far[0]:
            name = near[0].name
            graph.note(f"A link of '{name}' leads to itself and is left out", isl.source)
            continue
        key = frozenset({(id(near[0]), near[1]), (id(far[0]), far[1])})
        cable = found.get(key)
        if cable is None:
            cable = found[key] = Cable((near, far), [])
            graph.cables.append(cable)
        cable.sources.append(isl.source)
        end = 0 if cable.ends[0] == near else 1
        measure(table, cable, end, isl)
        measured.add((id(cable), end))
    for cable in graph.cables:
        for end in {0, 1} - {end for end in (0, 1) if (id(cable), end) in measured}:
            measure(table, cable, end, None)
    _add_costs(graph, found)


def _connect(graph: Graph) -> None:
    """Put a link where switches of one fabric have devices and no way between them."""
    part = {node: node for node in graph.nodes}

    def first(node: Node) -> Node:
        while part[node] is not node:
            node = part[node]
        return node

    for cable in graph.cables:
        part[first(cable.ends[1][0])] = first(cable.ends[0][0])
    used = dict.fromkeys(device.node for device in graph.devices.values())
    hubs: dict[Node, Node] = {}
    for node in used:
        hub = hubs.setdefault(node.root(), node)
        if first(hub) is first(node):
            continue
        cable = Cable(((hub, "?"), (node, "?")), [], guess="no output shows this link")
        graph.cables.append(cable)
        part[first(node)] = first(hub)
        text = f"No output shows how '{hub.name}' and '{node.name}' are connected; one link is put"
        graph.note(f"{text} between them", node.source)


def _domains(graph: Graph) -> dict[tuple[Node, int, int], Node]:
    """Return the switches by fabric, VSAN and domain."""
    return {
        (node.root(), vsan, domain): node
        for node in reversed(graph.nodes)
        for vsan, (domain, _) in node.domains.items()
    }


def _from_routes(graph: Graph) -> list[IslFact]:
    """Return links that the routing of a fabric knows, between switches without lists of links."""
    places = _domains(graph)
    known = {graph.owners[isl.switch] for isl in graph.facts.isls}
    links = []
    for route in graph.facts.routes:
        root = graph.owners[route.switch].root()
        near = places.get((root, route.vsan, route.domain))
        far = places.get((root, route.vsan, route.peer))
        if not route.port or near is None or far is None or {near, far} & known:
            continue
        graph.owners.setdefault(near.name, near)
        link = IslFact(route.source, near.name, route.port, far.name, far.wwn, route.peer_port)
        links.append(link)
    return links


def _add_costs(graph: Graph, cables: dict[frozenset[tuple[int, str]], Cable]) -> None:
    """Give cables the costs of the routing, by their ports or else by their domains."""
    places = _domains(graph)
    pairs: dict[frozenset[Node], list[Cable]] = {}
    for cable in graph.cables:
        pairs.setdefault(frozenset({cable.ends[0][0], cable.ends[1][0]}), []).append(cable)
    for route in graph.facts.routes:
        root = graph.owners[route.switch].root()
        ends = [places.get((root, route.vsan, domain)) for domain in (route.domain, route.peer)]
        if ends[0] is None or ends[1] is None or not route.cost:
            continue
        ports = zip(ends, (route.port, route.peer_port), strict=True)
        one = cables.get(frozenset((id(node), port) for node, port in ports))
        for cable in [one] if one is not None else pairs.get(frozenset(filter(None, ends)), []):
            cable.cost = cable.cost or Told(str(route.cost), route.source)


def _from_ports(graph: Graph, listed_links: list[IslFact]) -> list[IslFact]:
    """Return links that only the tables of ports tell, of switches without lists of links."""
    listed = {graph.owners[isl.switch] for isl in listed_links}
    done: set[tuple[Node, str]] = set()
    members = Counter((p.switch, p.master) for p in graph.facts.ports if p.master)
    links: list[IslFact] = []
    telling = {graph.owners[p.switch] for p in graph.facts.ports if p.peer_wwn or p.peer_name}
    seen: Counter[frozenset[int]] = Counter()
    for port in graph.facts.ports:
        near = graph.owners[port.switch]
        if port.kind != "E" or not (port.peer_wwn or port.peer_name) or port.state != "up":
            continue
        far = _node(graph, port.peer_name, port.peer_wwn, port.source)
        pair = frozenset({id(near), id(far)})
        if near in listed or far in listed or (far in telling and near.name > far.name):
            continue
        if (near, port.port) in done:
            continue
        done.add((near, port.port))
        link = IslFact(port.source, port.switch, port.port, port.peer_name, port.peer_wwn)
        link.peer_port, link.speed = f"{seen[pair]}?", port.speed
        link.count = 1 + members[port.switch, port.port]
        link.is_bundle = link.count > 1
        seen[pair] += 1
        links.append(link)
    return links

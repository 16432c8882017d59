"""The graph as a scenario: a YAML text in which every value says where it comes from."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.importers.fabric import models
from sanlab.importers.fabric.devices import Boxes, group, unused, word
from sanlab.importers.fabric.luns import GUESSED_SIZE, Lun, find_luns, of_ports, ways_of
from sanlab.importers.fabric.nodes import Told
from sanlab.importers.fabric.page import Page, quoted
from sanlab.importers.fabric.texts import problem
from sanlab.importers.fabric.zoning import ZoneSet, zone_sets
from sanlab.importers.generic_san import NO_TEXTS
from sanlab.quantities import format_size
from sanlab.words import show_wwn

if TYPE_CHECKING:
    from sanlab.importers.fabric.devices import Box, Port
    from sanlab.importers.fabric.graph import Graph
    from sanlab.importers.fabric.nodes import Cable, Node

#: Lengths that no output tells.
EDGE_LENGTH, CORE_LENGTH = "5m", "30m"
#: Ports of a switch in a scenario.
MOST_PORTS = 256
#: Highest domain of a switch (FC-SW).
MOST_DOMAIN = 239
#: Members of a trunk in a scenario.
_MOST_MEMBERS = 16


@dataclass(slots=True)
class Layout:
    """What the scenario is written from."""

    graph: Graph
    boxes: Boxes
    zones: list[ZoneSet]
    luns: list[Lun]
    names: dict[Node, str] = field(default_factory=dict)
    switch_models: dict[Node, models.Model] = field(default_factory=dict)
    used: dict[Node, int] = field(default_factory=dict)
    """Ports of a switch with a cable."""
    vsans: dict[Node, set[int]] = field(default_factory=dict)
    """VSANs of a fabric, by the switch that stands for it."""
    port_vsans: dict[Node, dict[int, list[int]]] = field(default_factory=dict)
    """Numbers of ports by VSAN, where a fabric has several."""
    speeds: dict[tuple[Node, str], int] = field(default_factory=dict)
    ways: dict[tuple[Box, Box], list[tuple[str, str]]] = field(default_factory=dict)
    """Ports of each host and array that see each other."""
    """Speeds of ports of switches."""

    def vsan_of(self, port: Port) -> int:
        """Return the VSAN of a port, 0 without any."""
        told = port.device.number("vsan")
        return told or self.graph.facts.vsans.get((port.device.node.name, port.device.port), 0)

    def has_multipath(self, host: Box) -> bool:
        """Tell whether a host has several paths to each array that it uses."""
        used = [lun.array for lun in self.luns if host in lun.hosts]
        return bool(used) and all(
            len(of_ports(self.ways.get((host, array), []))) > 1 for array in used
        )

    def has_vsans(self, node: Node) -> bool:
        """Tell whether a fabric has devices in several VSANs."""
        return len(self.vsans.get(node.root(), set())) > 1


def lay_out(graph: Graph) -> Layout:
    """Group devices, resolve zones, and choose models.

    Raises
    ------
    ScenarioError
        No device is logged in, or a switch has more ports in use than one in a scenario.
    """
    if not graph.devices:
        file = graph.nodes[0].source.file if graph.nodes else "the outputs"
        remedy = "Add nsshow and nscamshow, or show flogi database and show fcns database"
        raise problem(file, None, "No output lists the devices in the fabric", remedy)
    taken: set[str] = set()
    names = {node: unused(word(node.name, "switch"), taken) for node in graph.nodes}
    zones = zone_sets(graph)
    boxes = group(graph, zones, taken)
    if not boxes.arrays or not boxes.hosts:
        kind = "array" if not boxes.arrays else "host"
        source = next(iter(graph.devices.values())).sources[0]
        remedy = "Add the outputs of the switches that the others are plugged into"
        reason = f"The outputs have {len(graph.devices)} devices and no {kind} among them"
        raise problem(source.file, source.line, reason, remedy)
    layout = Layout(graph, boxes, zones, find_luns(graph, boxes, zones), names)
    layout.speeds = _speeds(graph)
    layout.ways = ways_of(boxes, zones)
    if not any(lun.hosts for lun in layout.luns):
        source = boxes.hosts[0].ports[0].device.sources[0]
        remedy = "Add the effective zoning, and the outputs of all switches of the fabric"
        raise problem(source.file, source.line, "No zone has a host and an array", remedy)
    _count_ports(layout)
    return layout


def _count_ports(layout: Layout) -> None:
    speeds: dict[Node, list[int]] = {node: [] for node in layout.graph.nodes}
    for box in [*layout.boxes.hosts, *layout.boxes.arrays]:
        for port in box.ports:
            node = port.device.node
            layout.used[node] = layout.used.get(node, 0) + 1
            layout.vsans.setdefault(node.root(), set()).add(layout.vsan_of(port))
            speeds[node].append(speed_of(layout, port))
    for cable in layout.graph.cables:
        for node, _ in cable.ends:
            layout.used[node] = layout.used.get(node, 0) + cable.count
            speeds[node].append(cable.speed)
    near: dict[Node, list[int]] = {}
    for node, found in speeds.items():
        near.setdefault(node.root(), []).extend(speed for speed in found if speed)
    for node in layout.graph.nodes:
        told = [speed for speed in speeds[node] if speed] or near.get(node.root(), [])
        layout.switch_models[node] = models.switch_model(node, told)
        if layout.used.get(node, 0) > MOST_PORTS:
            reason = f"'{node.name}' has {layout.used[node]} ports in use"
            remedy = f"A switch of a scenario has at most {MOST_PORTS}: import a part of the fabric"
            raise problem(node.source.file, node.source.line, reason, remedy)


def speed_of(layout: Layout, port: Port) -> int:
    """Return the speed of a device's link, 0 if unknown."""
    device = port.device
    return layout.speeds.get((device.node, device.port), 0) or device.number("speed")


def _speeds(graph: Graph) -> dict[tuple[Node, str], int]:
    """Return the speeds of ports of switches: those they are set to, or run at if they are up."""
    fixed = {
        place: int(settings["speed"].value)
        for place, settings in graph.table.settings.items()
        if "speed" in settings
    }
    return fixed | {
        (graph.owners[port.switch], port.port): port.speed
        for port in graph.facts.ports
        if port.speed and port.state != "down" and port.switch in graph.owners
    }


def write(layout: Layout, page: Page) -> None:
    """Write the sections of the scenario."""
    _hosts(layout, page)
    _switches(layout, page)
    _arrays(layout, page)
    _links(layout, page)
    _zoning(layout, page)


def _hosts(layout: Layout, page: Page) -> None:
    page.line("hosts:")
    for host in layout.boxes.hosts:
        key = f"hosts.{host.name}"
        sources = [port.device.where("host")[0] for port in host.ports]
        guess = f"grouped by {host.grouped_by}" if host.grouped_by else ""
        page.value(f"  - name: {host.name}", key, host.name, sources, guess)
        if layout.has_multipath(host):
            _multipath(layout, page, host)
        page.line("    hbas:")
        for index, port in enumerate(host.ports):
            _adapter(layout, page, f"{key}.hbas.hba{index}", index, port)


def _adapter(layout: Layout, page: Page, key: str, index: int, port: Port) -> None:
    fallback = max(layout.switch_models[port.device.node].speeds)
    speed = speed_of(layout, port) or fallback
    speed = models.common_speed(speed, layout.switch_models[port.device.node])
    model = models.adapter_model(port.device, speed)
    names = [place.rpartition(".")[2] for place in list(port.names.values())[1:]]
    npiv = f", npiv: [{', '.join(names)}]" if names else ""
    guess = "" if model.is_told else "no output names the model; a generic one of its speed"
    text = f"      - {{name: hba{index}, model: {model.name}, ports: 1{npiv}}}"
    sources = port.device.sources
    page.value(text, key, f"{show_wwn(port.device.wwpn)}", sources, "")
    told = port.device.where("model") if model.is_told else []
    page.also(f"{key}.model", model.name, told, guess)
    for other in port.others:
        place = port.names[other.wwpn].rpartition(".")[2]
        page.also(f"{key}.npiv.{place}", show_wwn(other.wwpn), other.sources)


def _multipath(layout: Layout, page: Page, host: Box) -> None:
    """Write how a host uses several paths: as it says, else in turn."""
    told = [lun.policies[host] for lun in layout.luns if host in lun.policies]
    names = [name for name, _ in told]
    policy = max(names, key=names.count) if names else "round-robin"
    sources = list(dict.fromkeys(source for name, source in told if name == policy))
    guess = ""
    if not told:
        guess = "several paths, and round-robin is the usual choice among equal ones"
    elif len(set(names)) > 1:
        guess = "the policy of most of its LUNs; a host has one for all here"
    text = f"    multipath: {{policy: {policy}}}"
    page.value(text, f"hosts.{host.name}.multipath", policy, sources, guess)


def _switches(layout: Layout, page: Page) -> None:
    page.line()
    page.line("switches:")
    domains: dict[int, str] = {}
    _number_vsans(layout)
    for node in layout.graph.nodes:
        name, model = layout.names[node], layout.switch_models[node]
        key = f"switches.{name}"
        page.value(f"  - name: {name}", key, node.name, [node.source])
        guess = "" if model.is_told else "no output names a model of the catalog; by its speed"
        where = [node.type_source] if model.is_told and node.type_source else []
        page.value(f"    model: {model.name}", f"{key}.model", model.name, where, guess)
        _domain(layout, page, node, domains)
        if layout.used.get(node, 0) > model.ports:
            ports = str(layout.used[node])
            reason = "more ports have cables than the model has"
            page.value(f"    ports: {ports}", f"{key}.ports", ports, guess=reason)
        groups = layout.port_vsans.get(node, {})
        if groups:
            parts = [f"{{ports: '{_ranges(n)}', vsan: {v}}}" for v, n in sorted(groups.items())]
            page.line(f"    port_groups: [{', '.join(parts)}]")


def _domain(layout: Layout, page: Page, node: Node, taken: dict[int, str]) -> None:
    """Write the domain of a switch; a scenario has each only once, also in different fabrics."""
    name = layout.names[node]
    # That of the VSAN with the most devices, since a switch has one domain for all here.
    used = Counter(login.vsan for login in layout.graph.facts.logins)
    best = sorted(node.domains.items(), key=lambda item: (-used[item[0]], item[0]))
    for _, (domain, source) in best[:1]:
        if domain in taken:
            text = f"Domain {domain} of '{name}' is also that of '{taken[domain]}'"
            layout.graph.note(f"{text}, and a scenario has it only once: left out", source)
        elif 1 <= domain <= MOST_DOMAIN:
            taken[domain] = name
            page.value(f"    domain: {domain}", f"switches.{name}.domain", str(domain), [source])


def _number_vsans(layout: Layout) -> None:
    """Give the ports of fabrics with several VSANs numbers, in the order of their links."""
    counts: dict[Node, int] = {}
    for port in _edge_ports(layout):
        node = port.device.node
        if layout.has_vsans(node):
            number = counts.setdefault(node, 0)
            counts[node] += 1
            vsan = layout.vsan_of(port) or 1
            layout.port_vsans.setdefault(node, {}).setdefault(vsan, []).append(number)


def _ranges(numbers: list[int]) -> str:
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(a) if a == b else f"{a}..{b}" for a, b in parts)


def _edge_ports(layout: Layout) -> list[Port]:
    return [port for port, _ in _edge_ports_of(layout)]


def _edge_ports_of(layout: Layout) -> list[tuple[Port, Box]]:
    boxes = [*layout.boxes.hosts, *layout.boxes.arrays]
    return [(port, box) for box in boxes for port in box.ports]


def _arrays(layout: Layout, page: Page) -> None:
    page.line()
    page.line("arrays:")
    for array in layout.boxes.arrays:
        key = f"arrays.{array.name}"
        sources = [port.device.sources[0] for port in array.ports]
        page.value(f"  - name: {array.name}", key, array.name, sources, f"by {array.grouped_by}")
        model = _array_model(layout, array)
        maker = f" ({array.vendor})" if array.vendor else ""
        reason = f"no output tells what is in the array{maker}; flash with ports of its speed"
        page.value(f"    model: {model.name}", f"{key}.model", model.name, guess=reason)
        page.line(f"    ports: {len(array.ports)}")
        for index, port in enumerate(array.ports):
            names = ", ".join(show_wwn(name) for name in port.names)
            page.also(f"{key}.ports.p{index}", names, port.device.sources)
        _controllers(page, array, key)
        page.line("    luns:")
        for lun in layout.luns:
            if lun.array is array:
                _lun(page, lun, key)


def _array_model(layout: Layout, array: Box) -> models.Model:
    near = [layout.switch_models[port.device.node] for port in array.ports]
    told = [speed_of(layout, port) for port in array.ports]
    return models.array_model(max(told) or max(max(one.speeds) for one in near), near)


def _controllers(page: Page, array: Box, key: str) -> None:
    if not array.controllers:
        return
    groups = [f"[{', '.join(f'p{number}' for number in numbers)}]" for numbers in array.controllers]
    text = f"    controllers: {{count: {len(groups)}, ports: [{', '.join(groups)}]}}"
    page.value(text, f"{key}.controllers", str(len(groups)), guess="from the aliases of the ports")


def _lun(page: Page, lun: Lun, key: str) -> None:
    size = format_size(lun.size) if lun.size else GUESSED_SIZE
    hosts = f", initiators: [{', '.join(host.name for host in lun.hosts)}]" if lun.hosts else ""
    text = f"      - {{name: {lun.name}, size: {size}{hosts}}}"
    guess = "" if lun.size else "no host shows its size"
    guess = guess if lun.sources else "no host shows its LUNs; one for each host"
    page.value(text, f"{key}.luns.{lun.name}", lun.device or size, lun.sources, guess)


def _links(layout: Layout, page: Page) -> None:
    page.line()
    page.line("links:")
    counts: dict[Node, int] = {}
    for port, box in _edge_ports_of(layout):
        node = port.device.node
        place = layout.names[node]
        if layout.has_vsans(node):
            counts[node] = counts.get(node, -1) + 1
            place = f"{place}.{counts[node]}"
        model = layout.switch_models[node]
        told = speed_of(layout, port)
        ends = [model, _array_model(layout, box)] if box.is_array else [model]
        speed = models.common_speed(told or max(model.speeds), *ends)
        if not speed:
            text = f"The link of '{port.name}' has no speed that both models have"
            layout.graph.note(f"{text}; it is left out", port.device.sources[0])
            continue
        if told and speed != told:
            text = f"'{port.name}' runs at {told}GFC, which a model at its ends has not"
            layout.graph.note(f"{text}; {speed}GFC is used", port.device.sources[0])
        length = layout.graph.table.length(node, [port.device.port])
        far = length.text if length else EDGE_LENGTH
        text = f"  - {{from: {port.name}, to: {place}, speed: {speed}GFC, length: {far}}}"
        where = f"port {port.device.port} of {node.name}" if port.device.port else node.name
        guess = "length" if told else "speed and length"
        page.value(text, f"links.{port.name}", where, port.device.sources, guess)
        reason = length.guess if length else "length; a cable within a rack"
        sources = [length.source] if length else []
        page.also(f"links.{port.name}.length", far, sources, reason)
    for number, cable in enumerate(layout.graph.cables):
        _core_link(layout, page, number, cable)


def _core_link(layout: Layout, page: Page, number: int, cable: Cable) -> None:
    (near, near_port), (far, far_port) = cable.ends
    models_here = (layout.switch_models[near], layout.switch_models[far])
    common = sorted(set(models_here[0].speeds) & set(models_here[1].speeds))
    told = cable.speed if cable.speed in common else 0
    speed = told or (common[-1] if common else 0)
    if not speed:
        text = f"The link between '{near.name}' and '{far.name}' has no speed that both models have"
        layout.graph.note(f"{text}; it is left out", *cable.sources)
        return
    count = min(cable.count, _MOST_MEMBERS)
    trunk = f", count: {count}, trunk: true" if count > 1 else ""
    length = cable.distance.text if cable.distance else CORE_LENGTH
    further = _credits(cable) | _cost(layout, cable)
    written = "".join(f", {name}: {told.text}" for name, told in further.items())
    ends = f"from: {layout.names[near]}, to: {layout.names[far]}"
    key = f"links.{layout.names[near]}-{layout.names[far]}.{number}"
    where = f"{near_port} to {far_port}"
    parts = [] if told else ["speed"]
    parts += [] if cable.distance and not cable.distance.guess else ["length"]
    guess = cable.guess or " and ".join(parts)
    text = f"  - {{{ends}, speed: {speed}GFC, length: {length}{trunk}{written}}}"
    page.value(text, key, where, cable.sources, guess)
    reason = cable.distance.guess if cable.distance else "length; no output tells it"
    page.also(f"{key}.length", length, [cable.distance.source] if cable.distance else (), reason)
    for name, one in further.items():
        page.also(f"{key}.{name}", one.text, [one.source], one.guess)


def _credits(cable: Cable) -> dict[str, Told]:
    """Return the credit of a cable; an end that no output shows grants as much as the other."""
    near, far = cable.credits.get(0), cable.credits.get(1)
    if near and far and near.text != far.text:
        return {"bb_credit_from": near, "bb_credit_to": far}
    one = near or far
    if one is None:
        return {}
    reason = "credit; that of the other end" if not (near and far) and not one.guess else one.guess
    return {"bb_credit": Told(one.text, one.source, reason)}


def _cost(layout: Layout, cable: Cable) -> dict[str, Told]:
    """Return the cost of a cable, where it may have an effect and all of its fabric have one."""
    root = cable.ends[0][0].root()
    near = [one for one in layout.graph.cables if one.ends[0][0].root() is root]
    is_used = cable.cost is not None and len(near) > 1 and all(one.cost for one in near)
    return {"fspf_cost": cable.cost} if is_used and cable.cost else {}


def _zoning(layout: Layout, page: Page) -> None:
    roots = {node.root() for node in layout.graph.nodes}
    parts = [part for part in layout.zones if any(z.wwpns for z in part.zones) or part.is_open]
    if not parts:
        return
    page.line()
    page.line("zoning:")
    for part in parts:
        mine = [layout.names[n] for n in layout.graph.nodes if n.root() is part.fabric]
        keys = [f"switches: [{', '.join(mine)}]"] if len(roots) > 1 else []
        keys += [f"vsan: {part.vsan}"] if layout.has_vsans(part.fabric) and part.vsan else []
        keys += ["default: all"] if part.is_open else []
        keys += ["default: none"] if not keys else []
        for index, text in enumerate(keys):
            page.line(f"  {'-' if index == 0 else ' '} {text}")
        _zones(layout, page, part)


def _zones(layout: Layout, page: Page, part: ZoneSet) -> None:
    taken: set[str] = set()
    lines = []
    for zone in part.zones:
        places = [layout.boxes.places[name] for name in zone.wwpns if name in layout.boxes.places]
        members = list(dict.fromkeys(places))
        if not members:
            text = f"Zone '{zone.name}' has no member in the fabric and is left out"
            layout.graph.note(text, zone.source)
            continue
        name = unused(_safe(zone.name), taken)
        lines.append((name, members, zone.source))
    if not lines:
        return
    set_name = unused(_safe(part.name), taken)
    page.line("    zones:")
    for name, members, source in lines:
        text = f"      {name}: [{', '.join(members)}]"
        page.value(text, f"zoning.{set_name}.{name}", str(len(members)), [source])
    where = [part.source] if part.source else []
    page.line("    sets:")
    page.line(f"      {set_name}: [{', '.join(name for name, _, _ in lines)}]")
    page.value(f"    active: {set_name}", f"zoning.{set_name}", part.name, where)


def _safe(name: str) -> str:
    """Return a name of a zone as a key and a reference of a scenario."""
    text = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    is_text = re.match(r"[A-Za-z]", text) and text.lower() not in NO_TEXTS
    return text if is_text else f"z{text}"


def title(layout: Layout) -> str:
    """Return the line with the title."""
    boxes = layout.boxes
    switches = len(layout.graph.nodes)
    text = f"hosts {len(boxes.hosts)}, switches {switches}, arrays {len(boxes.arrays)}"
    return f"title: {quoted(f'Imported fabric: {text}')}"

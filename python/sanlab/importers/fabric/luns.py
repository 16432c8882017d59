"""LUNs: those that hosts show, and one for each host and array where no host shows any."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sanlab.importers.fabric.devices import Box, Boxes
    from sanlab.importers.fabric.facts import PathFact, Source
    from sanlab.importers.fabric.graph import Graph
    from sanlab.importers.fabric.nodes import Node
    from sanlab.importers.fabric.zoning import ZoneSet

#: Size of a LUN that no output tells.
GUESSED_SIZE = "500GiB"


@dataclass(slots=True, eq=False)
class Lun:
    """A LUN and the hosts that use it."""

    array: Box
    name: str
    hosts: list[Box]
    device: str = ""
    size: int = 0
    sources: list[Source] = field(default_factory=list)
    policies: dict[Box, tuple[str, Source]] = field(default_factory=dict)
    """How a host chooses among the paths, and the line that says so."""


def find_luns(graph: Graph, boxes: Boxes, zones: list[ZoneSet]) -> list[Lun]:
    """Return the LUNs of all arrays."""
    reach = _reach(boxes, zones)
    luns = _shown(graph, boxes, reach)
    served = {(host, lun.array) for lun in luns for host in lun.hosts}
    shown = {host for host, _ in served}
    for host in boxes.hosts:
        for array in [] if host in shown else reach.get(host, []):
            luns.append(Lun(array, f"{host.name}-lun", [host]))
    used = {lun.array for lun in luns}
    luns += [Lun(array, "lun1", []) for array in boxes.arrays if array not in used]
    return luns


def _reach(boxes: Boxes, zones: list[ZoneSet]) -> dict[Box, list[Box]]:
    """Return the arrays that each host may use: by zones, or the first one of its fabric."""
    found: dict[Box, dict[Box, None]] = {}
    for one in (zone for part in zones for zone in part.zones):
        members = [boxes.by_wwpn[name] for name in one.wwpns if name in boxes.by_wwpn]
        arrays = {box: None for box in members if box.is_array}
        for host in (box for box in members if not box.is_array):
            found.setdefault(host, {}).update(arrays)
    zoned = {part.fabric for part in zones if not part.is_open}
    for host in boxes.hosts:
        free = {p.device.node.root() for p in host.ports} - zoned
        near = (a for a in boxes.arrays if any(p.device.node.root() in free for p in a.ports))
        first = next(near, None)
        if host not in found and first is not None:
            found[host] = {first: None}
    return {host: list(arrays) for host, arrays in found.items()}


def ways_of(boxes: Boxes, zones: list[ZoneSet]) -> dict[tuple[Box, Box], list[tuple[str, str]]]:
    """Return the ports of each host and each array that see each other, by their names."""
    pairs: dict[tuple[Box, Box], set[tuple[str, str]]] = {}
    groups = [zone.wwpns for part in zones for zone in part.zones]
    closed = {part.fabric for part in zones if not part.is_open}
    free: dict[Node, list[str]] = {}
    for box in [*boxes.hosts, *boxes.arrays]:
        for port in box.ports:
            if port.device.node.root() not in closed:
                free.setdefault(port.device.node.root(), []).append(port.device.wwpn)
    for names in [*groups, *free.values()]:
        known = [
            (boxes.by_wwpn[name], boxes.places[name]) for name in names if name in boxes.places
        ]
        hosts = [(box, place) for box, place in known if not box.is_array]
        arrays = [(box, place) for box, place in known if box.is_array]
        for host, near in hosts:
            for array, far in arrays:
                pairs.setdefault((host, array), set()).add((near, far))
    return {key: sorted(found) for key, found in pairs.items()}


def of_ports(ways: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the ways from ports of a host, without those from its virtual ports."""
    return [(near, far) for near, far in ways if near.endswith(".p0")]


def _shown(graph: Graph, boxes: Boxes, reach: dict[Box, list[Box]]) -> list[Lun]:
    """Return the LUNs that hosts show, joined by the world-wide name of the device."""
    initiators = {(a.host, a.scsi): a.wwpn for a in graph.facts.adapters if a.scsi}
    owners = {a.host: boxes.by_wwpn.get(a.wwpn) for a in graph.facts.adapters}
    named = {host.name.lower(): host for host in boxes.hosts}
    targets = {(p.host, p.scsi): p.target for p in graph.facts.paths if p.scsi and p.target}
    luns: dict[str, Lun] = {}
    for path in graph.facts.paths:
        if not path.device:
            continue
        wwpn = path.initiator or initiators.get((path.host, path.scsi.partition(":")[0]), "")
        name = PurePath(path.host).name.lower()
        host = boxes.by_wwpn.get(wwpn) or owners.get(path.host) or named.get(name)
        target = path.target or targets.get((path.host, path.scsi), "")
        array = boxes.by_wwpn.get(target)
        if array is None and host is not None and len(reach.get(host, [])) == 1:
            array = reach[host][0]
        if host is None or array is None or array not in reach.get(host, []):
            _note(graph, path, host, array)
            continue
        lun = luns.setdefault(path.device, Lun(array, "", [], path.device))
        lun.size = lun.size or path.size
        lun.sources.append(path.source)
        if path.policy is not None:
            lun.policies.setdefault(host, path.policy)
        if host not in lun.hosts:
            lun.hosts.append(host)
    return _named(list(luns.values()))


def _note(graph: Graph, path: PathFact, host: Box | None, array: Box | None) -> None:
    reason = "its array is not among the devices in the fabric"
    if host is None:
        reason = "its host is not among the devices in the fabric"
    elif array is not None:
        reason = f"no zone has its host together with '{array.name}'"
    text = f"A LUN is left out: {reason}"
    graph.note(f"{text} (seen on '{PurePath(path.host).name}')", path.source)


def _named(luns: list[Lun]) -> list[Lun]:
    luns.sort(key=lambda lun: (lun.array.name, lun.device))
    counts: dict[Box, int] = {}
    for lun in luns:
        counts[lun.array] = counts.get(lun.array, 0) + 1
        lun.name = f"lun{counts[lun.array]}"
        lun.hosts.sort(key=lambda host: host.name)
    return luns

"""Zones with the ports they contain, for each fabric and VSAN."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.words import show_wwn

if TYPE_CHECKING:
    from sanlab.importers.fabric.facts import DefaultFact, Source, ZoneFact
    from sanlab.importers.fabric.graph import Graph
    from sanlab.importers.fabric.nodes import Node


@dataclass(slots=True)
class Zone:
    """A zone that is in effect."""

    name: str
    source: Source
    wwpns: list[str]
    """Members that are in the fabric."""


@dataclass(slots=True)
class ZoneSet:
    """The zones in effect in one fabric and VSAN."""

    name: str
    fabric: Node
    vsan: int
    source: Source | None
    zones: list[Zone] = field(default_factory=list)
    by_name: dict[str, Zone] = field(default_factory=dict)
    is_open: bool = False
    """Whether ports in no zone see each other."""


Scope = tuple["Node", int]


class _Names:
    """Aliases of a fabric, and what they stand for."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.aliases: dict[tuple[Node, str], list[tuple[str, str]]] = {}
        self.sources: dict[tuple[Node, str], Source] = {}
        self.used: set[tuple[Node, str]] = set()
        for fact in graph.facts.aliases:
            node = _fabric(graph, fact.switch)
            if node is None:
                continue
            before = self.aliases.setdefault((node, fact.name), fact.members)
            where = self.sources.setdefault((node, fact.name), fact.source)
            if sorted(before) != sorted(fact.members):
                text = f"Alias '{fact.name}' has different members in two captures of one fabric"
                graph.note(f"{text}; the first is used", where, fact.source)
        for device in graph.devices.values():
            alias, root = device.first("alias"), device.node.root()
            if alias:
                self.aliases.setdefault((root, alias), [("wwn", device.wwpn)])
                self.sources.setdefault((root, alias), device.sources[0])
        self.by_place: dict[tuple[Node, str], list[str]] = {}
        self.by_fcid: dict[tuple[Node, int], list[str]] = {}
        for device in graph.devices.values():
            root = device.node.root()
            for domain, _ in device.node.domains.values():
                self.by_place.setdefault((root, f"{domain},{device.port}"), []).append(device.wwpn)
            self.by_place.setdefault((root, device.port), []).append(device.wwpn)
            for login in device.facts:
                self.by_fcid.setdefault((root, login.fcid), []).append(device.wwpn)

    def wwpns(self, root: Node, kind: str, text: str, depth: int = 0) -> list[str] | None:
        """Return the ports of a member; None for a kind that is not supported."""
        if kind == "wwn":
            return [text]
        if kind == "alias" and depth < 2:
            self.used.add((root, text))
            members = self.aliases.get((root, text))
            found = [self.wwpns(root, k, t, depth + 1) for k, t in members or []]
            return [name for part in found for name in part or []] if members else None
        if kind == "place":
            return self.by_place.get((root, text), [])
        if kind == "fcid" and text.startswith("0x"):
            return self.by_fcid.get((root, int(text, 16)), [])
        if kind == "interface":
            port = re.match(r"(\S+)", text)
            return self.by_place.get((root, port[1] if port else ""), [])
        return None


def _fabric(graph: Graph, owner: str) -> Node | None:
    node = graph.owners.get(owner) or graph.by_name.get(owner)
    if node is None and len({n.root() for n in graph.nodes}) == 1:
        node = graph.nodes[0]
    return node.root() if node is not None else None


def zone_sets(graph: Graph) -> list[ZoneSet]:
    """Return the zones in effect, and note what does not fit the devices in the fabric."""
    names = _Names(graph)
    found: dict[Scope, ZoneSet] = {}
    for fact in _in_effect(graph):
        root = _fabric(graph, fact.switch)
        if root is None:
            graph.note("Zoning of a switch that no other output names is left out", fact.source)
            continue
        scope = (root, fact.vsan)
        if scope not in found:
            found[scope] = ZoneSet(fact.zone_set or "active", root, fact.vsan, fact.source)
        _add_zone(graph, names, found[scope], fact)
    for default in graph.facts.defaults:
        root = _fabric(graph, default.switch)
        if default.is_open and _is_elsewhere(graph, default):
            text = f"The zoning of '{graph.owners_name(default.switch)}' is left out: no other"
            graph.note(f"{text} output names this switch", default.source)
        elif root is not None and default.is_open:
            scope = (root, default.vsan)
            if scope not in found:
                found[scope] = ZoneSet("", root, default.vsan, default.source)
            found[scope].is_open = True
    _note_strays(graph, names, found)
    return list(found.values())


def _is_elsewhere(graph: Graph, default: DefaultFact) -> bool:
    """Tell whether a switch has no other output, and others of the outputs have their zoning."""
    if default.switch in graph.owners or default.switch in graph.by_name:
        return False
    facts = graph.facts
    return any(fact.switch != default.switch for fact in (*facts.zones, *facts.defaults))


def _in_effect(graph: Graph) -> list[ZoneFact]:
    """Return active zones; of captures without any, the zones of the enabled set."""
    facts = graph.facts
    active = [fact for fact in facts.zones if fact.is_active]
    told = {(_fabric(graph, fact.switch), fact.vsan) for fact in active}
    for enabled in facts.sets:
        root = _fabric(graph, enabled.switch)
        if not enabled.is_enabled or (root, enabled.vsan) in told:
            continue
        members = {
            zone
            for part in facts.sets
            if (part.name, part.switch, part.vsan) == (enabled.name, enabled.switch, enabled.vsan)
            for zone in part.zones
        }
        for fact in facts.zones:
            is_here = (fact.switch, fact.vsan) == (enabled.switch, enabled.vsan)
            if is_here and not fact.is_active and fact.name in members:
                fact.zone_set = enabled.name
                active.append(fact)
    return active


def _add_zone(graph: Graph, names: _Names, zones: ZoneSet, fact: ZoneFact) -> None:
    members: list[str] = []
    for source, kind, text in fact.members:
        found = names.wwpns(zones.fabric, kind, text)
        if found is None:
            what = f"the alias '{text}', which is not defined" if kind == "alias" else ""
            what = what or "a member of a kind that is not supported"
            graph.note(f"Zone '{fact.name}' has {what}", source)
            continue
        if not found:
            graph.note(f"Zone '{fact.name}' has a place without a device: {text}", source)
        for name in found:
            if name not in graph.devices:
                stray = f"{show_wwn(name)} is in zone '{fact.name}' and not logged in"
                graph.note(stray, source)
        members += [name for name in found if _is_here(graph, name, zones)]
    kept = list(dict.fromkeys(members))
    same = zones.by_name.get(fact.name)
    if same is None:
        zones.by_name[fact.name] = Zone(fact.name, fact.source, kept)
        zones.zones.append(zones.by_name[fact.name])
    elif set(same.wwpns) != set(kept):
        text = f"Zone '{fact.name}' has different members in two captures; the first is used"
        graph.note(text, same.source, fact.source)


def _is_here(graph: Graph, name: str, zones: ZoneSet) -> bool:
    """Tell whether a port is logged in where a zone holds."""
    device = graph.devices.get(name)
    if device is None or device.node.root() is not zones.fabric:
        return False
    vsans = {fact.vsan for fact in device.facts} - {0}
    return not vsans or not zones.vsan or zones.vsan in vsans


def _note_strays(graph: Graph, names: _Names, found: dict[Scope, ZoneSet]) -> None:
    """Note aliases that no zone contains, by name or by what they stand for."""
    zoned = {name for zones in found.values() for zone in zones.zones for name in zone.wwpns}
    for fact in graph.facts.zones:
        zoned |= {text for _, kind, text in fact.members if kind == "wwn"}
        root = _fabric(graph, fact.switch)
        if root is not None:
            names.used |= {(root, text) for _, kind, text in fact.members if kind == "alias"}
    if not graph.facts.zones:
        return
    for key, members in names.aliases.items():
        is_zoned = key in names.used or any(text in zoned for _, text in members)
        if not is_zoned:
            graph.note(f"Alias '{key[1]}' is in no zone", names.sources[key])

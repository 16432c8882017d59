"""Speed, members, length, credit and cost of cables between switches, from what their ports say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.importers.fabric.nodes import Told

if TYPE_CHECKING:
    from sanlab.importers.fabric.facts import (
        BundleFact,
        Facts,
        IslFact,
        PortFact,
        SettingFact,
        Source,
    )
    from sanlab.importers.fabric.nodes import Cable, Node

#: Length of a cable between long-wave optics that no output tells.
_LONG_WAVE_LENGTH = "1km"
#: Buffers for a link besides those of its length, as the manuals of Fabric OS have it.
_FABRIC_BUFFERS = 6


Place = tuple["Node", str]


class PortTable:
    """What the outputs say of the ports of switches, by switch and port."""

    def __init__(self, facts: Facts, owners: dict[str, Node]) -> None:
        self.bundles: dict[Place, list[BundleFact]] = {}
        self.ports: dict[Place, list[PortFact]] = {}
        self.members: dict[Place, dict[str, None]] = {}
        self.settings: dict[Place, dict[str, SettingFact]] = {}
        self.places = {
            (owners[port.switch], port.place): port.port for port in facts.ports if port.place
        }
        """Index of a port by its slot and port."""
        for bundle in facts.bundles:
            self.bundles.setdefault((owners[bundle.switch], bundle.name), []).append(bundle)
        for port in facts.ports:
            node = owners[port.switch]
            self.ports.setdefault((node, port.port), []).append(port)
            if port.master:
                self.members.setdefault((node, port.master), {})[port.port] = None
        for setting in facts.settings:
            node = owners[setting.switch]
            name = self.places.get((node, setting.port), setting.port)
            self.settings.setdefault((node, name), {})[setting.name] = setting

    def setting(self, node: Node, ports: list[str], name: str) -> SettingFact | None:
        """Return the first setting of some ports."""
        found = (self.settings.get((node, port), {}).get(name) for port in ports)
        return next((setting for setting in found if setting is not None), None)

    def length(self, node: Node, ports: list[str]) -> Told | None:
        """Return the length of a cable: measured, as its port is set, or as its optics suggest."""
        if measured := self.setting(node, ports, "length"):
            return Told(measured.value, measured.source)
        if wanted := self.setting(node, ports, "distance"):
            return Told(wanted.value, wanted.source, "length; its port is set for this distance")
        if source := self._long_wave(node, ports):
            reach = self.setting(node, ports, "reach")
            far = f", which reach {reach.value}" if reach else ""
            return Told(_LONG_WAVE_LENGTH, source, f"length; its optics are long-wave{far}")
        return None

    def _long_wave(self, node: Node, ports: list[str]) -> Source | None:
        """Return where ports have long-wave optics."""
        setting = self.setting(node, ports, "optics")
        if setting is not None:
            return setting.source if setting.value == "lwl" else None
        known = [port for name in ports for port in self.ports.get((node, name), [])]
        return next((port.source for port in known if port.optics == "lwl"), None)


def measure(table: PortTable, cable: Cable, end: int, isl: IslFact | None) -> None:
    """Take what one end of a cable says: speed, members, distance and credit."""
    node, own = cable.ends[end]
    bundles = [
        bundle
        for bundle in table.bundles.get((node, own), [])
        if isl is None or not bundle.peer_wwn or bundle.peer_wwn == isl.peer_wwn
    ]
    cable.sources += [bundle.source for bundle in bundles]
    members = (bundles[0].members if bundles else []) or list(table.members.get((node, own), ()))
    names = list(dict.fromkeys([own, *members]))
    known = [port for name in members or names for port in table.ports.get((node, name), [])]
    speeds = [port.speed for port in known if port.speed]
    fixed = table.setting(node, names, "speed")
    told = min(speeds) if speeds else int(fixed.value) if fixed else 0
    cable.speed = cable.speed or (isl.speed if isl else 0) or told
    cable.count = max(cable.count, len(members), isl.count if isl else 1)
    cable.is_trunk = cable.count > 1
    distance = table.length(node, names)
    if distance and (cable.distance is None or (cable.distance.guess and not distance.guess)):
        cable.distance = distance
    credit = _credit(table, names, cable, end)
    if credit:
        cable.credits[end] = credit


def _credit(table: PortTable, names: list[str], cable: Cable, end: int) -> Told | None:
    """Return the credit that an end grants: what an output has, or what its distance needs."""
    node = cable.ends[end][0]
    if told := table.setting(node, names, "credit"):
        return Told(told.value, told.source)
    mode = table.setting(node, names, "mode")
    if mode is None or cable.distance is None or not cable.speed:
        return None
    km = int(cable.distance.text.removesuffix("km"))
    buffers = -(-km * cable.speed // 2) + _FABRIC_BUFFERS
    text = f"mode {mode.value}; full frames over {km} km at {cable.speed}GFC need as much"
    return Told(str(buffers), mode.source, f"credit of {text}")

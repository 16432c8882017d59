"""Zoning of a scenario resolved to zoning of switches: names to addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.plan import addressing
from sanlab.plan.names import Names, safe_expand
from sanlab.plan.services.timeline import EVERY_VSAN, Change
from sanlab.plan.services.zone_db import Member, ZoneDb
from sanlab.plan.spans import is_in_time
from sanlab.quantities import format_time
from sanlab.scenario.groups import NAME

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sanlab.plan.boxes import Boxes, SwitchBox
    from sanlab.plan.names import Problems
    from sanlab.plan.services.timeline import Zonings
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path
    from sanlab.scenario.zoning import Zoning

_WWPN = re.compile(r"(0x)?[0-9A-Fa-f]{16}|([0-9A-Fa-f]{2}:){7}[0-9A-Fa-f]{2}")
_PLACE = re.compile(r"([0-9]{1,9}),([0-9]{1,9})")


@dataclass
class ZoningAtStart:
    """Zoning of every switch at the start, and later activations."""

    of_switch: list[Zonings]
    changes: list[Change] = field(default_factory=list)


def resolve_zoning(
    scenario: Scenario, boxes: Boxes, private: set[str], problems: Problems
) -> ZoningAtStart:
    """Resolve the zoning of all fabrics. No zone can have one of the `private` devices of loops."""
    found = ZoningAtStart([{} for _ in boxes.switches])
    for index, spec in enumerate(scenario.zoning or []):
        path: Path = ("zoning", index)
        numbers = _switches(spec, path, boxes, problems)
        _check_vsan(spec, path, boxes, problems)
        dbs = _Resolver(spec, path, boxes, private, problems).sets()
        vsan = spec.vsan or EVERY_VSAN
        _check_sets(spec, path, [boxes.switches[number] for number in numbers], problems)
        for number in numbers:
            if vsan in found.of_switch[number]:
                problems.add(
                    (*path, "switches") if spec.switches else path,
                    f"The zoning of '{boxes.switches[number].name}' is given twice",
                    "Give one zoning for the switches of a fabric, or one for each VSAN",
                )
                return found
            found.of_switch[number][vsan] = dbs.get(spec.active, ZoneDb())
        found.changes += [
            Change(at, frozenset(numbers), vsan, dbs[name])
            for at, name in _activations(spec, path, problems)
        ]
    return found


def _switches(spec: Zoning, path: Path, boxes: Boxes, problems: Problems) -> list[int]:
    names: Names[int] = Names("switch")
    names.items = {switch.name: number for number, switch in enumerate(boxes.switches)}
    if not names.items:
        problems.add(path, "Zoning needs a switch", "Add 'switches:'")
    if spec.switches is None:
        return list(names.items.values())
    found = names.resolve(spec.switches, (*path, "switches"), problems)
    return [names[name] for name in dict.fromkeys(found)]


def _check_sets(spec: Zoning, path: Path, switches: list[SwitchBox], problems: Problems) -> None:
    """Refuse more zone sets than a switch keeps."""
    for switch in switches:
        most = switch.values.zone_sets
        if most is not None and len(spec.sets) > most:
            keeps = f"keeps {most} of the {len(spec.sets)} zone sets"
            problems.add(
                (*path, "sets"),
                f"'{switch.name}' ({switch.spec.model}) {keeps}",
                "Remove sets, or name in 'switches' those that keep more",
            )
            return


def _check_vsan(spec: Zoning, path: Path, boxes: Boxes, problems: Problems) -> None:
    """Refuse zoning of a VSAN that no port is in."""
    known = {
        port.vsan for switch in boxes.switches for port in boxes.by_name[switch.name].ports.values()
    }
    if spec.vsan is not None and spec.vsan not in known:
        problems.add(
            (*path, "vsan"),
            f"No port is in VSAN {spec.vsan}",
            f"VSANs with ports: {', '.join(str(number) for number in sorted(known))}",
        )


def _activations(spec: Zoning, path: Path, problems: Problems) -> list[tuple[int, str]]:
    """Instants and the zone sets that become active then."""
    found: dict[int, str] = {}
    for number, activation in enumerate(spec.activate):
        here: Path = (*path, "activate", number)
        if activation.set not in spec.sets:
            problems.add((*here, "set"), *_unknown_set(spec, activation.set))
        elif not is_in_time(
            activation.at, f"'{activation.set}' becomes active", (*here, "at"), problems
        ):
            pass
        elif activation.at in found:
            problems.add(
                (*here, "at"),
                f"Two zone sets become active at {format_time(activation.at)}",
                "A fabric has one active zone set: activate one after the other",
            )
        else:
            found[activation.at] = activation.set
    return list(found.items())


def _unknown_set(spec: Zoning, name: str) -> tuple[str, str]:
    sets: Names[None] = Names("zone set")
    sets.items = dict.fromkeys(spec.sets)
    return sets.unknown(name)


def _ports_under(ports: Iterable[str]) -> dict[str, list[str]]:
    """Names of the ports of each box and each HBA."""
    under: dict[str, list[str]] = {}
    for name in ports:
        parts = name.split(".")
        for count in range(1, len(parts)):
            under.setdefault(".".join(parts[:count]), []).append(name)
    return under


class _Resolver:
    """Names of one zoning."""

    def __init__(
        self, spec: Zoning, path: Path, boxes: Boxes, private: set[str], problems: Problems
    ) -> None:
        self.spec = spec
        self.private = private
        self.path = path
        self.boxes = boxes
        self.problems = problems
        self.ports = port_names(boxes)
        self.under = _ports_under(self.ports)
        self.places = {switch.domain: switch for switch in boxes.switches}
        self.aliases: dict[str, tuple[Member, ...]] = {}

    def sets(self) -> dict[str | None, ZoneDb]:
        """Zoning with each of the zone sets active, and with none."""
        spec, path = self.spec, self.path
        for kind, names in (("aliases", spec.aliases), ("zones", spec.zones), ("sets", spec.sets)):
            self._check_names(kind, list(names))
        for name, words in spec.aliases.items():
            self.aliases[name] = self._members(words, (*path, "aliases", name))
        zones = {
            name: self._members(words, (*path, "zones", name)) for name, words in spec.zones.items()
        }
        kinds = dict.fromkeys(spec.aliases, "alias")
        kinds |= dict.fromkeys(spec.zones, "zone") | dict.fromkeys(spec.sets, "set")
        found: dict[str | None, ZoneDb] = {
            None: ZoneDb(
                None, (), tuple(sorted(kinds.items())), spec.default == "all", self._is_soft
            )
        }
        known: Names[None] = Names("zone")
        known.items = dict.fromkeys(zones)
        for name, words in spec.sets.items():
            used = dict.fromkeys(known.resolve(words, (*path, "sets", name), self.problems))
            chosen = tuple(sorted((zone, zones[zone]) for zone in used))
            found[name] = ZoneDb(
                name, chosen, tuple(sorted(kinds.items())), spec.default == "all", self._is_soft
            )
        if spec.active not in found:
            self.problems.add((*path, "active"), *_unknown_set(spec, spec.active or ""))
        return found

    @property
    def _is_soft(self) -> bool:
        return self.spec.enforcement == "soft"

    def _check_names(self, kind: str, names: list[str]) -> None:
        for name in names:
            if not NAME.fullmatch(name):
                self.problems.add(
                    (*self.path, kind, name),
                    f"'{name}' cannot be a name",
                    "A name starts with a letter, followed by letters, digits, '_' and '-'",
                )

    def _members(self, words: list[str], path: Path) -> tuple[Member, ...]:
        found: dict[Member, None] = {}
        for pattern in words:
            for word in safe_expand(pattern, path, self.problems):
                found |= dict.fromkeys(self._member(word, path))
        return tuple(found)

    def _member(self, word: str, path: Path) -> list[Member]:
        if path[-2] == "zones" and word in self.aliases:
            return list(self.aliases[word])
        if _WWPN.fullmatch(word):
            return [int(word.removeprefix("0x").replace(":", ""), 16)]
        if place := _PLACE.fullmatch(word):
            return self._at_place(int(place[1]), int(place[2]), word, path)
        hits = self.ports.match(word) or self.under.get(word) or self.ports.match(f"{word}.*")
        if not hits:
            self._refuse(word, path)
        hidden = next((name for name in hits if name in self.private), None)
        if hidden is not None:
            self.problems.add(
                path,
                f"'{hidden}' is a private device: only devices on its loop reach it, in no zone",
                "Remove it from the zone, or write 'public: true' for it in the stack",
            )
        return [addressing.wwpn_of(name) for name in hits]

    def _at_place(self, domain: int, port: int, word: str, path: Path) -> list[Member]:
        switch = self.places.get(domain)
        if switch is None:
            known = ", ".join(
                f"{switch.domain} ({switch.name})" for switch in self.boxes.switches[:8]
            )
            self.problems.add(path, f"'{word}' is not on a switch", f"Domains are {known}")
        elif port >= switch.values.ports:
            self.problems.add(
                path,
                f"'{word}' is not a port of '{switch.name}'",
                f"It has ports 0 to {switch.values.ports - 1}",
            )
        return [(domain, port)]

    def _refuse(self, word: str, path: Path) -> None:
        box = word.partition(".")[0]
        if box in self.boxes.by_name and self.boxes.by_name[box].kind == "switch":
            self.problems.add(
                path,
                f"'{word}' is a switch, and zones contain ports of hosts and arrays",
                "Name a port by its place in the fabric, 'domain,port'",
            )
            return
        known: Names[None] = Names("alias, box or port")
        known.items = dict.fromkeys([*self.spec.aliases, *self.boxes.by_name, *self.ports])
        if path[-2] == "aliases":
            known = Names("box or port")
            known.items = dict.fromkeys([*self.boxes.by_name, *self.ports])
        reason, remedy = known.unknown(word)
        self.problems.add(path, reason, remedy)


def port_names(boxes: Boxes) -> Names[None]:
    """Names of all N_Ports, virtual ones at the end."""
    names: Names[None] = Names("port")
    names.items = {f"{box}.{port}": None for box, port, _ in boxes.n_ports}
    for host in boxes.hosts:
        for hba in host.hbas:
            names.items |= {f"{host.name}.{hba.name}.{name}": None for name in hba.npiv}
    return names

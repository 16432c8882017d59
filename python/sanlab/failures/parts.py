"""The parts of a scenario that can fail, one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sanlab.scenario.groups import expand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.scenario.scenario import Scenario

#: Kinds of failures in the order of the matrix, and what fails.
KINDS: Final[dict[str, str]] = {
    "link": "a cable",
    "member": "one cable of a trunk",
    "switch": "a switch",
    "module": "the active module of a switch with several",
    "hba": "an adapter, with all its ports",
    "controller": "a controller of an array",
    "drive": "a drive of a RAID group, the first of each",
}


@dataclass(frozen=True)
class Failure:
    """One failure, or a pair at the same instant.

    Attributes
    ----------
    kind
        One of `KINDS`, or `pair`.
    part
        What fails.
    faults
        The rows of `faults` that make it fail, without their instant.
    """

    kind: str
    part: str
    faults: tuple[dict[str, Any], ...]

    @property
    def name(self) -> str:
        """Kind and part, of a pair both."""
        return self.part if self.kind == "pair" else f"{self.kind} {self.part}"


def failures_of(plan: dict[str, Any], scenario: Scenario) -> list[Failure]:
    """Return every single failure of a scenario and its plan, in the order of `KINDS`."""
    found = [*_links(plan), *_switches(plan), *_adapters(plan), *_arrays(plan)]
    found += _modules(scenario)
    order = list(KINDS)
    return sorted(found, key=lambda one: order.index(one.kind))


def pair(one: Failure, other: Failure) -> Failure:
    """Both failures at once."""
    return Failure("pair", f"{one.name} and {other.name}", (*one.faults, *other.faults))


def _links(plan: dict[str, Any]) -> Iterator[Failure]:
    ports, switches = plan["n_ports"], plan["switches"]
    numbers: dict[tuple[str, str], int] = {}
    for link in plan["links"]:
        ends = [link["a"], link["b"]]
        n_ports = [ports[end["n_port"]]["name"] for end in ends if end["kind"] == "n_port"]
        if n_ports:
            far = next((end for end in ends if end["kind"] != "n_port"), None)
            where = n_ports[1] if far is None and len(n_ports) > 1 else None
            if far is not None and far["kind"] == "switch":
                where = switches[far["switch"]]["name"]
            if where is not None:
                part = f"{n_ports[0]} to {where}"
                yield Failure("link", part, ({"kind": "link-down", "port": n_ports[0]},))
        elif all(end["kind"] == "switch" for end in ends):
            one, other = (switches[end["switch"]]["name"] for end in ends)
            number = numbers[one, other] = numbers.get((one, other), 0) + 1
            fault = {"kind": "link-down", "between": [one, other], "number": number}
            yield Failure("link", f"{one} to {other}, number {number}", (fault,))
            if link["members"] > 1:
                cable = {"kind": "trunk-member", "between": [one, other]}
                yield Failure("member", f"{one} to {other}, number {number}", (cable,))


def _switches(plan: dict[str, Any]) -> Iterator[Failure]:
    for switch in plan["switches"]:
        name = switch["name"]
        yield Failure("switch", name, ({"kind": "switch-down", "switch": name},))


def _adapters(plan: dict[str, Any]) -> Iterator[Failure]:
    names = [port["name"] for port in plan["n_ports"]]
    for host in plan["hosts"]:
        adapters = sorted({names[row["n_port"]].split(".")[1] for row in host["adapters"]})
        for adapter in adapters:
            fault = {"kind": "hba-failure", "host": host["name"], "hba": adapter}
            yield Failure("hba", f"{host['name']}.{adapter}", (fault,))


def _arrays(plan: dict[str, Any]) -> Iterator[Failure]:
    for array in plan["arrays"]:
        name = array["name"]
        if len(array["controllers"]) > 1:
            for controller in array["controllers"]:
                own = controller["name"].removeprefix(f"{name}.")
                fault = {"kind": "controller-failure", "array": name, "controller": own}
                yield Failure("controller", controller["name"], (fault,))
        for group in array["groups"]:
            if group["level"] == "raid0" or len(group["disks"]) < 2:
                continue
            short = group["name"].removeprefix(f"{name}.")
            fault = {"kind": "drive-failure", "array": name, "group": short, "drive": 0}
            yield Failure("drive", f"first of {group['name']}", (fault,))


def _modules(scenario: Scenario) -> Iterator[Failure]:
    for switch in scenario.switches:
        if switch.modules is None or (switch.modules.count or 0) < 2:
            continue
        for name in expand(switch.name):
            fault = {"kind": "module-failure", "switch": name, "module": 1}
            yield Failure("module", f"1 of {name}", (fault,))

"""The boxes of a scenario: hosts, switches and arrays, groups expanded, models filled in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from sanlab.plan import addressing
from sanlab.plan.buses import bus_of_hba, resolve_buses
from sanlab.plan.defaults import (
    resolve_array,
    resolve_cpu,
    resolve_hba,
    resolve_os,
    resolve_switch,
)
from sanlab.plan.names import Names, define
from sanlab.plan.stacks import array_of, disk_ports, resolve_stack
from sanlab.plan.switch_ports import Port, switch_ports
from sanlab.plan.virtual_names import check_names
from sanlab.scenario.hosts import Hba

if TYPE_CHECKING:
    from sanlab.plan.buses import ResolvedBus
    from sanlab.plan.defaults import (
        Ports,
        ResolvedArray,
        ResolvedCpu,
        ResolvedHba,
        ResolvedOs,
        ResolvedSwitch,
    )
    from sanlab.plan.names import End, Problems
    from sanlab.plan.stacks import StackBox
    from sanlab.scenario import Scenario
    from sanlab.scenario.arrays import Array
    from sanlab.scenario.document import Path
    from sanlab.scenario.fabric import Switch
    from sanlab.scenario.hosts import Host, Multipath

#: N_Ports and switch ports one scenario may have.
MAX_PORTS = 100_000


@dataclass(frozen=True, slots=True)
class Box:
    """Anything a link can end at. Ports are named as in `BOX.PORT`."""

    kind: Literal["host", "switch", "array", "stack"]
    name: str
    path: Path
    ports: dict[str, Port]


@dataclass(frozen=True, slots=True)
class HostBox:
    """A host of the plan."""

    name: str
    cpu: ResolvedCpu
    os: ResolvedOs
    hbas: list[ResolvedHba]
    multipath: Multipath | None = None
    buses: list[ResolvedBus] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SwitchBox:
    """A switch of the plan."""

    name: str
    domain: int
    values: ResolvedSwitch
    spec: Switch
    path: Path


@dataclass(frozen=True, slots=True)
class ArrayBox:
    """An array of the plan."""

    name: str
    path: Path
    spec: Array
    values: ResolvedArray
    stack: StackBox | None = None
    """The stack whose disks it stands for."""

    @property
    def port_names(self) -> list[str]:
        """Its ports, in order."""
        if self.stack is not None:
            return disk_ports(self.stack)
        return [f"p{number}" for number in range(self.values.ports.count)]


@dataclass(slots=True)
class Boxes:
    """All boxes, in the order of the file."""

    by_name: Names[Box] = field(default_factory=lambda: Names("host, switch, array or stack"))
    hosts: list[HostBox] = field(default_factory=list)
    host_names: Names[int] = field(default_factory=lambda: Names("host"))
    """Index of each host."""
    switches: list[SwitchBox] = field(default_factory=list)
    arrays: list[ArrayBox] = field(default_factory=list)
    stacks: list[StackBox] = field(default_factory=list)

    def port(self, end: End) -> Port:
        """Return the values of a port."""
        return self.by_name[end[0]].ports[end[1]]

    def switch(self, name: str) -> SwitchBox:
        """Return the switch of this name."""
        return next(switch for switch in self.switches if switch.name == name)

    def stack(self, name: str) -> StackBox:
        """Return the stack of this name."""
        return next(stack for stack in self.stacks if stack.name == name)

    @property
    def n_ports(self) -> list[tuple[str, str, Ports]]:
        """Box, port and values of every N_Port, hosts first."""
        found: list[tuple[str, str, Ports]] = []
        for host in self.hosts:
            for hba in host.hbas:
                found.extend(
                    (host.name, f"{hba.name}.p{number}", hba.ports)
                    for number in range(hba.ports.count)
                )
        for array in self.arrays:
            found.extend((array.name, port, array.values.ports) for port in array.port_names)
        return found


def build_boxes(scenario: Scenario, problems: Problems) -> Boxes:
    """Expand groups, fill in models, give out domains."""
    boxes = Boxes()
    taken: dict[str, Path] = {}
    _add_hosts(scenario, boxes, taken, problems)
    _add_switches(scenario, boxes, taken, problems)
    _add_arrays(scenario, boxes, taken, problems)
    _add_stacks(scenario, boxes, taken, problems)
    total = sum(len(boxes.by_name[name].ports) for name in boxes.by_name)
    if total > MAX_PORTS:
        problems.add(
            (),
            f"The scenario has {total} ports, and {MAX_PORTS} is the limit",
            "Remove hosts, switches or arrays",
        )
    return boxes


def _add_hosts(
    scenario: Scenario, boxes: Boxes, taken: dict[str, Path], problems: Problems
) -> None:
    for index, spec in enumerate(scenario.hosts):
        path: Path = ("hosts", index)
        names = define(spec.name, (*path, "name"), taken, problems)
        cpu = resolve_cpu(spec, path, problems)
        os = resolve_os(spec, path, problems)
        buses = resolve_buses(spec, path, problems)
        hbas = _hbas_of(spec, buses, path, problems)
        ports = {
            f"{hba.name}.p{number}": Port(
                hba.ports.speeds, hba.ports.bb_credit, is_loop_only=hba.loop_only
            )
            for hba in hbas
            for number in range(hba.ports.count)
        }
        for name in names:
            boxes.host_names.items[name] = len(boxes.hosts)
            boxes.hosts.append(HostBox(name, cpu, os, hbas, spec.multipath, buses))
            boxes.by_name.items[name] = Box("host", name, path, ports)


def _hbas_of(
    spec: Host, buses: list[ResolvedBus], path: Path, problems: Problems
) -> list[ResolvedHba]:
    """Fill in the adapters of a host; buses of a single adapter join those of the host."""
    if spec.hbas is None:
        hba = resolve_hba(Hba(), "hba0", path, problems)
        return [hba]
    resolved: list[ResolvedHba] = []
    taken: dict[str, Path] = {}
    for index, hba_spec in enumerate(spec.hbas):
        here: Path = (*path, "hbas", index)
        if hba_spec.name is None:
            names = define(f"hba{index}", here, taken, problems)
        else:
            names = define(hba_spec.name, (*here, "name"), taken, problems)
        for name in names:
            hba = resolve_hba(hba_spec, name, here, problems)
            check_names(hba, here, problems)
            bus = None
            if hba_spec.bus is not None:
                bus = bus_of_hba(hba_spec.bus, name, buses, here, problems)
            resolved.append(replace(hba, bus=bus, place=index))
    buses.extend(hba.bus for hba in resolved if hba.bus is not None and hba.bus not in buses)
    return resolved


def _add_switches(
    scenario: Scenario, boxes: Boxes, taken: dict[str, Path], problems: Problems
) -> None:
    expanded = []
    for index, spec in enumerate(scenario.switches):
        path: Path = ("switches", index)
        names = define(spec.name, (*path, "name"), taken, problems)
        expanded.append((path, spec, names, resolve_switch(spec, path, problems)))
    domains: dict[int, str] = {}
    insists: dict[int, bool] = {}
    for path, spec, names, _ in expanded:
        if spec.domain is None:
            continue
        if len(names) > 1:
            problems.add(
                (*path, "domain"),
                f"{len(names)} switches cannot share domain {spec.domain}",
                "Remove 'domain', or define the switches one by one",
            )
        elif spec.domain in domains and not (spec.domain_fixed and insists[spec.domain]):
            problems.add(
                (*path, "domain"),
                f"Domain {spec.domain} belongs to '{domains[spec.domain]}'",
                "Give each switch its own domain, or none",
            )
        domains.setdefault(spec.domain, spec.name)
        insists[spec.domain] = insists.get(spec.domain, True) and spec.domain_fixed
    wanted = sum(len(names) for _, spec, names, _ in expanded if spec.domain is None)
    free = addressing.free_domains(set(domains), wanted)
    if len(free) < wanted:
        problems.add(
            ("switches",),
            f"There are more than {addressing.LAST_DOMAIN} switches",
            "A fabric has domains 1 to 239, one for each switch",
        )
        return
    lowest_first = iter(free)
    for path, spec, names, values in expanded:
        ports = switch_ports(spec, values, path, problems)
        for name in names:
            domain = spec.domain if spec.domain is not None else next(lowest_first)
            boxes.switches.append(SwitchBox(name, domain, values, spec, path))
            boxes.by_name.items[name] = Box("switch", name, path, ports)


def _add_arrays(
    scenario: Scenario, boxes: Boxes, taken: dict[str, Path], problems: Problems
) -> None:
    for index, spec in enumerate(scenario.arrays):
        path: Path = ("arrays", index)
        names = define(spec.name, (*path, "name"), taken, problems)
        values = resolve_array(spec, path, problems)
        port = Port(values.ports.speeds, values.ports.bb_credit, is_loop_only=spec.loop_only)
        ports = {f"p{number}": port for number in range(values.ports.count)}
        for name in names:
            boxes.arrays.append(ArrayBox(name, path, spec, values))
            boxes.by_name.items[name] = Box("array", name, path, ports)


def _add_stacks(
    scenario: Scenario, boxes: Boxes, taken: dict[str, Path], problems: Problems
) -> None:
    for index, spec in enumerate(scenario.stacks):
        path: Path = ("stacks", index)
        for name in define(spec.name, (*path, "name"), taken, problems):
            stack = resolve_stack(spec, name, path, problems)
            boxes.stacks.append(stack)
            boxes.by_name.items[name] = Box("stack", name, path, {})
            if stack.disks_count:
                boxes.arrays.append(ArrayBox(name, path, *array_of(stack), stack))

"""Paths by which jobs reach their LUNs.

The nth pair of a host uses its nth linked HBA port; further jobs of a pair use the next ports in
turn. The number of a LUN alone selects a port of its array, among those that export it and that the
HBA port reaches. A host with `multipath` has every path to its LUNs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.plan.multipath import optimised_ports, refuse_one_path
from sanlab.plan.schema import PathPlan, TargetPlan
from sanlab.quantities import nearest

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.luns import LunTable, PlacedLun
    from sanlab.plan.names import Problems
    from sanlab.plan.npiv import VirtualPort
    from sanlab.plan.volumes import PlacedVolume
    from sanlab.plan.wiring import Wiring
    from sanlab.scenario.document import Path
    from sanlab.scenario.workload import Workload

#: An adapter of a host, and the N_Port of an array.
Way = tuple[int, int]


@dataclass(slots=True)
class JobMaker:
    """The parts of a scenario that jobs need."""

    boxes: Boxes
    wiring: Wiring
    table: LunTable
    n_port_ids: dict[tuple[str, str], int]
    problems: Problems
    virtual: dict[tuple[str, str], VirtualPort] = field(default_factory=dict)
    """Virtual ports of hosts."""
    volumes: dict[str, PlacedVolume] = field(default_factory=dict)
    """Volumes and file systems."""


@dataclass(frozen=True, slots=True)
class Region:
    """Part of a LUN or a volume."""

    offset: int
    span: int


@dataclass(frozen=True, slots=True)
class TargetMaker:
    """Makes targets of the jobs of one workload on one host."""

    spec: Workload
    host: str
    path: Path
    maker: JobMaker

    def target(self, lun: PlacedLun, way: Way, region: Region) -> TargetPlan:
        """Return a LUN of a job with its paths; the best comes first."""
        return TargetPlan(
            array=lun.array,
            lun=lun.number,
            offset_bytes=region.offset,
            span_bytes=region.span,
            paths=self._paths(lun, way),
        )

    def _paths(self, lun: PlacedLun, way: Way) -> list[PathPlan]:
        boxes = self.maker.boxes
        if boxes.hosts[boxes.host_names[self.host]].multipath is None:
            return [PathPlan(adapter=way[0], target_n_port=way[1], group=0)]
        paths = _every_path(self.spec, self.host, lun, self.path, self.maker)
        if len(paths) == 1:
            refuse_one_path(self.host, lun.name, (*self.path, "hosts"), self.maker.problems)
        return paths or [PathPlan(adapter=way[0], target_n_port=way[1], group=0)]


def initiator_of(spec: Workload, host: str, maker: JobMaker) -> int | None:
    """Return the virtual port that the commands of a workload come from, if it names one."""
    if spec.host_port is None:
        return None
    virtual = maker.virtual.get((host, spec.host_port))
    return None if virtual is None else virtual.n_port


def _every_path(
    spec: Workload, host: str, lun: PlacedLun, path: Path, maker: JobMaker
) -> list[PathPlan]:
    """Return every path to a LUN, the best group first."""
    box = maker.boxes.arrays[lun.array]
    array, preferred = box.name, optimised_ports(lun, box)
    reached = [
        (0 if port in preferred else 1, adapter, maker.n_port_ids[array, port])
        for adapter, label in _chosen_host_ports(spec, host, path, maker)
        for port in _chosen_target_ports(spec, array, lun, path, maker)
        if maker.wiring.is_reachable((host, label), (array, port))
    ]
    best = min((group for group, _, _ in reached), default=0)
    return [
        PathPlan(adapter=adapter, target_n_port=port, group=group - best)
        for group, adapter, port in sorted(reached)
    ]


def routes_of(
    spec: Workload, host: str, luns: list[str], path: Path, maker: JobMaker
) -> list[tuple[PlacedLun, list[Way]]]:
    """Return LUNs of a host with the paths to each; empty if one cannot be reached."""
    placed = [maker.table.by_name[lun] for lun in luns]
    routes = [(lun, ways_to(spec, host, lun, path, maker)) for lun in placed]
    return routes if all(ways for _, ways in routes) else []


def ways_to(spec: Workload, host: str, lun: PlacedLun, path: Path, maker: JobMaker) -> list[Way]:
    """Return adapter and target N_Port of each HBA port that reaches a LUN."""
    array = maker.boxes.arrays[lun.array].name
    host_ports = _chosen_host_ports(spec, host, path, maker)
    if spec.spread == "paths" and lun.via is not None:
        host_ports = [entry for entry in host_ports if entry[1] == lun.via[1]]
    targets = _chosen_target_ports(spec, array, lun, path, maker)
    if not host_ports or not targets:
        return []
    if lun.initiators is not None:
        host_ports = [entry for entry in host_ports if (host, entry[1]) in lun.initiators]
        if not host_ports:
            maker.problems.add(
                (*path, "targets"),
                f"'{lun.name}' is masked from '{host}'",
                f"Add '{host}' to the 'initiators' of the LUN, or choose another target",
            )
            return []
    ways = []
    for adapter, label in host_ports:
        reached = [
            port for port in targets if maker.wiring.is_reachable((host, label), (array, port))
        ]
        if reached:
            port = reached[lun.number % len(reached)]
            ways.append((adapter, maker.n_port_ids[array, port]))
    hidden = [port for port in targets if (array, port) in maker.wiring.private]
    if not ways and hidden and maker.wiring.fl_ports:
        maker.problems.add(
            (*path, "targets"),
            f"'{array}.{hidden[0]}' is a private device: only hosts on its loop reach it, and "
            f"'{host}' is not",
            f"Write 'public: true' for it in '{array}', or link '{host}' to the loop",
        )
    elif not ways:
        maker.problems.add(
            (*path, "targets"),
            f"No path leads from '{host}' to '{lun.name}'",
            f"Link '{host}' and '{array}' to the same fabric",
        )
    return ways


def _chosen_host_ports(
    spec: Workload, host: str, path: Path, maker: JobMaker
) -> list[tuple[int, str]]:
    linked = list(enumerate(maker.wiring.linked_ports(host)))
    if not linked:
        maker.problems.add(
            (*path, "hosts"), f"'{host}' has no link", f"Add a link from '{host}' to a switch"
        )
        return []
    if spec.host_port is None:
        return linked
    virtual = maker.virtual.get((host, spec.host_port))
    wanted = spec.host_port if virtual is None else virtual.parent
    chosen = [(adapter, label) for adapter, label in linked if label == wanted]
    if not chosen:
        labels = [label for _, label in linked]
        labels += [label for owner, label in maker.virtual if owner == host]
        _refuse_port(spec.host_port, host, labels, (*path, "host_port"), maker.problems)
    return chosen


def _chosen_target_ports(
    spec: Workload, array: str, lun: PlacedLun, path: Path, maker: JobMaker
) -> list[str]:
    if not lun.ports:
        linked = maker.wiring.linked_ports(array)
        remedy = (
            f"Link a port in its 'ports', or export it by {', '.join(linked)}"
            if linked
            else f"Add a link from '{array}' to a switch"
        )
        maker.problems.add((*path, "targets"), f"No port with a link exports '{lun.name}'", remedy)
        return []
    if spec.target_port is None:
        return list(lun.ports)
    label = spec.target_port.removeprefix(f"{array}.")
    if label not in lun.ports:
        _refuse_port(label, array, list(lun.ports), (*path, "target_port"), maker.problems)
        return []
    return [label]


def _refuse_port(label: str, box: str, known: list[str], path: Path, problems: Problems) -> None:
    guess = nearest(label, known)
    hint = f"Did you mean '{guess}'? " if guess else ""
    problems.add(
        path, f"'{box}' has no port '{label}' with a link", f"{hint}Ports are {', '.join(known)}"
    )

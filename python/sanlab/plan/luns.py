"""LUNs with their place in the plan: blocks, size, exporting ports, allowed initiators."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sanlab.plan.controllers import default_owners, owners_of
from sanlab.plan.defaults import given, resolve_disk
from sanlab.plan.disk_pool import Pool
from sanlab.plan.drive_faults import drive_faults
from sanlab.plan.drives import drive_from_sheet
from sanlab.plan.media import Place, is_on_disks, media_of
from sanlab.plan.names import Names, define, safe_expand
from sanlab.plan.paths import drivers
from sanlab.plan.raid import Groups, build_groups
from sanlab.plan.schema import DiskPlan, DriveDiskModel, SsdDiskModel
from sanlab.plan.ssds import has_pool_of_disks
from sanlab.plan.stacks import ports_of_disk
from sanlab.quantities import counted

if TYPE_CHECKING:
    from sanlab.catalog.entries import DiskEntry
    from sanlab.plan.boxes import ArrayBox, Boxes
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import DrivePlan, GroupPlan, MediaPlan, SsdPlan
    from sanlab.plan.wiring import Wiring
    from sanlab.scenario.arrays import Lun
    from sanlab.scenario.document import Path

    #: Ports of hosts, each with its host, by the names that a LUN may have among its initiators.
    Initiators = Names[list[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class PlacedLun:
    """A LUN with its place in the plan; `ports` are those that export it and have a link."""

    name: str
    array: int
    number: int
    bytes: int
    media: MediaPlan
    queue_depth: int
    ports: tuple[str, ...]
    spec: Lun
    path: Path
    mirror_to: str | None
    owner: int | None = None
    """Number of the controller that owns it; None if all serve it."""
    #: Ports of hosts that may use it, each with its host; None if all may.
    initiators: frozenset[tuple[str, str]] | None = None
    via: tuple[str, str] | None = None
    """Host and port that drive it, if the `paths` of its stack name them."""


class LunTable:
    """All LUNs of a scenario."""

    def __init__(self) -> None:
        self.luns: list[list[PlacedLun]] = []
        self.by_name: Names[PlacedLun] = Names("LUN")
        self.pools: list[Pool | None] = []
        self.groups: list[Groups] = []
        self.disks: list[DiskEntry | None] = []

    def disk_names(self, index: int, array: ArrayBox) -> list[str]:
        """Names of the disks and SSDs of an array: those of striped LUNs, then those of its groups.

        Disks of a stack have the names of their LUNs, which count from 1.
        """
        pool = self.pools[index]
        kinds: list[int | None] = [None] * (0 if pool is None else len(pool.used))
        kinds += self.groups[index].slots
        first = 0 if array.stack is None else 1
        disks, ssds = itertools.count(first), itertools.count()
        return [
            f"{array.name}.disk{next(disks)}" if kind is None else f"{array.name}.ssd{next(ssds)}"
            for kind in kinds
        ]

    def disks_of(self, index: int, array: ArrayBox) -> Disks:
        """Return the disks and SSDs of an array."""
        entry, groups = self.disks[index], self.groups[index]
        names = self.disk_names(index, array)
        kinds: list[int | None] = [None] * (len(names) - len(groups.slots))
        kinds += groups.slots
        models = [
            DriveDiskModel(drive=0) if kind is None else SsdDiskModel(ssd=kind) for kind in kinds
        ]
        return Disks(
            [] if entry is None else [drive_from_sheet(f"{array.name}.disk", entry)],
            groups.ssds,
            [DiskPlan(name=name, model=of) for name, of in zip(names, models, strict=True)],
            [groups.by_name[name].plan for name in groups.by_name],
        )


@dataclass(frozen=True, slots=True)
class Disks:
    """Kinds of drive and SSD, disks, and groups of an array."""

    drives: list[DrivePlan]
    ssds: list[SsdPlan]
    disks: list[DiskPlan]
    groups: list[GroupPlan]


def place_luns(boxes: Boxes, wiring: Wiring, problems: Problems) -> LunTable:
    """Expand the LUNs of all arrays and give them their blocks and ports."""
    table = LunTable()
    faults = drive_faults(boxes, problems)
    known = _known_initiators(boxes, wiring)
    for index, array in enumerate(boxes.arrays):
        disk = _disk_of(array, problems)
        pool = _make_pool(array, disk, problems)
        first = 0 if pool is None else len(pool.used)
        before = len(problems.found)
        groups = build_groups(array, disk, first, faults, problems)
        if len(problems.found) > (0 if disk is not None else before):
            # Problems of LUNs on an invalid group would only repeat the cause.
            continue
        here = Place(array, index, pool, groups)
        placed = _place_array(here, known, wiring, problems)
        if array.stack is not None:
            via = drivers(array.stack, wiring, problems)
            names = [lun.name.rpartition(".")[2] for lun in placed]
            placed = [
                replace(lun, via=via.get(name)) for name, lun in zip(names, placed, strict=True)
            ]
        table.pools.append(pool)
        table.groups.append(groups)
        table.disks.append(disk)
        table.luns.append(placed)
        table.by_name.items.update({lun.name: lun for lun in placed})
    return table


def _disk_of(array: ArrayBox, problems: Problems) -> DiskEntry | None:
    """Return the model of the disks of an array; None if it has no disks."""
    has_groups = any(group.ssd is None for group in array.spec.groups)
    on_disks = [lun for lun in array.spec.luns if is_on_disks(lun, array)]
    if not has_groups and not on_disks and not has_pool_of_disks(array):
        return None
    model = array.values.model
    return resolve_disk(array.spec.disk, model.disk, (*array.path, "disk"), problems)


def _make_pool(array: ArrayBox, disk: DiskEntry | None, problems: Problems) -> Pool | None:
    spec = array.spec
    wanted = [
        (given(lun.disks, groups_of(array)), len(safe_expand(lun.name, array.path, problems)))
        for lun in spec.luns
        if is_on_disks(lun, array)
    ]
    if not wanted or disk is None:
        return None
    groups = groups_of(array)
    enough = -(-sum(disks * count for disks, count in wanted) // groups)
    return Pool(disk, groups, given(spec.disks_per_group, enough))


def groups_of(array: ArrayBox) -> int:
    """Array groups of an array."""
    return given(array.spec.array_groups, array.values.model.array_groups)


def _place_array(
    place: Place, known: Initiators, wiring: Wiring, problems: Problems
) -> list[PlacedLun]:
    array, index = place.array, place.index
    placed: list[PlacedLun] = []
    taken: dict[str, Path] = {}
    for position, spec in enumerate(array.spec.luns):
        path: Path = (*array.path, "luns", position)
        names = define(spec.name, (*path, "name"), taken, problems)
        ports = _export_ports(array, spec, path, wiring, problems)
        mirrors = _mirror_names(spec, len(names), path, problems)
        initiators = _initiators(spec, known, path, problems)
        turns = range(len(placed), len(placed) + len(names))
        owners = owners_of(spec, array, len(names), path, problems)
        if spec.owner is None:
            owners = default_owners(array, turns, wiring.linked_ports(array.name))
        for number, (name, mirror_to) in enumerate(zip(names, mirrors, strict=True)):
            found = media_of(place, spec, len(names) - number, path, problems)
            if found is None:
                break
            size, media = found
            depth = given(spec.queue_depth, array.values.model.lun_queue_depth)
            own_ports = ports if array.stack is None else ports_of_disk(array.stack, name)
            full_name = f"{array.name}.{name}"
            placed.append(
                PlacedLun(
                    full_name,
                    index,
                    len(placed),
                    size,
                    media,
                    depth,
                    own_ports,
                    spec,
                    path,
                    mirror_to,
                    owners[number],
                    initiators,
                )
            )
    return placed


def _export_ports(
    array: ArrayBox, spec: Lun, path: Path, wiring: Wiring, problems: Problems
) -> tuple[str, ...]:
    """Ports a LUN is exported by and that have a link."""
    linked = wiring.linked_ports(array.name)
    if spec.ports is None:
        return tuple(linked)
    known: Names[None] = Names("port of this array")
    known.items.update({f"p{n}": None for n in range(array.values.ports.count)})
    wanted = known.resolve(spec.ports, (*path, "ports"), problems)
    return tuple(port for port in linked if port in wanted)


def _known_initiators(boxes: Boxes, wiring: Wiring) -> Initiators:
    """Return the ports that each name of a host, or of a port of a host, stands for."""
    known: Initiators = Names("host, or port of a host,")
    for host in boxes.hosts:
        known.items[host.name] = [(host.name, port) for port in wiring.linked_ports(host.name)]
    for host in boxes.hosts:
        for port in wiring.linked_ports(host.name):
            known.items[f"{host.name}.{port}"] = [(host.name, port)]
    return known


def _initiators(
    spec: Lun, known: Initiators, path: Path, problems: Problems
) -> frozenset[tuple[str, str]] | None:
    """Return the ports of hosts that may use a LUN; None if all may."""
    if spec.initiators is None:
        return None
    names = known.resolve(spec.initiators, (*path, "initiators"), problems)
    return frozenset(port for name in names for port in known[name])


def _mirror_names(
    spec: Lun, count: int, path: Path, problems: Problems
) -> list[str] | list[None] | list[str | None]:
    if spec.mirror is None:
        return [None] * count
    targets = safe_expand(spec.mirror.to, (*path, "mirror", "to"), problems)
    if len(targets) != count:
        problems.add(
            (*path, "mirror", "to"),
            f"{counted(count, 'LUN')} cannot mirror to {len(targets)}",
            "Give each LUN a target of its own, such as dev3.lun[1..4] for lun[1..4]",
        )
        return [None] * count
    return targets

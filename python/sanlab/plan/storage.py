"""Arrays: disks dealt to LUNs, LUNs exported by ports, mirrors tied to their other side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sanlab.plan.defaults import (
    DEFAULT_BLOCK_BYTES,
    DEFAULT_LUN_BYTES,
    DEFAULT_STRIPE_BYTES,
    given,
    resolve_disk,
)
from sanlab.plan.drive_faults import drive_faults
from sanlab.plan.drives import drive_from_sheet
from sanlab.plan.names import Names, define, safe_expand
from sanlab.plan.page_cache import build_page_cache
from sanlab.plan.paths import drivers
from sanlab.plan.raid import Groups, build_groups, take_part
from sanlab.plan.schema import (
    ArrayPlan,
    CachePlan,
    DiskPlan,
    FlashMedia,
    LunPlan,
    MediaPlan,
    MemoryMedia,
    MirrorPlan,
    OnFlash,
    OnMemory,
    OnRam,
    OnStripe,
    PageCachePlan,
    RamMedia,
    StripeMedia,
)
from sanlab.plan.stacks import ports_of_disk
from sanlab.quantities import PS_PER_S, about_size, counted, format_size
from sanlab.scenario.arrays import Memory
from sanlab.scenario.base import SECTOR_BYTES

if TYPE_CHECKING:
    from sanlab.catalog.entries import DiskEntry
    from sanlab.plan.boxes import ArrayBox, Boxes
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import DrivePlan, GroupPlan
    from sanlab.plan.wiring import Wiring
    from sanlab.scenario.arrays import Cache, Lun
    from sanlab.scenario.document import Path


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
    #: Ports of hosts that may use it, each with its host; None where all may.
    initiators: frozenset[tuple[str, str]] | None = None
    via: tuple[str, str] | None = None
    """Host and port that drive it, where its stack says so."""


class _Pool:
    """The disks of one array, dealt to its LUNs group by group."""

    def __init__(self, entry: DiskEntry, groups: int, per_group: int) -> None:
        self.entry = entry
        self.groups = groups
        self.per_group = per_group
        self.used = [0] * (groups * per_group)
        self.cursor = [0] * groups
        self.next_group = 0

    def deal(self, count: int) -> list[int]:
        """Return the next `count` disks, each from the next group."""
        disks = []
        for _ in range(count):
            group = self.next_group
            disks.append(group * self.per_group + self.cursor[group])
            self.cursor[group] = (self.cursor[group] + 1) % self.per_group
            self.next_group = (group + 1) % self.groups
        return disks


class LunTable:
    """All LUNs of a scenario."""

    def __init__(self) -> None:
        self.luns: list[list[PlacedLun]] = []
        self.by_name: Names[PlacedLun] = Names("LUN")
        self.pools: list[_Pool | None] = []
        self.groups: list[Groups] = []
        self.disks: list[DiskEntry | None] = []

    def disk_names(self, index: int, array: ArrayBox) -> list[str]:
        """Names of the disks of an array: those of striped LUNs, then those of its groups.

        Disks of a stack bear the names of their LUNs, which count from 1.
        """
        pool = self.pools[index]
        count = (0 if pool is None else len(pool.used)) + self.groups[index].disks_count
        first = 0 if array.stack is None else 1
        return [f"{array.name}.disk{first + number}" for number in range(count)]

    def disks_of(self, index: int, array: ArrayBox) -> _Disks:
        """Return the disks of an array."""
        entry = self.disks[index]
        groups = self.groups[index].by_name
        return _Disks(
            [] if entry is None else [drive_from_sheet(f"{array.name}.disk", entry)],
            self.disk_names(index, array),
            [groups[name].plan for name in groups],
        )


@dataclass(frozen=True, slots=True)
class _Disks:
    """Kinds of drive, names of disks, and groups of an array."""

    drives: list[DrivePlan]
    names: list[str]
    groups: list[GroupPlan]


def place_luns(boxes: Boxes, wiring: Wiring, problems: Problems) -> LunTable:
    """Expand the LUNs of all arrays and give them their blocks and ports."""
    table = LunTable()
    faults = drive_faults(boxes, problems)
    for index, array in enumerate(boxes.arrays):
        disk = _disk_of(array, problems)
        pool = _make_pool(array, disk, problems)
        groups = Groups()
        if disk is not None:
            first = 0 if pool is None else len(pool.used)
            groups = build_groups(array, disk, first, faults, problems)
            if problems.found:
                # What LUNs would say of a group that is wrong itself is of no use.
                continue
        here = _Place(array, index, pool, groups)
        placed = _place_array(here, boxes, wiring, problems)
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


def _on_disks(spec: Lun, array: ArrayBox) -> bool:
    if spec.raid is not None:
        return True
    has_media = any((spec.memory, spec.group, spec.flash, spec.ram))
    return not has_media and array.values.model.media == "raid"


@dataclass(frozen=True, slots=True)
class _Place:
    """An array whose LUNs are placed."""

    array: ArrayBox
    index: int
    pool: _Pool | None
    groups: Groups


def _disk_of(array: ArrayBox, problems: Problems) -> DiskEntry | None:
    """Return the kind of disk of an array; None where it has no disks."""
    if not array.spec.groups and not any(_on_disks(lun, array) for lun in array.spec.luns):
        return None
    model = array.values.model
    return resolve_disk(array.spec.disk, model.disk, (*array.path, "disk"), problems)


def _make_pool(array: ArrayBox, disk: DiskEntry | None, problems: Problems) -> _Pool | None:
    spec = array.spec
    wanted = [
        (given(lun.disks, groups_of(array)), len(safe_expand(lun.name, array.path, problems)))
        for lun in spec.luns
        if _on_disks(lun, array)
    ]
    if not wanted or disk is None:
        return None
    groups = groups_of(array)
    enough = -(-sum(disks * count for disks, count in wanted) // groups)
    return _Pool(disk, groups, given(spec.disks_per_group, enough))


def groups_of(array: ArrayBox) -> int:
    """Array groups of an array."""
    return given(array.spec.array_groups, array.values.model.array_groups)


def _place_array(
    place: _Place, boxes: Boxes, wiring: Wiring, problems: Problems
) -> list[PlacedLun]:
    array, index = place.array, place.index
    placed: list[PlacedLun] = []
    taken: dict[str, Path] = {}
    for position, spec in enumerate(array.spec.luns):
        path: Path = (*array.path, "luns", position)
        names = define(spec.name, (*path, "name"), taken, problems)
        ports = _export_ports(array, spec, path, wiring, problems)
        mirrors = _mirror_names(spec, len(names), path, problems)
        initiators = _initiators(spec, boxes, wiring, path, problems)
        for number, (name, mirror_to) in enumerate(zip(names, mirrors, strict=True)):
            found = _media(place, spec, len(names) - number, path, problems)
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


def _initiators(
    spec: Lun, boxes: Boxes, wiring: Wiring, path: Path, problems: Problems
) -> frozenset[tuple[str, str]] | None:
    """Ports of hosts that may use a LUN; None where all may."""
    if spec.initiators is None:
        return None
    known: Names[list[tuple[str, str]]] = Names("host, or port of a host,")
    for host in boxes.hosts:
        known.items[host.name] = [(host.name, port) for port in wiring.linked_ports(host.name)]
    for host in boxes.hosts:
        for port in wiring.linked_ports(host.name):
            known.items[f"{host.name}.{port}"] = [(host.name, port)]
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


def _media(
    place: _Place, spec: Lun, left: int, path: Path, problems: Problems
) -> tuple[int, MediaPlan] | None:
    array, pool = place.array, place.pool
    if spec.group is not None:
        return take_part(spec, left, place.groups, path, problems)
    if not _on_disks(spec, array):
        kind = _solid_state(spec, array)
        if kind is not None:
            return _sectors(given(spec.size, DEFAULT_LUN_BYTES)), kind
        return _sectors(given(spec.size, DEFAULT_LUN_BYTES)), _memory(array, spec)
    if pool is None:
        return None
    return _stripe(array, spec, pool, path, problems)


def _sectors(size: int) -> int:
    return size // SECTOR_BYTES * SECTOR_BYTES


def _solid_state(spec: Lun, array: ArrayBox) -> OnFlash | OnRam | None:
    """Return the flash or RAM SSD of a LUN; None where it has memory."""
    model = array.values.model
    kind = next((key for key in ("memory", "flash", "ram") if getattr(spec, key)), model.media)
    if kind == "flash":
        flash = model.flash.model_copy(
            update=spec.flash.model_dump(exclude_unset=True) if spec.flash else {}
        )
        return OnFlash(
            flash=FlashMedia(
                channels=given(flash.channels, 8),
                dies_per_channel=given(flash.dies_per_channel, 4),
                page_bytes=given(flash.page, 8192),
                pages_per_block=given(flash.pages_per_block, 256),
                read_ps=given(flash.read, 0),
                program_ps=given(flash.program, 0),
                erase_ps=given(flash.erase, 0),
                channel_bytes_per_s=given(flash.channel_rate, PS_PER_S),
                buffer_bytes=given(flash.buffer, 0),
                latency_ps=given(flash.latency, 0),
                amplification_ppm=round(given(flash.write_amplification, 1.0) * 1_000_000),
            )
        )
    if kind == "ram":
        ram = model.ram.model_copy(
            update=spec.ram.model_dump(exclude_unset=True) if spec.ram else {}
        )
        return OnRam(
            ram=RamMedia(
                ports=given(ram.ports, array.values.ports.count),
                command_ps=given(ram.service, 0),
                latency_ps=given(ram.latency, 0),
                bytes_per_s=given(ram.rate, PS_PER_S),
                distribution=given(ram.distribution, "constant"),
            )
        )
    return None


def _memory(array: ArrayBox, spec: Lun) -> OnMemory:
    memory, model = spec.memory or Memory(), array.values.model.memory
    return OnMemory(
        memory=MemoryMedia(
            service_ps=given(given(memory.service, model.service), 0),
            distribution=given(given(memory.distribution, model.distribution), "constant"),
            servers=given(given(memory.servers, model.servers), 1),
        )
    )


def _stripe(
    array: ArrayBox, spec: Lun, pool: _Pool, path: Path, problems: Problems
) -> tuple[int, OnStripe] | None:
    count = given(spec.disks, pool.groups)
    stripe = given(spec.stripe_depth, DEFAULT_STRIPE_BYTES)
    block = given(spec.block_size, DEFAULT_BLOCK_BYTES)
    if stripe % block != 0:
        problems.add(
            (*path, "stripe_depth"),
            f"The stripe depth {format_size(stripe)} is no multiple of the block size "
            f"{format_size(block)}",
            "Make one a multiple of the other",
        )
        return None
    if count > len(pool.used):
        problems.add(
            (*path, "disks"),
            f"The LUN needs {counted(count, 'disk')} and '{array.name}' has {len(pool.used)}",
            "Raise 'disks_per_group' or 'array_groups'",
        )
        return None
    disks = pool.deal(count)
    start = max(pool.used[disk] for disk in disks)
    room = (pool.entry.size - start) // stripe * stripe
    size = _sectors(given(spec.size, room * count))
    share = -(-size // (count * stripe)) * stripe
    if size == 0 or share > room:
        problems.add(
            (*path, "size"),
            f"The LUN needs {about_size(max(share, stripe))} on each of its disks, where "
            f"{about_size(max(room, 0))} are free",
            "Give a smaller 'size', more 'disks', or more 'disks_per_group'",
        )
        return None
    for disk in disks:
        pool.used[disk] = start + share
    media = StripeMedia(disks=disks, start_bytes=start, stripe_bytes=stripe, block_bytes=block)
    return size, OnStripe(stripe=media)


def build_arrays(
    boxes: Boxes,
    table: LunTable,
    wiring: Wiring,
    n_port_ids: dict[tuple[str, str], int],
    problems: Problems,
) -> list[ArrayPlan]:
    """Return the arrays of the plan."""
    mirrors = _Mirrors(boxes, table, wiring, n_port_ids, problems)
    arrays = []
    for index, array in enumerate(boxes.arrays):
        luns = [
            LunPlan(
                name=lun.name,
                number=lun.number,
                bytes=lun.bytes,
                queue_depth=lun.queue_depth,
                media=lun.media,
                mirror=mirrors.plan(lun),
                initiators=_allowed(lun, n_port_ids),
            )
            for lun in table.luns[index]
        ]
        ports = [n_port_ids[array.name, port] for port in wiring.linked_ports(array.name)]
        arrays.append(_array_plan(array, ports, table.disks_of(index, array), luns, problems))
    return arrays


def _array_plan(
    array: ArrayBox, n_ports: list[int], disks: _Disks, luns: list[LunPlan], problems: Problems
) -> ArrayPlan:
    spec, model = array.spec, array.values.model
    return ArrayPlan(
        name=array.name,
        n_ports=n_ports,
        controllers=given(spec.controllers, model.controllers),
        command_ps=given(spec.command_cost, model.command_cost),
        burst_bytes=given(spec.burst, model.burst),
        port_queue_depth=given(spec.port_queue_depth, model.port_queue_depth),
        cache=_cache(array),
        drives=disks.drives,
        disks=[DiskPlan(name=name, drive=0) for name in disks.names],
        groups=disks.groups,
        parity_bytes_per_s=given(spec.parity_rate, 0),
        page_cache=_page_cache(array, problems),
        back_end=None,
        luns=luns,
    )


def _allowed(lun: PlacedLun, n_port_ids: dict[tuple[str, str], int]) -> list[int]:
    """N_Ports of hosts that may use a LUN; none where all may."""
    return sorted(n_port_ids[port] for port in lun.initiators or ())


def _resolved_cache(array: ArrayBox) -> Cache | None:
    return array.spec.cache if "cache" in array.spec.model_fields_set else array.values.model.cache


def _cache(array: ArrayBox) -> CachePlan | None:
    cache = _resolved_cache(array)
    if cache is None or cache.size is not None:
        return None
    return CachePlan(
        read_hit_ppm=cache.read_hit,
        access_ps=cache.access,
        dirty_limit_bytes=cache.dirty_limit,
    )


def _page_cache(array: ArrayBox, problems: Problems) -> PageCachePlan | None:
    cache = _resolved_cache(array)
    if cache is None or cache.size is None:
        return None
    return build_page_cache(cache, (*array.path, "cache"), problems)


class _Mirrors:
    """Ties each mirrored LUN to its other side; a LUN takes copies from one LUN at most."""

    def __init__(
        self,
        boxes: Boxes,
        table: LunTable,
        wiring: Wiring,
        n_port_ids: dict[tuple[str, str], int],
        problems: Problems,
    ) -> None:
        self.boxes = boxes
        self.table = table
        self.wiring = wiring
        self.n_port_ids = n_port_ids
        self.problems = problems
        self.sources: dict[str, str] = {}

    def plan(self, lun: PlacedLun) -> MirrorPlan | None:
        """Return the mirror of a LUN; None where it has none, or a wrong one."""
        spec = lun.spec.mirror
        if spec is None or lun.mirror_to is None:
            return None
        target = self.target(lun, lun.mirror_to)
        if target is None:
            return None
        ports = self.ports(lun, target)
        if ports is None:
            return None
        source_port, target_port = ports
        return MirrorPlan(
            array=target.array,
            lun=target.number,
            source_n_port=self.n_port_ids[self.boxes.arrays[lun.array].name, source_port],
            target_n_port=self.n_port_ids[self.boxes.arrays[target.array].name, target_port],
            synchronous=spec.mode == "synchronous",
            max_outstanding=spec.max_outstanding,
        )

    def target(self, lun: PlacedLun, name: str) -> PlacedLun | None:
        """Return the LUN copies go to, or note what is wrong with it."""
        path: Path = (*lun.path, "mirror", "to")
        if name not in self.table.by_name:
            self.problems.add(path, *self.table.by_name.unknown(name))
            return None
        target = self.table.by_name[name]
        wrong: tuple[str, str] | None = None
        if target.name == lun.name:
            wrong = (f"'{lun.name}' mirrors to itself", "Name a LUN of another array")
        elif target.array == lun.array:
            wrong = (
                f"'{lun.name}' mirrors to '{name}' in the same array",
                "Name a LUN of another array",
            )
        elif target.mirror_to is not None:
            wrong = (
                f"'{name}' is mirrored itself, so copies would go on from it",
                "Mirror to a LUN that has no mirror",
            )
        elif target.bytes < lun.bytes:
            sizes = f"{format_size(target.bytes)} against {format_size(lun.bytes)}"
            wrong = (
                f"'{name}' is smaller than '{lun.name}', {sizes}",
                "Mirror to a LUN that is at least as large",
            )
        elif name in self.sources:
            wrong = (
                f"'{name}' takes the copies of '{self.sources[name]}' already",
                "Give each LUN a target of its own",
            )
        if wrong is not None:
            self.problems.add(path, *wrong)
            return None
        self.sources[name] = lun.name
        return target

    def ports(self, lun: PlacedLun, target: PlacedLun) -> tuple[str, str] | None:
        """Return the ports copies leave and arrive by: as written, else in turn by LUN number."""
        spec = lun.spec.mirror
        source_array = self.boxes.arrays[lun.array].name
        target_array = self.boxes.arrays[target.array].name
        leaving = self.choices(lun, source_array, "from_port", spec.from_port if spec else None)
        arriving = self.choices(
            lun, target_array, "to_port", spec.to_port if spec else None, target.ports
        )
        if leaving is None or arriving is None:
            return None
        pairs = [
            (a, b)
            for a in _rotated(leaving, lun.number)
            for b in _rotated(arriving, lun.number)
            if self.wiring.is_reachable((source_array, a), (target_array, b))
        ]
        if not pairs:
            self.problems.add(
                (*lun.path, "mirror"),
                f"No path leads from '{source_array}' to '{target_array}'",
                "Link both to the same fabric",
            )
            return None
        return pairs[0]

    def choices(
        self,
        lun: PlacedLun,
        array: str,
        key: str,
        wanted: str | None,
        exporting: tuple[str, ...] | None = None,
    ) -> list[str] | None:
        """Ports of an array a mirror may use."""
        linked = self.wiring.linked_ports(array) if exporting is None else list(exporting)
        if wanted is None:
            return linked
        label = wanted.removeprefix(f"{array}.")
        if label not in linked:
            known = ", ".join(linked) or "none"
            self.problems.add(
                (*lun.path, "mirror", key),
                f"'{array}' has no linked port '{label}'",
                f"Ports with a link are: {known}",
            )
            return None
        return [label]


def _rotated(ports: list[str], by: int) -> list[str]:
    turn = by % len(ports) if ports else 0
    return ports[turn:] + ports[:turn]

"""RAID groups: disks, failing drives, spares, and the parts of a group that LUNs use."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, cast

from sanlab.plan.defaults import DEFAULT_LUN_BYTES, given
from sanlab.plan.drive_faults import failures_in
from sanlab.plan.names import Names, define
from sanlab.plan.schema import FailingPlan, GroupPlan, RaidMedia, RebuildPlan
from sanlab.plan.ssds import POOL_NAME, bytes_in_pool, has_pool_of_disks, pool_group, ssd_plan
from sanlab.quantities import about_size, counted, format_size
from sanlab.scenario.base import SECTOR_BYTES

if TYPE_CHECKING:
    from sanlab.catalog.entries import DiskEntry
    from sanlab.plan.boxes import ArrayBox
    from sanlab.plan.drive_faults import DriveFailure, Place
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import LevelPlan, SsdPlan, WriteStrategyPlan
    from sanlab.scenario.arrays import Lun, Raid, RaidGroup
    from sanlab.scenario.document import Path

#: Fewest drives of each level.
_LEAST_DRIVES = {0: 1, 1: 2, 3: 3, 5: 3, 6: 4, 10: 2}


#: Bound of the unit of a pool, whose SSDs are as large as its LUNs need.
LARGEST_SSD = 2**60


def data_units(level: int, drives: int) -> int:
    """Units of a stripe that hold data.

    >>> [data_units(level, 8) for level in (0, 1, 3, 5, 6, 10)]
    [8, 1, 7, 7, 6, 4]
    """
    return {0: drives, 1: 1, 6: drives - 2, 10: drives // 2}.get(level, drives - 1)


def level_number(group: GroupPlan) -> int:
    """Return the RAID level of a group as a number."""
    return int(group.level.removeprefix("raid"))


def survives(level: int, drives: int, lost: set[int]) -> bool:
    """Whether data survive the loss of these drives.

    >>> survives(10, 4, {0, 2}), survives(10, 4, {0, 1}), survives(6, 6, {1, 5})
    (True, False, True)
    """
    if level == 10:
        return all(not {pair, pair + 1} <= lost for pair in range(0, drives, 2))
    return len(lost) <= {0: 0, 1: drives - 1, 6: 2}.get(level, 1)


@dataclass
class Group:
    """A group in the plan, and the part that LUNs use."""

    plan: GroupPlan
    used: int = 0

    @property
    def row_bytes(self) -> int:
        """Data of one row of units."""
        return self.plan.unit_bytes * data_units(level_number(self.plan), len(self.plan.disks))

    @property
    def room(self) -> int:
        """Data not assigned yet."""
        return self.row_bytes * self.plan.rows - self.used


@dataclass(frozen=True, slots=True)
class _Drive:
    """What a group is made of: SSDs of a kind, or disks."""

    bytes: int
    ssd: SsdPlan | None = None


@dataclass
class Groups:
    """The groups of one array; their disks and SSDs follow the disks of its other LUNs."""

    array: str
    first_disk: int
    by_name: Names[Group] = field(default_factory=lambda: Names("RAID group of this array"))
    ssds: list[SsdPlan] = field(default_factory=list)
    slots: list[int | None] = field(default_factory=list)
    """Kind of SSD in each slot; None for a disk."""

    def add(self, name: str, spec: RaidGroup, failures: list[DriveFailure], drive: _Drive) -> None:
        """Add a group, with drives and spares in the next slots."""
        kind = None
        if drive.ssd is not None:
            if drive.ssd not in self.ssds:
                self.ssds.append(drive.ssd)
            kind = self.ssds.index(drive.ssd)
        first = self.first_disk + len(self.slots)
        plan = _group(f"{self.array}.{name}", spec, failures, drive.bytes, first)
        self.by_name.items[name] = Group(plan)
        self.slots += [kind] * (spec.raid.drives + spec.spares)


def build_groups(
    array: ArrayBox,
    disk: DiskEntry | None,
    first_disk: int,
    faults: dict[Place, list[DriveFailure]],
    problems: Problems,
) -> Groups:
    """Return the groups of an array, with drives that fail by `failed_drives` or `faults`.

    Its pool, if LUNs use it, is the last.
    """
    groups = Groups(array.name, first_disk)
    taken: dict[str, Path] = {}
    for index, spec in enumerate(array.spec.groups):
        path: Path = (*array.path, "groups", index)
        drive = _drive(spec, array, disk, (*path, "ssd"), problems)
        if drive is None or not _is_sound(spec, drive.bytes, path, problems):
            continue
        names = define(spec.name, (*path, "name"), taken, problems)
        failing = {
            name: [*failures_in(spec, path), *faults.get((array.name, name), [])] for name in names
        }
        for name, failures in failing.items():
            if _survives(spec, failures, path, problems):
                groups.add(name, spec, failures, drive)
    failures = faults.get((array.name, POOL_NAME), [])
    _add_pool(groups, array, disk, failures, problems)
    return groups


def _drive(
    spec: RaidGroup, array: ArrayBox, disk: DiskEntry | None, path: Path, problems: Problems
) -> _Drive | None:
    if spec.ssd is not None:
        ssd = ssd_plan(spec.ssd, array, path, problems)
        return None if ssd is None else _Drive(ssd.bytes, ssd)
    return None if disk is None else _Drive(disk.size // SECTOR_BYTES * SECTOR_BYTES)


def _add_pool(
    groups: Groups,
    array: ArrayBox,
    disk: DiskEntry | None,
    failures: list[DriveFailure],
    problems: Problems,
) -> None:
    """Add the pool of an array: disks, or SSDs as large as its LUNs need if they have no size."""
    spec = pool_group(array)
    if spec is None or spec.ssd is None:
        return
    path: Path = (*array.path, "pool")
    if POOL_NAME in groups.by_name:
        problems.add(
            path,
            f"'{array.name}' has a RAID group '{POOL_NAME}', which is the name of its pool too",
            "Give the group another name, or put each LUN in a 'group'",
        )
        return
    if not _is_sound(spec, LARGEST_SSD, path, problems):
        return
    if not _survives(spec, failures, path, problems):
        return
    if has_pool_of_disks(array):
        if disk is not None:
            drive = _Drive(disk.size // SECTOR_BYTES * SECTOR_BYTES)
            groups.add(POOL_NAME, spec, failures, drive)
        return
    row = spec.raid.unit * data_units(spec.raid.level, spec.raid.drives)
    size = bytes_in_pool(array, row, problems) // row * spec.raid.unit
    ssd = ssd_plan(spec.ssd, array, (*path, "ssd"), problems, size)
    if ssd is not None:
        groups.add(POOL_NAME, spec, failures, _Drive(ssd.bytes, ssd))


def _is_sound(spec: RaidGroup, size: int, path: Path, problems: Problems) -> bool:
    before = len(problems.found)
    raid = spec.raid
    least = _LEAST_DRIVES[raid.level]
    if raid.drives < least:
        problems.add(
            (*path, "raid", "drives"),
            f"RAID {raid.level} needs {counted(least, 'drive')} or more, and the group has "
            f"{raid.drives}",
            "Raise 'drives', or choose another level",
        )
        return False
    if raid.level == 10 and raid.drives % 2:
        problems.add(
            (*path, "raid", "drives"),
            f"RAID 10 needs an even number of drives, and the group has {raid.drives}",
            "Write an even number in 'drives'",
        )
        return False
    if raid.unit % SECTOR_BYTES:
        problems.add(
            (*path, "raid", "unit"),
            f"The unit {format_size(raid.unit)} is not a multiple of a sector, 512 B",
            "Make it a multiple of 512 B",
        )
    elif raid.unit > size:
        problems.add(
            (*path, "raid", "unit"),
            f"The unit {format_size(raid.unit)} is larger than a disk",
            "Make it smaller",
        )
    return len(problems.found) == before


def _survives(
    spec: RaidGroup, failures: list[DriveFailure], path: Path, problems: Problems
) -> bool:
    """Note failures of unknown drives, repeated failures, and failures that lose data."""
    before = len(problems.found)
    raid, lost = spec.raid, [failure.drive for failure in failures]
    unknown = [failure for failure in failures if failure.drive >= raid.drives]
    again = [failure for number, failure in enumerate(failures) if failure.drive in lost[:number]]
    if unknown:
        problems.add(
            unknown[0].path,
            f"The group has no drive {unknown[0].drive}",
            f"Its drives are 0 to {raid.drives - 1}",
        )
    elif again:
        problems.add(again[0].path, "A drive fails twice", "Name each drive once")
    elif not survives(raid.level, raid.drives, set(lost)):
        problems.add(
            _last_straw(raid, failures).path,
            f"RAID {raid.level} of {counted(raid.drives, 'drive')} does not survive the loss of "
            f"{', '.join(map(str, sorted(lost)))}: data are lost",
            "Name fewer drives, or choose another level",
        )
    elif spec.rebuild is not None and len(lost) > spec.spares:
        problems.add(
            (*path, "rebuild"),
            f"The number of drives that fail is {len(lost)}, and the group has "
            f"{counted(spec.spares, 'hot spare') if spec.spares else 'no hot spare'}",
            f"Add 'spares: {len(lost)}'",
        )
    return len(problems.found) == before


def _last_straw(raid: Raid, failures: list[DriveFailure]) -> DriveFailure:
    """Return the first failure that loses data."""
    lost: set[int] = set()
    for failure in sorted(failures, key=attrgetter("at_ps")):
        lost.add(failure.drive)
        if not survives(raid.level, raid.drives, lost):
            break
    return failure


def _group(
    name: str, spec: RaidGroup, failures: list[DriveFailure], size: int, first: int
) -> GroupPlan:
    raid = spec.raid
    failed = sorted(failures, key=attrgetter("at_ps"))
    rebuilds = []
    if spec.rebuild is not None:
        rebuilds = [
            RebuildPlan(
                slot=failure.drive,
                spare=first + raid.drives + number,
                delay_ps=spec.rebuild.delay,
                bytes_per_s=spec.rebuild.rate or None,
                step_bytes=spec.rebuild.step,
                steps=spec.rebuild.steps,
            )
            for number, failure in enumerate(failed)
        ]
    write = raid.write.replace("-", "_")
    return GroupPlan(
        name=name,
        level=cast("LevelPlan", f"raid{raid.level}"),
        disks=list(range(first, first + raid.drives)),
        unit_bytes=raid.unit,
        rows=size // raid.unit,
        write=cast("WriteStrategyPlan", write),
        failing=[FailingPlan(slot=failure.drive, at_ps=failure.at_ps) for failure in failed],
        rebuilds=rebuilds,
    )


def take_part(
    spec: Lun, left: int, groups: Groups, path: Path, problems: Problems
) -> tuple[int, RaidMedia] | None:
    """Return size and place of a LUN on its group, or in the pool.

    Without a size of its own it has in the pool the usual one, in another group its share with
    `left` LUNs of what is left.
    """
    name = given(spec.group, POOL_NAME)
    usual = DEFAULT_LUN_BYTES if spec.group is None else None
    if name not in groups.by_name:
        problems.add((*path, "group"), *groups.by_name.unknown(name))
        return None
    group = groups.by_name[name]
    row = group.row_bytes
    share = group.room // left // row * row
    size = given(spec.size, given(usual, share)) // SECTOR_BYTES * SECTOR_BYTES
    if size == 0 or size > group.room:
        problems.add(
            (*path, "size"),
            f"The LUN needs {about_size(max(size, row))}, and group '{name}' has only "
            f"{about_size(group.room)} left",
            "Give a smaller 'size', or more 'drives' to the group"
            if usual is None
            else "Give a smaller 'size', or more 'drives' or a larger 'size' of its SSDs",
        )
        return None
    media = RaidMedia(group=list(groups.by_name).index(name), start_bytes=group.used)
    group.used += -(-size // row) * row
    return size, media

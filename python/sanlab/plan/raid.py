"""RAID groups: disks, failing drives, spares, and the parts of a group that LUNs use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from sanlab.plan.drive_faults import failures_in
from sanlab.plan.names import Names, define
from sanlab.plan.schema import FailingPlan, GroupPlan, RaidMedia, RebuildPlan
from sanlab.quantities import about_size, counted, format_size
from sanlab.scenario.base import SECTOR_BYTES

if TYPE_CHECKING:
    from sanlab.catalog.entries import DiskEntry
    from sanlab.plan.boxes import ArrayBox
    from sanlab.plan.drive_faults import DriveFailure, Place
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import LevelPlan, WriteStrategyPlan
    from sanlab.scenario.arrays import Lun, Raid, RaidGroup
    from sanlab.scenario.document import Path

#: Fewest drives of each level.
_LEAST_DRIVES = {0: 1, 1: 2, 3: 3, 5: 3, 6: 4, 10: 2}


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


@dataclass
class Groups:
    """The groups of one array; their disks follow those of its other LUNs."""

    by_name: Names[Group] = field(default_factory=lambda: Names("RAID group of this array"))
    disks_count: int = 0


def build_groups(
    array: ArrayBox,
    disk: DiskEntry,
    first_disk: int,
    faults: dict[Place, list[DriveFailure]],
    problems: Problems,
) -> Groups:
    """Return the groups of an array, with drives that fail by `failed_drives` or `faults`."""
    groups = Groups()
    taken: dict[str, Path] = {}
    next_disk = first_disk
    for index, spec in enumerate(array.spec.groups):
        path: Path = (*array.path, "groups", index)
        names = define(spec.name, (*path, "name"), taken, problems)
        if not _is_sound(spec, disk, path, problems):
            continue
        failing = {
            name: [*failures_in(spec, path), *faults.get((array.name, name), [])] for name in names
        }
        if names and spec.rebuild is not None and not any(failing.values()):
            problems.add(
                (*path, "rebuild"),
                "'rebuild' has no effect: no drive fails",
                "Name one in 'failed_drives' or in a fault, or remove 'rebuild'",
            )
            continue
        for name, failures in failing.items():
            if not _survives(spec, failures, path, problems):
                continue
            plan = _group(f"{array.name}.{name}", spec, failures, disk, next_disk)
            groups.by_name.items[name] = Group(plan)
            next_disk += spec.raid.drives + spec.spares
    groups.disks_count = next_disk - first_disk
    return groups


def _is_sound(spec: RaidGroup, disk: DiskEntry, path: Path, problems: Problems) -> bool:
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
    elif raid.unit > disk.size:
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
    again = [it for number, it in enumerate(failures) if it.drive in lost[:number]]
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
    for failure in sorted(failures, key=lambda it: it.at_ps):
        lost.add(failure.drive)
        if not survives(raid.level, raid.drives, lost):
            break
    return failure


def _group(
    name: str, spec: RaidGroup, failures: list[DriveFailure], disk: DiskEntry, first: int
) -> GroupPlan:
    raid = spec.raid
    failed = sorted(failures, key=lambda it: it.at_ps)
    rebuilds = []
    if spec.rebuild is not None:
        rebuilds = [
            RebuildPlan(
                slot=it.drive,
                spare=first + raid.drives + number,
                delay_ps=spec.rebuild.delay,
                bytes_per_s=spec.rebuild.rate or None,
                step_bytes=spec.rebuild.step,
                steps=spec.rebuild.steps,
            )
            for number, it in enumerate(failed)
        ]
    write = raid.write.replace("-", "_")
    return GroupPlan(
        name=name,
        level=cast("LevelPlan", f"raid{raid.level}"),
        disks=list(range(first, first + raid.drives)),
        unit_bytes=raid.unit,
        rows=disk.size // SECTOR_BYTES * SECTOR_BYTES // raid.unit,
        write=cast("WriteStrategyPlan", write),
        failing=[FailingPlan(slot=it.drive, at_ps=it.at_ps) for it in failed],
        rebuilds=rebuilds,
    )


def take_part(
    spec: Lun, left: int, groups: Groups, path: Path, problems: Problems
) -> tuple[int, RaidMedia] | None:
    """Return size and place of a LUN on its group; `left` LUNs still share the rest."""
    name = spec.group or ""
    if name not in groups.by_name:
        problems.add((*path, "group"), *groups.by_name.unknown(name))
        return None
    group = groups.by_name[name]
    row = group.row_bytes
    share = group.room // left // row * row
    size = (share if spec.size is None else spec.size) // SECTOR_BYTES * SECTOR_BYTES
    if size == 0 or size > group.room:
        problems.add(
            (*path, "size"),
            f"The LUN needs {about_size(max(size, row))}, and group '{name}' has only "
            f"{about_size(group.room)} left",
            "Give a smaller 'size', or more 'drives' to the group",
        )
        return None
    media = RaidMedia(group=list(groups.by_name).index(name), start_bytes=group.used)
    group.used += -(-size // row) * row
    return size, media

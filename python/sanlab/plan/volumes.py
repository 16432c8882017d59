"""Volumes and file systems, and their LUNs.

A scenario may describe several volumes over the same LUNs, or file systems on one volume, to choose
among them with `targets`. Those that workloads use must not share a LUN, because each would
overwrite the data of the other.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sanlab.plan.file_systems import PlacedFileSystem
from sanlab.plan.names import define
from sanlab.plan.schema import ConcatVolume, MirrorVolume, StripeVolume
from sanlab.quantities import counted, format_size, nearest
from sanlab.scenario.groups import expand
from sanlab.scenario.volumes import DEFAULT_UNIT_BYTES

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.luns import LunTable, PlacedLun
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import VolumePlan
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path
    from sanlab.scenario.volumes import FileSystem, Volume
    from sanlab.scenario.workload import Workload


@dataclass(frozen=True, slots=True)
class PlacedVolume:
    """A volume with its LUNs, or a file system on one."""

    name: str
    luns: tuple[PlacedLun, ...]
    bytes_each: tuple[int, ...]
    plan: VolumePlan
    path: Path
    file_system: PlacedFileSystem | None = None
    on: str = ""
    """The volume or LUN that a file system is on."""

    @property
    def bytes(self) -> int:
        """Its size."""
        is_mirror = isinstance(self.plan, MirrorVolume)
        return self.bytes_each[0] if is_mirror else sum(self.bytes_each)


def build_volumes(
    scenario: Scenario, boxes: Boxes, table: LunTable, problems: Problems
) -> dict[str, PlacedVolume]:
    """Return volumes and file systems by name."""
    found: dict[str, PlacedVolume] = {}
    taken: dict[str, Path] = {name: (*boxes.by_name[name].path, "name") for name in boxes.by_name}
    for index, spec in enumerate(scenario.volumes):
        path: Path = ("volumes", index)
        for name in _one_name(spec.name, "LUNs", path, taken, problems):
            volume = _volume(name, spec, table, path, problems)
            if volume is not None:
                found[name] = volume
    # Problems of file systems on an invalid volume would only repeat the cause.
    broken = {name for spec in scenario.volumes for name in expand(spec.name)} - set(found)
    for index, fs in enumerate(scenario.filesystems):
        path = ("filesystems", index)
        for name in _one_name(fs.name, "volume", path, taken, problems):
            if fs.on in broken:
                continue
            below = _below(fs, found, table, path, problems)
            if below is not None:
                number = sum(volume.file_system is not None for volume in found.values())
                system = PlacedFileSystem(name, number, fs)
                found[name] = replace(below, name=name, path=path, file_system=system, on=fs.on)
    _check_overlaps(scenario, found, problems)
    return found


def _one_name(
    text: str, below: str, path: Path, taken: dict[str, Path], problems: Problems
) -> list[str]:
    """Return the name of a volume or file system; a group would name the same storage twice."""
    names = define(text, (*path, "name"), taken, problems)
    if len(names) > 1:
        problems.add(
            (*path, "name"),
            f"'{text}' stands for {len(names)} names of the same {below}",
            "Write an entry for each",
        )
        return []
    return names


def _volume(
    name: str, spec: Volume, table: LunTable, path: Path, problems: Problems
) -> PlacedVolume | None:
    before = len(problems.found)
    names = table.by_name.resolve(spec.luns, (*path, "luns"), problems)
    luns = tuple(table.by_name[name] for name in names)
    if len(problems.found) > before or not _is_sound(spec, luns, path, problems):
        return None
    unit = spec.unit or DEFAULT_UNIT_BYTES
    plan: VolumePlan
    if spec.kind == "stripe":
        plan = StripeVolume(stripe_bytes=unit)
        each = tuple(lun.bytes // unit * unit for lun in luns)
    else:
        plan = MirrorVolume() if spec.kind == "mirror" else ConcatVolume()
        each = tuple(lun.bytes for lun in luns)
    return PlacedVolume(name, luns, each, plan, path)


def _is_sound(spec: Volume, luns: tuple[PlacedLun, ...], path: Path, problems: Problems) -> bool:
    """Note invalid LUNs of a volume; later rules rely on earlier ones."""
    smallest = min(luns, key=lambda lun: lun.bytes)
    twice = [name for name, count in Counter(lun.name for lun in luns).items() if count > 1]
    unit = spec.unit or DEFAULT_UNIT_BYTES
    least = f"'{smallest.name}' has only {format_size(smallest.bytes)}"
    is_concat = spec.kind == "concat"
    rules = [
        (
            "luns",
            bool(twice),
            f"'{twice[0] if twice else ''}' is in the volume twice",
            "Name each LUN once",
        ),
        (
            "luns",
            not is_concat and len(luns) == 1,
            f"A {spec.kind} over {counted(1, 'LUN')}",
            "Name two LUNs or more, or let the workload use the LUN itself",
        ),
        (
            "luns",
            not is_concat and any(lun.bytes > smallest.bytes for lun in luns),
            f"A {spec.kind} over LUNs of different sizes: {least}",
            "Give them one size, or use 'kind: concat'",
        ),
        (
            "unit" if spec.unit else "luns",
            spec.kind == "stripe" and unit > smallest.bytes,
            f"The unit {format_size(unit)} is larger than a LUN: {least}",
            "Make 'unit' smaller, or enlarge the LUNs",
        ),
    ]
    for key, is_wrong, reason, remedy in rules:
        if is_wrong:
            problems.add((*path, key), reason, remedy)
            return False
    return True


def _below(
    fs: FileSystem,
    found: dict[str, PlacedVolume],
    table: LunTable,
    path: Path,
    problems: Problems,
) -> PlacedVolume | None:
    """The volume, or the LUN, that a file system is on."""
    below = found.get(fs.on)
    if below is None and fs.on in table.by_name:
        lun = table.by_name[fs.on]
        below = PlacedVolume(fs.on, (lun,), (lun.bytes,), ConcatVolume(), path)
    if below is None or below.file_system is not None:
        _refuse_below(fs, found, table, path, problems)
        return None
    writes = {"log buffers": fs.log_buffer, "blocks": fs.block}
    what = max(writes, key=lambda name: writes[name])
    if below.bytes < 4 * writes[what]:
        problems.add(
            (*path, "on"),
            f"'{fs.on}' has {format_size(below.bytes)}, too small for a file system with "
            f"{what} of {format_size(writes[what])}",
            "Use larger LUNs",
        )
        return None
    return below


def _refuse_below(
    fs: FileSystem,
    found: dict[str, PlacedVolume],
    table: LunTable,
    path: Path,
    problems: Problems,
) -> None:
    """Note a file system that is not on a volume or LUN."""
    volumes = [name for name, volume in found.items() if volume.file_system is None]
    known = ", ".join(volumes) or "none; name a LUN such as dev1.lun1, or add 'volumes:'"
    guess = nearest(fs.on, [*volumes, *table.by_name])
    reason = f"There is no volume or LUN called '{fs.on}'"
    remedy = f"Did you mean '{guess}'?" if guess else f"Volumes are: {known}"
    if fs.on in found:
        reason, remedy = f"'{fs.on}' is a file system itself", f"Volumes are: {known}"
    problems.add((*path, "on"), reason, remedy)


def _check_overlaps(scenario: Scenario, found: dict[str, PlacedVolume], problems: Problems) -> None:
    """Note volumes and file systems that workloads use and that share a LUN."""
    targets = {
        name for work in scenario.workloads for target in work.targets for name in expand(target)
    }
    users: dict[str, tuple[str, PlacedVolume]] = {}
    for name, volume in found.items():
        if name not in targets:
            continue
        for lun in volume.luns:
            other_name, other = users.setdefault(lun.name, (name, volume))
            # A workload may use a file system and its volume.
            if other_name in (name, volume.on):
                continue
            is_one_volume = volume.on and volume.on == other.on
            what = f"volume '{volume.on}'" if is_one_volume else f"'{lun.name}'"
            problems.add(
                (*volume.path, "on" if volume.on else "luns"),
                f"'{name}' and '{other_name}' are both on {what}, and workloads use both",
                "Use one of them in 'targets', or give each its own LUNs",
            )
            break


def misuses_volumes(
    spec: Workload, known: dict[str, PlacedVolume], path: Path, problems: Problems
) -> bool:
    """Note workloads that cannot use a volume or file system as a target."""
    names = [name for target in spec.targets for name in expand(target)]
    volumes = [name for name in names if name in known]
    unknown = [name for name in names if name not in known and not _is_lun_like(name)]
    pattern = "trace" if spec.trace else "access" if spec.access else "spc1"
    here: Path = (*path, "targets")
    if known and unknown:
        guess = nearest(unknown[0], list(known))
        problems.add(
            here,
            f"There is no volume or file system called '{unknown[0]}'",
            f"Did you mean '{guess}'?" if guess else f"Known names are {', '.join(known)}",
        )
    elif volumes and (spec.access or spec.spc1 or spec.trace):
        problems.add(
            here,
            f"'{pattern}' needs LUNs, and '{volumes[0]}' is a volume or file system",
            "Name its LUNs, or describe the workload with 'rw' and 'bs'",
        )
    elif volumes and len(names) > 1:
        problems.add(
            here,
            f"'{volumes[0]}' is a volume or file system, and not the only target",
            "Write a workload for each",
        )
    else:
        return False
    return True


def _is_lun_like(name: str) -> bool:
    """Whether it can mean LUNs: `dev1.lun1`, `*`; volumes and file systems have plain names."""
    return any(sign in name for sign in ".*?")

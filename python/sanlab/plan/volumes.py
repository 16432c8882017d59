"""Volumes and file systems: which LUNs stand behind a name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sanlab.plan.file_systems import PlacedFileSystem
from sanlab.plan.names import define
from sanlab.plan.schema import VolumePlan
from sanlab.quantities import counted, format_size, nearest
from sanlab.scenario.volumes import DEFAULT_UNIT_BYTES

if TYPE_CHECKING:
    from sanlab.plan.names import Problems
    from sanlab.plan.storage import LunTable, PlacedLun
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path
    from sanlab.scenario.volumes import Volume


@dataclass(frozen=True, slots=True)
class PlacedVolume:
    """A volume with its LUNs, or a file system on one."""

    name: str
    luns: tuple[PlacedLun, ...]
    bytes_each: tuple[int, ...]
    plan: VolumePlan
    file_system: PlacedFileSystem | None = None

    @property
    def bytes(self) -> int:
        """Its size."""
        return self.bytes_each[0] if self.plan.is_mirror else sum(self.bytes_each)


def build_volumes(
    scenario: Scenario, table: LunTable, problems: Problems
) -> dict[str, PlacedVolume]:
    """Return volumes and file systems by name."""
    found: dict[str, PlacedVolume] = {}
    taken: dict[str, Path] = {}
    for index, spec in enumerate(scenario.volumes):
        path: Path = ("volumes", index)
        for name in define(spec.name, (*path, "name"), taken, problems):
            volume = _volume(name, spec, table, path, problems)
            if volume is not None:
                found[name] = volume
    for index, fs in enumerate(scenario.filesystems):
        path = ("filesystems", index)
        for name in define(fs.name, (*path, "name"), taken, problems):
            below = found.get(fs.on)
            if below is None:
                known = [it for it in found if found[it].file_system is None]
                guess = nearest(fs.on, known)
                problems.add(
                    (*path, "on"),
                    f"There is no volume called '{fs.on}'",
                    f"Did you mean '{guess}'?"
                    if guess
                    else f"There is: {', '.join(known) or 'none'}",
                )
                continue
            if below.bytes < 4 * fs.log_buffer:
                problems.add(
                    (*path, "on"),
                    f"'{fs.on}' has {format_size(below.bytes)}, too little for a file system with "
                    f"log buffers of {format_size(fs.log_buffer)}",
                    "Use larger LUNs",
                )
                continue
            number = sum(it.file_system is not None for it in found.values())
            found[name] = replace(below, name=name, file_system=PlacedFileSystem(name, number, fs))
    return found


def _volume(
    name: str, spec: Volume, table: LunTable, path: Path, problems: Problems
) -> PlacedVolume | None:
    names = table.by_name.resolve(spec.luns, (*path, "luns"), problems)
    luns = tuple(table.by_name[it] for it in names)
    if not luns:
        return None
    sizes = {lun.bytes for lun in luns}
    if spec.kind != "concat" and len(sizes) > 1:
        smallest = min(luns, key=lambda lun: lun.bytes)
        problems.add(
            (*path, "luns"),
            f"A {spec.kind} over LUNs of different sizes: '{smallest.name}' has only "
            f"{format_size(smallest.bytes)}",
            "Give them one size, or use 'kind: concat'",
        )
        return None
    if spec.kind != "concat" and len(luns) == 1:
        problems.add(
            (*path, "luns"),
            f"A {spec.kind} over {counted(1, 'LUN')}",
            "Name two LUNs or more, or let the workload use the LUN itself",
        )
        return None
    unit = spec.unit or DEFAULT_UNIT_BYTES
    stripe = unit if spec.kind == "stripe" else 0
    each = tuple(lun.bytes // unit * unit if stripe else lun.bytes for lun in luns)
    plan = VolumePlan(stripe_bytes=stripe, is_mirror=spec.kind == "mirror")
    return PlacedVolume(name, luns, each, plan)

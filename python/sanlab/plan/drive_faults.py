"""Failing drives of RAID groups, from `faults` and from the groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.names import safe_expand
from sanlab.plan.ssds import POOL_NAME, pool_group
from sanlab.quantities import nearest

if TYPE_CHECKING:
    from sanlab.plan.boxes import ArrayBox, Boxes
    from sanlab.plan.names import Problems
    from sanlab.scenario.arrays import RaidGroup
    from sanlab.scenario.document import Path
    from sanlab.scenario.faults import Fault

#: Array and group.
Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class DriveFailure:
    """A drive that fails, and its place in the scenario."""

    drive: int
    at_ps: int
    path: Path


def failures_in(spec: RaidGroup, path: Path) -> list[DriveFailure]:
    """Return the failures in a group's own `failed_drives`."""
    here: Path = (*path, "failed_drives")
    return [DriveFailure(failure.drive, failure.at, here) for failure in spec.failed_drives]


def drive_faults(boxes: Boxes, problems: Problems) -> dict[Place, list[DriveFailure]]:
    """Return the faults of kind `drive-failure` by the group they happen to."""
    arrays = {array.name: array for array in boxes.arrays if array.stack is None}
    found: dict[Place, list[DriveFailure]] = {}
    for index, fault in enumerate(problems.scenario.faults):
        path: Path = ("faults", index)
        if fault.kind != "drive-failure" or not _has_its_group(fault, arrays, path, problems):
            continue
        failure = DriveFailure(fault.drive or 0, fault.at or 0, (*path, "drive"))
        found.setdefault((fault.array or "", fault.group or ""), []).append(failure)
    return found


def _has_its_group(
    fault: Fault, arrays: dict[str, ArrayBox], path: Path, problems: Problems
) -> bool:
    array = arrays.get(fault.array or "")
    if array is None:
        guess = nearest(fault.array or "", list(arrays))
        problems.add(
            (*path, "array"),
            f"There is no array called '{fault.array}'",
            f"Did you mean '{guess}'?" if guess else f"Arrays are: {', '.join(arrays) or 'none'}",
        )
        return False
    names = [
        name for group in array.spec.groups for name in safe_expand(group.name, path, problems)
    ]
    pool = pool_group(array)
    if pool is not None and pool.raid.level != 0:
        names.append(POOL_NAME)
    if fault.group in names:
        return True
    if not names:
        problems.add(
            (*path, "array"),
            f"'{array.name}' has no RAID group whose drive could fail",
            "Add 'groups' to the array, and put its LUNs there",
        )
        return False
    guess = nearest(fault.group or "", names)
    problems.add(
        (*path, "group"),
        f"'{array.name}' has no RAID group '{fault.group}'",
        f"Did you mean '{guess}'?" if guess else f"It has {', '.join(names)}",
    )
    return False

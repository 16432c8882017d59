"""Sentences on the devices that hold the blocks of LUNs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.raid import level_number
from sanlab.plan.schema import RaidMedia, SsdDiskModel, StripeMedia
from sanlab.quantities import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.plan.schema import ArrayPlan, Plan


def served(plan: Plan, stacks: set[str]) -> list[str]:
    """Return a sentence for each group, each set of striped LUNs, and LUNs with an SSD each.

    Disks of a stack are its LUNs, so stacks are left out.
    """
    arrays = (array for array in plan.arrays if array.name not in stacks)
    return [sentence for array in arrays for sentence in _of_array(array)]


def _of_array(array: ArrayPlan) -> Iterator[str]:
    media = [lun.media for lun in array.luns]
    for number, group in enumerate(array.groups):
        luns = sum(isinstance(medium, RaidMedia) and medium.group == number for medium in media)
        is_ssd = isinstance(array.disks[group.disks[0]].model, SsdDiskModel)
        devices = counted(len(group.disks), "SSD" if is_ssd else "disk")
        verb = "serves" if len(group.disks) == 1 else "serve"
        level = level_number(group)
        yield f"{group.name}: {devices} in RAID {level} {verb} {counted(luns, 'LUN')}"
    striped = [medium for medium in media if isinstance(medium, StripeMedia)]
    if striped:
        disks = {disk for stripe in striped for disk in stripe.disks}
        verb = "serves" if len(disks) == 1 else "serve"
        yield f"{array.name}: {counted(len(disks), 'disk')} {verb} {counted(len(striped), 'LUN')}"
    own = sum(not isinstance(medium, RaidMedia | StripeMedia) for medium in media)
    if own:
        has = "has media of its own" if own == 1 else "have media of their own, each"
        yield f"{array.name}: {counted(own, 'LUN')} {has}"

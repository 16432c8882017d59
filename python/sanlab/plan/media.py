"""Media of LUNs: disks, RAID groups, flash, RAM, plain memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.defaults import (
    DEFAULT_BLOCK_BYTES,
    DEFAULT_LUN_BYTES,
    DEFAULT_STRIPE_BYTES,
    given,
)
from sanlab.plan.raid import take_part
from sanlab.plan.schema import RamMedia, StripeMedia
from sanlab.plan.ssds import flash_media, is_in_pool, memory_media
from sanlab.quantities import PS_PER_S, about_size, counted, format_size
from sanlab.scenario.arrays import Flash, Memory, Ram
from sanlab.scenario.base import SECTOR_BYTES

if TYPE_CHECKING:
    from sanlab.plan.boxes import ArrayBox
    from sanlab.plan.disk_pool import Pool
    from sanlab.plan.names import Problems
    from sanlab.plan.raid import Groups
    from sanlab.plan.schema import FlashMedia, MediaPlan
    from sanlab.scenario.arrays import Lun
    from sanlab.scenario.document import Path


@dataclass(frozen=True, slots=True)
class Place:
    """An array whose LUNs are placed."""

    array: ArrayBox
    index: int
    pool: Pool | None
    groups: Groups


def is_on_disks(spec: Lun, array: ArrayBox) -> bool:
    """Whether disks of the array hold the blocks of a LUN, outside any RAID group."""
    if is_in_pool(spec, array):
        return False
    return (spec.media or array.values.model.media) == "raid"


def media_of(
    place: Place, spec: Lun, left: int, path: Path, problems: Problems
) -> tuple[int, MediaPlan] | None:
    """Return size and media of a LUN, of `left` that share its group; None if it does not fit."""
    array, pool, model = place.array, place.pool, place.array.values.model
    if spec.group is not None or is_in_pool(spec, array):
        return take_part(spec, left, place.groups, path, problems)
    if not is_on_disks(spec, array):
        kind = _solid_state(spec, array)
        if kind is not None:
            return _sectors(given(spec.size, DEFAULT_LUN_BYTES)), kind
        return _sectors(given(spec.size, DEFAULT_LUN_BYTES)), memory_media(
            spec.memory or Memory(), model.memory
        )
    if pool is None:
        return None
    return _stripe(array, spec, pool, path, problems)


def _sectors(size: int) -> int:
    return size // SECTOR_BYTES * SECTOR_BYTES


def _solid_state(spec: Lun, array: ArrayBox) -> FlashMedia | RamMedia | None:
    """Return the flash or RAM SSD of a LUN; None for memory."""
    model = array.values.model
    kind = spec.media or model.media
    if kind == "flash":
        return flash_media(spec.flash or Flash(), model.flash)
    if kind == "ram":
        return _ram(spec.ram or Ram(), model.ram, array.values.ports.count)
    return None


def _ram(spec: Ram, model: Ram, ports: int) -> RamMedia:
    """Return a RAM SSD with the values of the LUN, or of the model of the array."""
    return RamMedia(
        ports=given(spec.ports, given(model.ports, ports)),
        command_ps=given(spec.service, given(model.service, 0)),
        latency_ps=given(spec.latency, given(model.latency, 0)),
        bytes_per_s=given(spec.rate, given(model.rate, PS_PER_S)),
        distribution=given(spec.distribution, given(model.distribution, "constant")),
    )


def _stripe(
    array: ArrayBox, spec: Lun, pool: Pool, path: Path, problems: Problems
) -> tuple[int, StripeMedia] | None:
    count = given(spec.disks, pool.groups)
    stripe = given(spec.stripe_depth, DEFAULT_STRIPE_BYTES)
    block = given(spec.block_size, DEFAULT_BLOCK_BYTES)
    if stripe % block != 0:
        problems.add(
            (*path, "stripe_depth"),
            f"The stripe depth {format_size(stripe)} is not a multiple of the block size "
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
            f"The LUN needs {about_size(max(share, stripe))} on each of its disks, and "
            f"{about_size(max(room, 0))} are free",
            "Give a smaller 'size', more 'disks', or more 'disks_per_group'",
        )
        return None
    for disk in disks:
        pool.used[disk] = start + share
    media = StripeMedia(disks=disks, start_bytes=start, stripe_bytes=stripe, block_bytes=block)
    return size, media

"""Where a job of fio works, and how much it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.importers.fio_blocks import mean_bytes
from sanlab.importers.fio_values import wrong
from sanlab.quantities import format_size

if TYPE_CHECKING:
    from sanlab.importers.fio_blocks import Blocks
    from sanlab.importers.fio_reading import Reading

_SECTOR = 512
_BOUNDS = {"size", "filesize", "io_size", "number_ios"}


def write_region(one: Reading, blocks: Blocks) -> list[int]:
    """Write the region of a job and the bytes it moves; return where each of its copies begins.

    Copies with files of their own lie behind each other on the LUN. Copies on one file begin at the
    same block, or `offset_increment` apart, unless their addresses are random.
    """
    work, keys = one.work, one.keys
    count = len(one.luns)
    offset = one.bytes_of("offset")
    size, filesize = one.bytes_of("size") // count, one.bytes_of("filesize")
    if filesize and "filename" not in keys:
        filesize *= one.number("nrfiles", 1, low=1)
    span = filesize or size or max(max(lun.bytes for lun in one.luns) - offset, 0)
    largest = max(blocks.sizes)
    if span < largest:
        key = keys.get("filesize") or keys.get("size") or keys["offset"]
        reason = f"The region has no room for a request of {format_size(largest)}"
        wrong(key, reason, "Enlarge 'size'")
    offsets = [offset]
    needed = region = span
    if one.numjobs > 1 and not one.is_shared:
        needed = span * one.numjobs
        if one.is_random or work.access:
            region = needed
            one.remark("The jobs have files of their own in fio; here they share one region.")
    elif one.numjobs > 1 and not one.is_random:
        step = one.bytes_of("offset_increment")
        offsets = [offset + number * step for number in range(one.numjobs)]
        work.keys.pop("numjobs", None)
    if offset:
        work.keys["offset"] = format_size(offset)
    if not one.is_timed or keys.keys() & _BOUNDS:
        work.keys["size"] = format_size(region)
    for lun in one.luns:
        lun.bytes = max(lun.bytes, max(offsets) + needed)
    _write_amount(one, blocks, size or span, region)
    return offsets


def _write_amount(one: Reading, blocks: Blocks, size: int, region: int) -> None:
    """Write when a job ends by what it moved: `size` on a LUN, if nothing else says so."""
    work, keys = one.work, one.keys
    passes = one.number("loops", 1, low=1)
    moved = one.bytes_of("io_size") // len(one.luns) or size
    if "number_ios" in keys:
        ios = one.number("number_ios", 1, low=1)
        moved = min(moved, round(ios * mean_bytes(blocks) / _SECTOR) * _SECTOR)
        if not blocks.is_plain:
            one.remark("'number_ios' is given as bytes, of the mean size.")
    if one.is_timed:
        if not work.access:
            work.keys["time_based"] = "true"
    elif work.access:
        # One job has all files.
        work.keys["io_size"] = format_size(moved * passes * len(one.luns))
    elif moved != region:
        work.keys["io_size"] = format_size(moved * passes)
    elif passes > 1:
        work.keys["loops"] = str(passes)
    if not one.is_timed and "runtime" not in keys and not keys.keys() & _BOUNDS:
        one.remark("Without 'size' and 'runtime' the job goes through its whole LUN.")

"""SSDs of arrays: what they are made of, pools of them, write amplification."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from sanlab.plan.defaults import DEFAULT_LUN_BYTES, given
from sanlab.plan.models import look_up
from sanlab.plan.names import safe_expand
from sanlab.plan.schema import FlashMedia, MemoryMedia, SsdPlan
from sanlab.quantities import PS_PER_S
from sanlab.scenario.arrays import Flash, Memory, RaidGroup, Ssd
from sanlab.scenario.base import SECTOR_BYTES

if TYPE_CHECKING:
    from sanlab.catalog.entries import ArrayEntry
    from sanlab.plan.boxes import ArrayBox
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import Distribution
    from sanlab.scenario.arrays import Lun, WholePool
    from sanlab.scenario.document import Path

#: A common capacity of SSDs in arrays. Uncertain; it only bounds the size of LUNs.
DEFAULT_SSD_BYTES = 3_840_000_000_000
#: Group of the LUNs without media of their own.
POOL_NAME = "pool"
_WHOLE_PPM = 1_000_000


def amplification(over_provisioning_ppm: int) -> float:
    """Return the write amplification of random writes over all of an SSD, with greedy collection.

    With flash of 1 + r times the capacity and many pages in a block it is a / (a + W(-a exp(-a))),
    a = 1 + r, with Lambert's W (Xiang and Kurkoski, "An Improved Analytic Expression for Write
    Amplification in NAND Flash", 2012, arXiv:1110.4245).

    >>> round(amplification(300_000), 2)
    2.36
    """
    a = 1 + over_provisioning_ppm / _WHOLE_PPM
    product = -a * math.exp(-a)
    low, high = -1.0, 0.0
    for _ in range(100):
        middle = (low + high) / 2
        if middle * math.exp(middle) < product:
            low = middle
        else:
            high = middle
    return a / (a + high)


def flash_media(spec: Flash, model: Flash) -> FlashMedia:
    """Return flash with these values, or those of a model."""

    def value(key: str, default: int) -> int:
        return int(given(getattr(spec, key), given(getattr(model, key), default)))

    return FlashMedia(
        channels=value("channels", 8),
        dies_per_channel=value("dies_per_channel", 4),
        page_bytes=value("page", 8192),
        pages_per_block=value("pages_per_block", 256),
        read_ps=value("read", 0),
        variation=value("variation", 0),
        program_ps=value("program", 0),
        erase_ps=value("erase", 0),
        channel_bytes_per_s=value("channel_rate", PS_PER_S),
        buffer_bytes=value("buffer", 0),
        latency_ps=value("latency", 0),
        amplification_ppm=round(_amplification(spec, model) * _WHOLE_PPM),
    )


def _amplification(*parts: Flash) -> float:
    """Return the first write amplification that is given, or that follows from spare flash."""
    for flash in parts:
        if flash.write_amplification is not None:
            return flash.write_amplification
        if flash.over_provisioning is not None:
            return amplification(flash.over_provisioning)
    return 1.0


def memory_media(spec: Memory, model: Memory) -> MemoryMedia:
    """Return memory with these values, or those of a model."""
    distribution: Distribution = given(given(spec.distribution, model.distribution), "constant")
    variation = given(model.variation, 0)
    if spec.distribution is not None or spec.spread or distribution != "constant":
        variation = 0
    return MemoryMedia(
        service_ps=given(given(spec.service, model.service), 0),
        distribution=distribution,
        spread=spec.spread,
        variation=given(spec.variation, variation),
        servers=given(given(spec.servers, model.servers), 1),
    )


def pool_of(array: ArrayBox) -> WholePool | None:
    """Return the pool of an array."""
    return array.values.pool


def is_in_pool(spec: Lun, array: ArrayBox) -> bool:
    """Whether a LUN has no media of its own and the array has a pool."""
    return spec.media is None and pool_of(array) is not None


def pool_group(array: ArrayBox) -> RaidGroup | None:
    """Return the pool of an array as a RAID group; None if no LUN uses it."""
    pool = pool_of(array)
    if pool is None or not any(is_in_pool(lun, array) for lun in array.spec.luns):
        return None
    return RaidGroup(name=POOL_NAME, raid=pool.raid, ssd=pool.ssd)


def has_pool_of_disks(array: ArrayBox) -> bool:
    """Whether the LUNs of an array share a pool of disks: its model has disks, and no `ssd`."""
    pool = pool_group(array)
    if pool is None or pool.ssd is None:
        return False
    return not pool.ssd.model_fields_set and array.values.model.media == "raid"


def bytes_in_pool(array: ArrayBox, row_bytes: int, problems: Problems) -> int:
    """Return what the LUNs of the pool need, in whole rows."""
    rows = 0
    for number, lun in enumerate(array.spec.luns):
        if is_in_pool(lun, array):
            path: Path = (*array.path, "luns", number, "name")
            count = len(safe_expand(lun.name, path, problems))
            rows += -(-given(lun.size, DEFAULT_LUN_BYTES) // row_bytes) * count
    return max(rows, 1) * row_bytes


def ssd_plan(
    spec: Ssd, array: ArrayBox, path: Path, problems: Problems, size: int | None = None
) -> SsdPlan | None:
    """Return a kind of SSD, as large as `size` if it does not say how large; None if impossible."""
    model = array.values.model
    if spec.model is not None:
        model = cast("ArrayEntry", look_up("arrays", spec.model, "generic-flash", path, problems))
    kind = _kind(spec, model)
    if kind is None:
        problems.add(
            path,
            f"The model '{spec.model or array.spec.model}' has no SSDs: its LUNs are on "
            f"{model.media}",
            "Name a model with flash, such as 'ssd: flash-tlc', or give 'memory' or 'flash'",
        )
        return None
    media: FlashMedia | MemoryMedia
    if kind == "flash":
        media = flash_media(spec.flash or Flash(), model.flash)
    else:
        media = memory_media(spec.memory or Memory(), model.memory)
    capacity = given(spec.size, given(size, DEFAULT_SSD_BYTES))
    return SsdPlan(bytes=capacity // SECTOR_BYTES * SECTOR_BYTES, media=media)


def _kind(spec: Ssd, model: ArrayEntry) -> str | None:
    if spec.flash is not None:
        return "flash"
    if spec.memory is not None:
        return "memory"
    return model.media if model.media in ("flash", "memory") else None

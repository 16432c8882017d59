"""A cache with pages: sizes become pages, shares become watermarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.defaults import given
from sanlab.plan.schema import PagesCache, PartnerPlan, PrefetchPlan, SsdDiskModel
from sanlab.quantities import format_size
from sanlab.scenario.base import SECTOR_BYTES

if TYPE_CHECKING:
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import DiskPlan, GroupPlan
    from sanlab.scenario.caches import Cache
    from sanlab.scenario.controllers import CountedControllers
    from sanlab.scenario.document import Path

_LARGEST_PAGE = 65_536
_MOST_PAGES = 2**28
_WHOLE_PPM = 1_000_000
_DEFAULT_PAGE = 4096
_DEFAULT_HIGH_PPM = 750_000
_DEFAULT_LOW_PPM = 250_000
_DEFAULT_AFTER = 2
#: No maker states how many sequential readers its arrays follow: enough for a reader of each LUN of
#: most arrays, and for the desktops that start at once. Uncertain.
_DEFAULT_READERS = 256
#: Destages that keep a drive busy: a disk serves one command at a time, an SSD as many as it has
#: channels; the disks of RAID 3 move together and count as one. Uncertain.
_DESTAGES_OF_DISK, _DESTAGES_OF_SSD, _LEAST_DESTAGES = 1, 8, 8


def most_destages(disks: list[DiskPlan], groups: list[GroupPlan]) -> int:
    """Return how many destages keep all drives of an array busy; fewer leave some idle."""
    ssds = sum(isinstance(disk.model, SsdDiskModel) for disk in disks)
    in_step = sum(len(group.disks) - 1 for group in groups if group.level == "raid3")
    busy = _DESTAGES_OF_DISK * (len(disks) - ssds - in_step) + _DESTAGES_OF_SSD * ssds
    return max(busy, _LEAST_DESTAGES)


def build_page_cache(
    cache: Cache, controllers: CountedControllers, destages: int, path: Path, problems: Problems
) -> PagesCache | None:
    """Return the page cache of a controller; None after a problem.

    `destages` are those under way at once by default.
    """
    before = len(problems.found)
    size, page = given(cache.size, 0), given(cache.page, _DEFAULT_PAGE)
    if page & (page - 1) or not SECTOR_BYTES <= page <= _LARGEST_PAGE:
        problems.add(
            (*path, "page"),
            f"A page of {format_size(page)} is not a power of two from 512 B to 64 KiB",
            "Write 4KiB, 8KiB, 16KiB, 32KiB or 64KiB",
        )
    elif size % page or size // page > _MOST_PAGES:
        problems.add(
            (*path, "size"),
            f"{format_size(size)} is not a whole number of pages of {format_size(page)}, or more "
            f"than {_MOST_PAGES} of them",
            "Make 'size' a multiple of 'page'",
        )
    high = given(cache.high_watermark, _DEFAULT_HIGH_PPM)
    low = given(cache.low_watermark, min(high, _DEFAULT_LOW_PPM))
    if low > high:
        key = "low_watermark" if cache.low_watermark is not None else "high_watermark"
        problems.add(
            (*path, key),
            f"The low watermark, {low / 10_000:g}%, is above the high one, {high / 10_000:g}%",
            "Reduce it",
        )
    limit = cache.dirty_limit if "dirty_limit" in cache.model_fields_set else size // 2
    if limit > size:
        problems.add(
            (*path, "dirty_limit"),
            f"'dirty_limit' is {format_size(limit)}, larger than the cache of {format_size(size)}",
            "Reduce it",
        )
    if len(problems.found) > before:
        return None
    dirty_pages = limit // page
    return PagesCache(
        page_bytes=page,
        pages=size // page,
        access_ps=cache.access,
        prefetch=_prefetch(cache),
        destage_bytes=given(cache.destage, 0),
        write_back=given(cache.write_back, default=True) and dirty_pages > 0,
        dirty_pages=dirty_pages,
        low_pages=dirty_pages * low // _WHOLE_PPM,
        high_pages=dirty_pages * high // _WHOLE_PPM,
        destages=given(cache.destages, destages),
        destage_order=given(cache.destage_order, "age"),
        destage_age_ps=cache.destage_age,
        destage_rest_ps=cache.destage_rest,
        partner=_partner(cache, controllers),
    )


def _prefetch(cache: Cache) -> PrefetchPlan | None:
    ahead = given(cache.prefetch, 0) // SECTOR_BYTES * SECTOR_BYTES
    if not ahead:
        return None
    return PrefetchPlan(
        after=given(cache.prefetch_after, _DEFAULT_AFTER),
        bytes=ahead,
        on_miss=cache.prefetch_when == "miss",
        readers=given(cache.prefetch_readers, _DEFAULT_READERS),
    )


def _partner(cache: Cache, controllers: CountedControllers) -> PartnerPlan | None:
    """Copies to another controller.

    Arrays mirror their caches unless told otherwise: "Cache mirroring is enabled by default" (Dell
    PowerVault MD3220, Owner's Manual).
    """
    if controllers.count > 1 and "partner" not in cache.model_fields_set:
        return PartnerPlan(latency_ps=controllers.forward, bytes_per_s=controllers.forward_rate)
    if cache.partner is None:
        return None
    return PartnerPlan(latency_ps=cache.partner.time, bytes_per_s=cache.partner.rate)

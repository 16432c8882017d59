"""Where requests lie on the stripes of a RAID group: regions that begin at a unit, wider units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.straddling import straddling, striped
from sanlab.quantities import format_size
from sanlab.remedies.remedy import Remedy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.remedies.scene import Scene


def aligned(scene: Scene) -> Iterator[Remedy]:
    """Yield a region that begins at a unit, where requests use one unit more than they need."""
    workload = scene.limit.workload
    found = straddling(scene.view, workload, scene.limit.element)
    begins = {one.aligned for one in striped(scene.view, workload)}
    if found is None or len(begins) != 1:
        return
    begin = begins.pop()
    for path in scene.items("workloads", [workload]):
        yield Remedy(
            f"a region from byte {begin} on, where a unit of {found.group} begins",
            {f"{path}.offset": str(begin)},
        )


def wider(scene: Scene) -> Iterator[Remedy]:
    """Yield units as large as random requests that take several."""
    found = scene.array_of(scene.limit.element)
    if found is None:
        return
    path, array = found
    for one in striped(scene.view, scene.limit.workload):
        if scene.limit.element in one.disks and one.block_bytes > one.unit_bytes:
            own = scene.raid_path(path, array, one.group)
            size = format_size(1 << (one.block_bytes - 1).bit_length())
            yield Remedy(f"units of {size} in {one.group}", {f"{own}.unit": size})
            return

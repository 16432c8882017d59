"""Requests that use one unit of a RAID group more than they need: a region begins off a unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sanlab.quantities import format_size
from sanlab.words import show_count, show_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.view import View

#: RAID levels whose units lie on different drives: a request over two units needs two of them.
STRIPED: Final = frozenset({"raid0", "raid5", "raid6", "raid10"})
#: Share of the requests from which it matters where their region begins.
LEAST_SHARE: Final = 0.05


@dataclass(frozen=True)
class Striped:
    """Random requests of one size on the stripes of a RAID group.

    Attributes
    ----------
    group
        Name of the group.
    disks
        Names of its disks.
    unit_bytes, block_bytes
        Bytes of a unit, which lies on one disk, and of a request.
    region_begins_at, group_begins_at
        First byte of the region of the workload: in its LUN, and in the group.
    """

    group: str
    disks: frozenset[str]
    unit_bytes: int
    block_bytes: int
    region_begins_at: int
    group_begins_at: int

    @property
    def share(self) -> float:
        """Share of the requests that use one unit more than they need."""
        unit, block = self.unit_bytes, self.block_bytes
        if unit % block == 0:
            return block / unit if self.group_begins_at % block else 0.0
        is_whole = block % unit == 0
        return 1.0 if is_whole and self.group_begins_at % unit else 0.0

    @property
    def aligned(self) -> int:
        """First byte in the LUN of a region that begins at a unit: the last such byte before it."""
        beyond = self.group_begins_at % self.unit_bytes
        last = self.region_begins_at - beyond
        return last if last >= 0 else last + self.unit_bytes

    @property
    def words(self) -> str:
        """How many requests straddle, and why."""
        many = "Each" if self.share == 1 else show_percent(self.share)
        into = self.group_begins_at % self.unit_bytes
        return (
            f"{many} of its requests uses one unit of {self.group} more than it needs, because its"
            f" region begins at byte {show_count(self.region_begins_at)} of the LUN,"
            f" {show_count(into)} bytes into a unit of {format_size(self.unit_bytes)}."
        )


def striped(view: View, workload: str) -> Iterator[Striped]:
    """Yield where random requests of a workload lie on stripes, for each job and target."""
    arrays = view.run.plan["arrays"]
    for one in view.evidences.asking.get(workload, ()):
        job = one.job
        is_random = job["addresses"]["kind"] != "sequential" and job["pattern"]["kind"] == "blocks"
        if not job["block_bytes"] or not is_random:
            continue
        for target in job["targets"]:
            array = arrays[target["array"]]
            media = array["luns"][target["lun"]]["media"]
            if media["kind"] == "raid":
                yield from _of(array, media, target["offset_bytes"], job["block_bytes"])


def _of(array: dict[str, Any], media: dict[str, Any], begin: int, block: int) -> Iterator[Striped]:
    group = array["groups"][media["group"]]
    if group["level"] in STRIPED:
        disks = frozenset(array["disks"][disk]["name"] for disk in group["disks"])
        at = media["start_bytes"] + begin
        yield Striped(group["name"], disks, group["unit_bytes"], block, begin, at)


def straddling(view: View, workload: str, disk: str) -> Striped | None:
    """Return requests that use one unit more than they need, in the group of a disk."""
    found = [
        one for one in striped(view, workload) if disk in one.disks and one.share >= LEAST_SHARE
    ]
    return max(found, key=lambda one: one.share, default=None)

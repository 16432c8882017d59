"""Distribution of the disks of an array to its LUNs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sanlab.catalog.entries import DiskEntry


class Pool:
    """The disks of one array, dealt to its LUNs group by group."""

    def __init__(self, entry: DiskEntry, groups: int, per_group: int) -> None:
        self.entry = entry
        self.groups = groups
        self.per_group = per_group
        self.used = [0] * (groups * per_group)
        self.cursor = [0] * groups
        self.next_group = 0

    def deal(self, count: int) -> list[int]:
        """Return the next `count` disks, each from the next group."""
        disks = []
        for _ in range(count):
            group = self.next_group
            disks.append(group * self.per_group + self.cursor[group])
            self.cursor[group] = (self.cursor[group] + 1) % self.per_group
            self.next_group = (group + 1) % self.groups
        return disks

"""File systems: time and log record of an allocation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.schema import FileSystemPlan

if TYPE_CHECKING:
    from sanlab.scenario.volumes import FileSystem


@dataclass(frozen=True, slots=True)
class PlacedFileSystem:
    """A file system by its number in the plan."""

    name: str
    number: int
    spec: FileSystem

    @property
    def plan(self) -> FileSystemPlan:
        """The file system for the plan."""
        message = self.spec.message if self.spec.kind == "cxfs" else 0
        return FileSystemPlan(
            name=self.name, allocation_ps=self.spec.allocation, message_ps=message
        )

    @property
    def allocations_of_a_buffer(self) -> int:
        """Allocations whose records fill a log buffer."""
        return max(1, self.spec.log_buffer // self.spec.log_record)

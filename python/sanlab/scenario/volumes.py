"""Volumes of a host's volume manager, and file systems on them."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from sanlab.scenario.base import (
    BlockSize,
    Name,
    Patterns,
    ScenarioModel,
    Time,
    refusal,
    refuse_parts_of_sectors,
)

#: Bytes on one LUN before the next: 128 blocks of 512 bytes, as XVM does where nothing is said.
DEFAULT_UNIT_BYTES = 64 * 1024


class Volume(ScenarioModel):
    """Several LUNs as one.

    Volumes may share LUNs as long as workloads use only one of them.
    """

    name: Name
    """Its name, which workloads have as their target; no other thing has it."""
    kind: Literal["stripe", "concat", "mirror"] = "stripe"
    """`stripe`: units on each LUN in turn; `concat`: one LUN behind the other; `mirror`: every LUN
    holds all of it, writes go to all and reads to one after the other."""
    luns: Patterns
    """Its LUNs, `dev[1..2].lun1`, in their order."""
    unit: BlockSize | None = None
    """Bytes on one LUN of a stripe before the next, 64KiB where it is left out."""

    @model_validator(mode="after")
    def _has_units(self) -> Volume:
        if self.unit is not None and self.kind != "stripe":
            raise refusal(
                reason=f"'unit' means nothing with 'kind: {self.kind}'",
                remedy="Remove 'unit', or use 'kind: stripe'",
                key="unit",
            )
        refuse_parts_of_sectors(self, "unit")
        return self


class FileSystem(ScenarioModel):
    """A file system on a volume or a LUN, as far as it costs time.

    Reads and writes to blocks that a file has already go straight to the disks. A first write
    allocates: on `xfs` by the host itself, on `cxfs` by a metadata server over a network of its
    own, of which a host also gets the token of a file before its first I/O. Allocations of one file
    system are made one after the other; each leaves a record in the log, and log and metadata are
    written to the volume as they fill up, while the applications go on.
    """

    name: Name
    """Its name, which workloads have as their target."""
    on: str
    """The volume or LUN it is on."""
    kind: Literal["xfs", "cxfs"] = "xfs"
    """Who allocates."""
    allocation: Time = 200_000_000
    """Processor time of one allocation, 200us where it is left out. Uncertain."""
    message: Time = 300_000_000
    """Time of a message to the metadata server of `cxfs` and back, 300us where it is left out: 0.2
    to 1ms on Ethernet of 100 Mb/s. Uncertain."""
    log_record: BlockSize = 1024
    """What one allocation leaves in the log, 1KiB where it is left out: changed parts of the inode,
    of the allocation group and of its trees. Uncertain."""
    log_buffer: BlockSize = 32 * 1024
    """A full buffer of log records is one write, 32KiB where it is left out: `logbsize` of XFS."""
    block: BlockSize = 4096
    """Changed metadata are written by such blocks, one with each log buffer, 4KiB where it is left
    out. Uncertain."""

    @model_validator(mode="after")
    def _has_whole_sectors(self) -> FileSystem:
        refuse_parts_of_sectors(self, "log_buffer", "block")
        if self.log_record > self.log_buffer:
            raise refusal(
                reason="A log record does not fit a log buffer",
                remedy="Make 'log_buffer' larger, or 'log_record' smaller",
                key="log_record",
            )
        return self

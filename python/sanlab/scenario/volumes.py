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

#: Bytes on one LUN before the next: 128 blocks of 512 bytes, the default of XVM.
DEFAULT_UNIT_BYTES = 64 * 1024


class Volume(ScenarioModel):
    """Several LUNs combined into one volume.

    Volumes may share LUNs as long as workloads use only one of them.
    """

    name: Name
    """Its name, the target of workloads; no other object may have it."""
    kind: Literal["stripe", "concat", "mirror"] = "stripe"
    """`stripe`: units on each LUN in turn. `concat`: the LUNs in a row. `mirror`: each LUN holds
    all data; writes go to all LUNs, reads to each in turn."""
    luns: Patterns
    """Its LUNs in order, `dev[1..2].lun1`."""
    unit: BlockSize | None = None
    """Bytes on one LUN of a stripe before the next; 64KiB by default."""

    @model_validator(mode="after")
    def _has_units(self) -> Volume:
        if self.unit is not None and self.kind != "stripe":
            raise refusal(
                reason=f"'unit' has no effect with 'kind: {self.kind}'",
                remedy="Remove 'unit', or use 'kind: stripe'",
                key="unit",
            )
        refuse_parts_of_sectors(self, "unit")
        return self


class FileSystem(ScenarioModel):
    """A file system on a volume or a LUN; only its time is simulated.

    Reads and writes of allocated blocks go straight to the disks. A first write allocates blocks:
    on `xfs` in the host itself, on `cxfs` in a metadata server over a separate network. A host also
    gets the token of a file from that server before its first I/O. Allocations of one file system
    run one at a time; each leaves a record in the log. Full buffers of log and metadata are written
    to the volume while the applications continue.
    """

    name: Name
    """Its name, the target of workloads."""
    on: str
    """The volume or LUN that holds it."""
    kind: Literal["xfs", "cxfs"] = "xfs"
    """Kind of file system: `xfs` allocates in the host, `cxfs` in a metadata server."""
    allocation: Time = 200_000_000
    """Processor time of one allocation; 200us by default. Uncertain."""
    message: Time = 300_000_000
    """Time of a message to the metadata server of `cxfs` and back; 300us by default: 0.2
    to 1ms on Ethernet of 100 Mb/s. Uncertain."""
    log_record: BlockSize = 1024
    """Log record of one allocation; 1KiB by default: changed parts of the inode,
    of the allocation group and of its trees. Uncertain."""
    log_buffer: BlockSize = 32 * 1024
    """Size of a log buffer, which is written when it is full; 32KiB by default: `logbsize` of
    XFS."""
    block: BlockSize = 4096
    """Size of a metadata block, written with each log buffer; 4KiB by default. Uncertain."""

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

"""Arrays: front-end ports, controllers, cache, disks, logical units and their copies."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from sanlab.scenario.base import (
    BlockSize,
    Credit,
    Exchanges,
    LunSize,
    Name,
    Pattern,
    Patterns,
    Rate,
    ScenarioModel,
    Share,
    Size,
    Speed,
    Time,
    also,
    refusal,
)

DistributionName = Literal["constant", "exponential"]
Commands = Annotated[int, Field(ge=1, le=1_000_000)]


class Cache(ScenarioModel):
    """Cache of an array: a share of reads hits, and writes are acknowledged from it."""

    read_hit: Share = 0
    """Share of reads that find their data, 0% where it is left out."""
    access: Time = 200_000_000
    """Time to serve from the cache, 200us where it is left out."""
    dirty_limit: Size = 0
    """Write data it may hold that is not on disk yet; 0 writes through."""


class Memory(ScenarioModel):
    """Media whose service time does not depend on the address: flash, RAM."""

    service: Time | None = None
    """Mean time to serve one request."""
    distribution: DistributionName | None = None
    """Distribution of that time."""
    servers: Commands | None = None
    """Requests served at once."""


class Disk(ScenarioModel):
    """A disk drive: an entry of the catalog, or one with some values changed."""

    model: str | None = None
    """Entry of the catalog that gives the values not written here."""
    size: LunSize | None = None
    """Capacity."""
    rpm: Annotated[int, Field(ge=100, le=100_000)] | None = None
    """Revolutions per minute."""
    cylinders: Annotated[int, Field(ge=2, le=10_000_000)] | None = None
    """Cylinders, for the seek curve."""
    seek_single: Time | None = None
    """Seek over one cylinder."""
    seek_average: Time | None = None
    """Mean seek between random cylinders."""
    seek_full: Time | None = None
    """Seek over all cylinders."""
    write_settle: Time | None = None
    """Added to a seek before a write."""
    outer_rate: Rate | None = None
    """Sustained rate of the outermost zone."""
    inner_rate: Rate | None = None
    """Sustained rate of the innermost zone."""
    overhead: Time | None = None
    """From the command to the start of its seek."""
    zones: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Zones between the two rates."""
    streaming: bool | None = None
    """Whether sequential commands go on at the media rate, without overhead or a turn lost between
    them, as behind a controller that gathers them; such a drive has no buffer of its own."""
    surfaces: Annotated[int, Field(ge=1, le=64)] | None = None
    """Surfaces with data; as many as `size` and `cylinders` ask for where it is left out."""
    head_switch: Time | None = None
    """To another surface of a cylinder; `seek_single` where it is left out."""
    hit_overhead: Time | None = None
    """From the command to data in the buffer; `overhead` where it is left out."""
    cache_size: Annotated[Size, Field(ge=512)] | None = None
    """Buffer, 8MiB where it is left out."""
    segments: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Segments of the buffer, 16 where it is left out."""
    read_ahead: bool | None = None
    """Whether it reads on behind a read until a segment is full."""
    write_cache: bool | None = None
    """Whether writes are answered when they are in the buffer."""
    order: Literal["fifo", "sstf", "sptf", "elevator", "cyclic_elevator"] | None = None
    """Order of commands that wait: as they came, shortest seek, shortest seek and rotation,
    LOOK, or C-LOOK."""
    queue_depth: Annotated[int, Field(ge=1, le=65_535)] | None = None
    """Commands among which it chooses, 64 where it is left out."""
    interface_rate: Rate | None = None
    """Rate between buffer and interface; at once where it is left out."""


class Mirror(ScenarioModel):
    """Copy of every write to a LUN of another array."""

    to: Pattern
    """`dev3.lun1`; a group pairs with the group of this LUN."""
    mode: Literal["synchronous", "asynchronous"] = "synchronous"
    """Whether the host's write waits for the copy."""
    max_outstanding: Exchanges = 64
    """Copies on their way at once."""
    from_port: str | None = None
    """Port the copies leave by, `p0`."""
    to_port: str | None = None
    """Port they go to, `p0`."""


class Lun(ScenarioModel):
    """A logical unit, or a group of equal ones."""

    name: Name
    """Its name; `lun[1..4]` makes four."""
    size: LunSize | None = None
    """Capacity; 1TiB on memory, the room left on its disks with `raid`."""
    queue_depth: Commands | None = None
    """Commands its task set holds before it answers TASK SET FULL."""
    ports: Patterns | None = None
    """Ports of the array it is exported by, `p0` or `p[0..1]`; all where it is left out."""
    memory: Memory | None = None
    """Media whose service time does not depend on the address."""
    raid: Literal[0] | None = None
    """RAID level; the LUN is striped over disks of the array."""
    disks: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Disks it is striped over; as many as there are array groups where it is left out."""
    stripe_depth: BlockSize | None = None
    """Bytes on one disk before the next, 64KiB where it is left out."""
    block_size: BlockSize | None = None
    """Unit in which the array addresses the disks, 8KiB where it is left out."""
    mirror: Mirror | None = None
    """Copy to another array."""

    @model_validator(mode="after")
    def _has_one_media(self) -> Lun:
        if self.memory is not None and self.raid is not None:
            raise refusal(
                reason="A LUN has both 'memory' and 'raid'",
                remedy="Keep one of them",
                key="raid",
            )
        if self.raid is None:
            for key in ("disks", "stripe_depth", "block_size"):
                if getattr(self, key) is not None:
                    raise refusal(
                        reason=f"'{key}' means nothing without 'raid'",
                        remedy="Add 'raid: 0'",
                        key=key,
                    )
        return self


def _off_is_none(value: object) -> object:
    if isinstance(value, str) and value != "off":
        raise refusal(
            reason=f"'{value}' is no cache", remedy="Write 'off', or the keys of a cache below it"
        )
    return None if value in ("off", False) else value


def _as_disk(value: object) -> object:
    return {"model": value} if isinstance(value, str) else value


class Array(ScenarioModel):
    """An array, or a group of equal arrays."""

    name: Name
    """Its name; `dev[1..4]` makes four."""
    model: str | None = None
    """Entry of the catalog that gives the values not written here."""
    ports: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Front-end ports, named p0, p1 and so on."""
    speed: Speed | None = None
    """Speed its ports are set to; without it they take the highest the other end has too."""
    bb_credit: Credit | None = None
    """Receive buffers of each port, which it grants as BB credit."""
    tx_buffers: Annotated[int, Field(ge=1, le=65_535)] | None = None
    """Frames held ready for the fibre, the one being sent included."""
    class3_sequences: Exchanges | None = None
    """Class 3 sequences a port may have open as their initiator."""
    interleave: Literal["sequence", "frame"] | None = None
    """Whether open sequences take turns after each frame or after each sequence."""
    rx_hold: Time | None = None
    """From the last bit of a frame to its receive buffer being free again."""
    drain: Rate | None = None
    """Rate at which a port empties its receive buffers; at once where it is left out."""
    controllers: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Processors that serve commands."""
    command_cost: Time | None = None
    """Processor time of one command."""
    burst: Annotated[Size, Field(ge=512)] | None = None
    """Most data one XFER_RDY asks for."""
    port_queue_depth: Commands | None = None
    """Commands a port accepts before it answers TASK SET FULL."""
    cache: Annotated[Cache | None, BeforeValidator(_off_is_none), also({"const": "off"})] = None
    """Cache, or `off`; what the model has where it is left out."""
    disk: Annotated[Disk | None, BeforeValidator(_as_disk), also({"type": "string"})] = None
    """The kind of its disks: a name of the catalog, or keys that change one."""
    array_groups: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Groups its disks are in; the disks of a LUN come from different groups while there are."""
    disks_per_group: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Disks in each group; as many as give every LUN its own where it is left out."""
    luns: Annotated[list[Lun], Field(min_length=1)]
    """Logical units."""

"""Arrays: front-end ports, controllers, disks, SSDs, logical units and their copies."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from sanlab.scenario.base import (
    BlockSize,
    Credit,
    Exchanges,
    LunSize,
    Name,
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
from sanlab.scenario.caches import Cache, Commands, off_is_none
from sanlab.scenario.controllers import Controllers, as_controllers
from sanlab.scenario.limits import HostLimit, Limit
from sanlab.scenario.mirrors import Mirror

#: Least spare flash, 1 %.
LEAST_SPARE = 10_000

DistributionName = Literal["constant", "exponential"]


class Memory(ScenarioModel):
    """Media whose service time does not depend on the address: flash, RAM."""

    service: Time | None = None
    """Mean time to serve one request."""
    distribution: DistributionName | None = None
    """Distribution of that time."""
    spread: Share = 0
    """Half of the width of a uniform distribution around a constant `service`, as a share of it:
    with 20% times lie between 0.8 and 1.2 of the mean. 0 by default."""
    variation: Share | None = None
    """Standard deviation of a constant `service` as a share of it: a constant part and an
    exponential one. 0% is constant. By default that of the model, unless `distribution` or `spread`
    is given."""
    servers: Commands | None = None
    """Requests served at once."""

    @model_validator(mode="after")
    def _varies_in_one_way(self) -> Memory:
        ways = {
            "variation": bool(self.variation),
            "spread": bool(self.spread),
            "distribution: exponential": self.distribution == "exponential",
        }
        given = [key for key, is_given in ways.items() if is_given]
        if len(given) > 1:
            raise refusal(
                reason=f"'{given[0]}' has no meaning with '{given[1]}'",
                remedy="Remove one of them",
                key=given[0],
            )
        return self


class Flash(ScenarioModel):
    """A flash SSD: channels, dies, a write buffer, garbage collection as a rate."""

    channels: Annotated[int, Field(ge=1, le=256)] | None = None
    """Channels."""
    dies_per_channel: Annotated[int, Field(ge=1, le=256)] | None = None
    """Dies on each channel."""
    page: BlockSize | None = None
    """Size of a page."""
    pages_per_block: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """Pages of a block, the unit of erasing."""
    read: Time | None = None
    """Time to read a page in its die, on average."""
    variation: Share | None = None
    """Standard deviation of `read` as a share of it: a constant part and an exponential one. 0% is
    constant."""
    program: Time | None = None
    """Time to program a page."""
    erase: Time | None = None
    """Time to erase a block."""
    channel_rate: Rate | None = None
    """Rate of a channel."""
    buffer: Size | None = None
    """Write buffer; 0 answers a write when it is programmed."""
    latency: Time | None = None
    """Controller and interface, added to every command."""
    write_amplification: Annotated[float, Field(ge=1, le=1000)] | None = None
    """Pages programmed for each one written, garbage collection included."""
    over_provisioning: Share | None = None
    """Flash beyond the capacity, as a share of it, instead of `write_amplification`, which follows
    for random writes over all of the capacity: 2.36 at 30%."""

    @model_validator(mode="after")
    def _has_one_amplification(self) -> Flash:
        if self.over_provisioning is not None and self.write_amplification is not None:
            raise refusal(
                reason="'over_provisioning' has no meaning with 'write_amplification'",
                remedy="Remove one of them",
                key="over_provisioning",
            )
        if self.over_provisioning is not None and self.over_provisioning < LEAST_SPARE:
            raise refusal(
                reason="Below 1% of spare flash, garbage collection takes nearly all writes",
                remedy="Write '1%' or more, or give 'write_amplification'",
                key="over_provisioning",
            )
        return self


class Ram(ScenarioModel):
    """A RAM SSD: ports that start one command at a time, and a pipeline behind them."""

    ports: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Ports, each with its own server; by default the ports of the array."""
    service: Time | None = None
    """Shortest time between the starts of two commands at a port: limits its I/Os per second."""
    latency: Time | None = None
    """From the beginning of a command to its first byte."""
    rate: Rate | None = None
    """Rate of a port."""
    distribution: DistributionName | None = None
    """Distribution of the latency; constant by default."""


RaidLevel = Literal[0, 1, 3, 5, 6, 10]
Drives = Annotated[int, Field(ge=1, le=255)]


class PoolRaid(ScenarioModel):
    """How a pool of disks holds data; what is left out is that of the model."""

    level: RaidLevel | None = None
    """RAID level; of an array whose model has no pool it is needed."""
    drives: Drives | None = None
    """Disks of the pool, those with parity and copies included; needed as `level` is."""
    unit: BlockSize = 65_536
    """Bytes on one disk before the next; 64KiB by default."""
    write: Literal["fewer-operations", "read-modify-write", "reconstruct-write"] = (
        "fewer-operations"
    )
    """How parity is updated when a write covers part of a stripe."""


class Raid(PoolRaid):
    """How a group of disks holds data."""

    level: RaidLevel
    """RAID level."""
    drives: Drives
    """Disks of the group, those with parity and copies included."""


class Ssd(ScenarioModel):
    """An SSD: the flash or memory of an array in the catalog, or one with some values changed."""

    model: str | None = None
    """Array of the catalog whose LUNs are on flash or memory; the model of the array by default."""
    size: LunSize | None = None
    """Capacity; 3.84TB by default, and in a `pool` as much as its LUNs need."""
    memory: Memory | None = None
    """Media whose service time does not depend on the address."""
    flash: Flash | None = None
    """Channels, dies, a write buffer, garbage collection."""

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> Ssd:
        if self.memory is not None and self.flash is not None:
            raise refusal(
                reason="An SSD has both 'memory' and 'flash'",
                remedy="Keep one of them",
                key="flash",
            )
        return self


def _as_model(value: object) -> object:
    return {"model": value} if isinstance(value, str) else value


SsdOrName = Annotated[Ssd, BeforeValidator(_as_model), also({"type": "string"})]


class Pool(ScenarioModel):
    """Drives that all LUNs without media of their own share; other keys are those of the model."""

    raid: PoolRaid | None = None
    """How its drives hold data."""
    ssd: SsdOrName = Field(default_factory=Ssd)
    """Its SSDs: a name in the catalog, or keys; by default those of the model of the array, or the
    disks of the array if the model has disks."""


class WholePool(Pool):
    """A pool with its drives."""

    raid: Raid
    """How its drives hold data."""


class FailedDrive(ScenarioModel):
    """A drive that fails."""

    drive: Annotated[int, Field(ge=0, le=254)]
    """Its place in the group, from 0."""
    at: Time = 0
    """When it fails; at the start by default."""


def _as_failed(value: object) -> object:
    return {"drive": value} if isinstance(value, int) else value


class Rebuild(ScenarioModel):
    """Reconstruction of failed drives on hot spares."""

    rate: Rate | None = None
    """Most bytes per second rebuilt of a drive; no limit by default."""
    delay: Time = 0
    """From the failure to the start."""
    step: BlockSize = 1_048_576
    """Bytes of the drive rebuilt in one step; 1MiB by default."""
    steps: Annotated[int, Field(ge=1, le=64)] = 2
    """Steps under way at once; 2 by default."""


class RaidGroup(ScenarioModel):
    """A RAID group, or several equal ones."""

    name: Name
    """Its name; `g[1..4]` makes four."""
    raid: Raid
    """How its disks hold data."""
    ssd: SsdOrName | None = None
    """SSDs in place of disks: a name in the catalog, or keys."""
    failed_drives: list[
        Annotated[FailedDrive, BeforeValidator(_as_failed), also({"type": "integer"})]
    ] = Field(default_factory=list)
    """Drives that fail, by their place in the group: `[1]`, or `[{drive: 1, at: 10s}]`. A fault of
    kind `drive-failure` does the same."""
    spares: Annotated[int, Field(ge=0, le=255)] = 0
    """Hot spares of the group."""
    rebuild: Rebuild | None = None
    """Reconstruction on the spares; none by default."""


class BackEnd(ScenarioModel):
    """How the controllers reach their disks: over loops on which each disk has a port."""

    kind: Literal["loop", "switched"]
    """Whether a loop is a ring through all disks (`loop`) or has crossbars (`switched`)."""
    loops: Annotated[int, Field(ge=1, le=8)] = 2
    """Loops; a disk has a port on each and uses them in turn."""
    speed: Speed = "2GFC"
    """Their speed."""
    full_duplex: bool = False
    """Whether circuits carry frames both ways at once."""
    bb_credit: Credit = 8
    """Receive buffers of each port."""


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
    """Whether sequential commands run at the media rate, without overhead or a lost revolution
    between them, as behind a controller that merges them. Such a drive has no buffer."""
    surfaces: Annotated[int, Field(ge=1, le=64)] | None = None
    """Surfaces with data; computed from `size` and `cylinders` by default."""
    head_switch: Time | None = None
    """Time to switch to another surface of a cylinder; `seek_single` by default."""
    hit_overhead: Time | None = None
    """From the command to data in the buffer; `overhead` by default."""
    cache_size: Annotated[Size, Field(ge=512)] | None = None
    """Buffer; 8MiB by default."""
    segments: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Segments of the buffer; 16 by default."""
    read_ahead: bool | None = None
    """Whether the drive continues to read after a command until a segment is full."""
    write_cache: bool | None = None
    """Whether a write completes when its data are in the buffer."""
    order: Literal["fifo", "sstf", "sptf", "elevator", "cyclic_elevator"] | None = None
    """Order of waiting commands: arrival, shortest seek, shortest seek and rotation (`sptf`, the
    default), LOOK, or C-LOOK."""
    position_margin: Time | None = None
    """With `sptf`, how much longer than expected a movement may take: a sector that comes round
    sooner may be missed, so that the drive prefers others. 2ms by default; 0 is exact knowledge."""
    ageing: Share | None = None
    """With `sptf`, share of its waiting time by which a command is preferred; 0.6% by default, `0%`
    is none."""
    queue_depth: Annotated[int, Field(ge=1, le=65_535)] | None = None
    """Commands it can choose from; 64 by default."""
    interface_rate: Rate | None = None
    """Rate between buffer and interface; unlimited by default."""


def _is_striping(value: object) -> object:
    """Refuse protection, which a LUN has from a pool or group of its array."""
    if value in (0, "0", None):
        return value
    raise refusal(
        reason="A LUN alone is striped, 'raid: 0'; protection is that of a pool or group",
        remedy="Write 'pool: {raid: {level: 5, drives: 5}}' for the array, or 'groups' of it and "
        "the 'group' of the LUN",
    )


#: Keys that say what holds the blocks of a LUN.
_MEDIA = ("memory", "raid", "group", "flash", "ram")


class Lun(ScenarioModel):
    """A logical unit, or a group of equal ones."""

    name: Name
    """Its name; `lun[1..4]` makes four."""
    size: LunSize | None = None
    """Capacity; 1TiB on SSDs, the room left on its disks with `raid` or `group`."""
    queue_depth: Commands | None = None
    """Commands its task set holds before it answers TASK SET FULL."""
    ports: Patterns | None = None
    """Ports of the array it is exported by, `p0` or `p[0..1]`; all by default."""
    owner: Patterns | None = None
    """Controller that owns it, `c0`; several take the LUNs of a group in turn. Paths to its ports
    are optimised, others are not. With `all` every controller serves it and all paths are equal.
    This is the default, unless the model of the array has owners: then LUNs take its controllers
    in turn."""
    memory: Memory | None = None
    """Media whose service time does not depend on the address."""
    raid: Annotated[Literal[0] | None, BeforeValidator(_is_striping)] = None
    """RAID level; the LUN is striped over disks of the array."""
    disks: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Disks it is striped over; by default one of each array group."""
    stripe_depth: BlockSize | None = None
    """Bytes on one disk before the next; 64KiB by default."""
    block_size: BlockSize | None = None
    """Unit in which the array addresses the disks; 8KiB by default."""
    group: str | None = None
    """RAID group that holds its blocks."""
    flash: Flash | None = None
    """A flash SSD that holds its blocks."""
    ram: Ram | None = None
    """A RAM SSD that holds its blocks."""
    initiators: Patterns | None = None
    """Hosts, or ports of hosts, that may use it; all by default."""
    mirror: Mirror | None = None
    """Copy to another array."""
    limit: Limit | None = None
    """Most commands and data per second; each LUN of a group has its own. Unlimited by default."""

    @property
    def media(self) -> str | None:
        """The key that says what holds its blocks; without one, the model of the array says it."""
        return next((key for key in _MEDIA if getattr(self, key) is not None), None)

    @model_validator(mode="after")
    def _has_one_media(self) -> Lun:
        media = [key for key in _MEDIA if getattr(self, key) is not None]
        if len(media) > 1:
            raise refusal(
                reason=f"A LUN has both '{media[0]}' and '{media[1]}'",
                remedy="Keep one of them",
                key=media[1],
            )
        if self.raid is None:
            for key in ("disks", "stripe_depth", "block_size"):
                if getattr(self, key) is not None:
                    raise refusal(
                        reason=f"'{key}' has no effect without 'raid'",
                        remedy="Add 'raid: 0'",
                        key=key,
                    )
        return self


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
    interleave: Literal["sequence", "frame", "control"] | None = None
    """When open sequences take turns: after each `frame`, after each `sequence`, or after each
    sequence with commands, XFER_RDYs and responses between the frames of data (`control`)."""
    rx_hold: Time | None = None
    """Time from the last bit of a frame until its receive buffer is free again."""
    drain: Rate | None = None
    """Rate at which a port empties its receive buffers; unlimited by default."""
    loop_only: bool = False
    """Its ports support arbitrated loops only: a switch without loop support isolates them."""
    controllers: Annotated[
        Controllers | None, BeforeValidator(as_controllers), also({"type": "integer"})
    ] = None
    """Controllers, a number or their keys; by default those of the model, else one that has all
    ports."""
    processors: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Processors of each controller, which serve commands; those of the model by default, but 1
    with `controllers` if the model has none."""
    command_cost: Time | None = None
    """Processor time of one command."""
    burst: Annotated[Size, Field(ge=512, le=2**30)] | None = None
    """Most data that one XFER_RDY requests."""
    first_burst: Size | None = None
    """Data of a write that follow its command without an XFER_RDY, as agreed at login; 0, the
    default, lets every write wait for one."""
    open_bursts: Annotated[int, Field(ge=1, le=65_535)] | None = None
    """Bursts of writes that a port waits for at once; the XFER_RDY of further writes waits for one
    of them. Unlimited by default."""
    port_queue_depth: Commands | None = None
    """Commands a port accepts before it answers TASK SET FULL."""
    cache: Annotated[Cache | None, BeforeValidator(off_is_none), also({"const": "off"})] = None
    """Cache of each controller, or `off`; the cache of the model by default."""
    disk: Annotated[Disk | None, BeforeValidator(_as_model), also({"type": "string"})] = None
    """Model of its disks: a name in the catalog, or keys that change a model."""
    array_groups: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Groups of disks; the disks of a LUN come from different groups as far as possible."""
    disks_per_group: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Disks in each group; by default enough that no LUNs share a disk."""
    groups: list[RaidGroup] = Field(default_factory=list)
    """RAID groups, with disks or SSDs of their own."""
    pool: Annotated[Pool | None, BeforeValidator(off_is_none), also({"const": "off"})] = None
    """Drives that all LUNs without media of their own share, or `off`, so that each has its own;
    the pool of the model by default."""
    parity_rate: Rate | None = None
    """Rate at which parity is computed; unlimited by default."""
    back_end: BackEnd | None = None
    """Loops to the disks; without it each disk has a direct connection."""
    host_limits: list[HostLimit] = Field(default_factory=list)
    """Most commands and data per second of hosts at this array; unlimited by default."""
    luns: Annotated[list[Lun], Field(min_length=1)]
    """Logical units."""

"""What the catalog says about each kind of hardware."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from sanlab.quantities import PS_PER_S, SPEEDS, format_rate, format_time
from sanlab.scenario.arrays import Flash, Memory, Ram, WholePool
from sanlab.scenario.base import (
    BlockSize,
    LunSize,
    Rate,
    ScenarioModel,
    Share,
    Size,
    Speed,
    Time,
    refusal,
)
from sanlab.scenario.caches import Cache
from sanlab.scenario.controllers import CountedControllers, as_controllers
from sanlab.scenario.fabric import (
    MAX_ACCELERATION_BUFFER,
    MAX_MEMBERS,
    ChannelCounts,
    HoldTime,
    as_both,
    as_shared,
)
from sanlab.scenario.hosts import Submission
from sanlab.scenario.qos import Wheel
from sanlab.scenario.services import ZoningRules
from sanlab.scenario.stacks import MOST_PORT_WORDS
from sanlab.scenario.workload import Workload


class Entry(ScenarioModel):
    """What every entry says about itself."""

    about: str
    """What it is."""
    source: str
    """Where its values come from."""
    uncertain: list[str] = Field(default_factory=list)
    """Keys whose value is an estimate, to be calibrated before one relies on it."""

    instead: ClassVar[dict[str, tuple[str, ...]]] = {}
    """Keys that an entry does not take over from another if it has this one."""

    @property
    def computed(self) -> dict[str, int | str]:
        """Values that follow from those that are written."""
        return {}

    @model_validator(mode="after")
    def _doubts_what_exists(self) -> Entry:
        unknown = set(self.uncertain) - set(type(self).model_fields)
        if unknown:
            raise refusal(
                reason=f"'uncertain' names {sorted(unknown)}", remedy="Name keys of the entry"
            )
        return self


class HostEntry(Entry):
    """A host: processors and their cost per I/O, and its operating system."""

    cores: int
    submit: Time
    complete: Time
    per_command: Time = 0
    per_interrupt: Time = 0
    os: str = "linux"


class BusEntry(Entry):
    """An I/O bus."""

    rate: Rate
    burst: Size
    fetch_overhead: Time
    store_overhead: Time
    full_duplex: bool


class SystemEntry(Entry):
    """An operating system: what its block layer does with large requests."""

    max_request: BlockSize
    submission: Submission


#: What has an engine of its own in an adapter.
Engine = Literal["port", "card"]

#: Order of the frames of open sequences.
Interleave = Literal["sequence", "frame", "control"]


class PortEntry(Entry):
    """What HBAs and arrays say about their ports."""

    ports: int
    speeds: list[Speed]
    bb_credit: int
    tx_buffers: int = 2
    class3_sequences: int = 2048
    interleave: Interleave = "sequence"
    rx_hold: Time = 0


class HbaEntry(PortEntry):
    """A host bus adapter.

    The time of a port's engine is written once: `submit` and `complete`, as measured, or
    `commands_per_s`, as on a data sheet, which is divided into equal halves.
    """

    instead: ClassVar[dict[str, tuple[str, ...]]] = {
        "commands_per_s": ("submit", "complete"),
        "submit": ("commands_per_s",),
        "complete": ("commands_per_s",),
    }

    commands_per_s: Annotated[int, Field(ge=1)] | None = None
    """Commands one port completes in a second if nothing else limits it."""
    submit: Time
    complete: Time
    transfer: Time = 0
    engine: Engine = "port"
    data_rate: Rate | None = None
    turnaround: Time = 0
    card_latency: Time = 0
    interrupt_delay: Time = 0
    execution_throttle: int
    lun_queue_depth: int
    bus: str | None = None
    """Bus it is made for, an entry of buses.yaml; a scenario names it to simulate it."""

    @model_validator(mode="before")
    @classmethod
    def _divides_the_time(cls, values: dict[str, Any]) -> dict[str, Any]:
        rate = values.get("commands_per_s")
        if not isinstance(rate, int) or rate < 1:
            return values
        if not {"submit", "complete"}.isdisjoint(values):
            raise refusal(
                reason="'commands_per_s' is given together with 'submit' or 'complete'",
                remedy="Give the rate, or the two times",
                key="commands_per_s",
            )
        whole = PS_PER_S // rate
        half = whole // 2
        return {**values, "submit": f"{half}ps", "complete": f"{whole - half}ps"}

    @property
    def computed(self) -> dict[str, int | str]:
        """The rate that follows from the times, or the times that follow from the rate."""
        if self.commands_per_s is not None:
            return {"submit": format_time(self.submit), "complete": format_time(self.complete)}
        time = self.submit + self.complete
        return {"commands_per_s": round(PS_PER_S / time)} if time else {}


class PortSpeeds(ScenarioModel):
    """Ports of a switch with speeds of their own."""

    ports: str
    speeds: list[Speed]


#: Where an entry says nothing: the congestion drop of Cisco MDS at all ports (Cisco MDS 9000
#: Interfaces Configuration Guide), and the hold time of Brocade without an edge hold time.
#: Uncertain for others.
_HOLD = HoldTime.model_validate({"edge": "500ms", "core": "500ms"})


class SwitchEntry(Entry):
    """A switch."""

    ports: int
    speeds: list[Speed]
    bb_credit: int
    forwarding: Literal["cut-through", "store-and-forward"]
    latency: Time
    routing: Literal["one-path", "ingress-port", "destination", "source-destination", "exchange"]
    hold_time: Annotated[HoldTime, BeforeValidator(as_both)] = _HOLD
    zoning_rules: ZoningRules = "brocade"
    zone_sets: Annotated[int, Field(ge=1)] | None = None
    """Zone sets it keeps, if their number is known."""
    maker: str | None = None
    """Its maker: trunks join switches of one maker only."""
    loop_ports: bool = False
    other_ports: list[PortSpeeds] = Field(default_factory=list)
    wheel: Wheel | None = None
    sold_ports: int | None = None
    """Ports it is sold with, if a switch of a scenario cannot have as many."""
    isl_bb_credit: int | None = None
    """Credit it grants on a link to another switch, if other than `bb_credit`."""
    buffers: int | None = None
    """Frame buffers that `pool_ports` ports have in common."""
    pool_ports: int | None = None
    virtual_channels: Annotated[ChannelCounts | None, BeforeValidator(as_shared)] = None
    """Virtual channels of a link to a switch that has as many."""
    trunk_width: Annotated[int, Field(ge=2, le=MAX_MEMBERS)] | None = None
    """Most links of a trunk, which shares its frames among them."""
    port_channel_width: Annotated[int, Field(ge=2, le=MAX_MEMBERS)] | None = None
    """Most links of a port channel, which shares its exchanges among them."""

    @model_validator(mode="after")
    def _has_the_buffers_it_grants(self) -> SwitchEntry:
        if (self.buffers is None) != (self.pool_ports is None):
            raise refusal(
                reason="'buffers' and 'pool_ports' belong together",
                remedy="Give both, or neither",
                key="buffers" if self.pool_ports is None else "pool_ports",
            )
        if self.buffers is not None and self.pool_ports is not None:
            granted = self.bb_credit * self.pool_ports
            if granted > self.buffers:
                raise refusal(
                    reason=f"{self.pool_ports} ports grant {granted} of {self.buffers} buffers",
                    remedy="Give a smaller 'bb_credit', or more 'buffers'",
                    key="bb_credit",
                )
        return self


class DiskEntry(Entry):
    """A disk drive."""

    size: LunSize
    rpm: int
    cylinders: int
    seek_single: Time
    seek_average: Time
    seek_full: Time
    write_settle: Time
    outer_rate: Rate
    inner_rate: Rate
    overhead: Time
    zones: int = 16
    streaming: bool = False
    surfaces: int | None = None
    head_switch: Time | None = None
    hit_overhead: Time | None = None
    cache_size: Size = 8 * 2**20
    segments: int = 16
    read_ahead: bool = True
    write_cache: bool = False
    # Every drive of the catalog orders its queue by position and gains what real drives do: 1.6 to
    # 2.2 times the random reads of one at a time with 32 waiting. Both values are fitted to that.
    order: Literal["fifo", "sstf", "sptf", "elevator", "cyclic_elevator"] = "sptf"
    position_margin: Time = 2_000_000_000
    ageing: Share = 6_000
    queue_depth: int = 64
    interface_rate: Rate | None = None


_STORE = Memory.model_validate({"service": "100us", "distribution": "constant", "servers": 64})
#: Request of the rates that data sheets of flash and arrays state.
_SMALL_BYTES = 4096


class Benchmark(ScenarioModel):
    """A published result of one product of the class that an entry describes."""

    name: str
    """The benchmark, and the report of the result."""
    product: str
    iops: Annotated[int, Field(ge=1)] | None = None
    rate: Rate | None = None
    drives: Annotated[int, Field(ge=1)] | None = None
    """Drives of the tested configuration."""


class ArrayEntry(PortEntry):
    """An array; `media` says what holds its LUNs, and `pool` which drives of it they share."""

    controllers: Annotated[CountedControllers | None, BeforeValidator(as_controllers)] = None
    """Its controllers; one that has all ports by default."""
    ownership: Literal["shared", "alternate"] = "shared"
    """Whether every controller serves a LUN, or each LUN has an owner, in turn."""
    processors: int
    """Processors of each controller."""
    command_cost: Time
    burst: Size
    first_burst: Size = 0
    open_bursts: int | None = None
    interleave: Interleave = "control"
    port_queue_depth: int
    lun_queue_depth: int
    cache: Cache | None = None
    media: Literal["memory", "raid", "flash", "ram"] = "memory"
    memory: Memory = _STORE
    flash: Flash = Field(default_factory=Flash)
    ram: Ram = Field(default_factory=Ram)
    pool: WholePool | None = None
    disk: str = "generic-10k"
    array_groups: int = 1
    benchmarks: list[Benchmark] = Field(default_factory=list)
    """Published results that the entry is compared with."""

    @property
    def computed(self) -> dict[str, int | str]:
        """Bounds for 4 KiB: of its processors, its ports, and its pool or the SSD of a LUN."""
        bounds: dict[str, int | str] = {
            "ports_rate": format_rate(self.ports * SPEEDS[self.speeds[-1]])
        }
        if self.command_cost:
            count = 1 if self.controllers is None else self.controllers.count
            bounds["processors_iops"] = count * self.processors * PS_PER_S // self.command_cost
        if self.pool is not None and self.pool.ssd.model_fields_set:
            return bounds  # its SSDs are another entry, which has bounds of its own
        if self.media == "memory" and self.memory.service:
            iops = (self.memory.servers or 1) * PS_PER_S // self.memory.service
            bounds |= self._shared({"iops": iops})
        if self.media == "flash":
            bounds |= self._shared(_flash_bounds(self.flash))
        return bounds

    def _shared(self, of_ssd: dict[str, int]) -> dict[str, int | str]:
        """Bounds of the pool from those of one of its SSDs, or of a LUN that has one."""
        drives = 1 if self.pool is None else self.pool.raid.drives
        what = "lun" if self.pool is None else "pool"
        return {
            f"{what}_{key}": format_rate(drives * value) if key.endswith("rate") else drives * value
            for key, value in of_ssd.items()
        }


def _flash_bounds(flash: Flash) -> dict[str, int]:
    """Bounds of a flash SSD: dies and channels for reads, dies for writes beyond the buffer."""
    channels, rate = flash.channels or 1, flash.channel_rate or 1
    dies = channels * (flash.dies_per_channel or 1)
    read, program, erase = flash.read or 0, flash.program or 0, flash.erase or 0
    programs = flash.write_amplification or 1
    page_time = programs * (program + erase / (flash.pages_per_block or 1)) + (programs - 1) * read
    reads = min(channels * rate // _SMALL_BYTES, dies * PS_PER_S // max(read, 1))
    return {
        "read_iops": reads,
        "write_iops": int(dies * PS_PER_S / max(page_time, 1)),
        "read_rate": channels * rate,
    }


class ReplicationEntry(Entry):
    """A protocol by which arrays copy writes to each other."""

    round_trips: Literal[1, 2]
    largest: Size | None = None
    """Longest write that needs one round trip; without it, every write does."""

    @model_validator(mode="after")
    def _has_one_limit(self) -> ReplicationEntry:
        if self.largest is not None and self.round_trips == 2:
            raise refusal(
                reason="'largest' has no effect with two round trips",
                remedy="Remove it, or write 'round_trips: 1'",
                key="largest",
            )
        return self


class AccelerationEntry(Entry):
    """What accelerates writes at the ends of a long link."""

    buffer: Annotated[Size, Field(ge=1, le=MAX_ACCELERATION_BUFFER)]
    """Data of writes, in each direction, that the far end has room for."""


class LoopPortEntry(ScenarioModel):
    """How a port behaves on an arbitrated loop."""

    delay: Annotated[int, Field(ge=1, le=MOST_PORT_WORDS)]
    fair: bool
    transfer: bool
    full_duplex: bool
    login_credit: int
    buffers: int
    tenancy: int
    public: bool = True


class EnclosureEntry(Entry):
    """An enclosure for disks on arbitrated loops; delays are in transmission words."""

    switched: bool
    """A crossbar for each loop, instead of port bypass circuits."""
    bays: int
    loops: int
    speeds: list[Speed]
    host_ports: int
    """Links from outside it takes for each loop."""
    strings: int = 1
    bypass: int = 0
    retimer: int = 0
    crossbar: int = 1
    initiator: LoopPortEntry
    target: LoopPortEntry


class WorkloadEntry(Entry):
    """A workload, without the hosts and targets it is given to."""

    load: dict[str, Any]

    @model_validator(mode="after")
    def _is_a_workload(self) -> WorkloadEntry:
        _ = self.workload
        return self

    @property
    def workload(self) -> Workload:
        """The workload, with only the keys set that the entry has."""
        work = Workload.model_validate(
            {"name": "preset", "hosts": "host", "targets": "lun", **self.load}
        )
        return Workload.model_construct(
            _fields_set=set(self.load),
            **{key: getattr(work, key) for key in type(work).model_fields},
        )


#: File of each kind and the model of its entries.
MODELS: dict[str, type[Entry]] = {
    "hosts": HostEntry,
    "systems": SystemEntry,
    "buses": BusEntry,
    "hbas": HbaEntry,
    "switches": SwitchEntry,
    "disks": DiskEntry,
    "arrays": ArrayEntry,
    "replication": ReplicationEntry,
    "acceleration": AccelerationEntry,
    "enclosures": EnclosureEntry,
    "workloads": WorkloadEntry,
}

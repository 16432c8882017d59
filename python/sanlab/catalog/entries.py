"""What the catalog says about each kind of hardware."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from sanlab.scenario.arrays import Cache, Flash, Memory, Ram
from sanlab.scenario.base import (
    BlockSize,
    LunSize,
    Rate,
    ScenarioModel,
    Size,
    Speed,
    Time,
    refusal,
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
    """A host bus adapter."""

    submit: Time
    complete: Time
    transfer: Time = 0
    card_latency: Time = 0
    interrupt_delay: Time = 0
    execution_throttle: int
    lun_queue_depth: int


class PortSpeeds(ScenarioModel):
    """Ports of a switch with speeds of their own."""

    ports: str
    speeds: list[Speed]


class SwitchEntry(Entry):
    """A switch."""

    ports: int
    speeds: list[Speed]
    bb_credit: int
    forwarding: Literal["cut-through", "store-and-forward"]
    latency: Time
    routing: Literal["one-path", "ingress-port", "destination", "source-destination", "exchange"]
    zoning_rules: ZoningRules = "brocade"
    loop_ports: bool = False
    other_ports: list[PortSpeeds] = Field(default_factory=list)
    wheel: Wheel | None = None


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
    order: Literal["fifo", "sstf", "sptf", "elevator", "cyclic_elevator"] = "fifo"
    queue_depth: int = 64
    interface_rate: Rate | None = None


_STORE = Memory.model_validate({"service": "100us", "distribution": "constant", "servers": 64})


class ArrayEntry(PortEntry):
    """An array; LUNs are on memory unless it says `raid`."""

    controllers: int
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
    disk: str = "generic-10k"
    array_groups: int = 1


class LoopPortEntry(ScenarioModel):
    """How a port behaves on an arbitrated loop."""

    delay: Annotated[int, Field(ge=1, le=MOST_PORT_WORDS)]
    fair: bool
    transfer: bool
    full_duplex: bool
    login_credit: int
    buffers: int
    tenancy: int


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
    "enclosures": EnclosureEntry,
    "workloads": WorkloadEntry,
}

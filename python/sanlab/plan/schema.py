"""The plan as data: what the engine reads, in SI integers and ids.

Times are picoseconds, sizes bytes, rates bytes per second, shares parts per million; an id is an
index into the list of that kind. These models mirror `crates/sim/src/plan.rs` field by field.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

#: Version of this format; the engine refuses others.
FORMAT = 1

U32 = Annotated[int, Field(ge=0, lt=2**32)]
U64 = Annotated[int, Field(ge=0, lt=2**64)]
DistributionName = Literal["constant", "exponential"]


class PlanModel(BaseModel):
    """Base of all parts of a plan."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class NPortPlan(PlanModel):
    """A port of a host or an array."""

    name: str
    node: str
    fc_id: U32
    wwpn: U64
    tx_buffers: U32
    class3_sequences: U32
    interleave: Literal["sequence", "frame"]
    rx_hold_ps: U64
    drain_bytes_per_s: U64


class SwitchPlan(PlanModel):
    """A switch."""

    name: str
    domain: U32
    forwarding_ps: U64
    cut_through: bool
    routing: Literal["one_path", "ingress_port", "source_destination", "exchange"]
    ports: U32


class SwitchEnd(PlanModel):
    """A port of a switch."""

    switch: U32
    port: U32


class EndAtSwitch(PlanModel):
    """An end of a link that is a port of a switch."""

    switch: SwitchEnd


class EndAtNPort(PlanModel):
    """An end of a link that is a port of a host or an array."""

    n_port: U32


EndPlan = EndAtNPort | EndAtSwitch


class LinkPlan(PlanModel):
    """A link: two fibres, one in each direction."""

    a: EndPlan
    b: EndPlan
    speed: str
    bytes_per_s: U64
    gap_bytes: U32
    delay_ps: U64
    credit_a_to_b: U32
    credit_b_to_a: U32
    fspf_cost: U64


class AdapterPlan(PlanModel):
    """One port of an HBA with the engine that drives it."""

    n_port: U32
    submit_ps: U64
    complete_ps: U64
    max_commands: U32
    lun_queue_depth: U32


class HostPlan(PlanModel):
    """A host."""

    name: str
    cores: U32
    cpu_submit_ps: U64
    cpu_complete_ps: U64
    adapters: list[AdapterPlan]


class CachePlan(PlanModel):
    """A cache."""

    read_hit_ppm: U32
    access_ps: U64
    dirty_limit_bytes: U64


class DiskPlan(PlanModel):
    """A disk drive."""

    name: str
    bytes: U64
    revolution_ps: U64
    cylinders: U32
    seek_single_ps: U64
    seek_average_ps: U64
    seek_full_ps: U64
    write_settle_ps: U64
    outer_bytes_per_s: U64
    inner_bytes_per_s: U64
    overhead_ps: U64
    zones: U32
    streaming: bool


class MemoryMedia(PlanModel):
    """A device with a service time that does not depend on the address."""

    service_ps: U64
    distribution: DistributionName
    servers: U32


class StripeMedia(PlanModel):
    """RAID 0 over disks."""

    disks: list[U32]
    start_bytes: U64
    stripe_bytes: U64
    block_bytes: U64


class OnMemory(PlanModel):
    """Blocks held by memory."""

    memory: MemoryMedia


class OnStripe(PlanModel):
    """Blocks held by disks."""

    stripe: StripeMedia


MediaPlan = OnMemory | OnStripe


class MirrorPlan(PlanModel):
    """Copy of every write to a LUN of another array."""

    array: U32
    lun: U32
    source_n_port: U32
    target_n_port: U32
    synchronous: bool
    max_outstanding: U32


class LunPlan(PlanModel):
    """A logical unit."""

    name: str
    number: U32
    bytes: U64
    queue_depth: U32
    media: MediaPlan
    mirror: MirrorPlan | None


class ArrayPlan(PlanModel):
    """An array."""

    name: str
    n_ports: list[U32]
    controllers: U32
    command_ps: U64
    burst_bytes: U64
    port_queue_depth: U32
    cache: CachePlan | None
    disks: list[DiskPlan]
    luns: list[LunPlan]


class WorkloadPlan(PlanModel):
    """A workload, which jobs report under."""

    name: str


class ZipfAddress(PlanModel):
    """Exponent of a Zipf distribution, times 1000."""

    theta_milli: U32


class OnZipf(PlanModel):
    """Addresses by Zipf's law."""

    zipf: ZipfAddress


AddressPlan = Literal["uniform"] | OnZipf


class AccessLinePlan(PlanModel):
    """One line of an access specification."""

    bytes: U64
    share_ppm: U32
    read_ppm: U32
    random_ppm: U32
    delay_ps: U64
    burst: U32
    align_bytes: U64
    reply_bytes: U32


class AccessLines(PlanModel):
    """Lines of an Iometer access specification."""

    lines: list[AccessLinePlan]


class OnAccess(PlanModel):
    """A job that follows an access specification."""

    access: AccessLines


class UniformRequests(PlanModel):
    """Any place of a region, each alike."""

    align_bytes: U64


class WalkRequests(PlanModel):
    """Hierarchical reuse random walks over a region."""

    walkers: U32


class SizePlan(PlanModel):
    """One size of request and its share."""

    bytes: U64
    share_ppm: U32


class RunsRequests(PlanModel):
    """Sequential runs that begin anywhere in a region."""

    runs: U32
    run_bytes: U64
    sizes: list[SizePlan]


class OnUniform(PlanModel):
    """A stream of uniform addresses."""

    uniform: UniformRequests


class OnWalk(PlanModel):
    """A stream of walks."""

    walk: WalkRequests


class OnRuns(PlanModel):
    """A stream of runs."""

    runs: RunsRequests


class StreamRequests(PlanModel):
    """A stream over a volume of the job's targets."""

    stripe_bytes: U64
    requests: OnUniform | OnWalk | OnRuns


class OnStream(PlanModel):
    """A job that is a stream of a benchmark."""

    stream: StreamRequests


PatternPlan = Literal["blocks"] | OnAccess | OnStream


class TargetPlan(PlanModel):
    """A LUN of a job, the way to it and the part of it that is used."""

    adapter: U32
    target_n_port: U32
    array: U32
    lun: U32
    offset_bytes: U64
    span_bytes: U64


class JobPlan(PlanModel):
    """One stream of I/O from one host to one LUN, or to several by its pattern."""

    name: str
    workload: U32
    host: U32
    adapter: U32
    target_n_port: U32
    array: U32
    lun: U32
    read_ppm: U32
    random: bool
    address: AddressPlan
    block_bytes: U64
    iodepth: U32
    total_bytes: U64
    offset_bytes: U64
    span_bytes: U64
    start_ps: U64
    ramp_ps: U64
    stop_ps: U64
    interval_ps: U64
    interval_distribution: DistributionName
    think_ps: U64
    pattern: PatternPlan = "blocks"
    targets: list[TargetPlan] = []


class TrafficPlan(PlanModel):
    """Plain frames between two N_Ports."""

    name: str
    source_n_port: U32
    target_n_port: U32
    payload_bytes: U32
    frames: U64
    interval_ps: U64
    interval_distribution: DistributionName
    start_ps: U64


class SharedMedium(PlanModel):
    """A ring through every port."""


class OnShared(PlanModel):
    """A loop that is a ring."""

    shared: SharedMedium


class StringPlan(PlanModel):
    """Parallel links between two crossbars of a switched loop."""

    a: U32
    b: U32
    links: U32
    delay_ps: U64


class SwitchedMedium(PlanModel):
    """Crossbars in the enclosures, joined by strings."""

    crossbars: list[str]
    strings: list[StringPlan]


class OnSwitched(PlanModel):
    """A loop that is switched."""

    switched: SwitchedMedium


class LoopPortPlan(PlanModel):
    """A port's place on a loop."""

    n_port: U32
    al_pa: Annotated[int, Field(ge=0, le=0xEF)]
    delay_ps: U64
    crossbar: U32
    is_fair: bool
    uses_transfer: bool
    is_full_duplex: bool
    login_credit: U32
    buffers: U32
    tenancy_frames: U32


class LoopPlan(PlanModel):
    """An arbitrated loop."""

    name: str
    speed: str
    bytes_per_s: U64
    gap_bytes: U32
    medium: OnShared | OnSwitched
    ports: list[LoopPortPlan]


class Plan(PlanModel):
    """Everything one simulation needs."""

    format: U32
    title: str
    seed: U64
    end_ps: U64
    interval_ps: U64
    data_frame_bytes: U32
    n_ports: list[NPortPlan]
    switches: list[SwitchPlan]
    links: list[LinkPlan]
    loops: list[LoopPlan]
    hosts: list[HostPlan]
    arrays: list[ArrayPlan]
    workloads: list[WorkloadPlan]
    jobs: list[JobPlan]
    traffic: list[TrafficPlan]

    def to_json(self) -> str:
        """Return the JSON text the engine takes."""
        return self.model_dump_json()

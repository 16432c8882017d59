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
    interleave: Literal["sequence", "frame", "control"]
    rx_hold_ps: U64
    drain_bytes_per_s: U64
    shares: U32 | None = None


class ClassPlan(PlanModel):
    """A class of frames at the outputs of a switch."""

    level: U32
    weight: U32


class SwitchPlan(PlanModel):
    """A switch."""

    name: str
    domain: U32
    forwarding_ps: U64
    cut_through: bool
    routing: Literal["one_path", "ingress_port", "destination", "source_destination", "exchange"]
    ports: U32
    classes: list[ClassPlan] = []
    shared_class: U32 = 0


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


class OutagePlan(PlanModel):
    """A time in which a link carries nothing; the largest number is never."""

    from_ps: U64
    until_ps: U64


class VirtualChannelPlan(PlanModel):
    """A virtual channel of a link."""

    class_id: U32
    credit_a_to_b: U32
    credit_b_to_a: U32


class MemberOutagePlan(PlanModel):
    """A time in which a member of a trunk carries nothing."""

    member: U32
    from_ps: U64
    until_ps: U64


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
    outages: list[OutagePlan] = []
    member_outages: list[MemberOutagePlan] = []
    bit_error_interval: U64 = 0
    members: U32 = 1
    virtual_channels: list[VirtualChannelPlan] = []


class AdapterPlan(PlanModel):
    """One port of an HBA with the engine that drives it."""

    n_port: U32
    submit_ps: U64
    complete_ps: U64
    max_commands: U32
    lun_queue_depth: U32
    command_timeout_ps: U64
    path_timeout_ps: U64 = 0
    retries: U32 = 0
    transfer_ps: U64 = 0
    latency_ps: U64 = 0
    interrupt_delay_ps: U64 = 0
    bus: U32 | None = None


class Nothing(PlanModel):
    """A choice that says no more."""


class InTurn(PlanModel):
    """Requests on each path before the next."""

    ios: U32


class RoundRobin(PlanModel):
    """All paths in turn."""

    round_robin: InTurn


class LeastQueue(PlanModel):
    """The path with the fewest requests."""

    least_queue: Nothing


class OnePath(PlanModel):
    """The first path, until it fails."""

    one_path: Nothing


class MultipathPlan(PlanModel):
    """What a host does with several paths to a LUN."""

    spreading: RoundRobin | LeastQueue | OnePath
    queues_without_path: bool
    failback_ps: U64
    checker_ps: U64
    switch_over_ps: U64


class PathPlan(PlanModel):
    """Another path to a LUN of a job; the lower its group, the better."""

    target: U32
    adapter: U32
    target_n_port: U32
    group: U32


class BusPlan(PlanModel):
    """A segment of an I/O bus."""

    name: str
    bytes_per_s: U64
    burst_bytes: U32
    fetch_overhead_ps: U64
    store_overhead_ps: U64
    full_duplex: bool


class HostPlan(PlanModel):
    """A host."""

    name: str
    cores: U32
    cpu_submit_ps: U64
    cpu_complete_ps: U64
    cpu_command_ps: U64 = 0
    cpu_interrupt_ps: U64 = 0
    max_request_bytes: U64 = 0
    submission: Literal["together", "serial"] = "together"
    adapters: list[AdapterPlan]
    buses: list[BusPlan] = []
    multipath: MultipathPlan | None = None


class CachePlan(PlanModel):
    """A cache."""

    read_hit_ppm: U32
    access_ps: U64
    dirty_limit_bytes: U64


class ZonePlan(PlanModel):
    """Cylinders with equally many blocks on each track."""

    first_cylinder: U32
    last_cylinder: U32
    blocks_per_track: U32
    first_angle_ps: U64
    track_skew_ps: U64
    cylinder_skew_ps: U64
    empty_front_blocks: U64
    spares: U64
    slips: list[U64]
    defects: list[tuple[U64, U64]]


class ConstantSeek(PlanModel):
    """A seek that always takes the same."""

    ps: U64


class PointsSeek(PlanModel):
    """A seek through three points."""

    single_ps: U64
    average_ps: U64
    full_ps: U64


class RootAndLineSeek(PlanModel):
    """A root below a distance, a line above."""

    bound: U32
    root_ps: float
    root_factor_ps: float
    line_ps: float
    line_factor_ps: float
    single_ps: U64 | None
    first_ps: list[U64] | None


class TableSeek(PlanModel):
    """Measured seek times."""

    cylinders: list[U32]
    ps: list[U64]


class OnConstant(PlanModel):
    """A constant seek."""

    constant: ConstantSeek


class OnLine(PlanModel):
    """Two lines."""

    line: PointsSeek


class OnCurve(PlanModel):
    """Lee's curve."""

    curve: PointsSeek


class OnRootAndLine(PlanModel):
    """Ruemmler and Wilkes' curve."""

    root_and_line: RootAndLineSeek


class OnTable(PlanModel):
    """A table."""

    table: TableSeek


SeekPlan = OnConstant | OnLine | OnCurve | OnRootAndLine | OnTable


class OverheadsPlan(PlanModel):
    """What the controller of a drive takes; pairs are after a read and after a write."""

    request_ps: U64 = 0
    read_hit_ps: tuple[U64, U64] = (0, 0)
    read_miss_ps: tuple[U64, U64] = (0, 0)
    write_hit_ps: tuple[U64, U64] = (0, 0)
    write_miss_ps: tuple[U64, U64] = (0, 0)
    read_completion_ps: U64 = 0
    write_completion_ps: U64 = 0
    data_preparation_ps: U64 = 0
    reselect_ps: U64 = 0
    read_disconnect_ps: tuple[U64, U64] = (0, 0)
    least_write_seek_ps: U64 = 0
    extra_disconnect_ps: list[U64] | None = None


class BufferPlan(PlanModel):
    """Buffer of a drive."""

    segments: U32
    segment_blocks: U64
    write_segments: U32
    has_write_segment: bool
    keeps_reads: bool
    hits_written: bool
    hits_next_block: bool
    hits_overtake: bool
    read_ahead: Literal["off", "track", "cylinder", "segment", "two_tracks"]
    least_read_ahead: U64
    most_read_ahead: U64
    reads_ahead_after_hit: bool
    stops_in_sector: bool
    stops_in_seek: bool
    keeps_passing_blocks: bool
    reads_out_of_order: bool
    writes_out_of_order: bool
    read_watermark_ppm: U64
    watermark_of_segment: bool
    write_cache: Literal["off", "sequential", "on"]
    joins_writes: bool


MappingName = Literal["forward", "serpentine_in_zone", "serpentine_on_disk"]
SparingName = Literal[
    "none",
    "tracks",
    "per_track",
    "per_cylinder",
    "per_cylinder_to_end",
    "per_cylinder_front",
    "per_cylinder_front_to_end",
    "at_end",
    "per_range",
    "per_zone",
    "per_zone_and_slips",
]
SchedulingName = Literal["fifo", "sstf", "sptf", "elevator", "cyclic_elevator"]


class DrivePlan(PlanModel):
    """A kind of disk drive."""

    name: str
    surfaces: U32
    revolution_ps: U64
    mapping: MappingName
    sparing: SparingName
    sparing_range: U32
    zones: list[ZonePlan]
    seek: SeekPlan
    head_switch_ps: U64
    write_settle_ps: U64
    rotation: Literal["exact", "average", "constant"]
    access_ps: U64
    overheads: OverheadsPlan
    block_transfer_ps: U64
    buffer: BufferPlan
    scheduling: SchedulingName
    queue_depth: U32
    streaming: bool


class DiskPlan(PlanModel):
    """A disk drive."""

    name: str
    drive: U32


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


class RaidMedia(PlanModel):
    """A part of a RAID group."""

    group: U32
    start_bytes: U64


class FlashMedia(PlanModel):
    """A flash SSD."""

    channels: U32
    dies_per_channel: U32
    page_bytes: U64
    pages_per_block: U32
    read_ps: U64
    program_ps: U64
    erase_ps: U64
    channel_bytes_per_s: U64
    buffer_bytes: U64
    latency_ps: U64
    amplification_ppm: U64


class RamMedia(PlanModel):
    """A RAM SSD."""

    ports: U32
    command_ps: U64
    latency_ps: U64
    bytes_per_s: U64
    distribution: DistributionName = "constant"


class OnRaid(PlanModel):
    """Blocks held by a RAID group."""

    raid: RaidMedia


class OnFlash(PlanModel):
    """Blocks held by a flash SSD."""

    flash: FlashMedia


class OnRam(PlanModel):
    """Blocks held by a RAM SSD."""

    ram: RamMedia


MediaPlan = OnMemory | OnStripe | OnRaid | OnFlash | OnRam


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
    initiators: list[U32]


class FailingPlan(PlanModel):
    """A drive that fails."""

    slot: U32
    at_ps: U64


class RebuildPlan(PlanModel):
    """Reconstruction of a drive that fails."""

    slot: U32
    spare: U32
    delay_ps: U64
    bytes_per_s: U64
    step_bytes: U64
    steps: U32


class GroupPlan(PlanModel):
    """A RAID group."""

    name: str
    level: U32
    disks: list[U32]
    unit_bytes: U64
    rows: U64
    write: Literal["fewer_operations", "read_modify_write", "reconstruct_write"]
    failing: list[FailingPlan]
    rebuilds: list[RebuildPlan]


class PageCachePlan(PlanModel):
    """A cache of pages."""

    page_bytes: U64
    pages: U32
    access_ps: U64
    prefetch_after: U32
    prefetch_bytes: U64
    prefetch_on_miss: bool = False
    destage_bytes: U64 = 0
    write_back: bool
    dirty_pages: U32
    low_pages: U32
    high_pages: U32
    destages: U32
    partner_ps: U64
    partner_bytes_per_s: U64


class BackEndPlan(PlanModel):
    """Loops from the controllers to the disks."""

    initiators: list[U32]
    disks: list[list[U32]]


class ArrayPlan(PlanModel):
    """An array."""

    name: str
    n_ports: list[U32]
    controllers: U32
    command_ps: U64
    burst_bytes: U64
    port_queue_depth: U32
    cache: CachePlan | None
    drives: list[DrivePlan]
    disks: list[DiskPlan]
    groups: list[GroupPlan]
    parity_bytes_per_s: U64
    page_cache: PageCachePlan | None
    back_end: BackEndPlan | None
    luns: list[LunPlan]


class WorkloadPlan(PlanModel):
    """A workload, which jobs report under."""

    name: str
    file_system: U32 | None = None


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


class VolumePlan(PlanModel):
    """LUNs as one range of addresses."""

    stripe_bytes: U64
    is_mirror: bool


class FileSystemPlan(PlanModel):
    """A file system, as far as it costs time."""

    name: str
    allocation_ps: U64
    message_ps: U64


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
    volume: VolumePlan | None = None
    file_system: U32 | None = None
    first_write: bool = False
    journal_every: U32 = 0
    initiator: U32 | None = None
    paths: list[PathPlan] = []


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
    repeat_ps: U64


class StopLoop(PlanModel):
    """Nobody arbitrates before an instant."""

    until_ps: U64


class OnStop(PlanModel):
    """A loop stops."""

    stop: StopLoop


class Places(PlanModel):
    """Places of a loop."""

    places: list[U32]


class OnRemove(PlanModel):
    """Ports leave a loop."""

    remove: Places


class OnInsert(PlanModel):
    """Ports are back."""

    insert: Places


class CutLoop(PlanModel):
    """An enclosure without power, and what is left above and below."""

    first: U32
    end: U32
    above_ps: U64
    below_ps: U64


class OnCut(PlanModel):
    """A loop is cut in two."""

    cut: CutLoop


class Crossbar(PlanModel):
    """A crossbar of a switched loop."""

    crossbar: U32


class OnDarken(PlanModel):
    """A crossbar is gone."""

    darken: Crossbar


class LoopFaultPlan(PlanModel):
    """Something that happens to a loop."""

    at_ps: U64
    loop_id: U32
    action: OnStop | OnRemove | OnInsert | OnCut | OnDarken


class LoopPlan(PlanModel):
    """An arbitrated loop."""

    name: str
    speed: str
    bytes_per_s: U64
    gap_bytes: U32
    medium: OnShared | OnSwitched
    ports: list[LoopPortPlan]


class VisibilityPlan(PlanModel):
    """Two N_Ports that the fabric keeps apart from an instant on, or joins again."""

    at_ps: U64
    told_ps: U64
    a: U32
    b: U32
    visible: bool


class HappeningPlan(PlanModel):
    """A fact that is known beforehand."""

    at_ps: U64
    what: str
    place: str
    reason: str


class DrainPlan(PlanModel):
    """The rate at which a port empties its receive buffers changes; 0 is at once."""

    at_ps: U64
    n_port: U32
    bytes_per_s: U64


class CreditLossPlan(PlanModel):
    """R_RDYs that get lost for the transmitter at the first (2 n) or second end of link n."""

    at_ps: U64
    fibre: U32
    count: U32


class FaultsPlan(PlanModel):
    """Faults of the fabric, and how they are noticed."""

    is_armed: bool = False
    route_updates_ps: list[U64] = []
    visibility: list[VisibilityPlan] = []
    drains: list[DrainPlan] = []
    credit_losses: list[CreditLossPlan] = []
    happenings: list[HappeningPlan] = []
    notice_ps: U64 = 10 * 10**9
    login_ps: U64 = 100 * 10**9
    e_d_tov_ps: U64 = 2 * 10**12
    r_a_tov_ps: U64 = 10 * 10**12
    credit_timeout_ps: U64 = 2 * 10**12
    bb_sc_n: U32 = 0


class PortStatePlan(PlanModel):
    """State of a port of a switch from an instant on."""

    at_ps: U64
    switch: U32
    port: U32
    kind: str
    peer: str
    state: str
    reason: str


class ActiveZonePlan(PlanModel):
    """A zone that is active in a fabric from an instant on; without a name where none is."""

    at_ps: U64
    switch: U32
    vsan: U32
    zone_set: str
    zone: str
    members: list[str]


class SightPlan(PlanModel):
    """Ports of arrays that a port of a host sees from an instant on."""

    at_ps: U64
    n_port: U32
    targets: list[U32]


class ApartPlan(PlanModel):
    """Why two N_Ports do not see each other from an instant on; no reason where they do again."""

    at_ps: U64
    a: U32
    b: U32
    reason: str


class StepPlan(PlanModel):
    """A request to a service of a switch or to another port, by its name in FC-LS and FC-GS."""

    verb: Literal[
        "flogi",
        "fdisc",
        "plogi",
        "prli",
        "logo",
        "adisc",
        "scr",
        "rscn",
        "rft_id",
        "rff_id",
        "rspn_id",
        "rsnn_nn",
        "gid_ft",
    ]
    asks: U32
    answers: U32
    service: U32 | None
    ports: list[U32]
    is_discarded: bool = False


class DialoguePlan(PlanModel):
    """Requests that follow each other, each when the one before was answered."""

    at_ps: U64
    after: U32 | None = None
    replaces: U32 | None = None
    logs_in: U32 | None = None
    steps: list[StepPlan]


class ServicesPlan(PlanModel):
    """What the services of the fabrics decided, for the report."""

    ports: list[PortStatePlan] = []
    zones: list[ActiveZonePlan] = []
    sights: list[SightPlan] = []
    apart: list[ApartPlan] = []
    node_names: list[U64] = []
    service_ps: U64 = 0
    dialogues: list[DialoguePlan] = []


class NoLimit(PlanModel):
    """All of a port."""


class WheelLimit(PlanModel):
    """Slots of a time-division wheel."""

    slots: U32
    of: U32


class RateLimit(PlanModel):
    """A rate of frames, counted from SOF to EOF."""

    bytes_per_s: U64
    burst_bytes: U64


class OnNoLimit(PlanModel):
    """No limit."""

    none: NoLimit


class OnWheel(PlanModel):
    """A limit by slots."""

    wheel: WheelLimit


class OnRate(PlanModel):
    """A limit by rate."""

    rate: RateLimit


LimitPlan = OnNoLimit | OnWheel | OnRate


class PairLimit(PlanModel):
    """A limit of frames between two N_Ports, one way, at the port they leave the fabric by."""

    source: U32
    destination: U32
    limit: LimitPlan


class IngressLimit(PlanModel):
    """A limit of frames of an N_Port, at the port they come into the fabric by."""

    n_port: U32
    limit: LimitPlan


class PairClass(PlanModel):
    """The class of frames between two N_Ports, one way."""

    source: U32
    destination: U32
    class_id: U32
    switch: U32 | None


class OnPairLimit(PlanModel):
    """A limit of a pair."""

    limit: PairLimit


class OnIngressLimit(PlanModel):
    """A limit of a port."""

    ingress: IngressLimit


class OnPriority(PlanModel):
    """A class of a pair."""

    priority: PairClass


class QosPlan(PlanModel):
    """A policy from an instant on."""

    at_ps: U64
    policy: OnPairLimit | OnIngressLimit | OnPriority


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
    loop_faults: list[LoopFaultPlan]
    faults: FaultsPlan = FaultsPlan()
    hosts: list[HostPlan]
    arrays: list[ArrayPlan]
    workloads: list[WorkloadPlan]
    jobs: list[JobPlan]
    file_systems: list[FileSystemPlan] = []
    traffic: list[TrafficPlan]
    qos: list[QosPlan] = []
    services: ServicesPlan | None = None

    def to_json(self) -> str:
        """Return the JSON text the engine takes."""
        return self.model_dump_json()

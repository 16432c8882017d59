//! The plan: a resolved scenario as plain data, in SI integers and ids.
//!
//! Nothing is left to look up. Times are picoseconds, sizes bytes, rates bytes per second, shares
//! parts per million. An id is the index into the vector of that kind. The plan crosses the border
//! between the languages once, as JSON; `check` refuses one that does not hold together.

use serde::{Deserialize, Serialize};

mod drive;
mod faults;
mod qos;
mod services;
mod storage;

pub use drive::*;
pub use faults::*;
pub use qos::*;
pub use services::*;
pub use storage::*;

/// Version of this format; a plan of another version is refused.
pub const FORMAT: u32 = 1;

/// Everything one simulation needs.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// [`FORMAT`].
    pub format: u32,
    /// What people call it.
    pub title: String,
    /// Seed of every random stream; streams are named, so a new component shifts nobody's draws.
    pub seed: u64,
    /// Simulated time at which the run stops at the latest.
    pub end_ps: u64,
    /// Length of one bin of the time series; 0 keeps none.
    pub interval_ps: u64,
    /// Bytes of payload in a full FCP data frame (2048 or 2112).
    pub data_frame_bytes: u32,
    /// Ports of hosts and arrays.
    pub n_ports: Vec<NPortPlan>,
    /// Switches.
    pub switches: Vec<SwitchPlan>,
    /// Links; each N_Port has exactly one, or a place on a loop.
    pub links: Vec<LinkPlan>,
    /// Arbitrated loops.
    #[serde(default)]
    pub loops: Vec<LoopPlan>,
    /// What happens to them, in the order of time.
    #[serde(default)]
    pub loop_faults: Vec<LoopFaultPlan>,
    /// What goes wrong in the fabric, and how it is noticed.
    #[serde(default)]
    pub faults: FaultsPlan,
    /// Hosts.
    pub hosts: Vec<HostPlan>,
    /// Arrays.
    pub arrays: Vec<ArrayPlan>,
    /// Names of workloads, which jobs report under.
    pub workloads: Vec<WorkloadPlan>,
    /// One stream of I/O from one host adapter to one LUN; `numjobs` and groups are expanded.
    pub jobs: Vec<JobPlan>,
    /// File systems that jobs use.
    #[serde(default)]
    pub file_systems: Vec<FileSystemPlan>,
    /// Plain frames from N_Port to N_Port without a SCSI exchange above them.
    pub traffic: Vec<TrafficPlan>,
    /// Limits and priorities of pairs of N_Ports, in the order of time.
    #[serde(default)]
    pub qos: Vec<QosPlan>,
    /// What the services of the fabrics decided, and the logins they take part in.
    #[serde(default)]
    pub services: Option<ServicesPlan>,
}

/// A port of a host or an array.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NPortPlan {
    /// `host1.hba0.p0`, `dev1.p3`.
    pub name: String,
    /// Host or array it belongs to, `host1`, `dev1`.
    pub node: String,
    /// 24-bit address.
    pub fc_id: u32,
    /// World-wide port name.
    pub wwpn: u64,
    /// Frames FC-2 may hold ready ahead of the fibre; at least 1, the frame being sent.
    pub tx_buffers: u32,
    /// Class-3 sequences this port may have open at once as their initiator.
    pub class3_sequences: u32,
    /// How frames of open sequences take turns.
    pub interleave: Interleave,
    /// From the last bit of a frame to its buffer being free again.
    pub rx_hold_ps: u64,
    /// Rate at which the port empties its receive buffers; 0 is at once.
    pub drain_bytes_per_s: u64,
    /// The N_Port whose link it shares; none of a port with a link of its own.
    #[serde(default)]
    pub shares: Option<u32>,
}

/// How frames of the sequences open at an N_Port take turns.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Interleave {
    /// One sequence to its end, then the next.
    Sequence,
    /// One frame of each open sequence in turn.
    Frame,
    /// Data sequence after data sequence; commands, XFER_RDYs and responses go between their frames,
    /// by turns where there are many of both.
    Control,
}

/// A switch.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SwitchPlan {
    /// `sw1`.
    pub name: String,
    /// Domain id, 1..=239.
    pub domain: u32,
    /// From the instant the switch has what it needs of a frame to its first bit out.
    pub forwarding_ps: u64,
    /// Forward on the header where the output is not faster than the input; else on the tail.
    pub cut_through: bool,
    /// Choice among equal-cost paths.
    pub routing: RoutePolicy,
    /// Number of ports.
    pub ports: u32,
    /// Classes that its outputs tell apart; one for all where there are none.
    #[serde(default)]
    pub classes: Vec<ClassPlan>,
    /// The class of frames that no policy names.
    #[serde(default)]
    pub shared_class: u32,
}

/// How a switch chooses among equal-cost paths.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum RoutePolicy {
    /// All frames to one destination domain leave by the first path.
    OnePath,
    /// By the port a frame came in on.
    IngressPort,
    /// By the port of the destination's switch, modulo the number of paths.
    Destination,
    /// By source and destination address.
    SourceDestination,
    /// By source, destination and exchange.
    Exchange,
}

/// A link: two fibres, one in each direction.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LinkPlan {
    /// One end.
    pub a: EndPlan,
    /// The other end.
    pub b: EndPlan,
    /// What people call the speed, `2GFC`.
    pub speed: String,
    /// Data rate after line coding, in one direction.
    pub bytes_per_s: u64,
    /// Fill words after each frame (24 by the standard).
    pub gap_bytes: u32,
    /// Propagation delay.
    pub delay_ps: u64,
    /// BB credit that `b` grants to `a`.
    pub credit_a_to_b: u32,
    /// BB credit that `a` grants to `b`.
    pub credit_b_to_a: u32,
    /// FSPF cost; used between switches.
    pub fspf_cost: u64,
    /// Times in which it carries nothing, one after the other.
    #[serde(default)]
    pub outages: Vec<OutagePlan>,
    /// Times in which a member of a trunk carries nothing, in the order of their beginnings.
    #[serde(default)]
    pub member_outages: Vec<MemberOutagePlan>,
    /// Bits between two that arrive inverted, in the mean, in each direction; 0 inverts none.
    #[serde(default)]
    pub bit_error_interval: u64,
    /// Links of a trunk, between switches: `bytes_per_s` is of each, credit and delay are of all.
    #[serde(default = "one")]
    pub members: u32,
    /// Virtual channels between switches, in both directions; their credit is instead of the link's.
    #[serde(default)]
    pub virtual_channels: Vec<VirtualChannelPlan>,
}

fn one() -> u32 {
    1
}

/// One end of a link.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EndPlan {
    /// A port of a host or an array.
    NPort(u32),
    /// A port of a switch.
    Switch {
        /// Which switch.
        switch: u32,
        /// Which of its ports, from 0.
        port: u32,
    },
}

/// An arbitrated loop.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LoopPlan {
    /// `stack1.a`.
    pub name: String,
    /// What people call the speed, `2GFC`.
    pub speed: String,
    /// Data rate after line coding.
    pub bytes_per_s: u64,
    /// Fill words after each frame (24 bytes by the standard).
    pub gap_bytes: u32,
    /// What joins the ports.
    pub medium: MediumPlan,
    /// Ports, of a shared loop in the order of the ring.
    pub ports: Vec<LoopPortPlan>,
}

/// What joins the ports of a loop.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MediumPlan {
    /// A ring through every port.
    Shared {},
    /// Crossbars in the enclosures, joined by strings.
    Switched {
        /// Their names.
        crossbars: Vec<String>,
        /// Links between them.
        strings: Vec<StringPlan>,
    },
}

/// Parallel links between two crossbars of a switched loop.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct StringPlan {
    /// One crossbar.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// Links; a circuit takes one.
    pub links: u32,
    /// Time of a word over it, the crossbar it ends at included.
    pub delay_ps: u64,
}

/// A port's place on a loop.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LoopPortPlan {
    /// The N_Port.
    pub n_port: u32,
    /// Arbitrated loop physical address; the lower, the higher the priority.
    pub al_pa: u8,
    /// Time of a word from the output of the port before to its own on a shared loop, to or from its
    /// crossbar on a switched one: cable, bypassed bays and its own delay.
    pub delay_ps: u64,
    /// Its crossbar; on a shared loop the enclosure it is in, which only reports look at.
    pub crossbar: u32,
    /// It keeps the access fairness rule.
    pub is_fair: bool,
    /// It opens the next partner without arbitration where it may.
    pub uses_transfer: bool,
    /// It opens circuits both ways at once.
    pub is_full_duplex: bool,
    /// BB_Credit of its login on the loop: frames it takes before any R_RDY.
    pub login_credit: u32,
    /// Receive buffers, for frames.
    pub buffers: u32,
    /// Frames it sends before it yields to others that want the loop.
    pub tenancy_frames: u32,
    /// The part of `delay_ps` that is the port's own: it is gone while the port is bypassed.
    pub repeat_ps: u64,
}

/// Something that happens to a loop.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LoopFaultPlan {
    /// When.
    pub at_ps: u64,
    /// Which loop.
    pub loop_id: u32,
    /// What.
    pub action: LoopActionPlan,
}

/// What happens to a loop.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LoopActionPlan {
    /// Nobody arbitrates before this instant: the loop initialises, or a port holds it.
    Stop {
        /// When it goes on.
        until_ps: u64,
    },
    /// Ports leave the loop, bypassed or pulled; what they have to send is lost.
    Remove {
        /// Their places.
        places: Vec<u32>,
    },
    /// Ports are back.
    Insert {
        /// Their places.
        places: Vec<u32>,
    },
    /// An enclosure loses its power: its ports are gone, and what lies below is a loop of its own.
    Cut {
        /// First place of the enclosure.
        first: u32,
        /// One past its last.
        end: u32,
        /// Delay of the first port above from then on: its way back is shorter.
        above_ps: u64,
        /// Delay of the first port below.
        below_ps: u64,
    },
    /// The same for a switched loop: a crossbar is gone with its ports and strings.
    Darken {
        /// The crossbar.
        crossbar: u32,
    },
}

/// A host.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HostPlan {
    /// `host1`.
    pub name: String,
    /// CPU cores that serve I/O.
    pub cores: u32,
    /// CPU time from the application's call to the command at the HBA.
    pub cpu_submit_ps: u64,
    /// CPU time from the HBA's interrupt to the application.
    pub cpu_complete_ps: u64,
    /// CPU time of each command beside that: a request in pieces has several.
    #[serde(default)]
    pub cpu_command_ps: u64,
    /// CPU time of each interrupt.
    #[serde(default)]
    pub cpu_interrupt_ps: u64,
    /// Largest command; larger requests go in pieces. 0 splits nothing.
    #[serde(default)]
    pub max_request_bytes: u64,
    /// When the pieces of a request are issued.
    #[serde(default)]
    pub submission: SubmissionPlan,
    /// HBA ports of this host.
    pub adapters: Vec<AdapterPlan>,
    /// Its I/O buses.
    #[serde(default)]
    pub buses: Vec<BusPlan>,
    /// What it does with several paths to a LUN.
    #[serde(default)]
    pub multipath: Option<MultipathPlan>,
}

/// When the pieces of a request are issued.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum SubmissionPlan {
    /// All at once, as fast as the processor makes them.
    #[default]
    Together,
    /// Each when the one before is done.
    Serial,
}

/// One port of an HBA with the engine that drives it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AdapterPlan {
    /// Its N_Port.
    pub n_port: u32,
    /// Engine time to start a command.
    pub submit_ps: u64,
    /// Engine time to finish a command.
    pub complete_ps: u64,
    /// Commands this port may have open (execution throttle).
    pub max_commands: u32,
    /// Commands this port may have open on one LUN (queue depth).
    pub lun_queue_depth: u32,
    /// A command that has no answer after this long is aborted; 0 waits for ever.
    #[serde(default)]
    pub command_timeout_ps: u64,
    /// From the loss of a path to the failure of its commands.
    #[serde(default)]
    pub path_timeout_ps: u64,
    /// How often a command is sent again before it fails.
    #[serde(default)]
    pub retries: u32,
    /// Engine time to take in an XFER_RDY and begin with its data.
    #[serde(default)]
    pub transfer_ps: u64,
    /// Time on the card, each way, in which the engine does other things.
    #[serde(default)]
    pub latency_ps: u64,
    /// From an answer to the interrupt that tells of it and of those that came meanwhile; 0 raises one
    /// for each.
    #[serde(default)]
    pub interrupt_delay_ps: u64,
    /// The host's bus it is on; none where memory is at hand at once.
    #[serde(default)]
    pub bus: Option<u32>,
}

/// A segment of an I/O bus.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BusPlan {
    /// `host1.pci0`.
    pub name: String,
    /// Peak rate, of one direction where there are two.
    pub bytes_per_s: u64,
    /// Longest burst.
    pub burst_bytes: u32,
    /// Overhead of a burst from memory.
    pub fetch_overhead_ps: u64,
    /// Overhead of a burst to memory.
    pub store_overhead_ps: u64,
    /// Both directions at once.
    pub full_duplex: bool,
}

/// A storage array.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ArrayPlan {
    /// `dev1`.
    pub name: String,
    /// Its front-end ports.
    pub n_ports: Vec<u32>,
    /// Controller processors that serve commands.
    pub controllers: u32,
    /// Processor time per command.
    pub command_ps: u64,
    /// Largest burst one XFER_RDY asks for.
    pub burst_bytes: u64,
    /// Commands one front-end port accepts before it answers TASK SET FULL.
    pub port_queue_depth: u32,
    /// Cache; none where it is off.
    pub cache: Option<CachePlan>,
    /// Kinds of disk drive.
    pub drives: Vec<DrivePlan>,
    /// Disks behind the controllers.
    pub disks: Vec<DiskPlan>,
    /// RAID groups.
    #[serde(default)]
    pub groups: Vec<GroupPlan>,
    /// Rate at which parity is computed; 0 takes no time.
    #[serde(default)]
    pub parity_bytes_per_s: u64,
    /// A cache of pages; `cache` is none then.
    #[serde(default)]
    pub page_cache: Option<PageCachePlan>,
    /// Loops to the disks; none where they are reached directly.
    #[serde(default)]
    pub back_end: Option<BackEndPlan>,
    /// Logical units.
    pub luns: Vec<LunPlan>,
}

/// A simple cache: a share of reads hits, writes are acknowledged from it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CachePlan {
    /// Share of reads that find their data, in parts per million.
    pub read_hit_ppm: u32,
    /// Time to serve from the cache.
    pub access_ps: u64,
    /// Write data the cache may hold that is not on disk yet; a write beyond it waits. 0 writes through.
    pub dirty_limit_bytes: u64,
}

/// A disk drive.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DiskPlan {
    /// `dev1.disk0`.
    pub name: String,
    /// Its kind, one of the array's drives.
    pub drive: u32,
}

/// A logical unit.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LunPlan {
    /// `dev1.lun1`.
    pub name: String,
    /// SCSI logical unit number.
    pub number: u32,
    /// Capacity.
    pub bytes: u64,
    /// Commands its task set holds before it answers TASK SET FULL.
    pub queue_depth: u32,
    /// What holds its blocks.
    pub media: MediaPlan,
    /// Copy to another array.
    pub mirror: Option<MirrorPlan>,
    /// N_Ports of hosts that may use it; all where there are none.
    #[serde(default)]
    pub initiators: Vec<u32>,
}

/// What holds the blocks of a LUN.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MediaPlan {
    /// A device with a service time that does not depend on the address.
    Memory {
        /// Mean service time.
        service_ps: u64,
        /// Its distribution.
        distribution: Distribution,
        /// Requests served at once.
        servers: u32,
    },
    /// RAID 0 over disks.
    Stripe {
        /// Indices into the array's disks.
        disks: Vec<u32>,
        /// Where the LUN starts on each of them.
        start_bytes: u64,
        /// Bytes on one disk before the next.
        stripe_bytes: u64,
        /// Unit in which the array addresses the disks.
        block_bytes: u64,
    },
    /// A part of a RAID group.
    Raid {
        /// The group.
        group: u32,
        /// First byte of the group's data.
        start_bytes: u64,
    },
    /// A flash SSD of its own.
    Flash(FlashPlan),
    /// A RAM SSD of its own.
    Ram(RamPlan),
}

/// Distribution of a time around its mean.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// Always the mean.
    #[default]
    Constant,
    /// Exponential.
    Exponential,
}

/// Third-party copy of every write to a LUN of another array.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MirrorPlan {
    /// Array copied to.
    pub array: u32,
    /// Its LUN.
    pub lun: u32,
    /// N_Port the copies leave by; one of the source array's.
    pub source_n_port: u32,
    /// N_Port they go to; one of the other array's.
    pub target_n_port: u32,
    /// The host's write waits for the copy.
    pub synchronous: bool,
    /// Copies that may be on their way at once.
    pub max_outstanding: u32,
}

/// A workload as the scenario names it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WorkloadPlan {
    /// Its name.
    pub name: String,
    /// The file system whose log or metadata it is; none of an application's. These come last.
    #[serde(default)]
    pub file_system: Option<u32>,
}

/// One stream of I/O.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct JobPlan {
    /// Unique name, also the name of its random streams.
    pub name: String,
    /// Workload it reports under.
    pub workload: u32,
    /// Host it runs on.
    pub host: u32,
    /// Index into that host's adapters.
    pub adapter: u32,
    /// N_Port of the array it talks to.
    pub target_n_port: u32,
    /// Array.
    pub array: u32,
    /// LUN, index into that array's LUNs.
    pub lun: u32,
    /// Share of reads in parts per million.
    pub read_ppm: u32,
    /// Random addresses; else sequential.
    pub random: bool,
    /// Distribution of random addresses.
    pub address: AddressPlan,
    /// Request size.
    pub block_bytes: u64,
    /// Requests kept open; 0 is an open loop without bound.
    pub iodepth: u32,
    /// Bytes to move before the job ends; 0 has no such end.
    pub total_bytes: u64,
    /// First byte of the region of the LUN the job uses.
    pub offset_bytes: u64,
    /// Size of that region.
    pub span_bytes: u64,
    /// When the job starts.
    pub start_ps: u64,
    /// I/Os that complete earlier than this after the start are not counted.
    pub ramp_ps: u64,
    /// When the job stops submitting; 0 never.
    pub stop_ps: u64,
    /// Mean time between submissions; 0 submits as soon as `iodepth` allows.
    pub interval_ps: u64,
    /// Distribution of that time.
    pub interval_distribution: Distribution,
    /// Pause after a completion before the next submission takes its place.
    pub think_ps: u64,
    /// What it asks for; the keys above say which of them count.
    #[serde(default)]
    pub pattern: PatternPlan,
    /// LUNs of a pattern other than [`PatternPlan::Blocks`]; the one above is the first of them.
    #[serde(default)]
    pub targets: Vec<TargetPlan>,
    /// Its LUNs are one volume, which blocks are on.
    #[serde(default)]
    pub volume: Option<VolumePlan>,
    /// The file system its blocks are in.
    #[serde(default)]
    pub file_system: Option<u32>,
    /// Its writes are to blocks that the file system has to allocate.
    #[serde(default)]
    pub first_write: bool,
    /// It makes one request whenever the file system has allocated so many times; 0 is a job that asks
    /// by itself.
    #[serde(default)]
    pub journal_every: u32,
    /// The virtual N_Port its commands come from; none where they come from the adapter's own.
    #[serde(default)]
    pub initiator: Option<u32>,
    /// Other paths to its LUNs.
    #[serde(default)]
    pub paths: Vec<PathPlan>,
}

/// LUNs as one range of addresses.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct VolumePlan {
    /// Bytes on one LUN before the next; 0 puts one LUN behind the other.
    pub stripe_bytes: u64,
    /// Every LUN holds all of it: writes go to all, reads to one after the other.
    pub is_mirror: bool,
}

/// A file system, as far as it costs time.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct FileSystemPlan {
    /// Its name.
    pub name: String,
    /// Time of one allocation; they are made one after the other.
    pub allocation_ps: u64,
    /// Time of a message to its metadata server and back; 0 where the host itself allocates.
    pub message_ps: u64,
}

/// What a job asks for.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PatternPlan {
    /// Blocks of one size on one LUN, by `read_ppm`, `random`, `address` and `block_bytes`.
    #[default]
    Blocks,
    /// Lines of an Iometer access specification. Each target has `iodepth` outstanding I/Os, and the
    /// region its own entry says.
    Access {
        /// The lines; their shares sum to a million.
        lines: Vec<AccessLinePlan>,
    },
    /// A stream of a benchmark. The targets are one volume; `offset_bytes` and `span_bytes` are a
    /// region of it.
    Stream {
        /// Bytes on one target before the next; 0 puts one behind the other.
        stripe_bytes: u64,
        /// Which requests it makes.
        requests: StreamPlan,
    },
}

/// One line of an access specification.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct AccessLinePlan {
    /// Size of a request.
    pub bytes: u64,
    /// Share of bursts, in parts per million.
    pub share_ppm: u32,
    /// Share of transactions that begin with a read.
    pub read_ppm: u32,
    /// Share of I/Os at a random address.
    pub random_ppm: u32,
    /// Pause before each burst.
    pub delay_ps: u64,
    /// Transactions in a burst.
    pub burst: u32,
    /// Addresses are rounded up to whole multiples of this.
    pub align_bytes: u64,
    /// Size of a second transfer in the opposite direction; 0 makes none.
    pub reply_bytes: u32,
}

/// Which requests a stream makes.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StreamPlan {
    /// Any place of the region, each alike; of `block_bytes`.
    Uniform {
        /// Alignment of addresses.
        align_bytes: u64,
    },
    /// Hierarchical reuse random walks over the region, in blocks of 4 KiB.
    Walk {
        /// Walkers, of which each request is by any alike.
        walkers: u32,
    },
    /// Sequential runs that begin anywhere in the region.
    Runs {
        /// Runs at a time, of which each request belongs to any alike.
        runs: u32,
        /// Length of a run.
        run_bytes: u64,
        /// Sizes of requests; their shares sum to a million.
        sizes: Vec<SizePlan>,
    },
}

/// One size of request.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct SizePlan {
    /// Size.
    pub bytes: u64,
    /// Its share in parts per million.
    pub share_ppm: u32,
}

/// A LUN of a job, the way to it and the part of it that is used.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct TargetPlan {
    /// Index into the host's adapters.
    pub adapter: u32,
    /// N_Port of the array.
    pub target_n_port: u32,
    /// Array.
    pub array: u32,
    /// LUN, index into that array's LUNs.
    pub lun: u32,
    /// First byte of the part of it.
    pub offset_bytes: u64,
    /// Size of that part.
    pub span_bytes: u64,
}

/// Where random requests go.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AddressPlan {
    /// Every block alike.
    Uniform,
    /// Zipf with this exponent, in thousandths; blocks are scattered by a hash.
    Zipf {
        /// Exponent times 1000.
        theta_milli: u32,
    },
}

/// Plain frames between two N_Ports.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficPlan {
    /// Its name.
    pub name: String,
    /// From.
    pub source_n_port: u32,
    /// To.
    pub target_n_port: u32,
    /// Payload of each frame, 0..=2112.
    pub payload_bytes: u32,
    /// Frames to send; 0 has no end.
    pub frames: u64,
    /// Mean time between frames; 0 sends as fast as credit and fibre allow.
    pub interval_ps: u64,
    /// Distribution of that time.
    pub interval_distribution: Distribution,
    /// When it starts.
    pub start_ps: u64,
}

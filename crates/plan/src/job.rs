//! Jobs: the requests of hosts, their LUNs and paths.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

use crate::rate::{ArrivalsPlan, LoadPlan};

/// A workload as the scenario names it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkloadPlan {
    /// Name.
    pub name: String,
    /// File system whose log or metadata it writes. Workloads of file systems come after those of
    /// applications.
    pub file_system: Option<u32>,
    /// Workloads that end before it begins: the times of its jobs count from the end of the last of
    /// them.
    pub after: Vec<u32>,
}

/// A part of the run whose figures are reported apart: I/Os that complete in it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PhasePlan {
    /// Unique name.
    pub name: String,
    /// When it begins, not before the end of the previous one.
    pub from_ps: u64,
    /// When it ends. Without it, it ends with the run.
    pub to_ps: Option<NonZeroU64>,
}

/// One stream of I/O.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct JobPlan {
    /// Unique name, also the name of its random streams.
    pub name: String,
    /// Workload it reports under.
    pub workload: u32,
    /// Host it runs on.
    pub host: u32,
    /// LUNs it uses: one, or the members of its volume, or those of its pattern.
    pub targets: Vec<TargetPlan>,
    /// Virtual N_Port its commands come from. Without one, they come from the adapter's own.
    pub initiator: Option<u32>,
    /// First byte of the region it uses, on its LUN or its volume.
    pub offset_bytes: u64,
    /// Size of that region.
    pub span_bytes: u64,
    /// Share of reads in parts per million.
    pub read_ppm: u32,
    /// Request size.
    pub block_bytes: NonZeroU64,
    /// Choice of addresses.
    pub addresses: AddressPlan,
    /// Requests kept open. Without it, the job is an open loop without bound.
    pub iodepth: Option<NonZeroU32>,
    /// Bytes to move before the job ends. Without it, the job has no such end.
    pub total_bytes: Option<NonZeroU64>,
    /// When the job starts, from the start of the run or from the end of the workloads its own waits
    /// for.
    pub start_ps: u64,
    /// I/Os that complete earlier than this after the start are not counted.
    pub ramp_ps: u64,
    /// When the job stops submitting, likewise. Without it, it never does.
    pub stop_ps: Option<NonZeroU64>,
    /// Rate of submissions. Without it, the job submits as soon as `iodepth` allows.
    pub arrivals: Option<ArrivalsPlan>,
    /// Rate of submissions over time, as shares of `arrivals`. Without it, the rate is constant.
    pub load: Option<LoadPlan>,
    /// Pause after a completion before the next submission takes its place.
    pub think_ps: u64,
    /// What it asks for.
    pub pattern: PatternPlan,
    /// Volume that its LUNs form. Without it, blocks are on one LUN.
    pub volume: Option<VolumePlan>,
    /// File system it uses, and how.
    pub file_system: Option<FileSystemUsePlan>,
}

impl JobPlan {
    /// Whether a file system asks for it, to write its log or metadata.
    pub fn is_journal(&self) -> bool {
        matches!(self.file_system, Some(FileSystemUsePlan::Journal { .. }))
    }
}

/// A LUN of a job, the paths to it and the part of it that is used.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TargetPlan {
    /// Array.
    pub array: u32,
    /// LUN, as index into that array's LUNs.
    pub lun: u32,
    /// First byte of the part.
    pub offset_bytes: u64,
    /// Size of the part.
    pub span_bytes: u64,
    /// Paths to the LUN; the first is the preferred one, of group 0.
    pub paths: Vec<PathPlan>,
}

/// A path to a LUN of a job.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PathPlan {
    /// Adapter, as index into the host's adapters.
    pub adapter: u32,
    /// N_Port of the array.
    pub target_n_port: u32,
    /// Group of paths; the lower, the better.
    pub group: u32,
}

/// How a job chooses addresses.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AddressPlan {
    /// One block after the other.
    Sequential {},
    /// Every block alike.
    Uniform {},
    /// Zipf's law; blocks are scattered by a hash.
    Zipf {
        /// Exponent times 1000.
        theta_milli: u32,
    },
}

/// How LUNs form one range of addresses.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum VolumePlan {
    /// Stripes over all LUNs.
    Stripe {
        /// Bytes on one LUN before the next.
        stripe_bytes: NonZeroU64,
    },
    /// One LUN behind the other.
    Concat {},
    /// Every LUN holds all of it. Writes go to all LUNs, reads to one after the other.
    Mirror {},
}

/// A file system, as far as it costs time.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FileSystemPlan {
    /// Name.
    pub name: String,
    /// Time of one allocation; allocations are made one after the other.
    pub allocation_ps: u64,
    /// Time of a message to its metadata server and back; 0 where the host itself allocates.
    pub message_ps: u64,
}

/// What a job does with a file system.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum FileSystemUsePlan {
    /// An application reads and writes a file.
    Data {
        /// The file system.
        file_system: u32,
        /// Whether its writes are the first to their blocks, which have to be allocated.
        first_write: bool,
    },
    /// The file system writes its own log or metadata.
    Journal {
        /// The file system.
        file_system: u32,
        /// Number of allocations after which it makes one request.
        every: NonZeroU32,
    },
}

impl FileSystemUsePlan {
    /// The file system that is used.
    pub fn file_system(self) -> u32 {
        match self {
            Self::Data { file_system, .. } | Self::Journal { file_system, .. } => file_system,
        }
    }
}

/// What a job asks for.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum PatternPlan {
    /// Blocks of one size, by `read_ppm`, `addresses` and `block_bytes`.
    Blocks {},
    /// Lines of an Iometer access specification. Each target has `iodepth` outstanding I/Os and the
    /// region of its own entry.
    Access {
        /// The lines; their shares sum to a million.
        lines: Vec<AccessLinePlan>,
    },
    /// A stream of a benchmark. The targets form one volume; the job uses a region of it.
    Stream {
        /// Bytes on one target before the next. Without it, one target lies behind the other.
        stripe_bytes: Option<NonZeroU64>,
        /// Requests it makes.
        requests: StreamPlan,
    },
    /// The requests of a block trace, in its order, on one LUN or a volume. They are in a table beside the
    /// plan.
    Trace {
        /// Name of the table: its digest, 32 hexadecimal digits.
        digest: String,
        /// Requests in it.
        requests: NonZeroU64,
        /// When the last of them came, since the first request of the trace.
        length_ps: u64,
        /// When they are made.
        replay: ReplayPlan,
    },
}

/// When the requests of a trace are made.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ReplayPlan {
    /// At their recorded times; where there is an `iodepth`, as soon as it allows.
    Timed {
        /// How many times as fast as recorded, in parts per million.
        speed_ppm: NonZeroU64,
    },
    /// As soon as `iodepth` allows.
    Asap {},
    /// As soon as no more are open than were when each came in the trace.
    Closed {},
}

/// One line of an access specification.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AccessLinePlan {
    /// Size of a request.
    pub bytes: NonZeroU64,
    /// Share of bursts, in parts per million.
    pub share_ppm: u32,
    /// Share of transactions that begin with a read.
    pub read_ppm: u32,
    /// Share of I/Os at a random address.
    pub random_ppm: u32,
    /// Pause before each burst.
    pub delay_ps: u64,
    /// Transactions in a burst.
    pub burst: NonZeroU32,
    /// Addresses are rounded up to whole multiples of this.
    pub align_bytes: NonZeroU64,
    /// Size of a second transfer in the opposite direction, if there is one.
    pub reply_bytes: Option<NonZeroU32>,
}

/// Requests that a stream makes.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum StreamPlan {
    /// Requests of `block_bytes` at any place of the region, each alike.
    Uniform {
        /// Alignment of addresses.
        align_bytes: NonZeroU64,
    },
    /// Hierarchical reuse random walks over the region, in blocks of 4 KiB.
    Walk {
        /// Number of walkers; each request is by any of them alike.
        walkers: NonZeroU32,
    },
    /// Sequential runs that begin anywhere in the region.
    Runs {
        /// Runs at a time; each request belongs to any of them alike.
        runs: NonZeroU32,
        /// Length of a run.
        run_bytes: u64,
        /// Sizes of requests; their shares sum to a million.
        sizes: Vec<SizePlan>,
    },
}

/// One size of request.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SizePlan {
    /// Size.
    pub bytes: NonZeroU64,
    /// Its share in parts per million.
    pub share_ppm: u32,
}

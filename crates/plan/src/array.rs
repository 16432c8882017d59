//! Arrays: ports, controllers, cache, RAID groups, LUNs and what holds their blocks.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

use crate::controller::{ControllerPlan, FailoverPlan};
use crate::drive::DrivePlan;
use crate::rate::Distribution;
use crate::service_limit::ServiceLimitPlan;

/// A storage array.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ArrayPlan {
    /// Name.
    pub name: String,
    /// Front-end ports.
    pub n_ports: Vec<u32>,
    /// Its controllers, which share the ports among them.
    pub controllers: Vec<ControllerPlan>,
    /// How they work together.
    pub failover: FailoverPlan,
    /// Processor time of a command.
    pub command_ps: u64,
    /// Largest burst one XFER_RDY asks for.
    pub burst_bytes: NonZeroU32,
    /// Data of a write that follow its command without an XFER_RDY. Without it, every write waits for one.
    pub first_burst_bytes: Option<NonZeroU32>,
    /// Bursts a front-end port waits for at once; further writes wait for their XFER_RDY. Without it, any
    /// number.
    pub open_bursts: Option<NonZeroU32>,
    /// Commands one front-end port accepts before it answers TASK SET FULL.
    pub port_queue_depth: NonZeroU32,
    /// Cache of each controller, if there is one.
    pub cache: Option<CachePlan>,
    /// Kinds of disk drive.
    pub drives: Vec<DrivePlan>,
    /// Kinds of SSD.
    pub ssds: Vec<SsdPlan>,
    /// Disks and SSDs, which every controller reaches.
    pub disks: Vec<DiskPlan>,
    /// RAID groups.
    pub groups: Vec<GroupPlan>,
    /// Rate at which parity is computed. Without it, parity takes no time.
    pub parity_bytes_per_s: Option<NonZeroU64>,
    /// Loops to the disks. Without them, the controllers reach the disks directly.
    pub back_end: Option<BackEndPlan>,
    /// Limits of LUNs and hosts. A LUN has one at most, and so has a host.
    pub limits: Vec<ServiceLimitPlan>,
    /// Logical units.
    pub luns: Vec<LunPlan>,
}

/// A disk or an SSD.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DiskPlan {
    /// Name, such as `dev1.disk0` or `dev1.ssd0`.
    pub name: String,
    /// What it is.
    pub model: DiskModelPlan,
}

/// What a disk is.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum DiskModelPlan {
    /// A disk drive.
    Drive {
        /// Kind of drive, as index into the array's.
        drive: u32,
    },
    /// An SSD.
    Ssd {
        /// Kind of SSD, as index into the array's.
        ssd: u32,
    },
}

/// A kind of SSD.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SsdPlan {
    /// Capacity.
    pub bytes: u64,
    /// What it is made of: memory or flash.
    pub media: MediaPlan,
}

/// A cache.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum CachePlan {
    /// A fixed share of reads hits; writes are acknowledged from the cache.
    HitRate {
        /// Share of reads that find their data, in parts per million.
        read_hit_ppm: u32,
        /// Time to serve from the cache.
        access_ps: u64,
        /// Write data the cache may hold that is not on disk yet; a write beyond it waits. Without
        /// it, the cache writes through.
        dirty_limit_bytes: Option<NonZeroU64>,
    },
    /// A cache that knows which pages it holds.
    Pages {
        /// Bytes of a page.
        page_bytes: NonZeroU64,
        /// Pages it holds.
        pages: NonZeroU32,
        /// Time of an access.
        access_ps: u64,
        /// Reading ahead, if it does.
        prefetch: Option<PrefetchPlan>,
        /// Most that a destage takes along, in whole stripes; always one stripe at least.
        destage_bytes: u64,
        /// Whether writes are answered from the cache.
        write_back: bool,
        /// Pages that may wait for the disks.
        dirty_pages: u32,
        /// Dirty pages at which destaging ends.
        low_pages: u32,
        /// Dirty pages above which destaging begins.
        high_pages: u32,
        /// Destages under way at once.
        destages: NonZeroU32,
        /// Age at which dirty data are destaged. Without it, only the watermarks count.
        destage_age_ps: Option<u64>,
        /// Time without a command after which all dirty data are destaged. Without it, they stay.
        destage_rest_ps: Option<u64>,
        /// Copy of each write to the partner controller, if there is one.
        partner: Option<PartnerPlan>,
    },
}

/// Reading ahead for sequential readers.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PrefetchPlan {
    /// Number of sequential requests after which a reader is read ahead for.
    pub after: u32,
    /// Bytes read ahead.
    pub bytes: NonZeroU64,
    /// Whether it waits until the reader misses.
    pub on_miss: bool,
}

/// Copy of writes to the partner controller.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PartnerPlan {
    /// Time of each copy.
    pub latency_ps: u64,
    /// Rate of copies.
    pub bytes_per_s: NonZeroU64,
}

/// A RAID group.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GroupPlan {
    /// Name, such as `dev1.g1`.
    pub name: String,
    /// Level.
    pub level: LevelPlan,
    /// Disks or SSDs, as indices into the array's.
    pub disks: Vec<u32>,
    /// Bytes on one disk before the next.
    pub unit_bytes: NonZeroU64,
    /// Rows of units.
    pub rows: NonZeroU64,
    /// How parity is brought up to date.
    pub write: WriteStrategyPlan,
    /// Disks that fail.
    pub failing: Vec<FailingPlan>,
    /// Reconstructions, in the order in which they are done.
    pub rebuilds: Vec<RebuildPlan>,
}

/// RAID level.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LevelPlan {
    /// Stripes.
    Raid0,
    /// Mirrored pair.
    Raid1,
    /// Stripes of sectors with a parity disk; spindles turn in lock step.
    Raid3,
    /// Stripes with rotating parity.
    Raid5,
    /// Stripes with two rotating parities.
    Raid6,
    /// Stripes over mirrored pairs.
    Raid10,
}

impl LevelPlan {
    /// The number in the level's name.
    pub fn number(self) -> u32 {
        match self {
            Self::Raid0 => 0,
            Self::Raid1 => 1,
            Self::Raid3 => 3,
            Self::Raid5 => 5,
            Self::Raid6 => 6,
            Self::Raid10 => 10,
        }
    }
}

/// How parity is brought up to date where a stripe is not written whole.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WriteStrategyPlan {
    /// Whichever takes fewer operations.
    FewerOperations,
    /// Read old data and old parity.
    ReadModifyWrite,
    /// Read the data that stay.
    ReconstructWrite,
}

/// A disk of a group that fails.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FailingPlan {
    /// Its place in the group.
    pub slot: u32,
    /// When.
    pub at_ps: u64,
}

/// Reconstruction of a disk that fails.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RebuildPlan {
    /// The failed disk, as its place in the group.
    pub slot: u32,
    /// Disk that takes its place, as index into the array's.
    pub spare: u32,
    /// Time from the failure to the start; the start is later while another rebuild goes on.
    pub delay_ps: u64,
    /// Bytes of the disk rebuilt per second at most. Without it, the rebuild has no limit.
    pub bytes_per_s: Option<NonZeroU64>,
    /// Bytes rebuilt in one step.
    pub step_bytes: u64,
    /// Steps under way at once.
    pub steps: NonZeroU32,
}

/// Controllers that reach their disks over loops.
///
/// The path by loop `k` goes from the k-th of `initiators` to the k-th port of the disk. A disk uses
/// its paths in turn.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BackEndPlan {
    /// N_Ports of the controllers.
    pub initiators: Vec<u32>,
    /// N_Ports of each disk, one for each initiator.
    pub disks: Vec<Vec<u32>>,
}

/// A logical unit.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LunPlan {
    /// Name, such as `dev1.lun1`.
    pub name: String,
    /// SCSI logical unit number.
    pub number: u32,
    /// Capacity.
    pub bytes: u64,
    /// Commands its task set holds before it answers TASK SET FULL.
    pub queue_depth: NonZeroU32,
    /// The controller that owns it. Without one, every controller serves it.
    pub owner: Option<u32>,
    /// What holds its blocks.
    pub media: MediaPlan,
    /// Copy to another array.
    pub mirror: Option<MirrorPlan>,
    /// N_Ports of hosts that may use it. Without a list, all may.
    pub initiators: Option<Vec<u32>>,
}

/// What holds the blocks of a LUN.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum MediaPlan {
    /// A device with a service time that does not depend on the address.
    Memory {
        /// Mean service time.
        service_ps: u64,
        /// Distribution of the service time.
        distribution: Distribution,
        /// Half of the width of a uniform distribution around the mean, as a share of the mean. It
        /// applies where `distribution` is constant.
        spread: Ppm,
        /// Standard deviation as a share of the mean: a constant part and an exponential one. It applies
        /// where `distribution` is constant and `spread` is 0.
        variation: Ppm,
        /// Requests served at once.
        servers: NonZeroU32,
    },
    /// RAID 0 over disks.
    Stripe {
        /// Disks, as indices into the array's.
        disks: Vec<u32>,
        /// Where the LUN starts on each disk.
        start_bytes: u64,
        /// Bytes on one disk before the next.
        stripe_bytes: NonZeroU64,
        /// Unit in which the array addresses the disks.
        block_bytes: NonZeroU64,
    },
    /// A part of a RAID group.
    Raid {
        /// The group.
        group: u32,
        /// First byte of the group's data.
        start_bytes: u64,
    },
    /// A flash SSD of its own.
    Flash {
        /// Channels.
        channels: NonZeroU32,
        /// Dies on each channel.
        dies_per_channel: NonZeroU32,
        /// Bytes of a page.
        page_bytes: u64,
        /// Pages of a block.
        pages_per_block: u32,
        /// Time to read a page, on average.
        read_ps: u64,
        /// Standard deviation of that time as a share of it: a constant part and an exponential one.
        variation: Ppm,
        /// Time to program a page.
        program_ps: u64,
        /// Time to erase a block.
        erase_ps: u64,
        /// Rate of a channel.
        channel_bytes_per_s: NonZeroU64,
        /// Size of the write buffer.
        buffer_bytes: u64,
        /// Time added to every command.
        latency_ps: u64,
        /// Pages programmed for a million written.
        amplification_ppm: u64,
    },
    /// A RAM SSD of its own.
    Ram {
        /// Ports, each with a server of its own.
        ports: NonZeroU32,
        /// Service time of a command.
        command_ps: u64,
        /// Time from there to the answer.
        latency_ps: u64,
        /// Rate of a port.
        bytes_per_s: NonZeroU64,
        /// Distribution of the latency.
        distribution: Distribution,
    },
}

/// A share of at most the whole, in parts per million.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(try_from = "u32", into = "u32")]
pub struct Ppm(u32);

impl Ppm {
    /// The whole.
    pub const WHOLE: u32 = 1_000_000;

    /// The parts per million.
    pub fn get(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for Ppm {
    type Error = String;

    fn try_from(share: u32) -> Result<Self, Self::Error> {
        if share <= Self::WHOLE {
            Ok(Self(share))
        } else {
            Err(format!("{share} ppm is more than the whole"))
        }
    }
}

impl From<Ppm> for u32 {
    fn from(share: Ppm) -> Self {
        share.0
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Ppm {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Ppm".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "integer", "format": "uint32", "minimum": 0, "maximum": Self::WHOLE
        })
    }
}

/// Third-party copy of every write to a LUN of another array.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MirrorPlan {
    /// Array copied to.
    pub array: u32,
    /// Its LUN.
    pub lun: u32,
    /// N_Port the copies leave by, one of the source array's.
    pub source_n_port: u32,
    /// N_Port they go to, one of the other array's.
    pub target_n_port: u32,
    /// When the host's write is acknowledged.
    pub mode: MirrorModePlan,
    /// Copies in progress at once, at most.
    pub max_outstanding: NonZeroU32,
    /// The data of copies up to this length follow their command without an XFER_RDY, so that a copy needs
    /// one round trip.
    pub one_round_trip_bytes: u32,
    /// How it goes on when its journal was full. Without it, it stays suspended.
    pub resume: Option<ResumePlan>,
}

/// How a suspended mirror goes on.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ResumePlan {
    /// From the suspension to the resumption.
    pub after_ps: NonZeroU64,
    /// What is marked and copied as a whole.
    pub region_bytes: NonZeroU64,
    /// Highest rate at which marked regions are copied. Without it, nothing but `max_outstanding` limits it.
    pub bytes_per_s: Option<NonZeroU64>,
}

/// When a write to a mirrored LUN is acknowledged.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum MirrorModePlan {
    /// When its copy is done.
    Synchronous {},
    /// When its copy has begun.
    Asynchronous {},
    /// When it has room in a journal, from which it is copied.
    Journal {
        /// Bytes the journal holds.
        bytes: NonZeroU64,
        /// What a write does that finds no room.
        when_full: JournalFullPlan,
    },
}

/// What happens when the journal of a mirror is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum JournalFullPlan {
    /// The write waits for room.
    Wait,
    /// Nothing is copied any more.
    Suspend,
}

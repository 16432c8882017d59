//! The part of the plan that says what arrays are made of besides disks: RAID groups, a cache of
//! pages, back ends, solid-state media.

use serde::{Deserialize, Serialize};

/// A RAID group.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GroupPlan {
    /// `dev1.g1`.
    pub name: String,
    /// 0, 1, 3, 5, 6 or 10.
    pub level: u32,
    /// Its disks, as indices into the array's.
    pub disks: Vec<u32>,
    /// Bytes on one disk before the next.
    pub unit_bytes: u64,
    /// Rows of units.
    pub rows: u64,
    /// How parity is brought up to date.
    pub write: WriteStrategyPlan,
    /// Drives that fail.
    pub failing: Vec<FailingPlan>,
    /// Reconstructions, in the order in which they are done.
    pub rebuilds: Vec<RebuildPlan>,
}

/// How parity is brought up to date where a stripe is not written whole.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum WriteStrategyPlan {
    /// Whichever takes fewer operations.
    FewerOperations,
    /// Read old data and old parity.
    ReadModifyWrite,
    /// Read the data that stay.
    ReconstructWrite,
}

/// A drive that fails.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FailingPlan {
    /// Its place in the group.
    pub slot: u32,
    /// When.
    pub at_ps: u64,
}

/// Reconstruction of a drive that fails.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RebuildPlan {
    /// The drive, as its place in the group.
    pub slot: u32,
    /// Disk that takes its place, as index into the array's.
    pub spare: u32,
    /// From the failure to the start; later while another one goes on.
    pub delay_ps: u64,
    /// Bytes of the drive rebuilt per second at most; 0 has no limit.
    pub bytes_per_s: u64,
    /// Bytes rebuilt in one step.
    pub step_bytes: u64,
    /// Steps under way at once.
    pub steps: u32,
}

/// A cache of pages.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PageCachePlan {
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Pages it holds.
    pub pages: u32,
    /// Time of an access.
    pub access_ps: u64,
    /// A reader that has gone on where it ended so often is read ahead for.
    pub prefetch_after: u32,
    /// Bytes read ahead; 0 reads nothing ahead.
    pub prefetch_bytes: u64,
    /// Most of what a destage takes along, in whole stripes; one stripe where it is less.
    #[serde(default)]
    pub destage_bytes: u64,
    /// It does so when the reader misses, not before.
    #[serde(default)]
    pub prefetch_on_miss: bool,
    /// Writes are answered from the cache.
    pub write_back: bool,
    /// Pages that may wait for the disks.
    pub dirty_pages: u32,
    /// Destaging ends at so many.
    pub low_pages: u32,
    /// It begins above so many.
    pub high_pages: u32,
    /// Destages under way at once.
    pub destages: u32,
    /// Copy of a write to the partner controller: time for each.
    pub partner_ps: u64,
    /// Its rate; 0 has no partner.
    pub partner_bytes_per_s: u64,
}

/// Controllers that reach their disks over loops. The path by loop `k` goes from the k-th of
/// `initiators` to the k-th port of the disk; a disk uses its paths in turn.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BackEndPlan {
    /// N_Ports of the controllers.
    pub initiators: Vec<u32>,
    /// N_Ports of each disk, one for each initiator.
    pub disks: Vec<Vec<u32>>,
}

/// A flash SSD.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FlashPlan {
    /// Channels.
    pub channels: u32,
    /// Dies on each.
    pub dies_per_channel: u32,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Time to read a page.
    pub read_ps: u64,
    /// Time to program one.
    pub program_ps: u64,
    /// Time to erase a block.
    pub erase_ps: u64,
    /// Rate of a channel.
    pub channel_bytes_per_s: u64,
    /// Write buffer.
    pub buffer_bytes: u64,
    /// Added to every command.
    pub latency_ps: u64,
    /// Pages programmed for a million written.
    pub amplification_ppm: u64,
}

/// A RAM SSD.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RamPlan {
    /// Ports, each with a server of its own.
    pub ports: u32,
    /// Service of a command.
    pub command_ps: u64,
    /// From there to the answer.
    pub latency_ps: u64,
    /// Rate of a port.
    pub bytes_per_s: u64,
    /// Distribution of the latency.
    #[serde(default)]
    pub distribution: super::Distribution,
}

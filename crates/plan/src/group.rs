//! RAID groups, their failures and rebuilds.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

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

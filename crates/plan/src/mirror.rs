//! Copies of LUNs in other arrays.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

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

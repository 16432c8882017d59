//! Controllers of an array, and how they stand in for each other.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

use crate::faults::OutagePlan;

/// A controller of an array.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ControllerPlan {
    /// Name, such as `dev1.c0`; the array's where it has only one.
    pub name: String,
    /// Its front-end ports, among those of the array.
    pub n_ports: Vec<u32>,
    /// Processors that serve commands.
    pub processors: NonZeroU32,
    /// Times in which it has failed. Its ports are dark then because their links have the same outages.
    pub outages: Vec<OutagePlan>,
}

/// How the controllers of an array work together.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FailoverPlan {
    /// Time in which another controller takes the LUNs of one that failed, and in which it hands them
    /// back. Their commands wait meanwhile.
    pub takeover_ps: u64,
    /// Time from a controller's return to the beginning of the return of its LUNs. Without it, they stay.
    pub give_back_ps: Option<u64>,
    /// Time from the end of a takeover until hosts know the new states of their paths.
    pub told_ps: u64,
    /// Time a command takes from the controller it has come to, to the one that serves its LUN.
    pub forward_ps: u64,
    /// Rate at which its data pass between the two. Without it, they take no time.
    pub forward_bytes_per_s: Option<NonZeroU64>,
    /// Whether caches write through while no partner keeps a copy of their writes.
    pub writes_through_alone: bool,
}

impl FailoverPlan {
    /// Of an array with one controller: nothing takes time, because nothing is handed over.
    pub fn none() -> Self {
        Self {
            takeover_ps: 0,
            give_back_ps: None,
            told_ps: 0,
            forward_ps: 0,
            forward_bytes_per_s: None,
            writes_through_alone: false,
        }
    }
}

//! Limits of what an array serves for a LUN or a host.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

/// A limit of commands and data, as a token bucket: a command beyond it waits at the array.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ServiceLimitPlan {
    /// Name, such as `dev1.lun1` or `host1 at dev1`.
    pub name: String,
    /// Whose commands it counts.
    pub of: LimitedPlan,
    /// Commands per second. Without it, only data are limited.
    pub commands_per_s: Option<NonZeroU64>,
    /// Bytes per second. Without it, only commands are limited.
    pub bytes_per_s: Option<NonZeroU64>,
    /// Time whose tokens an unused bucket keeps, beyond those of one command.
    pub burst_ps: u64,
}

/// Whose commands a limit counts.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum LimitedPlan {
    /// Those for one LUN.
    Lun {
        /// The LUN, as index into the array's.
        lun: u32,
    },
    /// Those of one host.
    Host {
        /// Its N_Ports.
        initiators: Vec<u32>,
    },
}

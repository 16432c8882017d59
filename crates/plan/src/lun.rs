//! Logical units of an array.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::media::MediaPlan;
use crate::mirror::MirrorPlan;

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

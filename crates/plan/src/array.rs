//! Arrays: what their ports, controllers and disks have in common.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

use crate::cache::CachePlan;
use crate::controller::{ControllerPlan, FailoverPlan};
use crate::drive::DrivePlan;
use crate::group::GroupPlan;
use crate::lun::LunPlan;
use crate::media::{DiskPlan, SsdPlan};
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

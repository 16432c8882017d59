//! The plan: a resolved scenario as plain data in SI integers, with nothing left to look up.
//!
//! This crate declares every type of the plan once. The JSON schema in `schema/plan.schema.json` and
//! the classes in `python/sanlab/plan/schema.py` are generated from it by `tools/gen_plan.py`.
//!
//! Times are picoseconds, sizes bytes, rates bytes per second, shares parts per million. An id is the
//! index into the vector of that kind. The scenario compiler resolves every default, so no field has
//! one here. A limit that may be absent is an `Option` of a non-zero number; a choice is an enum whose
//! JSON form is an object with its variant as `kind`.

mod array;
mod cache;
mod controller;
mod drive;
mod error;
mod fabric;
mod faults;
mod group;
mod host;
mod job;
mod loops;
mod lun;
mod media;
mod mirror;
mod ppm;
mod qos;
mod rate;
mod service_limit;
mod services;

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

pub use array::*;
pub use cache::*;
pub use controller::*;
pub use drive::*;
pub use error::PlanError;
pub use fabric::*;
pub use faults::*;
pub use group::*;
pub use host::*;
pub use job::*;
pub use loops::*;
pub use lun::*;
pub use media::*;
pub use mirror::*;
pub use ppm::Ppm;
pub use qos::*;
pub use rate::*;
pub use service_limit::*;
pub use services::*;

/// Version of this format. A plan of another version is refused.
pub const FORMAT: u32 = 3;

/// Everything one simulation needs.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of the format of the plan.
    #[cfg_attr(feature = "schema", schemars(extend("const" = FORMAT)))]
    pub format: u32,
    /// Title of the scenario.
    pub title: String,
    /// Seed of every random stream. Streams are named, so a new component shifts no other's draws.
    pub seed: u64,
    /// Simulated time at which the run stops at the latest.
    pub end_ps: u64,
    /// Length of one bin of the time series. Without it, no time series is kept.
    pub interval_ps: Option<NonZeroU64>,
    /// Bytes of payload in a full FCP data frame (2048 or 2112).
    pub data_frame_bytes: u32,
    /// Ports of hosts and arrays.
    pub n_ports: Vec<NPortPlan>,
    /// Switches.
    pub switches: Vec<SwitchPlan>,
    /// Links. Each N_Port has exactly one link or one place on a loop.
    pub links: Vec<LinkPlan>,
    /// Arbitrated loops.
    pub loops: Vec<LoopPlan>,
    /// Faults of loops, in the order of time.
    pub loop_faults: Vec<LoopFaultPlan>,
    /// Faults of the fabric, and the timers of the standards.
    pub faults: FaultsPlan,
    /// Hosts.
    pub hosts: Vec<HostPlan>,
    /// Arrays.
    pub arrays: Vec<ArrayPlan>,
    /// Workloads, which jobs report under.
    pub workloads: Vec<WorkloadPlan>,
    /// Parts of the run whose figures are reported apart, in the order of time.
    pub phases: Vec<PhasePlan>,
    /// Streams of I/O; `numjobs` and groups are expanded.
    pub jobs: Vec<JobPlan>,
    /// File systems that jobs use.
    pub file_systems: Vec<FileSystemPlan>,
    /// Plain frames from N_Port to N_Port without a SCSI exchange above them.
    pub traffic: Vec<TrafficPlan>,
    /// Changes of quality of service, in the order of time.
    pub qos: Vec<QosPlan>,
    /// Whether an R_RDY waits for the frame that is being sent in its direction.
    pub r_rdy_waits: bool,
    /// Decisions of the fabric's services, and the logins they take part in.
    pub services: Option<ServicesPlan>,
}

impl Plan {
    /// Parse the JSON text of a plan.
    ///
    /// # Errors
    ///
    /// The text is not a plan; the error names the field that is missing, unknown or of the wrong type.
    pub fn from_json(text: &str) -> Result<Self, PlanError> {
        from_json(text)
    }

    /// How many workloads are an application's: they come first, before those of file systems.
    pub fn applications(&self) -> usize {
        let is_own = |workload: &&WorkloadPlan| workload.file_system.is_none();
        self.workloads.iter().filter(is_own).count()
    }
}

/// Parse a part of a plan, such as a [`DrivePlan`], from JSON text.
///
/// # Errors
///
/// As [`Plan::from_json`].
pub fn from_json<'a, Part: Deserialize<'a>>(text: &'a str) -> Result<Part, PlanError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let place = error.path().to_string();
        PlanError::new(place, error.into_inner().to_string())
    })
}

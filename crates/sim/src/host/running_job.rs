//! A job with what it runs on.

use sanlab_host::{Host, Job, Target, Volume};
use sanlab_kernel::{Id, IdVec, Instant};
use sanlab_metrics::IoTotals;

use super::file_system::FileSystem;
use super::path::HostDevice;
use crate::meters::WorkloadState;

/// A volume that a job is on.
pub(crate) struct JobVolume {
    /// Where its addresses are.
    pub(crate) map: Volume,
    /// LUNs that hold each of them.
    pub(crate) copies: u64,
}

/// A job with what it reports under.
pub(crate) struct RunningJob {
    pub(crate) job: Job,
    pub(crate) workload: Id<WorkloadState>,
    pub(crate) host: Id<Host>,
    /// LUNs it uses, as devices of its host.
    pub(crate) devices: IdVec<Target, Id<HostDevice>>,
    /// They are one volume.
    pub(crate) volume: Option<JobVolume>,
    /// The file system it is in.
    pub(crate) file_system: Option<Id<FileSystem>>,
    /// Its writes need blocks to be allocated.
    pub(crate) first_write: bool,
    /// When its host has the token of its file.
    pub(crate) token_at: Instant,
    /// Writes and reads, warm-up left out.
    pub(crate) totals: [IoTotals; 2],
}

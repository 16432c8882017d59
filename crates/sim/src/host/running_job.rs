//! A job with what it runs on.

use sanlab_host::{Job, Volume};
use sanlab_kernel::Picoseconds;
use sanlab_metrics::IoTotals;

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
    pub(crate) workload: u32,
    pub(crate) host: u32,
    /// LUNs it uses, as devices of its host.
    pub(crate) devices: Vec<u32>,
    /// They are one volume.
    pub(crate) volume: Option<JobVolume>,
    /// The file system it is in.
    pub(crate) file_system: Option<u32>,
    /// Its writes need blocks to be allocated.
    pub(crate) first_write: bool,
    /// When its host has the token of its file.
    pub(crate) token_at: Picoseconds,
    /// Writes and reads, warm-up left out.
    pub(crate) totals: [IoTotals; 2],
}

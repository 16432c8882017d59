//! A job with what it runs on.

use sanlab_fc::NPort;
use sanlab_host::{Host, Job, Target, Volume};
use sanlab_kernel::{Id, IdVec, Instant};
use sanlab_metrics::{Histogram, IoTotals};

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
///
/// In this order, and aligned to cache lines: what every request needs comes first.
#[repr(C, align(64))]
pub(crate) struct RunningJob {
    pub(crate) workload: Id<WorkloadState>,
    pub(crate) host: Id<Host>,
    /// The N_Port of its first path: whose turn it is at equal times. Kept here, as every event of a request
    /// asks for it.
    pub(crate) component: Id<NPort>,
    /// The file system it is in.
    pub(crate) file_system: Option<Id<FileSystem>>,
    /// Its writes need blocks to be allocated.
    pub(crate) first_write: bool,
    /// Other workloads wait for it, and it is not over.
    pub(crate) is_awaited: bool,
    /// It has not had as many requests open as it may yet.
    pub(crate) is_filling: bool,
    /// LUNs it uses, as devices of its host.
    pub(crate) devices: IdVec<Target, Id<HostDevice>>,
    /// Requests made so far, and when the last of them was.
    pub(crate) asked: u64,
    pub(crate) last_asked_at: Instant,
    /// What it asks for.
    pub(crate) job: Job,
    /// Its LUNs are one volume.
    pub(crate) volume: Option<Box<JobVolume>>,
    /// Of a timed replay: by how much requests went to the adapter later than they were recorded.
    pub(crate) drift: Option<Box<Histogram>>,
    /// Writes and reads, warm-up left out.
    pub(crate) totals: [IoTotals; 2],
    /// Of the I/Os that were open when the warm-up ended, and of those open at the end of the run: bytes
    /// that had arrived.
    pub(crate) open_at_first: [u64; 2],
    pub(crate) open_at_last: [u64; 2],
    /// When its host has the token of its file.
    pub(crate) token_at: Instant,
}

impl RunningJob {
    /// The adapter takes the first command of a request that was due then.
    pub(crate) fn note_drift(&mut self, now: Instant, due_at: Instant) {
        if let Some(drift) = &mut self.drift {
            drift.record(now.saturating_since(due_at));
        }
    }

    /// What most of its requests are.
    pub(crate) fn reads_most(&self) -> bool {
        self.job.settings.read_ppm >= 500_000
    }

    /// Bytes that arrived in the measured window, of writes or of reads. An I/O that failed after the
    /// window began may have counted before it.
    pub(crate) fn delivered(&self, direction: usize) -> u64 {
        let until_the_end = self.totals[direction].bytes + self.open_at_last[direction];
        until_the_end.saturating_sub(self.open_at_first[direction])
    }
}

//! Data of open requests that have arrived: what a span of time has carried besides the I/Os done in it.

use sanlab_kernel::{Id, IdVec};

use super::running_job::RunningJob;
use crate::meters::WorkloadState;

/// Bytes of open writes and reads that have arrived, as they were read last.
#[derive(Default)]
pub(crate) struct OpenBytes {
    of_jobs: IdVec<RunningJob, [u64; 2]>,
    /// Jobs that had open requests. Of many jobs most have none, and those are not looked at.
    jobs: Vec<Id<RunningJob>>,
}

impl OpenBytes {
    /// Nothing is open, for so many jobs.
    pub(super) fn clear(&mut self, jobs: usize) {
        if self.of_jobs.len() != jobs {
            self.of_jobs = IdVec::filled([0; 2], jobs);
        }
        for job in self.jobs.drain(..) {
            self.of_jobs[job] = [0; 2];
        }
    }

    /// So much of a request of this job has arrived.
    pub(super) fn add(&mut self, job: Id<RunningJob>, is_read: bool, bytes: u64) {
        if self.jobs.last() != Some(&job) {
            self.jobs.push(job);
        }
        self.of_jobs[job][usize::from(is_read)] += bytes;
    }

    /// All has been added. What a volume holds several times was written once.
    pub(super) fn finish(&mut self, jobs: &IdVec<RunningJob>) {
        self.jobs.sort_unstable();
        self.jobs.dedup();
        for &job in &self.jobs {
            let volume = jobs[job].volume.as_ref();
            self.of_jobs[job][0] /= volume.map_or(1, |volume| volume.copies);
        }
    }

    /// Of one job.
    pub(super) fn of_job(&self, job: Id<RunningJob>) -> [u64; 2] {
        self.of_jobs[job]
    }

    /// Of each of so many workloads.
    pub(super) fn of_workloads(
        &self,
        jobs: &IdVec<RunningJob>,
        workloads: usize,
    ) -> IdVec<WorkloadState, [u64; 2]> {
        let mut sums = IdVec::filled([0; 2], workloads);
        for &job in &self.jobs {
            let [written, read] = self.of_jobs[job];
            let sum: &mut [u64; 2] = &mut sums[jobs[job].workload];
            *sum = [sum[0] + written, sum[1] + read];
        }
        sums
    }
}

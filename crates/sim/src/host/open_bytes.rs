//! Data of open requests that have arrived: what a span of time has carried besides the I/Os done in it.

use sanlab_fc::ExchangeState;
use sanlab_kernel::{Id, IdVec, Instant};
use sanlab_scsi::{Exchanges, Status};

use super::request::OpenRequest;
use super::running_job::RunningJob;
use super::state::HostSide;
use crate::issuer::Tag;

/// For each job: bytes of its open writes and reads that have arrived.
pub(crate) type OpenBytes = IdVec<RunningJob, [u64; 2]>;

impl HostSide {
    /// Look at all open requests. A frame counts from the start of its last transmission.
    pub(crate) fn open_bytes(&self, fcp: &Exchanges<Tag>) -> OpenBytes {
        let mut open: OpenBytes = self.jobs.iter().map(|_| [0; 2]).collect();
        let mut add = |id: Id<OpenRequest>, bytes: u64| {
            let request = &self.requests[id];
            open[request.job][usize::from(request.is_read)] += bytes;
        };
        for id in self.requests.live() {
            add(id, self.requests[id].arrived);
        }
        for id in fcp.live() {
            let command = fcp.command(id);
            let moves =
                fcp.exchange(id).state == ExchangeState::Open && command.status == Status::Good;
            if let Tag::Host(request) = command.tag
                && moves
            {
                add(request, u64::from(command.arrived_bytes));
            }
        }
        for (job, [written, _]) in open.pairs_mut() {
            let volume = self.jobs[job].volume.as_ref();
            *written /= volume.map_or(1, |volume| volume.copies);
        }
        open
    }

    /// The warm-up of jobs ended then.
    pub(crate) fn begin_window(&mut self, began_at: Instant, open: &OpenBytes) {
        for (id, job) in self.jobs.pairs_mut() {
            if job.job.settings.counted_from == began_at {
                job.open_at_first = open[id];
            }
        }
    }

    /// The run ends.
    pub(crate) fn end_windows(&mut self, open: &OpenBytes) {
        for (id, job) in self.jobs.pairs_mut() {
            job.open_at_last = open[id];
        }
    }
}

//! What of open requests has arrived when an interval or a measured window begins or ends.

use sanlab_fc::ExchangeState;
use sanlab_kernel::{IdVec, Instant};
use sanlab_scsi::{Exchanges, Status};

use super::state::HostSide;
use crate::issuer::Tag;
use crate::meters::WorkloadState;

impl HostSide {
    /// Look at all open requests. A frame counts from the start of its last transmission.
    pub(crate) fn read_open_bytes(&mut self, fcp: &Exchanges<Tag>) {
        let open = &mut self.open_bytes;
        open.clear(self.jobs.len());
        for id in self.requests.live() {
            let request = &self.requests[id];
            // Of a backlog almost nothing has arrived.
            if request.arrived > 0 {
                open.add(request.job, request.is_read, request.arrived);
            }
        }
        for id in fcp.live() {
            let command = fcp.command(id);
            let moves =
                fcp.exchange(id).state == ExchangeState::Open && command.status == Status::Good;
            if let Tag::Host(request) = command.tag
                && moves
            {
                let request = &self.requests[request];
                let arrived = u64::from(command.arrived_bytes);
                open.add(request.job, request.is_read, arrived);
            }
        }
        open.finish(&self.jobs);
    }

    /// What was read last, of so many workloads.
    pub(crate) fn open_bytes_of(&self, workloads: usize) -> IdVec<WorkloadState, [u64; 2]> {
        self.open_bytes.of_workloads(&self.jobs, workloads)
    }

    /// The warm-up of jobs ended then, when the open bytes were read.
    pub(crate) fn begin_window(&mut self, began_at: Instant) {
        for (id, job) in self.jobs.pairs_mut() {
            if job.job.settings.counted_from == began_at {
                job.open_at_first = self.open_bytes.of_job(id);
            }
        }
    }

    /// The run ends, and the open bytes have been read.
    pub(crate) fn end_windows(&mut self) {
        for (id, job) in self.jobs.pairs_mut() {
            job.open_at_last = self.open_bytes.of_job(id);
        }
    }
}

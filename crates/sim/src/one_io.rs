//! The one I/O that a run is made for.

use sanlab_kernel::Id;

use crate::host::request::OpenRequest;
use crate::host::running_job::RunningJob;

/// An I/O of a run: the job that asks for it, and how many it has asked for before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoName {
    /// Job, as index into those of the plan.
    pub job: u32,
    /// Number among its requests, from 0.
    pub number: u64,
}

impl IoName {
    pub(crate) fn is_of(self, request: &OpenRequest) -> bool {
        request.job == Id::<RunningJob>::new(self.job) && request.number == self.number
    }
}

/// The I/O that is wanted, and the requests of it that have ended since the last step.
pub(crate) struct OneIo {
    wanted: IoName,
    pub(crate) ended: Vec<(Id<OpenRequest>, OpenRequest, bool)>,
}

impl OneIo {
    pub(crate) fn new(wanted: IoName) -> Self {
        Self {
            wanted,
            ended: Vec::new(),
        }
    }

    /// A request of an application, or a piece of one, has ended.
    pub(crate) fn on_end(&mut self, id: Id<OpenRequest>, request: &OpenRequest, is_good: bool) {
        if self.wanted.is_of(request) {
            self.ended.push((id, *request, is_good));
        }
    }
}

//! A file system: what allocates its blocks, and the jobs that write its log and metadata.

use sanlab_host::Job;
use sanlab_kernel::{Id, Span, Station};

use crate::plan::FileSystemPlan;

/// What is kept of a file system.
pub(crate) struct FileSystem {
    /// Allocates blocks, one request after the other.
    pub(crate) server: Station,
    /// Allocations so far.
    pub(crate) allocations: u64,
    pub(super) allocation: Span,
    pub(super) message: Span,
    /// Jobs that write its log and its metadata, and after how many allocations.
    pub(super) journals: Vec<(Id<Job>, u32)>,
}

impl FileSystem {
    pub(crate) fn new(plan: &FileSystemPlan) -> Self {
        Self {
            server: Station::new(1),
            allocations: 0,
            allocation: Span::from_ps(plan.allocation_ps),
            message: Span::from_ps(plan.message_ps),
            journals: Vec::new(),
        }
    }

    /// This job makes a request whenever there have been so many allocations.
    pub(crate) fn add_journal(&mut self, job: Id<Job>, every: u32) {
        self.journals.push((job, every));
    }
}

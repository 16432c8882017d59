//! Requests to files: tokens, the allocation of blocks at their first write, log and metadata.
//!
//! A host that shares a file system asks its metadata server for the token of a file before its first
//! request. A first write is allocated before it goes to the disks, one after the other: by the host
//! itself, or by the metadata server after a message. Each allocation leaves a record in the log; log
//! buffers and changed metadata are written when enough of them have come together, and no
//! application waits for those writes.

use sanlab_kernel::{Id, Instant, Stage};

use super::file_system::FileSystem;
use super::request::OpenRequest;
use super::running_job::RunningJob;
use crate::event::Event;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A job begins: its host asks for the token of the file.
    pub(crate) fn ask_token(&mut self, now: Instant, job: Id<RunningJob>) {
        let running = &self.host.jobs[job];
        let shared = running
            .file_system
            .filter(|_| !running.job.settings.is_on_demand);
        if let Some(file_system) = shared {
            let message = self.host.file_systems[file_system].message;
            self.host.jobs[job].token_at = now.saturating_add(message);
        }
    }

    /// A request to a file.
    pub(crate) fn enter_file_system(
        &mut self,
        now: Instant,
        file_system: Id<FileSystem>,
        request: Id<OpenRequest>,
    ) {
        let record = &self.host.requests[request];
        let (id, is_read) = (record.job, record.is_read);
        let job = &self.host.jobs[id];
        let goes_on_at = now.max(job.token_at);
        if job.first_write && !is_read {
            let asked_at = goes_on_at + self.host.file_systems[file_system].message;
            let event = Event::AllocationAsked(request);
            self.agenda
                .schedule(asked_at, self.host.component(id).number(), event);
        } else if goes_on_at > now {
            let event = Event::TokenGranted(request);
            self.agenda
                .schedule(goes_on_at, self.host.component(id).number(), event);
        } else {
            self.begin_request(now, request);
        }
    }

    pub(crate) fn on_token_granted(&mut self, now: Instant, request: Id<OpenRequest>) {
        self.host.requests[request]
            .timeline
            .until(now, Stage::FileSystem);
        self.begin_request(now, request);
    }

    /// A write waits its turn to be allocated.
    pub(crate) fn on_allocation_asked(&mut self, now: Instant, request: Id<OpenRequest>) {
        let job = self.host.requests[request].job;
        let Some(file_system) = self.host.jobs[job].file_system else {
            return;
        };
        let file_system = &mut self.host.file_systems[file_system];
        let service = file_system.allocation;
        let ends_at = file_system.server.arrive(now, service).ends_at;
        let component = self.host.component(job).number();
        self.agenda
            .schedule(ends_at, component, Event::Allocated(request));
    }

    pub(crate) fn on_allocated(&mut self, now: Instant, request: Id<OpenRequest>) {
        let record = &mut self.host.requests[request];
        record.timeline.until(now, Stage::FileSystem);
        if let Some(file_system) = self.host.jobs[record.job].file_system {
            self.log_allocation(now, file_system);
        }
        self.begin_request(now, request);
    }

    /// An allocation is made: what has come together is written.
    fn log_allocation(&mut self, now: Instant, file_system: Id<FileSystem>) {
        let state = &mut self.host.file_systems[file_system];
        state.server.leave(now);
        state.allocations += 1;
        let allocations = state.allocations;
        for number in 0..state.journals.len() {
            let (job, every) = self.host.file_systems[file_system].journals[number];
            let job = job.same();
            if allocations.is_multiple_of(u64::from(every)) {
                self.host.jobs[job].job.demand();
                self.pump_job(now, job);
            }
        }
    }
}

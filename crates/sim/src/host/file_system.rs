//! File systems: tokens, the allocation of blocks at their first write, log and metadata.
//!
//! A host that shares a file system asks its metadata server for the token of a file before its first
//! request. A first write is allocated before it goes to the disks, one after the other: by the host
//! itself, or by the metadata server after a message. Each allocation leaves a record in the log; log
//! buffers and changed metadata are written when enough of them have come together, and no
//! application waits for those writes.

use sanlab_kernel::{Picoseconds, Stage, Station};

use crate::event::Event;
use crate::plan::FileSystemPlan;
use crate::world::World;

/// What is kept of a file system.
pub(crate) struct FileSystem {
    /// Who allocates.
    pub(crate) server: Station,
    /// Allocations so far.
    pub(crate) allocations: u64,
    allocation: Picoseconds,
    message: Picoseconds,
    /// Jobs that write its log and its metadata, and after how many allocations.
    journals: Vec<(u32, u32)>,
}

impl FileSystem {
    pub(crate) fn new(plan: &FileSystemPlan) -> Self {
        Self {
            server: Station::new(1),
            allocations: 0,
            allocation: plan.allocation_ps,
            message: plan.message_ps,
            journals: Vec::new(),
        }
    }

    /// This job makes a request whenever there have been so many allocations.
    pub(crate) fn add_journal(&mut self, job: u32, every: u32) {
        self.journals.push((job, every));
    }
}

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A job begins: its host asks for the token of the file.
    pub(crate) fn ask_token(&mut self, now: Picoseconds, job: u32) {
        let running = &self.jobs[job as usize];
        let shares = running
            .file_system
            .filter(|_| !running.job.settings.is_on_demand);
        if let Some(of) = shares {
            let message = self.file_systems[of as usize].message;
            self.jobs[job as usize].token_at = now.saturating_add(message);
        }
    }

    /// A request to a file.
    pub(crate) fn enter_file_system(&mut self, now: Picoseconds, of: u32, request: u32) {
        let record = &self.requests[request];
        let (id, is_read) = (record.of, record.is_read);
        let job = &self.jobs[id as usize];
        let goes_on_at = now.max(job.token_at);
        if job.first_write && !is_read {
            let asked_at = goes_on_at + self.file_systems[of as usize].message;
            let event = Event::AllocationAsked(request);
            self.agenda.schedule(asked_at, self.component(id), event);
        } else if goes_on_at > now {
            let event = Event::TokenGranted(request);
            self.agenda.schedule(goes_on_at, self.component(id), event);
        } else {
            self.begin_request(now, request);
        }
    }

    pub(crate) fn on_token_granted(&mut self, now: Picoseconds, request: u32) {
        self.requests[request]
            .timeline
            .until(now, Stage::FileSystem);
        self.begin_request(now, request);
    }

    /// A write waits its turn to be allocated.
    pub(crate) fn on_allocation_asked(&mut self, now: Picoseconds, request: u32) {
        let job = self.requests[request].of;
        let Some(of) = self.jobs[job as usize].file_system else {
            return;
        };
        let file_system = &mut self.file_systems[of as usize];
        let ends_at = file_system
            .server
            .arrive(now, file_system.allocation)
            .ends_at;
        self.agenda
            .schedule(ends_at, self.component(job), Event::Allocated(request));
    }

    pub(crate) fn on_allocated(&mut self, now: Picoseconds, request: u32) {
        let record = &mut self.requests[request];
        record.timeline.until(now, Stage::FileSystem);
        if let Some(of) = self.jobs[record.of as usize].file_system {
            self.log_allocation(now, of);
        }
        self.begin_request(now, request);
    }

    /// An allocation is made: what has come together is written.
    fn log_allocation(&mut self, now: Picoseconds, of: u32) {
        let file_system = &mut self.file_systems[of as usize];
        file_system.server.leave(now);
        file_system.allocations += 1;
        let made = file_system.allocations;
        for number in 0..self.file_systems[of as usize].journals.len() {
            let (job, every) = self.file_systems[of as usize].journals[number];
            if made.is_multiple_of(u64::from(every)) {
                self.jobs[job as usize].job.demand();
                self.pump_job(now, job);
            }
        }
    }
}

//! From the job to the path: requests are made, and the processor takes them in.

use sanlab_host::Role;
use sanlab_kernel::{Id, Instant, Stage};

use super::request::OpenRequest;
use super::running_job::RunningJob;
use crate::event::Event;
use crate::outcome::Failure;
use crate::world::World;

/// Requests that may be open at once, in about 3 GB. An open loop that asks for more than is served
/// gets here sooner or later. The run stops with a clear error before the machine runs out of memory.
const MOST_OPEN: usize = 10_000_000;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    pub(crate) fn on_job_start(&mut self, now: Instant, job: Id<RunningJob>) {
        self.ask_token(now, job);
        let due_at = self.host.jobs[job].job.first_due(now);
        let is_paced = self.host.jobs[job].job.settings.pacing.is_some();
        match self.looks_at(job, due_at).filter(|_| is_paced) {
            Some(due_at) => {
                self.agenda.schedule(
                    due_at,
                    self.host.component(job).number(),
                    Event::JobDue(job),
                );
            }
            None => self.pump_job(now, job),
        }
    }

    pub(crate) fn on_job_due(&mut self, now: Instant, job: Id<RunningJob>) {
        if !self.host.jobs[job].job.on_due(now) {
            if self.host.jobs[job].is_awaited {
                self.note_end(now, job);
            }
            return;
        }
        let due_at = self.host.jobs[job].job.next_due(now);
        if let Some(next_at) = self.looks_at(job, due_at) {
            self.agenda.schedule(
                next_at,
                self.host.component(job).number(),
                Event::JobDue(job),
            );
        }
        self.pump_job(now, job);
    }

    pub(crate) fn on_slot_free(&mut self, now: Instant, job: Id<RunningJob>) {
        self.host.jobs[job].job.on_slot_free();
        self.pump_job(now, job);
    }

    /// Issue what the job may issue. A process makes its first requests one after the other, so that those
    /// of several processes come by turns: each waits until the processor has taken in the one before it.
    pub(crate) fn pump_job(&mut self, now: Instant, id: Id<RunningJob>) {
        loop {
            let Some(asked) = self.host.jobs[id].job.next_request(now) else {
                self.host.jobs[id].is_filling = false;
                break;
            };
            let job = &mut self.host.jobs[id];
            let number = job.asked;
            job.asked += 1;
            job.last_asked_at = now;
            let due_at = job.job.recorded_at();
            let (host, workload) = (job.host, job.workload);
            let device = job.devices[asked.target];
            let role = match job.volume {
                // On which LUNs a request is, is known piece by piece.
                Some(_) => Role::Split,
                None => self.host.hosts[host].block_layer.role_of(asked.bytes),
            };
            let file_system = job.file_system;
            let request = self.host.requests.insert(OpenRequest {
                target: asked.target,
                role,
                commands: u32::from(role == Role::Whole),
                reply_bytes: asked.reply_bytes,
                number,
                due_at,
                is_read: asked.is_read,
                address: asked.address,
                bytes: asked.bytes,
                ..OpenRequest::begin(id, device, now)
            });
            self.meters.workload(workload).begin(now, asked.is_read);
            let open = self.host.requests.alive();
            if open > MOST_OPEN {
                self.failure.get_or_insert(Failure::Overload {
                    workload,
                    open: open as u64,
                    now,
                });
                return;
            }
            let is_taken_in_later = match file_system {
                Some(file_system) => {
                    self.enter_file_system(now, file_system, request);
                    false
                }
                None => self.begin_request(now, request),
            };
            if is_taken_in_later && self.host.jobs[id].is_filling {
                break;
            }
        }
        if let Some(reason) = self.host.jobs[id].job.take_fault() {
            let workload = self.host.jobs[id].workload;
            self.failure
                .get_or_insert(Failure::Trace { workload, reason });
        }
        let wake_at = self.host.jobs[id].job.take_wake();
        if let Some(wake_at) = wake_at.and_then(|at| self.looks_at(id, Some(at))) {
            self.agenda.schedule(
                wake_at,
                self.host.component(id).number(),
                Event::JobWake(id),
            );
        }
        if self.host.jobs[id].is_awaited {
            self.note_end(now, id);
        }
    }

    /// The processor of the host takes a request in. Returns whether it does so later.
    pub(crate) fn begin_request(&mut self, now: Instant, request: Id<OpenRequest>) -> bool {
        let OpenRequest { job, role, .. } = self.host.requests[request];
        let host = self.host.jobs[job].host;
        if let Some(ends_at) = self.host.occupy_cpu(now, host, |costs| costs.submit(role)) {
            let component = self.host.component(job).number();
            self.agenda
                .schedule(ends_at, component, Event::CpuSubmitted(request));
            true
        } else {
            self.take_in(now, request);
            false
        }
    }

    /// The processor has taken a request in, or a piece of one.
    pub(crate) fn on_cpu_submitted(&mut self, now: Instant, request: Id<OpenRequest>) {
        let OpenRequest { job, role, .. } = self.host.requests[request];
        self.take_in(now, request);
        if role != Role::Piece && self.host.jobs[job].is_filling {
            self.pump_job(now, job);
        }
    }

    pub(super) fn take_in(&mut self, now: Instant, request: Id<OpenRequest>) {
        let record = &mut self.host.requests[request];
        record.timeline.until(now, Stage::HostCpu);
        match record.role {
            Role::Whole => self.assign(now, request),
            Role::Split => self.split(now, request),
            Role::Piece => self.on_piece_submitted(now, request),
        }
    }
}

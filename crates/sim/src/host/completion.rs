//! From the response back to the job: engine, interrupt, processor, application.

use sanlab_host::{CpuCosts, Role};
use sanlab_kernel::{Picoseconds, Stage};
use sanlab_scsi::Status;

use super::request::OpenRequest;
use crate::event::Event;
use crate::exchanges::steps::RETRY_AFTER;
use crate::issuer::IssuedCommand;
use crate::outcome::Failure;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// FCP_RSP has come to an adapter: the engine takes it in.
    pub(crate) fn on_host_response(
        &mut self,
        now: Picoseconds,
        response: &IssuedCommand,
        initiator: u32,
    ) {
        let request = &mut self.host.requests[response.tag.request];
        request.is_refused = response.status == Status::TaskSetFull;
        let adapter = self
            .host
            .route_of(&self.host.requests[response.tag.request])
            .adapter;
        let adapter = &mut self.host.adapters[adapter as usize];
        let out_at = adapter.work(now, adapter.complete);
        if out_at == now {
            self.on_engine_completed(now, response.tag.request);
        } else {
            let event = Event::EngineCompleted(response.tag.request);
            self.agenda.schedule(out_at, initiator, event);
        }
    }

    pub(crate) fn on_engine_completed(&mut self, now: Picoseconds, request: u32) {
        let record = &mut self.host.requests[request];
        record.timeline.until(now, Stage::Hba);
        let (job_id, queue) = (record.job, record.queue);
        let is_refused = record.is_refused;
        let device = record.device;
        let route = self.host.route_of(&self.host.requests[request]);
        let adapter_id = route.adapter;
        let adapter = &mut self.host.adapters[adapter_id as usize];
        if is_refused {
            let workload = self.host.jobs[job_id as usize].workload;
            self.meters.workload(workload).queue_full += 1;
            if adapter.on_task_set_full(queue, request) {
                let event = Event::RetryLun(adapter_id, queue);
                self.agenda
                    .schedule(now + RETRY_AFTER, adapter.n_port, event);
            }
        } else {
            adapter.on_complete(queue);
            if self.faults.is_armed() {
                self.note_answer(now, route.path, device);
            }
            self.post(now, adapter_id, request);
        }
        self.pump_adapter(now, adapter_id);
    }

    /// An answer is there for the host: an interrupt reports it, now or together with others.
    fn post(&mut self, now: Picoseconds, id: u32, request: u32) {
        let adapter = &mut self.host.adapters[id as usize];
        if adapter.interrupt_delay == 0 {
            adapter.interrupts += 1;
            self.tell_host(now, request, true);
            return;
        }
        adapter.posted.push(request);
        if adapter.posted.len() == 1 {
            let (n_port, at) = (adapter.n_port, now + adapter.interrupt_delay);
            self.agenda.schedule(at, n_port, Event::Interrupt(id));
        }
    }

    /// One interrupt for all answers that came since the first of them.
    pub(crate) fn on_interrupt(&mut self, now: Picoseconds, id: u32) {
        let adapter = &mut self.host.adapters[id as usize];
        adapter.interrupts += 1;
        let mut posted = std::mem::take(&mut adapter.posted);
        for (number, &request) in posted.iter().enumerate() {
            self.host.requests[request]
                .timeline
                .until(now, Stage::Interrupt);
            self.tell_host(now, request, number == 0);
        }
        posted.clear();
        self.host.adapters[id as usize].posted = posted;
    }

    /// The processor takes in an answer, with the interrupt where it is the first of several.
    fn tell_host(&mut self, now: Picoseconds, request: u32, is_first: bool) {
        let (job, role) = (
            self.host.requests[request].job,
            self.host.requests[request].role,
        );
        let host = self.host.jobs[job as usize].host;
        let cost = |costs: &CpuCosts| {
            if is_first {
                costs.complete(role)
            } else {
                costs.complete_too(role)
            }
        };
        if let Some(ends_at) = self.host.occupy_cpu(now, host, cost) {
            let component = self.host.component(job);
            self.agenda
                .schedule(ends_at, component, Event::CpuCompleted(request));
        } else {
            self.on_cpu_completed(now, request);
        }
    }

    /// The application has its answer: count it, and let the job go on.
    pub(crate) fn on_cpu_completed(&mut self, now: Picoseconds, request: u32) {
        let record = &mut self.host.requests[request];
        record.timeline.until(now, Stage::HostCpu);
        let record = *record;
        self.host.requests.remove(request);
        if record.role == Role::Piece {
            self.end_piece(now, &record, true);
        } else {
            self.finish(now, &record);
        }
    }

    /// A request of an application is done.
    fn finish(&mut self, now: Picoseconds, record: &OpenRequest) {
        let running = &mut self.host.jobs[record.job as usize];
        let is_counted = now >= running.job.settings.counted_from;
        let response = now - record.timeline.began_at;
        let direction = usize::from(record.is_read);
        if is_counted {
            running.totals[direction].add(record.bytes, response);
        }
        let workload = self.meters.workload(running.workload);
        workload.complete(now, response);
        let meter = &mut workload.meters[direction];
        meter.count_commands(record.commands, is_counted);
        meter.note_trouble(record.is_retried, &record.timeline, is_counted);
        if let Err(missing) = meter.record(now, record.bytes, &record.timeline, is_counted) {
            self.failure.get_or_insert(Failure::Stages {
                workload: running.workload,
                missing,
            });
        }
        self.network
            .fingerprint
            .add(now ^ u64::from(record.job) << 44 ^ response << 20);
        self.network.fingerprint.add(record.address);
        running.job.on_done(&record.asked());
        if running.job.settings.think > 0 {
            let back_at = now.saturating_add(running.job.settings.think);
            self.agenda.schedule(
                back_at,
                self.host.component(record.job),
                Event::JobSlotFree(record.job),
            );
        } else {
            self.on_slot_free(now, record.job);
        }
    }
}

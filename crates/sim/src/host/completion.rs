//! From the response back to the job: engine, interrupt, processor, application.

use sanlab_fc::NPort;
use sanlab_host::{Adapter, CpuCosts, Role};
use sanlab_kernel::{Id, Instant, Stage};
use sanlab_scsi::Status;

use super::request::OpenRequest;
use crate::event::Event;
use crate::exchanges::steps::RETRY_AFTER;
use crate::outcome::Failure;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// FCP_RSP has come to an adapter: the engine takes it in.
    pub(crate) fn on_host_response(
        &mut self,
        now: Instant,
        request: Id<OpenRequest>,
        status: Status,
        initiator: Id<NPort>,
    ) {
        let record = &mut self.host.requests[request];
        record.is_refused = status == Status::TaskSetFull;
        if !record.is_refused {
            record.arrived = record.bytes;
        }
        let (is_read, bytes, adapter) = (record.is_read, record.arrived, record.adapter);
        let step = self.host.adapters[adapter].complete;
        let taken_in = if is_read { bytes } else { 0 };
        let out_at = (self.host).engine_works(now, adapter, (step, taken_in), is_read);
        if out_at == now {
            self.on_engine_completed(now, request);
        } else {
            let event = Event::EngineCompleted(request);
            self.agenda.schedule(out_at, initiator.number(), event);
        }
    }

    pub(crate) fn on_engine_completed(&mut self, now: Instant, request: Id<OpenRequest>) {
        let record = &mut self.host.requests[request];
        record.timeline.until(now, Stage::Hba);
        let (job_id, queue, adapter_id) = (record.job, record.queue, record.adapter);
        let is_refused = record.is_refused;
        let adapter = &mut self.host.adapters[adapter_id];
        if is_refused {
            let workload = self.host.jobs[job_id].workload;
            self.meters.workload(workload).queue_full += 1;
            if adapter.on_task_set_full(queue, request.same()) {
                let event = Event::RetryLun(adapter_id, queue);
                self.agenda
                    .schedule(now + RETRY_AFTER, adapter.n_port.number(), event);
            }
        } else {
            adapter.on_complete(queue);
            if self.faults.is_armed() {
                let record = &self.host.requests[request];
                let path = self.host.route_of(record).path;
                self.note_answer(now, path, record.device);
            }
            self.post(now, adapter_id, request);
        }
        self.pump_adapter(now, adapter_id);
    }

    /// An answer is there for the host: an interrupt reports it, now or together with others.
    fn post(&mut self, now: Instant, id: Id<Adapter>, request: Id<OpenRequest>) {
        let adapter = &mut self.host.adapters[id];
        if adapter.interrupt_delay.is_zero() {
            adapter.interrupts += 1;
            self.tell_host(now, request, true);
            return;
        }
        adapter.posted.push(request.same());
        if adapter.posted.len() == 1 {
            let (n_port, at) = (adapter.n_port, now + adapter.interrupt_delay);
            self.agenda
                .schedule(at, n_port.number(), Event::Interrupt(id));
        }
    }

    /// One interrupt for all answers that came since the first of them.
    pub(crate) fn on_interrupt(&mut self, now: Instant, id: Id<Adapter>) {
        let adapter = &mut self.host.adapters[id];
        adapter.interrupts += 1;
        let mut posted = std::mem::take(&mut adapter.posted);
        for (number, &request) in posted.iter().enumerate() {
            let request = request.same();
            self.host.requests[request]
                .timeline
                .until(now, Stage::Interrupt);
            self.tell_host(now, request, number == 0);
        }
        posted.clear();
        self.host.adapters[id].posted = posted;
    }

    /// The processor takes in an answer, with the interrupt where it is the first of several.
    fn tell_host(&mut self, now: Instant, request: Id<OpenRequest>, is_first: bool) {
        let (job, role) = (
            self.host.requests[request].job,
            self.host.requests[request].role,
        );
        let host = self.host.jobs[job].host;
        let cost = |costs: &CpuCosts| {
            if is_first {
                costs.complete(role)
            } else {
                costs.complete_too(role)
            }
        };
        if let Some(ends_at) = self.host.occupy_cpu(now, host, cost) {
            let component = self.host.component(job).number();
            self.agenda
                .schedule(ends_at, component, Event::CpuCompleted(request));
        } else {
            self.on_cpu_completed(now, request);
        }
    }

    /// The application has its answer: count it, and let the job go on.
    pub(crate) fn on_cpu_completed(&mut self, now: Instant, request: Id<OpenRequest>) {
        let record = &mut self.host.requests[request];
        record.timeline.until(now, Stage::HostCpu);
        let record = *record;
        self.host.requests.remove(request);
        if let Some(ladder) = &mut self.ladder {
            ladder.on_end(request, &record, true);
        }
        if record.role == Role::Piece {
            self.end_piece(now, &record, true);
        } else {
            self.finish(now, &record);
        }
    }

    /// A request of an application is done.
    fn finish(&mut self, now: Instant, record: &OpenRequest) {
        let running = &mut self.host.jobs[record.job];
        let is_counted = now >= running.job.settings.counted_from;
        let response = now - record.timeline.began_at;
        let direction = usize::from(record.is_read);
        if is_counted {
            running.totals[direction].add(record.bytes, response);
            let slowest = &mut self.host.slowest[running.workload][direction];
            if slowest.takes(response) {
                slowest.keep(response, *record);
            }
        }
        let workload = self.meters.workload(running.workload);
        workload.complete(now, record.is_read, record.bytes, response);
        let meter = &mut workload.meters[direction];
        meter.count_commands(record.commands, is_counted);
        meter.note_trouble(record.is_retried, &record.timeline, is_counted);
        if let Err(missing) = meter.record(now, record.bytes, &record.timeline, is_counted) {
            self.failure.get_or_insert(Failure::Stages {
                workload: running.workload,
                missing,
            });
        }
        let job = u64::from(record.job.number());
        self.network
            .fingerprint
            .add(now.as_ps() ^ job << 44 ^ response.as_ps() << 20);
        self.network.fingerprint.add(record.address);
        running.job.on_done(&record.asked());
        if running.job.settings.think.is_zero() {
            self.on_slot_free(now, record.job);
        } else {
            let back_at = now.saturating_add(running.job.settings.think);
            let component = self.host.component(record.job).number();
            self.agenda
                .schedule(back_at, component, Event::JobSlotFree(record.job));
        }
    }
}

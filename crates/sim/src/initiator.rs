//! The host's side of a request, from the job to the wire and back.

use sanlab_fc::{Exchange, ExchangeState, FrameKind, RxIdKnown};
use sanlab_host::{CpuCosts, PathState, Role};
use sanlab_kernel::{NONE, Picoseconds, Stage};
use sanlab_scsi::{Command, FCP_CMND_BYTES, Status};

use crate::event::Event;
use crate::issuer::{Issuer, Tag};
use crate::outcome::Failure;
use crate::world::{Request, World};

/// A LUN or a mirror that accepted nothing is tried again after this long: one tick of a host's
/// clock at 1000 Hz. Uncertain; it matters only where a target refuses every command of a host.
const RETRY_AFTER: Picoseconds = 1_000_000_000;

/// Requests that may be open at once, in about 3 GB. An open loop that asks for more than is served
/// gets here sooner or later, and a clear end is better than that of the machine's memory.
const MOST_OPEN: usize = 10_000_000;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    pub(crate) fn on_job_start(&mut self, now: Picoseconds, job: u32) {
        self.ask_token(now, job);
        match self.jobs[job as usize].job.first_due(now) {
            Some(due_at) => {
                self.agenda
                    .schedule(due_at, self.component(job), Event::JobDue(job));
            }
            None => self.pump_job(now, job),
        }
    }

    pub(crate) fn on_job_due(&mut self, now: Picoseconds, job: u32) {
        if let Some(next_at) = self.jobs[job as usize].job.on_due(now) {
            self.agenda
                .schedule(next_at, self.component(job), Event::JobDue(job));
            self.pump_job(now, job);
        }
    }

    pub(crate) fn on_slot_free(&mut self, now: Picoseconds, job: u32) {
        self.jobs[job as usize].job.on_slot_free();
        self.pump_job(now, job);
    }

    /// Issue what the job may issue.
    pub(crate) fn pump_job(&mut self, now: Picoseconds, id: u32) {
        while let Some(asked) = self.jobs[id as usize].job.next_request(now) {
            let job = &self.jobs[id as usize];
            let (host, workload) = (job.host, job.workload);
            let device = job.devices[asked.target as usize];
            let role = match job.volume {
                // On which LUNs a request is, is known piece by piece.
                Some(_) => Role::Split,
                None => self.hosts[host as usize].block_layer.role_of(asked.bytes),
            };
            let file_system = job.file_system;
            let request = self.requests.insert(Request {
                target: asked.target,
                device,
                role,
                commands: u32::from(role == Role::Whole),
                reply_bytes: asked.reply_bytes,
                is_read: asked.is_read,
                address: asked.address,
                bytes: asked.bytes,
                ..Request::begin(Issuer::Host, id, now)
            });
            let state = &mut self.workloads[workload as usize];
            state.change_open(now, 1);
            state.asked += 1;
            let open = self.requests.alive();
            if open > MOST_OPEN {
                self.failure.get_or_insert(Failure::Overload {
                    workload,
                    open: open as u64,
                    now_ps: now,
                });
                return;
            }
            match file_system {
                Some(of) => self.enter_file_system(now, of, request),
                None => self.begin_request(now, request),
            }
        }
        if let Some(wake_at) = self.jobs[id as usize].job.take_wake() {
            self.agenda
                .schedule(wake_at, self.component(id), Event::JobWake(id));
        }
    }

    /// The processor of the host takes a request in.
    pub(crate) fn begin_request(&mut self, now: Picoseconds, request: u32) {
        let Request { of, role, .. } = self.requests[request];
        let host = self.jobs[of as usize].host;
        if let Some(ends_at) = self.occupy_cpu(now, host, |costs| costs.submit(role)) {
            self.agenda
                .schedule(ends_at, self.component(of), Event::CpuSubmitted(request));
        } else {
            self.on_cpu_submitted(now, request);
        }
    }

    pub(crate) fn on_cpu_submitted(&mut self, now: Picoseconds, request: u32) {
        let record = &mut self.requests[request];
        record.timeline.until(now, Stage::HostCpu);
        match record.role {
            Role::Whole => self.assign(now, request),
            Role::Split => self.split(now, request),
            Role::Piece => self.on_piece_submitted(now, request),
        }
    }

    /// Work for a host's processors, of this cost: when is it done? None where it costs nothing.
    pub(crate) fn occupy_cpu(
        &mut self,
        now: Picoseconds,
        host: u32,
        cost: impl Fn(&CpuCosts) -> Picoseconds,
    ) -> Option<Picoseconds> {
        let host = &mut self.hosts[host as usize];
        let cost = cost(&host.costs);
        (cost > 0).then(|| host.cpu.arrive(now, cost).ends_at)
    }

    /// Hand the engine what throttle and queue depths allow.
    pub(crate) fn pump_adapter(&mut self, now: Picoseconds, id: u32) {
        while let Some(request) = self.adapters[id as usize].next_command() {
            let adapter = &mut self.adapters[id as usize];
            let record = &mut self.requests[request];
            let waited = if record.is_recovering {
                Stage::Recovery
            } else if record.is_refused {
                Stage::TaskSet
            } else {
                Stage::LunQueue
            };
            record.timeline.until(now, waited);
            (record.is_refused, record.is_recovering) = (false, false);
            adapter.commands += 1;
            let out_at = adapter.work(now, adapter.submit);
            if out_at == now {
                self.on_engine_submitted(now, request);
            } else {
                let n_port = adapter.n_port;
                self.agenda
                    .schedule(out_at, n_port, Event::EngineSubmitted(request));
            }
        }
    }

    pub(crate) fn on_engine_submitted(&mut self, now: Picoseconds, request: u32) {
        let record = &mut self.requests[request];
        record.timeline.until(now, Stage::Hba);
        let route = self.route_of(&self.requests[request]);
        if self.paths[route.path as usize].state == PathState::Up {
            self.send_command(now, request);
        } else {
            self.try_again(now, request, false);
        }
    }

    /// Open an exchange and send FCP_CMND.
    pub(crate) fn send_command(&mut self, now: Picoseconds, request: u32) {
        let record = self.requests[request];
        let (initiator, target, device, lun, flow) = match record.owner {
            Issuer::Host => {
                let route = self.route_of(&record);
                let initiator = self.paths[route.path as usize].initiator;
                let workload = self.jobs[record.of as usize].workload;
                (
                    initiator,
                    route.target_n_port,
                    route.array,
                    route.lun,
                    workload,
                )
            }
            Issuer::Mirror => {
                self.requests[request].timeline.until(now, Stage::TaskSet);
                let lun = &self.arrays[record.of as usize].luns[record.queue as usize];
                let Some(mirror) = &lun.mirror else { return };
                let ports = (mirror.source_n_port, mirror.target_n_port);
                (ports.0, ports.1, mirror.array, mirror.lun, mirror.flow)
            }
            Issuer::BackEnd => {
                let Some(back_end) = &self.arrays[record.of as usize].back_end else {
                    return;
                };
                let path = record.target as usize;
                let port = back_end.disks[record.queue as usize][path];
                (back_end.initiators[path], port, NONE, 0, back_end.flow)
            }
        };
        let Some(ox_id) = self.exchange_ids[initiator as usize].take() else {
            self.failure
                .get_or_insert(Failure::ExchangeIds { n_port: initiator });
            return;
        };
        let exchange = Exchange {
            initiator,
            target,
            flow,
            ox_id,
            state: ExchangeState::Open,
            rx_id_known: RxIdKnown::ToNobody,
            opened_at: now,
            number: 0,
            credit_wait_before: 0,
        };
        let command = Command {
            tag: Tag {
                issuer: record.owner,
                request,
            },
            is_read: record.is_read,
            status: Status::Good,
            is_admitted: false,
            device,
            lun,
            address: record.address,
            bytes: u32::try_from(record.bytes).unwrap_or(u32::MAX),
            asked_bytes: 0,
            arrived_bytes: 0,
        };
        let exchange = self.open_exchange(exchange, command);
        if self.faults.is_armed {
            self.watch(now, exchange);
        }
        self.send(now, exchange, FrameKind::Command, 0, FCP_CMND_BYTES);
    }

    /// XFER_RDY: the target takes a burst from this offset.
    pub(crate) fn on_transfer_ready(&mut self, now: Picoseconds, id: u32, offset: u32) {
        let tag = self.exchanges.command(id).tag;
        if tag.issuer != Issuer::Host {
            self.send_data(now, id, offset);
            return;
        }
        let adapter = self.route_of(&self.requests[tag.request]).adapter;
        let adapter = &mut self.adapters[adapter as usize];
        let out_at = adapter.work(now, adapter.transfer);
        if out_at == now {
            self.send_data(now, id, offset);
        } else {
            let n_port = adapter.n_port;
            self.agenda
                .schedule(out_at, n_port, Event::TransferSubmitted(id, offset));
        }
    }

    /// The data of a burst from this offset, if its exchange has not been given up meanwhile.
    pub(crate) fn send_data(&mut self, now: Picoseconds, exchange: u32, offset: u32) {
        if self.exchanges.exchange(exchange).state != ExchangeState::Open {
            return;
        }
        self.tell(now, exchange, Stage::Hba);
        let burst = self.exchanges.command(exchange).asked_bytes - offset;
        self.send(now, exchange, FrameKind::Data, offset, burst);
    }

    pub(crate) fn on_response(&mut self, now: Picoseconds, exchange: u32) {
        let closed = *self.exchanges.command(exchange);
        let initiator = self.exchanges.exchange(exchange).initiator;
        let Tag { issuer, request } = closed.tag;
        if self.faults.is_armed && closed.is_spoilt() {
            self.on_spoilt(now, exchange);
            return;
        }
        self.close_exchange(exchange);
        let is_full = closed.status == Status::TaskSetFull;
        if issuer == Issuer::Mirror {
            if is_full {
                self.agenda
                    .schedule(now + RETRY_AFTER, initiator, Event::RetryCopy(request));
            } else {
                self.on_copy_done(now, request);
            }
            return;
        }
        if issuer == Issuer::BackEnd {
            self.on_disk_answered(now, request);
            return;
        }
        let record = &mut self.requests[request];
        record.is_refused = is_full;
        let adapter = self.route_of(&self.requests[request]).adapter;
        let adapter = &mut self.adapters[adapter as usize];
        let out_at = adapter.work(now, adapter.complete);
        if out_at == now {
            self.on_engine_completed(now, request);
        } else {
            let event = Event::EngineCompleted(request);
            self.agenda.schedule(out_at, initiator, event);
        }
    }

    pub(crate) fn on_engine_completed(&mut self, now: Picoseconds, request: u32) {
        let record = &mut self.requests[request];
        record.timeline.until(now, Stage::Hba);
        let (job_id, queue) = (record.of, record.queue);
        let is_refused = record.is_refused;
        let device = record.device;
        let route = self.route_of(&self.requests[request]);
        let adapter_id = route.adapter;
        let adapter = &mut self.adapters[adapter_id as usize];
        if is_refused {
            let workload = self.jobs[job_id as usize].workload;
            self.workloads[workload as usize].queue_full += 1;
            if adapter.on_task_set_full(queue, request) {
                let event = Event::RetryLun(adapter_id, queue);
                self.agenda
                    .schedule(now + RETRY_AFTER, adapter.n_port, event);
            }
        } else {
            adapter.on_complete(queue);
            if self.faults.is_armed {
                self.note_answer(now, route.path, device);
            }
            self.post(now, adapter_id, request);
        }
        self.pump_adapter(now, adapter_id);
    }

    /// An answer is there for the host: an interrupt tells of it, now or together with others.
    fn post(&mut self, now: Picoseconds, id: u32, request: u32) {
        let adapter = &mut self.adapters[id as usize];
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
        let adapter = &mut self.adapters[id as usize];
        adapter.interrupts += 1;
        let mut posted = std::mem::take(&mut adapter.posted);
        for (number, &request) in posted.iter().enumerate() {
            self.requests[request].timeline.until(now, Stage::Interrupt);
            self.tell_host(now, request, number == 0);
        }
        posted.clear();
        self.adapters[id as usize].posted = posted;
    }

    /// The processor takes in an answer, and the interrupt where it is the first it tells of.
    fn tell_host(&mut self, now: Picoseconds, request: u32, is_first: bool) {
        let (job, role) = (self.requests[request].of, self.requests[request].role);
        let host = self.jobs[job as usize].host;
        let cost = |costs: &CpuCosts| {
            if is_first {
                costs.complete(role)
            } else {
                costs.complete_too(role)
            }
        };
        if let Some(ends_at) = self.occupy_cpu(now, host, cost) {
            let component = self.component(job);
            self.agenda
                .schedule(ends_at, component, Event::CpuCompleted(request));
        } else {
            self.on_cpu_completed(now, request);
        }
    }

    pub(crate) fn on_retry_lun(&mut self, now: Picoseconds, adapter: u32, queue: u32) {
        self.adapters[adapter as usize].on_retry(queue);
        self.pump_adapter(now, adapter);
    }

    /// The application has its answer: count it, and let the job go on.
    pub(crate) fn on_cpu_completed(&mut self, now: Picoseconds, request: u32) {
        let record = &mut self.requests[request];
        record.timeline.until(now, Stage::HostCpu);
        record.is_alive = false;
        let record = *record;
        self.requests.remove(request);
        if record.role == Role::Piece {
            self.end_piece(now, &record, true);
        } else {
            self.finish(now, &record);
        }
    }

    /// A request of an application is done.
    fn finish(&mut self, now: Picoseconds, record: &Request) {
        let running = &mut self.jobs[record.of as usize];
        let is_counted = now >= running.job.settings.counted_from;
        let response = now - record.timeline.began_at;
        let direction = usize::from(record.is_read);
        if is_counted {
            running.totals[direction].add(record.bytes, response);
        }
        let workload = &mut self.workloads[running.workload as usize];
        workload.change_open(now, -1);
        workload.response_sum += u128::from(response);
        workload.last_completion_at = now;
        workload.done += 1;
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
            .add(now ^ u64::from(record.of) << 44 ^ response << 20);
        self.network.fingerprint.add(record.address);
        running.job.on_done(&record.asked());
        if running.job.settings.think > 0 {
            let back_at = now.saturating_add(running.job.settings.think);
            self.agenda.schedule(
                back_at,
                self.component(record.of),
                Event::JobSlotFree(record.of),
            );
        } else {
            self.on_slot_free(now, record.of);
        }
    }

    /// Whose turn it is at equal times: the N_Port the job works through.
    pub(crate) fn component(&self, job: u32) -> u32 {
        let first = self.jobs[job as usize].devices[0];
        let adapter = self.devices[first as usize].routes[0].adapter;
        self.adapters[adapter as usize].n_port
    }
}

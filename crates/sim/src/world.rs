//! All parts together, and what passes between them.

use sanlab_fabric::{Network, Probe, Start};
use sanlab_fc::{ExchangeIds, FCP_RSP_BYTES, FrameKind, Owner, ScsiStatus, Sequence, wire_bytes};
use sanlab_host::{Adapter, Host, Job};
use sanlab_kernel::{Agenda, Arena, NEVER, NONE, Picoseconds, Stage, Timeline, id_of};
use sanlab_metrics::{FrameLatencies, WorkloadMeter};
use sanlab_storage::{Array, DiskService};

use crate::event::Event;
use crate::outcome::Failure;
use crate::series::Series;

/// A request of a host, or a copy that an array makes of a write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) owner: Owner,
    /// Job, or array of the copied LUN.
    pub(crate) of: u32,
    /// LUN queue at the adapter, or the copied LUN.
    pub(crate) queue: u32,
    /// Of a copy: the array's task that waits for it; [`NONE`] when none does.
    pub(crate) task: u32,
    pub(crate) is_read: bool,
    pub(crate) is_alive: bool,
    /// It was refused with TASK SET FULL and has not been sent again.
    pub(crate) is_refused: bool,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) timeline: Timeline,
}

/// Work of an array on the blocks of one command, or on those its cache destages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    /// The command; [`NONE`] for a destage.
    pub(crate) exchange: u32,
    pub(crate) array: u32,
    pub(crate) lun: u32,
    pub(crate) is_read: bool,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// Disks that have not done their piece.
    pub(crate) pieces: u32,
    /// The piece that ends last.
    pub(crate) last: DiskService,
    /// The blocks are where a write leaves them.
    pub(crate) is_stored: bool,
    /// The copy, if there is one, lets the write be acknowledged.
    pub(crate) is_copied: bool,
}

/// A job with what it reports under.
pub(crate) struct RunningJob {
    pub(crate) job: Job,
    pub(crate) workload: u32,
    pub(crate) host: u32,
    pub(crate) adapter: u32,
    pub(crate) target_n_port: u32,
    pub(crate) array: u32,
    pub(crate) lun: u32,
    pub(crate) queue: u32,
    /// Writes and reads, warm-up left out.
    pub(crate) totals: [sanlab_metrics::IoTotals; 2],
}

/// What one workload has seen.
#[derive(Default)]
pub(crate) struct WorkloadState {
    /// Writes and reads.
    pub(crate) meters: [WorkloadMeter; 2],
    pub(crate) queue_full: u64,
    /// Requests done, warm-up included.
    pub(crate) done: u64,
    pub(crate) last_completion_at: Picoseconds,
    /// Requests open, integrated over time, and the response times that must add up to it.
    pub(crate) open: u64,
    pub(crate) open_area: u128,
    pub(crate) changed_at: Picoseconds,
    pub(crate) response_sum: u128,
}

/// Everything that moves.
pub(crate) struct World<const EVERY_EVENT: bool> {
    pub(crate) network: Network<EVERY_EVENT>,
    pub(crate) agenda: Agenda<Event>,
    pub(crate) hosts: Vec<Host>,
    pub(crate) adapters: Vec<Adapter>,
    pub(crate) jobs: Vec<RunningJob>,
    pub(crate) arrays: Vec<Array>,
    pub(crate) requests: Arena<Request>,
    pub(crate) tasks: Arena<Task>,
    /// Exchange ids of each N_Port.
    pub(crate) exchange_ids: Vec<ExchangeIds>,
    /// For each N_Port of an array its place among that array's.
    pub(crate) port_of_array: Vec<u32>,
    pub(crate) workloads: Vec<WorkloadState>,
    pub(crate) latencies: FrameLatencies,
    pub(crate) series: Series,
    pub(crate) data_frame_bytes: u32,
    pub(crate) exchanges_opened: u64,
    pub(crate) exchanges_closed: u64,
    pub(crate) events: u64,
    /// The last frame so far reaches its destination then.
    pub(crate) last_arrival_at: Picoseconds,
    pub(crate) failure: Option<Failure>,
}

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// When the next thing happens; [`NEVER`] when nothing does.
    #[inline]
    pub(crate) fn next_at(&self) -> Picoseconds {
        self.agenda.next_at().min(self.network.next_at())
    }

    /// The next thing is one that only the slow reference does: nothing is counted with it.
    #[inline]
    pub(crate) fn next_is_internal(&self) -> bool {
        self.network.next_is_internal() && self.network.next_at() < self.agenda.next_at()
    }

    /// The next thing happens, which is due `now`. At equal times the agenda goes first, so that the
    /// start of a frame sees everything that belongs to its instant. False for what only the slow
    /// reference does.
    #[inline]
    pub(crate) fn step(&mut self, now: Picoseconds, probe: &mut impl Probe) -> bool {
        if self.agenda.next_at() == now {
            if let Some((_, event)) = self.agenda.pop() {
                self.events += 1;
                self.dispatch(now, event);
            }
            return true;
        }
        let Some(start) = self.network.step(now, probe) else {
            return false;
        };
        self.on_start(now, start);
        true
    }

    fn dispatch(&mut self, now: Picoseconds, event: Event) {
        match event {
            Event::JobStart(job) => self.on_job_start(now, job),
            Event::JobDue(job) => self.on_job_due(now, job),
            Event::JobSlotFree(job) => self.on_slot_free(now, job),
            Event::CpuSubmitted(request) => self.on_cpu_submitted(now, request),
            Event::EngineSubmitted(request) => self.on_engine_submitted(now, request),
            Event::Arrived(frame) => self.on_arrived(now, frame),
            Event::EngineCompleted(request) => self.on_engine_completed(now, request),
            Event::CpuCompleted(request) => self.on_cpu_completed(now, request),
            Event::RetryLun(adapter, queue) => self.on_retry_lun(now, adapter, queue),
            Event::RetryCopy(request) => self.send_command(now, request),
            Event::CommandProcessed(exchange) => self.on_command_processed(now, exchange),
            Event::CacheServed(task) => self.on_cache_served(now, task),
            Event::PieceDone(task, disk) => self.on_piece_done(now, task, disk),
            Event::MediaServed(task) => self.on_media_served(now, task),
        }
    }

    /// A transmission has started: did a sequence end with it, did the frame arrive?
    #[inline(always)]
    fn on_start(&mut self, now: Picoseconds, start: Start) {
        if start.ends_sequence {
            self.on_sequence_sent(now, start.frame, start.fibre);
        }
        if start.arrives_at == NEVER {
            return;
        }
        self.last_arrival_at = self.last_arrival_at.max(start.arrives_at);
        let frame = &self.network.frames[start.frame];
        self.latencies.record(
            frame.flow,
            frame.payload_bytes,
            start.arrives_at - frame.sent_at,
            start.arrives_at - frame.framed_at,
        );
        if frame.kind == FrameKind::Plain {
            self.network.frames.remove(start.frame);
            return;
        }
        let exchange = &mut self.network.exchanges[frame.exchange];
        if frame.kind == FrameKind::Data {
            exchange.arrived_bytes += u32::from(frame.payload_bytes);
        }
        // Read data needs no event: the response follows it.
        if frame.is_last && !(frame.kind == FrameKind::Data && exchange.is_read) {
            self.agenda.schedule(
                start.arrives_at,
                frame.destination,
                Event::Arrived(start.frame),
            );
        } else {
            self.network.frames.remove(start.frame);
        }
    }

    /// The last frame of an information unit leaves: the time since it was queued is told.
    fn on_sequence_sent(&mut self, now: Picoseconds, frame: u32, fibre: u32) {
        let frame = self.network.frames[frame];
        let fibre = &self.network.fibres[fibre as usize];
        let exchange = &self.network.exchanges[frame.exchange];
        let credit_wait = fibre.counters.credit_wait - exchange.credit_wait_before;
        let before = match (frame.kind, frame.seq_cnt) {
            // Queued when the last frame of the data started: behind that one, which is its own.
            (FrameKind::Response, _) if exchange.is_read && exchange.status == ScsiStatus::Good => {
                fibre.slot(wire_bytes(self.last_frame_bytes(exchange.bytes)))
            }
            (_, 0) => 0,
            (_, earlier) => u64::from(earlier) * fibre.slot(wire_bytes(self.data_frame_bytes)),
        };
        let timeline = &mut self.requests[exchange.request].timeline;
        timeline.for_span(credit_wait, now, Stage::CreditWait);
        timeline.for_span(before, now, Stage::Wire);
        timeline.until(now, Stage::TxQueue);
        if frame.kind == FrameKind::Data && exchange.is_read {
            self.send(now, frame.exchange, FrameKind::Response, 0, FCP_RSP_BYTES);
        }
    }

    /// Payload of the last frame of so much data.
    fn last_frame_bytes(&self, bytes: u32) -> u32 {
        let full = self.data_frame_bytes;
        (bytes + full - 1) % full + 1
    }

    /// The last frame of an information unit has arrived.
    fn on_arrived(&mut self, now: Picoseconds, frame_id: u32) {
        let frame = self.network.frames[frame_id];
        self.network.frames.remove(frame_id);
        let request = self.network.exchanges[frame.exchange].request;
        let timeline = &mut self.requests[request].timeline;
        timeline.for_span(frame.credit_wait, now, Stage::CreditWait);
        timeline.for_span(frame.switch_wait, now, Stage::Switch);
        timeline.until(now, Stage::Wire);
        match frame.kind {
            FrameKind::Command => self.on_command(now, frame.exchange),
            FrameKind::TransferReady => self.on_transfer_ready(now, frame.exchange, frame.offset),
            FrameKind::Data => self.on_write_data(now, frame.exchange),
            FrameKind::Response => self.on_response(now, frame.exchange),
            FrameKind::Plain => {}
        }
    }

    /// Queue an information unit of an exchange at the N_Port whose turn it is.
    pub(crate) fn send(
        &mut self,
        now: Picoseconds,
        exchange_id: u32,
        kind: FrameKind,
        offset: u32,
        bytes: u32,
    ) {
        let exchange = &mut self.network.exchanges[exchange_id];
        let from_initiator = match kind {
            FrameKind::Command => true,
            FrameKind::Data => !exchange.is_read,
            _ => false,
        };
        let (source, destination) = if from_initiator {
            (exchange.initiator, exchange.target)
        } else {
            (exchange.target, exchange.initiator)
        };
        let sequence = Sequence {
            kind,
            exchange: exchange_id,
            flow: exchange.flow,
            destination,
            ox_id: exchange.ox_id,
            seq_id: 0,
            queued_at: now,
            offset,
            left_bytes: bytes,
            seq_cnt: 0,
        };
        let before = self.network.uplink(source).counters.credit_wait;
        self.network.exchanges[exchange_id].credit_wait_before = before;
        self.network.queue(source, sequence, now);
    }

    /// Time up to now belongs to this stage of the request of an exchange.
    #[inline]
    pub(crate) fn tell(&mut self, now: Picoseconds, exchange: u32, stage: Stage) {
        let request = self.network.exchanges[exchange].request;
        self.requests[request].timeline.until(now, stage);
    }

    /// The exchange is over; its id may be used again.
    pub(crate) fn close_exchange(&mut self, exchange: u32) {
        let closed = self.network.exchanges[exchange];
        let arrived_all = closed.arrived_bytes == closed.bytes;
        if closed.status == sanlab_fc::ScsiStatus::Good && !arrived_all {
            self.failure.get_or_insert(Failure::Bytes {
                exchange: closed.ox_id,
                expected: closed.bytes,
                arrived: closed.arrived_bytes,
            });
        }
        self.exchange_ids[closed.initiator as usize].give_back(closed.ox_id);
        self.network.exchanges.remove(exchange);
        self.exchanges_closed += 1;
    }

    /// I/Os done by hosts, warm-up included.
    pub(crate) fn ios(&self) -> u64 {
        self.workloads.iter().map(|workload| workload.done).sum()
    }

    /// Requests that are open, with the time each has lasted.
    pub(crate) fn open_requests(&self, now: Picoseconds) -> Vec<(u32, Picoseconds)> {
        let alive = (0..id_of(self.requests.peak())).map(|id| &self.requests[id]);
        alive
            .filter(|request| request.is_alive && request.owner == Owner::Host)
            .map(|request| {
                (
                    self.jobs[request.of as usize].workload,
                    now - request.timeline.began_at,
                )
            })
            .collect()
    }

    /// A new exchange for a request; its first information unit is FCP_CMND.
    pub(crate) fn open_exchange(&mut self, exchange: sanlab_fc::Exchange) -> u32 {
        self.exchanges_opened += 1;
        self.network.exchanges.insert(exchange)
    }

    /// A place for a task.
    pub(crate) fn new_task(&mut self, exchange: u32) -> u32 {
        let command = &self.network.exchanges[exchange];
        self.tasks.insert(Task {
            exchange,
            array: command.array,
            lun: command.lun,
            is_read: command.is_read,
            address: command.address,
            bytes: u64::from(command.bytes),
            pieces: 0,
            last: DiskService::default(),
            is_stored: false,
            is_copied: true,
        })
    }

    /// The task that a cached write leaves behind: the same blocks, no command.
    pub(crate) fn new_destage(&mut self, of: u32) -> u32 {
        let task = Task {
            exchange: NONE,
            pieces: 0,
            ..self.tasks[of]
        };
        self.tasks.insert(task)
    }
}

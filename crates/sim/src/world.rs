//! All parts together, and what passes between them.

use sanlab_fabric::{Fate, LoopFault, Network, Probe};
use sanlab_fc::ExchangeIds;
use sanlab_host::{Adapter, Host, Job, Role, Volume};
use sanlab_kernel::{Agenda, Arena, NONE, Picoseconds, Timeline};
use sanlab_metrics::FrameLatencies;
use sanlab_scsi::Exchanges;
use sanlab_storage::{Array, Operation};

use crate::event::Event;
use crate::faults::Faults;
use crate::file_system::FileSystem;
use crate::issuer::{Issuer, Tag};
use crate::outcome::Failure;
use crate::paths::{HostDevice, Path};
use crate::series::Series;
use crate::services::Services;
use crate::workload::WorkloadState;

/// A request of a host, or a copy that an array makes of a write.
#[derive(Clone, Copy, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts that do not exclude each other"
)]
pub(crate) struct Request {
    pub(crate) owner: Issuer,
    /// Job, or array of the copied LUN.
    pub(crate) of: u32,
    /// LUN queue at the adapter, or the copied LUN.
    pub(crate) queue: u32,
    /// Of a copy: the array's task that waits for it; [`sanlab_kernel::NONE`] when none does.
    pub(crate) task: u32,
    /// Which of its job's LUNs; 0 of a copy.
    pub(crate) target: u32,
    /// The LUN as its host sees it, and the path that it takes.
    pub(crate) device: u32,
    pub(crate) path: u32,
    /// Whether it is a command of its own, several, or one of several.
    pub(crate) role: Role,
    /// Of a piece: the request it is a part of; [`sanlab_kernel::NONE`] of all others.
    pub(crate) parent: u32,
    /// Of a request in pieces: those under way.
    pub(crate) pieces: u32,
    /// Commands it has taken.
    pub(crate) commands: u32,
    /// Of a request in pieces: those that failed; with any it fails itself.
    pub(crate) failed_pieces: u32,
    /// Size of the transfer that follows in the opposite direction; 0 makes none.
    pub(crate) reply_bytes: u32,
    pub(crate) is_read: bool,
    pub(crate) is_alive: bool,
    /// How often a command of it got no answer, or no good one.
    pub(crate) failures: u32,
    /// It was sent again after a fault.
    pub(crate) is_retried: bool,
    /// It waits for a fault to pass.
    pub(crate) is_recovering: bool,
    /// When it has failed: how long the application waits before it asks again.
    pub(crate) pause: Picoseconds,
    /// It was refused with TASK SET FULL and has not been sent again.
    pub(crate) is_refused: bool,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// Of a request in pieces: bytes of those issued, and how many may be as of now.
    pub(crate) issued: u64,
    pub(crate) may_be_issued: u64,
    pub(crate) timeline: Timeline,
}

impl Request {
    /// A request that begins now and is one command, with nothing said of what it is about.
    pub(crate) fn begin(owner: Issuer, of: u32, now: Picoseconds) -> Self {
        Self {
            owner,
            of,
            queue: 0,
            task: NONE,
            target: 0,
            device: NONE,
            path: 0,
            role: Role::Whole,
            parent: NONE,
            pieces: 0,
            commands: 1,
            failed_pieces: 0,
            reply_bytes: 0,
            is_read: false,
            is_alive: true,
            failures: 0,
            is_retried: false,
            is_recovering: false,
            pause: 0,
            is_refused: false,
            address: 0,
            bytes: 0,
            issued: 0,
            may_be_issued: 0,
            timeline: Timeline::begin(now),
        }
    }
}

impl Request {
    /// What the job asked for.
    pub(crate) fn asked(&self) -> sanlab_host::Request {
        sanlab_host::Request {
            is_read: self.is_read,
            target: self.target,
            address: self.address,
            bytes: self.bytes,
            reply_bytes: self.reply_bytes,
        }
    }
}

/// What a task is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A command.
    Command,
    /// A write that the simple cache has answered.
    Destage,
    /// Dirty pages.
    PageDestage,
    /// Reading ahead.
    Prefetch,
    /// A step of a rebuild: group and rebuild; `address` and `bytes` are its first and last row.
    Rebuild(u32, u32),
}

/// Where a task is on a RAID group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Reads, of a write or a rebuild.
    Reads,
    /// All it has: of a read its reads, else its writes.
    Last,
}

/// Work of an array on the blocks of one command, or on those its cache destages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    /// The command; [`sanlab_kernel::NONE`] for a destage.
    pub(crate) exchange: u32,
    pub(crate) array: u32,
    pub(crate) lun: u32,
    pub(crate) is_read: bool,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// Disk operations under way.
    pub(crate) pieces: u32,
    /// What it is for.
    pub(crate) purpose: Purpose,
    /// Where it is, on a RAID group.
    pub(crate) phase: Phase,
    /// Bytes of parity to be computed before the next phase.
    pub(crate) parity_bytes: u64,
    /// It came to the media.
    pub(crate) came_at: Picoseconds,
    /// The blocks are where a write leaves them.
    pub(crate) is_stored: bool,
    /// The copy, if there is one, lets the write be acknowledged.
    pub(crate) is_copied: bool,
}

/// A way to a LUN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    /// Path, of all.
    pub(crate) path: u32,
    pub(crate) adapter: u32,
    pub(crate) target_n_port: u32,
    pub(crate) array: u32,
    pub(crate) lun: u32,
    /// The LUN's queue at the adapter.
    pub(crate) queue: u32,
}

/// A volume that a job is on.
pub(crate) struct JobVolume {
    /// Where its addresses are.
    pub(crate) map: Volume,
    /// LUNs that hold each of them.
    pub(crate) copies: u64,
}

/// A job with what it reports under.
pub(crate) struct RunningJob {
    pub(crate) job: Job,
    pub(crate) workload: u32,
    pub(crate) host: u32,
    /// LUNs it uses, as devices of its host.
    pub(crate) devices: Vec<u32>,
    /// They are one volume.
    pub(crate) volume: Option<JobVolume>,
    /// The file system it is in.
    pub(crate) file_system: Option<u32>,
    /// Its writes need blocks to be allocated.
    pub(crate) first_write: bool,
    /// When its host has the token of its file.
    pub(crate) token_at: Picoseconds,
    /// Writes and reads, warm-up left out.
    pub(crate) totals: [sanlab_metrics::IoTotals; 2],
}

/// Everything that moves.
pub(crate) struct World<const EVERY_EVENT: bool> {
    pub(crate) network: Network<EVERY_EVENT>,
    /// Dialogues with the services of the fabric.
    pub(crate) services: Services,
    pub(crate) agenda: Agenda<Event>,
    pub(crate) hosts: Vec<Host>,
    pub(crate) adapters: Vec<Adapter>,
    pub(crate) jobs: Vec<RunningJob>,
    pub(crate) arrays: Vec<Array>,
    /// Exchanges between N_Ports, with their commands.
    pub(crate) exchanges: Exchanges<Tag>,
    pub(crate) requests: Arena<Request>,
    pub(crate) tasks: Arena<Task>,
    /// Disk operations of the task at hand.
    pub(crate) operations: Vec<Operation>,
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
    /// Loop and what happens to it.
    pub(crate) loop_faults: Vec<(u32, LoopFault)>,
    /// What allocates blocks of file systems.
    pub(crate) file_systems: Vec<FileSystem>,
    /// What goes wrong in the fabric.
    pub(crate) faults: Faults,
    /// Ways from adapters to ports of arrays, as hosts know them.
    pub(crate) paths: Vec<Path>,
    /// LUNs as hosts see them.
    pub(crate) devices: Vec<HostDevice>,
}

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// When the next thing happens; [`sanlab_kernel::NEVER`] when nothing does.
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
    #[inline(always)]
    pub(crate) fn step(
        &mut self,
        now: Picoseconds,
        probe: &mut impl Probe<Exchanges<Tag>>,
    ) -> bool {
        if self.agenda.next_at() == now {
            if let Some((_, event)) = self.agenda.pop() {
                self.events += 1;
                self.dispatch(now, event);
            }
            self.take_loop_frames(probe);
            return true;
        }
        let Some(start) = self.network.step(now, probe, &self.exchanges) else {
            return self.after_tenancy(probe);
        };
        self.on_start(now, start);
        true
    }

    /// No transmission started: false if only the slow reference has done something.
    #[inline(never)]
    fn after_tenancy(&mut self, probe: &mut impl Probe<Exchanges<Tag>>) -> bool {
        self.take_loop_frames(probe);
        self.network.is_tenancy_step
    }

    /// Frames that began on loops: what follows from one may send the next.
    #[inline(always)]
    fn take_loop_frames(&mut self, probe: &mut impl Probe<Exchanges<Tag>>) {
        while let Some((at, start)) = self.network.started_on_loop() {
            let frame = &self.network.frames[start.frame];
            probe.frame(
                start.fibre,
                frame,
                &self.exchanges,
                at,
                start.arrives_at,
                Fate::Whole,
            );
            self.on_start(at, start);
        }
    }

    fn dispatch(&mut self, now: Picoseconds, event: Event) {
        match event {
            Event::JobStart(job) => self.on_job_start(now, job),
            Event::JobDue(job) => self.on_job_due(now, job),
            Event::JobSlotFree(job) => self.on_slot_free(now, job),
            Event::JobWake(job) => self.pump_job(now, job),
            Event::TokenGranted(request) => self.on_token_granted(now, request),
            Event::AllocationAsked(request) => self.on_allocation_asked(now, request),
            Event::Allocated(request) => self.on_allocated(now, request),
            Event::CpuSubmitted(request) => self.on_cpu_submitted(now, request),
            Event::EngineSubmitted(request) => self.on_engine_submitted(now, request),
            Event::Arrived(frame) => self.on_arrived(now, frame),
            Event::EngineCompleted(request) => self.on_engine_completed(now, request),
            Event::TransferSubmitted(exchange, offset) => {
                self.send_data(now, exchange, offset);
            }
            Event::Interrupt(adapter) => self.on_interrupt(now, adapter),
            Event::CpuCompleted(request) => self.on_cpu_completed(now, request),
            Event::RetryLun(adapter, queue) => self.on_retry_lun(now, adapter, queue),
            Event::RetryCopy(request) => self.send_command(now, request),
            Event::CommandProcessed(exchange) => self.on_command_processed(now, exchange),
            Event::CacheServed(task) => self.on_cache_served(now, task),
            Event::DiskDue(array, disk) => self.on_disk_due(now, array, disk),
            Event::MediaServed(task) => self.on_media_served(now, task),
            Event::Fault(fault) => self.on_fault(now, fault),
            Event::Service(event) => self.on_service(now, event),
            Event::Recovery(step) => self.on_recovery(now, step),
            Event::Policy(policy) => self.network.apply_policy(policy, now),
            Event::DataDue(exchange, number, seen) => {
                self.on_data_due(now, exchange, number, seen);
            }
            Event::ParityDone(task) => self.on_parity_done(now, task),
            Event::PartnerCopied(task) => self.on_partner_copied(now, task),
            Event::DriveFails(array, group) => self.on_drive_fails(now, array, group),
            Event::RebuildDue(array, group, rebuild) => {
                self.on_rebuild_due(now, array, group, rebuild);
            }
        }
    }

    /// Close the intervals of the time series that have ended by now.
    pub(crate) fn close_series(&mut self, now: Picoseconds, at_end: bool) {
        self.series
            .close_until(now, at_end, &self.network, &mut self.workloads);
    }

    /// The way of a command of a host.
    #[inline]
    pub(crate) fn route_of(&self, request: &Request) -> Route {
        self.devices[request.device as usize].routes[request.path as usize]
    }

    /// I/Os done by hosts, warm-up included.
    pub(crate) fn ios(&self) -> u64 {
        self.workloads.iter().map(|workload| workload.done).sum()
    }

    /// Requests that are open, with the time each has lasted.
    pub(crate) fn open_requests(&self, now: Picoseconds) -> Vec<(u32, Picoseconds)> {
        let alive = self.requests.live().map(|id| &self.requests[id]);
        alive
            .filter(|request| request.owner == Issuer::Host)
            .filter(|request| request.role != Role::Piece)
            .map(|request| {
                (
                    self.jobs[request.of as usize].workload,
                    now - request.timeline.began_at,
                )
            })
            .collect()
    }
}

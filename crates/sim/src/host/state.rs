//! Hosts with all they have, and the requests that are open.

use sanlab_fc::NPort;
use sanlab_host::{Adapter, CpuCosts, Engine, Host, LunQueue, PathGroup, Role};
use sanlab_kernel::{Arena, Id, IdVec, Instant, Span, Timeline};
use sanlab_metrics::Slowest;

use super::file_system::FileSystem;
use super::open_bytes::OpenBytes;
use super::order::Order;
use super::path::{HostDevice, Path, Route};
use super::request::OpenRequest;
use super::running_job::RunningJob;
use crate::meters::WorkloadState;

/// Slowest I/Os that are kept of each workload, reads and writes apart.
const SLOWEST_KEPT: usize = 20;

/// The host's side of every command.
pub(crate) struct HostSide {
    pub(super) hosts: IdVec<Host>,
    pub(super) engines: IdVec<Engine>,
    pub(super) adapters: IdVec<Adapter>,
    pub(super) jobs: IdVec<RunningJob>,
    pub(super) file_systems: IdVec<FileSystem>,
    /// LUNs as hosts see them.
    pub(super) devices: IdVec<HostDevice>,
    /// From adapters to ports of arrays, as hosts know them.
    pub(super) paths: IdVec<Path>,
    pub(crate) requests: Arena<OpenRequest>,
    pub(super) open_bytes: OpenBytes,
    /// The slowest writes and reads, warm-up left out.
    pub(super) slowest: IdVec<WorkloadState, [Slowest<OpenRequest>; 2]>,
    pub(crate) order: Order,
}

/// What a host's side is made of.
#[derive(Default)]
pub(crate) struct HostParts {
    pub(crate) hosts: IdVec<Host>,
    pub(crate) engines: IdVec<Engine>,
    pub(crate) adapters: IdVec<Adapter>,
    pub(crate) jobs: IdVec<RunningJob>,
    pub(crate) file_systems: IdVec<FileSystem>,
    pub(crate) devices: IdVec<HostDevice>,
    pub(crate) paths: IdVec<Path>,
    pub(crate) order: Order,
}

impl HostSide {
    pub(crate) fn new(parts: HostParts, workloads: usize) -> Self {
        let slowest = [Slowest::new(SLOWEST_KEPT), Slowest::new(SLOWEST_KEPT)];
        Self {
            hosts: parts.hosts,
            engines: parts.engines,
            adapters: parts.adapters,
            jobs: parts.jobs,
            file_systems: parts.file_systems,
            devices: parts.devices,
            paths: parts.paths,
            requests: Arena::default(),
            open_bytes: OpenBytes::default(),
            slowest: IdVec::filled(slowest, workloads),
            order: parts.order,
        }
    }

    pub(crate) fn hosts_mut(&mut self) -> &mut IdVec<Host> {
        &mut self.hosts
    }

    pub(crate) fn adapters_mut(&mut self) -> &mut IdVec<Adapter> {
        &mut self.adapters
    }

    pub(crate) fn engines_mut(&mut self) -> &mut IdVec<Engine> {
        &mut self.engines
    }

    pub(crate) fn file_systems_mut(&mut self) -> &mut IdVec<FileSystem> {
        &mut self.file_systems
    }

    pub(crate) fn slowest(&self) -> &IdVec<WorkloadState, [Slowest<OpenRequest>; 2]> {
        &self.slowest
    }

    pub(crate) fn jobs(&self) -> &IdVec<RunningJob> {
        &self.jobs
    }

    pub(crate) fn paths(&self) -> &IdVec<Path> {
        &self.paths
    }

    pub(crate) fn devices(&self) -> &IdVec<HostDevice> {
        &self.devices
    }

    /// Time line of an open request.
    #[inline]
    pub(crate) fn timeline(&mut self, request: Id<OpenRequest>) -> &mut Timeline {
        &mut self.requests[request].timeline
    }

    /// Initiators of all paths that a job may use, each once.
    pub(crate) fn initiators_of(&self, job: Id<RunningJob>) -> Vec<Id<NPort>> {
        let devices = self.jobs[job].devices.iter();
        let routes = devices.flat_map(|&device| &self.devices[device].routes);
        let paths = routes.map(|route| &self.paths[route.path]);
        let mut initiators: Vec<Id<NPort>> = paths.map(|path| path.initiator).collect();
        initiators.sort_unstable();
        initiators.dedup();
        initiators
    }

    /// The path of a command.
    #[inline]
    pub(crate) fn route_of(&self, request: &OpenRequest) -> Route {
        self.devices[request.device].routes[request.path]
    }

    /// Whose turn it is at equal times: the N_Port the job works through.
    pub(crate) fn component(&self, job: Id<RunningJob>) -> Id<NPort> {
        self.jobs[job].component
    }

    /// A step of a request takes this time of an adapter's engine, and moves so many bytes through it: when
    /// does it show outside the card?
    #[inline]
    pub(super) fn engine_works(
        &mut self,
        now: Instant,
        adapter: Id<Adapter>,
        (step, bytes): (Span, u64),
        is_read: bool,
    ) -> Instant {
        let adapter = &self.adapters[adapter];
        let engine = &mut self.engines[adapter.engine];
        engine.work(now, step, bytes, is_read) + adapter.latency
    }

    /// Work for a host's processors, of this cost: when is it done? `None` if it costs nothing.
    pub(super) fn occupy_cpu(
        &mut self,
        now: Instant,
        host: Id<Host>,
        cost: impl Fn(&CpuCosts) -> Span,
    ) -> Option<Instant> {
        let host = &mut self.hosts[host];
        let cost = cost(&host.costs);
        (!cost.is_zero()).then(|| host.cpu.arrive(now, cost).ends_at)
    }

    pub(super) fn best_group(&self, device: Id<HostDevice>) -> Option<Id<PathGroup>> {
        let HostDevice { device, routes, .. } = &self.devices[device];
        device.best_group(|path| self.paths[routes[path].path].state)
    }

    /// LUN queues of a path.
    pub(super) fn queues_of(&self, id: Id<Path>) -> Vec<(Id<Adapter>, Id<LunQueue>)> {
        let devices = self.paths[id].devices.iter();
        let routes = devices.flat_map(|&device| &self.devices[device].routes);
        let mut queues: Vec<_> = routes
            .filter(|route| route.path == id)
            .map(|route| (route.adapter, route.queue))
            .collect();
        queues.sort_unstable();
        queues.dedup();
        queues
    }

    /// Requests that are open: whether they read, and the time each has lasted.
    pub(crate) fn open_requests(&self, now: Instant) -> Vec<(Id<WorkloadState>, bool, Span)> {
        let alive = self.requests.live().map(|id| &self.requests[id]);
        alive
            .filter(|request| request.role != Role::Piece)
            .map(|request| {
                (
                    self.jobs[request.job].workload,
                    request.is_read,
                    now - request.timeline.began_at,
                )
            })
            .collect()
    }
}

//! Hosts with all they have, and the requests that are open.

use sanlab_host::{Adapter, CpuCosts, Host, Role};
use sanlab_kernel::{Arena, Picoseconds, Timeline};

use super::file_system::FileSystem;
use super::path::{HostDevice, Path, Route};
use super::request::OpenRequest;
use super::running_job::RunningJob;

/// The host's side of every command.
pub(crate) struct HostSide {
    pub(super) hosts: Vec<Host>,
    pub(super) adapters: Vec<Adapter>,
    pub(super) jobs: Vec<RunningJob>,
    pub(super) file_systems: Vec<FileSystem>,
    /// LUNs as hosts see them.
    pub(super) devices: Vec<HostDevice>,
    /// From adapters to ports of arrays, as hosts know them.
    pub(super) paths: Vec<Path>,
    pub(super) requests: Arena<OpenRequest>,
}

/// What a host's side is made of.
#[derive(Default)]
pub(crate) struct HostParts {
    pub(crate) hosts: Vec<Host>,
    pub(crate) adapters: Vec<Adapter>,
    pub(crate) jobs: Vec<RunningJob>,
    pub(crate) file_systems: Vec<FileSystem>,
    pub(crate) devices: Vec<HostDevice>,
    pub(crate) paths: Vec<Path>,
}

impl HostSide {
    pub(crate) fn new(parts: HostParts) -> Self {
        Self {
            hosts: parts.hosts,
            adapters: parts.adapters,
            jobs: parts.jobs,
            file_systems: parts.file_systems,
            devices: parts.devices,
            paths: parts.paths,
            requests: Arena::default(),
        }
    }

    pub(crate) fn hosts_mut(&mut self) -> &mut [Host] {
        &mut self.hosts
    }

    pub(crate) fn adapters_mut(&mut self) -> &mut [Adapter] {
        &mut self.adapters
    }

    pub(crate) fn file_systems_mut(&mut self) -> &mut [FileSystem] {
        &mut self.file_systems
    }

    pub(crate) fn jobs(&self) -> &[RunningJob] {
        &self.jobs
    }

    pub(crate) fn paths(&self) -> &[Path] {
        &self.paths
    }

    pub(crate) fn devices(&self) -> &[HostDevice] {
        &self.devices
    }

    /// Time line of an open request.
    #[inline]
    pub(crate) fn timeline(&mut self, request: u32) -> &mut Timeline {
        &mut self.requests[request].timeline
    }

    /// Initiators of all paths that a job may use, each once.
    pub(crate) fn initiators_of(&self, job: u32) -> Vec<u32> {
        let devices = self.jobs[job as usize].devices.iter();
        let routes = devices.flat_map(|&device| &self.devices[device as usize].routes);
        let paths = routes.map(|route| &self.paths[route.path as usize]);
        let mut initiators: Vec<u32> = paths.map(|path| path.initiator).collect();
        initiators.sort_unstable();
        initiators.dedup();
        initiators
    }

    /// The path of a command.
    #[inline]
    pub(super) fn route_of(&self, request: &OpenRequest) -> Route {
        self.devices[request.device as usize].routes[request.path as usize]
    }

    /// Whose turn it is at equal times: the N_Port the job works through.
    pub(crate) fn component(&self, job: u32) -> u32 {
        let first = self.jobs[job as usize].devices[0];
        let adapter = self.devices[first as usize].routes[0].adapter;
        self.adapters[adapter as usize].n_port
    }

    /// Work for a host's processors, of this cost: when is it done? `None` if it costs nothing.
    pub(super) fn occupy_cpu(
        &mut self,
        now: Picoseconds,
        host: u32,
        cost: impl Fn(&CpuCosts) -> Picoseconds,
    ) -> Option<Picoseconds> {
        let host = &mut self.hosts[host as usize];
        let cost = cost(&host.costs);
        (cost > 0).then(|| host.cpu.arrive(now, cost).ends_at)
    }

    pub(super) fn best_group(&self, device: u32) -> Option<u32> {
        let HostDevice { device, routes, .. } = &self.devices[device as usize];
        device.best_group(|place| self.paths[routes[place].path as usize].state)
    }

    /// LUN queues of a path.
    pub(super) fn queues_of(&self, id: u32) -> Vec<(u32, u32)> {
        let devices = self.paths[id as usize].devices.iter();
        let routes = devices.flat_map(|&device| &self.devices[device as usize].routes);
        let mut queues: Vec<_> = routes
            .filter(|route| route.path == id)
            .map(|route| (route.adapter, route.queue))
            .collect();
        queues.sort_unstable();
        queues.dedup();
        queues
    }

    /// Requests that are open, with the time each has lasted.
    pub(crate) fn open_requests(&self, now: Picoseconds) -> Vec<(u32, Picoseconds)> {
        let alive = self.requests.live().map(|id| &self.requests[id]);
        alive
            .filter(|request| request.role != Role::Piece)
            .map(|request| {
                (
                    self.jobs[request.job as usize].workload,
                    now - request.timeline.began_at,
                )
            })
            .collect()
    }
}

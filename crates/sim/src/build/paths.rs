//! LUNs as hosts see them, and the paths to them.

use std::collections::BTreeMap;

use sanlab_fc::NPort;
use sanlab_host::{
    Adapter, Device, DevicePath, Multipath, NoPath, PathGroup, PathState, Spreading,
};
use sanlab_kernel::{Id, IdVec, Instant, Span};
use sanlab_storage::Lun;

use crate::host::path::{HostDevice, Path, Route};
use crate::host::state::HostParts;
use crate::plan::{JobPlan, MultipathPlan, PathPlan, Plan, SpreadingPlan, TargetPlan};

/// Group, path and LUN of a route: a device is known by those of all its routes.
type RouteKey = (Id<PathGroup>, Id<Path>, Id<Lun>);

/// Adapter, initiator and target.
type PathKey = (Id<Adapter>, Id<NPort>, Id<NPort>);

/// Devices and paths that are there already, so that jobs of one host share them.
#[derive(Default)]
pub(super) struct Devices {
    devices: BTreeMap<Vec<RouteKey>, Id<HostDevice>>,
    paths: BTreeMap<PathKey, Id<Path>>,
}

impl Devices {
    /// The device for one LUN of a job: one that its host has already, or a new one.
    pub(super) fn device_of(
        &mut self,
        parts: &mut HostParts,
        plan: &Plan,
        job: &JobPlan,
        target: &TargetPlan,
    ) -> Id<HostDevice> {
        let routes: IdVec<DevicePath, Route> = (target.paths.iter())
            .map(|path| self.route_of(parts, job, path, target))
            .collect();
        let groups = target.paths.iter().map(|path| Id::new(path.group));
        let groups: IdVec<DevicePath, Id<PathGroup>> = groups.collect();
        let key = (routes.iter().zip(&groups))
            .map(|(route, &group)| (group, route.path, route.lun))
            .collect();
        let next = parts.devices.next_id();
        let id = *self.devices.entry(key).or_insert(next);
        if id != next {
            return id;
        }
        for route in &routes {
            parts.paths[route.path].devices.push(id);
        }
        let multipath = plan.hosts[job.host as usize]
            .multipath
            .filter(|_| routes.len() > 1);
        parts.devices.push(HostDevice {
            device: Device::new(groups, multipath.as_ref().map(multipath_of)),
            routes,
            checker: multipath.map_or(Span::ZERO, |of| Span::from_ps(of.checker_ps)),
        });
        id
    }

    fn route_of(
        &mut self,
        parts: &mut HostParts,
        job: &JobPlan,
        path: &PathPlan,
        target: &TargetPlan,
    ) -> Route {
        let id = parts.hosts[Id::new(job.host)].adapters[path.adapter as usize];
        let adapter = &mut parts.adapters[id];
        let initiator: Id<NPort> = job.initiator.map_or(adapter.n_port.same(), Id::new);
        let target_n_port: Id<NPort> = Id::new(path.target_n_port);
        let ports = (initiator.same(), target_n_port.same());
        let (array, lun) = (Id::new(target.array), Id::new(target.lun));
        let queue = adapter.lun_queue(ports, array, lun);
        let next = parts.paths.next_id();
        let key = (id, initiator, target_n_port);
        let path_id = *self.paths.entry(key).or_insert(next);
        if path_id == next {
            parts.paths.push(Path {
                adapter: id,
                initiator,
                target: target_n_port,
                state: PathState::Up,
                is_usable: true,
                ready_at: Instant::START,
                changes: 0,
                lost_first: None,
                lost_at: Instant::START,
                lost_for: Span::ZERO,
                losses: 0,
                answers: 0,
                displaced: Vec::new(),
                replaced_at: None,
                devices: Vec::new(),
            });
        }
        Route {
            path: path_id,
            adapter: id,
            target_n_port,
            array: array.same(),
            lun: lun.same(),
            queue,
        }
    }
}

fn multipath_of(plan: &MultipathPlan) -> Multipath {
    Multipath {
        spreading: match plan.spreading {
            SpreadingPlan::RoundRobin { ios } => Spreading::RoundRobin(ios.get()),
            SpreadingPlan::LeastQueue {} => Spreading::LeastQueue,
            SpreadingPlan::OnePath {} => Spreading::OnePath,
        },
        no_path: if plan.queues_without_path {
            NoPath::Queue
        } else {
            NoPath::Fail
        },
        failback: plan.failback_ps.map(Span::from_ps),
    }
}

//! LUNs as hosts see them, and the paths to them.

use std::collections::BTreeMap;

use sanlab_host::{Device, Multipath, NoPath, PathState, Spreading};
use sanlab_kernel::{NEVER, id_of};

use crate::host::path::{HostDevice, Path, Route};
use crate::host::state::HostParts;
use crate::plan::{JobPlan, MultipathPlan, PathPlan, Plan, SpreadingPlan, TargetPlan};

/// Devices and paths that are there already, so that jobs of one host share them.
#[derive(Default)]
pub(super) struct Devices {
    /// Device by the group, path and LUN of each of its routes.
    devices: BTreeMap<Vec<(u32, u32, u32)>, u32>,
    /// Path by adapter, initiator and target.
    paths: BTreeMap<(u32, u32, u32), u32>,
}

impl Devices {
    /// The device for one LUN of a job: one that its host has already, or a new one.
    pub(super) fn device_of(
        &mut self,
        parts: &mut HostParts,
        plan: &Plan,
        job: &JobPlan,
        target: &TargetPlan,
    ) -> u32 {
        let routes: Vec<Route> = (target.paths.iter())
            .map(|path| self.route_of(parts, job, path, target))
            .collect();
        let groups: Vec<u32> = target.paths.iter().map(|path| path.group).collect();
        let key = (routes.iter().zip(&groups))
            .map(|(route, &group)| (group, route.path, route.lun))
            .collect();
        let next = id_of(parts.devices.len());
        let id = *self.devices.entry(key).or_insert(next);
        if id != next {
            return id;
        }
        for route in &routes {
            parts.paths[route.path as usize].devices.push(id);
        }
        let multipath = plan.hosts[job.host as usize]
            .multipath
            .filter(|_| routes.len() > 1);
        parts.devices.push(HostDevice {
            device: Device::new(groups, multipath.as_ref().map(multipath_of)),
            routes,
            checker: multipath.map_or(0, |of| of.checker_ps),
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
        let id = parts.hosts[job.host as usize].adapters[path.adapter as usize];
        let adapter = &mut parts.adapters[id as usize];
        let initiator = job.initiator.unwrap_or(adapter.n_port);
        let ports = (initiator, path.target_n_port);
        let queue = adapter.lun_queue(ports, target.array, target.lun);
        let next = id_of(parts.paths.len());
        let key = (id, initiator, path.target_n_port);
        let path_id = *self.paths.entry(key).or_insert(next);
        if path_id == next {
            parts.paths.push(Path {
                adapter: id,
                initiator,
                target: path.target_n_port,
                state: PathState::Up,
                is_usable: true,
                ready_at: 0,
                changes: 0,
                lost_first: None,
                lost_at: 0,
                lost_for: 0,
                losses: 0,
                answers: 0,
                replaced_at: None,
                devices: Vec::new(),
            });
        }
        Route {
            path: path_id,
            adapter: id,
            target_n_port: path.target_n_port,
            array: target.array,
            lun: target.lun,
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
        failback: plan.failback_ps.unwrap_or(NEVER),
        switch_over: plan.switch_over_ps,
    }
}

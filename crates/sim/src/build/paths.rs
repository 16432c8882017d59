//! LUNs as hosts see them, and the paths to them.

use sanlab_host::{Device, Multipath, NoPath, PathState, Spreading};
use sanlab_kernel::id_of;

use crate::host::path::{HostDevice, Path, Route};
use crate::host::state::HostParts;
use crate::plan::{JobPlan, MultipathPlan, PathPlan, Plan, SpreadingPlan, TargetPlan};

/// The device for one LUN of a job: one that its host has already, or a new one.
pub(super) fn device_of(
    parts: &mut HostParts,
    plan: &Plan,
    job: &JobPlan,
    number: u32,
    target: &TargetPlan,
) -> u32 {
    let first = PathPlan {
        target: number,
        adapter: target.adapter,
        target_n_port: target.target_n_port,
        group: 0,
    };
    let others = job.paths.iter().filter(|path| path.target == number);
    let ways: Vec<_> = std::iter::once(&first).chain(others).copied().collect();
    let routes: Vec<_> = ways
        .iter()
        .map(|way| route_of(parts, job, way, target))
        .collect();
    let groups: Vec<_> = ways.iter().map(|way| way.group).collect();
    let is_same = |known: &HostDevice| {
        let paths = known.routes.iter().map(|route| (route.path, route.lun));
        known.device.groups == groups
            && paths.eq(routes.iter().map(|route| (route.path, route.lun)))
    };
    if let Some(known) = parts.devices.iter().position(is_same) {
        return id_of(known);
    }
    let id = id_of(parts.devices.len());
    for route in &routes {
        parts.paths[route.path as usize].devices.push(id);
    }
    let multipath = plan.hosts[job.host as usize]
        .multipath
        .filter(|_| routes.len() > 1);
    parts.devices.push(HostDevice {
        device: Device::new(groups, multipath.as_ref().map(multipath_of)),
        routes,
        checker: multipath.map_or(0, |policy| policy.checker_ps),
    });
    id
}

fn route_of(parts: &mut HostParts, job: &JobPlan, way: &PathPlan, target: &TargetPlan) -> Route {
    let adapter = parts.hosts[job.host as usize].adapters[way.adapter as usize];
    let model = &mut parts.adapters[adapter as usize];
    let initiator = job.initiator.unwrap_or(model.n_port);
    let queue = model.lun_queue((initiator, way.target_n_port), target.array, target.lun);
    let is_same = |known: &Path| {
        known.adapter == adapter
            && known.initiator == initiator
            && known.target == way.target_n_port
    };
    let known = parts.paths.iter().position(is_same);
    let path = known.unwrap_or_else(|| {
        parts.paths.push(Path {
            adapter,
            initiator,
            target: way.target_n_port,
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
        parts.paths.len() - 1
    });
    Route {
        path: id_of(path),
        adapter,
        target_n_port: way.target_n_port,
        array: target.array,
        lun: target.lun,
        queue,
    }
}

fn multipath_of(plan: &MultipathPlan) -> Multipath {
    Multipath {
        spreading: match plan.spreading {
            SpreadingPlan::RoundRobin { ios } => Spreading::RoundRobin(ios),
            SpreadingPlan::LeastQueue {} => Spreading::LeastQueue,
            SpreadingPlan::OnePath {} => Spreading::OnePath,
        },
        no_path: if plan.queues_without_path {
            NoPath::Queue
        } else {
            NoPath::Fail
        },
        failback: plan.failback_ps,
        switch_over: plan.switch_over_ps,
    }
}

//! Whether the network joins what has to talk.

use sanlab_kernel::Id;

use crate::plan::{Plan, PlanError};
use crate::world::World;

/// Both directions of every conversation need a route.
pub(super) fn check<const E: bool>(world: &World<E>, plan: &Plan) -> Result<(), PlanError> {
    // Where the fabric is not whole from the beginning, a run shows what becomes of it.
    if plan.faults.is_armed {
        return Ok(());
    }
    let jobs = world
        .host
        .jobs()
        .iter()
        .zip(&plan.jobs)
        .flat_map(|(running, job)| {
            let devices = running.devices.iter().map(|&id| &world.host.devices()[id]);
            let routes = devices.flat_map(|device| &device.routes);
            routes.map(|route| {
                let path = &world.host.paths()[route.path];
                (path.initiator, path.target, job.name.clone())
            })
        });
    let mirrors = plan
        .arrays
        .iter()
        .flat_map(|array| &array.luns)
        .filter_map(|lun| {
            let mirror = lun.mirror.as_ref()?;
            let ports = [mirror.source_n_port, mirror.target_n_port].map(Id::new);
            Some((ports[0], ports[1], lun.name.clone()))
        });
    let traffic = plan.traffic.iter().map(|flow| {
        let ports = [flow.source_n_port, flow.target_n_port].map(Id::new);
        (ports[0], ports[1], flow.name.clone())
    });
    let back_ends = plan.arrays.iter().flat_map(|array| {
        let back_end = array.back_end.iter();
        back_end.flat_map(move |back_end| {
            back_end.disks.iter().flat_map(move |ports| {
                let paths = back_end.initiators.iter().zip(ports);
                paths.map(move |(&from, &to)| (Id::new(from), Id::new(to), array.name.clone()))
            })
        })
    });
    for (from, to, name) in jobs.chain(mirrors).chain(traffic).chain(back_ends) {
        let both = world.network.is_reachable(from, to) && world.network.is_reachable(to, from);
        if !both {
            let ports = &plan.n_ports;
            let (from, to) = (&ports[from.place()].name, &ports[to.place()].name);
            let reason = format!("no path between {from} and {to}");
            return Err(PlanError::new(name, reason));
        }
    }
    Ok(())
}

//! Refuses plans in which two parts that talk to each other have no route.

use crate::plan::{Plan, PlanError};
use crate::world::World;

/// Both directions of every conversation need a route.
pub(super) fn check<const E: bool>(world: &World<E>, plan: &Plan) -> Result<(), PlanError> {
    // Where the fabric is not whole from the beginning, a run shows what becomes of it.
    if plan.faults.is_armed {
        return Ok(());
    }
    let jobs = world
        .jobs
        .iter()
        .zip(&plan.jobs)
        .flat_map(|(running, job)| {
            let devices = running
                .devices
                .iter()
                .map(|&id| &world.devices[id as usize]);
            let routes = devices.flat_map(|device| &device.routes);
            routes.map(|route| {
                let path = &world.paths[route.path as usize];
                (path.initiator, path.target, job.name.clone())
            })
        });
    let mirrors = plan
        .arrays
        .iter()
        .flat_map(|array| &array.luns)
        .filter_map(|lun| {
            let mirror = lun.mirror.as_ref()?;
            Some((mirror.source_n_port, mirror.target_n_port, lun.name.clone()))
        });
    let traffic = plan
        .traffic
        .iter()
        .map(|it| (it.source_n_port, it.target_n_port, it.name.clone()));
    let back_ends = plan.arrays.iter().flat_map(|array| {
        let of = array.back_end.iter();
        of.flat_map(move |back_end| {
            back_end.disks.iter().flat_map(move |ports| {
                let paths = back_end.initiators.iter().zip(ports);
                paths.map(move |(&from, &to)| (from, to, array.name.clone()))
            })
        })
    });
    for (from, to, name) in jobs.chain(mirrors).chain(traffic).chain(back_ends) {
        let both = world.network.is_reachable(from, to) && world.network.is_reachable(to, from);
        if !both {
            let ports = &plan.n_ports;
            let (from, to) = (&ports[from as usize].name, &ports[to as usize].name);
            let reason = format!("no path between {from} and {to}");
            return Err(PlanError::new(name, reason));
        }
    }
    Ok(())
}

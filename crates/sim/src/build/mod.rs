//! A plan becomes a world.

mod arrays;
mod hosts;
mod jobs;
mod loops;
mod network;
mod paths;
mod qos;
mod reachable;

use sanlab_kernel::Agenda;

use crate::array::state::ArraySide;
use crate::check::PlanError;
use crate::event::Event;
use crate::exchanges::state::Exchanges;
use crate::faults::state::Faults;
use crate::flows::{flows, services_flow};
use crate::host::state::{HostParts, HostSide};
use crate::meters::{Meters, Series};
use crate::names::fibres;
use crate::plan::Plan;
use crate::services::state::Services;
use crate::world::World;
use arrays::{arrays_of, port_places};
use hosts::add_hosts;
use jobs::add_job;
pub(crate) use jobs::targets_of;
use loops::fault_of;
use network::network_of;
use reachable::check_reachable;

/// The world of a plan, before its first event.
pub(crate) fn build<const E: bool>(plan: &Plan) -> Result<World<E>, PlanError> {
    let mut host = HostParts::default();
    add_hosts(&mut host, plan);
    for job in &plan.jobs {
        add_job(&mut host, plan, job);
    }
    let loop_faults = plan.loop_faults.iter().map(fault_of).collect();
    let mut world = World {
        network: network_of(plan).build::<E>(),
        agenda: Agenda::new(),
        host: HostSide::new(host),
        array: ArraySide::new(arrays_of(plan)?, port_places(plan)),
        fcp: sanlab_scsi::Exchanges::default(),
        exchanges: Exchanges::new(plan.n_ports.len(), plan.data_frame_bytes),
        services: Services::new(plan, services_flow(plan)),
        faults: Faults::new(plan, loop_faults),
        meters: Meters::new(
            plan.workloads.len(),
            flows(plan),
            Series::new(plan.interval_ps, fibres(plan)),
        ),
        events: 0,
        last_arrival_at: 0,
        failure: None,
    };
    schedule_drive_failures(&mut world);
    schedule_jobs(&mut world, plan);
    check_reachable(&world, plan)?;
    qos::put_in_force(&mut world, plan);
    world.arm(plan);
    world.begin_dialogues(plan);
    Ok(world)
}

/// Drives that fail do so by events of their array.
fn schedule_drive_failures<const E: bool>(world: &mut World<E>) {
    for (number, array) in (0..).zip(world.array.arrays()) {
        for (group, state) in (0..).zip(&array.groups) {
            for failing in &state.failing {
                let event = Event::DriveFails(number, group);
                world.agenda.schedule(failing.at, array.first_n_port, event);
            }
        }
    }
}

/// A job starts at its time, or when its ports have logged in.
fn schedule_jobs<const E: bool>(world: &mut World<E>, plan: &Plan) {
    for (id, job) in (0..).zip(&plan.jobs) {
        let initiators = world.host.initiators_of(id);
        if !world.services.hold(id, &initiators) {
            let n_port = world.host.component(id);
            world
                .agenda
                .schedule(job.start_ps, n_port, Event::JobStart(id));
        }
    }
}

//! A plan becomes a world.

mod arrays;
mod fabric;
mod hosts;
mod jobs;
mod loops;
mod paths;
mod reachable;

use sanlab_kernel::{Agenda, Id, Instant, Span};

use crate::acceleration::state::Accelerators;
use crate::array::state::ArraySide;
use crate::event::Event;
use crate::exchanges::state::Exchanges;
use crate::faults::state::Faults;
use crate::flows::{flows, services_flow};
use crate::host::state::{HostParts, HostSide};
use crate::meters::{Meters, Phases, Series, Windows};
use crate::names::fibres;
use crate::plan::{Plan, PlanError};
use crate::services::state::Services;
use crate::trace_table::TraceTables;
use crate::world::World;

pub(crate) use arrays::level_of;
pub(crate) use jobs::replay_of;

/// The world of a plan, before its first event.
pub(crate) fn build<const E: bool>(
    plan: &Plan,
    tables: &TraceTables,
) -> Result<World<E>, PlanError> {
    let mut host = HostParts::default();
    hosts::add_hosts(&mut host, plan);
    jobs::add_jobs(&mut host, plan, tables);
    let loop_faults = plan.loop_faults.iter().map(loops::fault_of).collect();
    let interval = plan.interval_ps;
    let interval = interval.map_or(Span::ZERO, |every| Span::from_ps(every.get()));
    let starting = (host.jobs.iter()).filter(|job| !host.order.waits(job.workload));
    let begin_at = starting.map(|job| job.job.settings.counted_from);
    let windows = Windows::new(begin_at);
    let mut world = World {
        network: fabric::network_of(plan).build::<E>(),
        agenda: Agenda::new(),
        host: HostSide::new(host, plan.workloads.len()),
        array: ArraySide::new(arrays::arrays_of(plan)?, arrays::port_places(plan)),
        fcp: sanlab_scsi::Exchanges::default(),
        exchanges: Exchanges::new(plan.n_ports.len(), plan.data_frame_bytes),
        accelerators: Accelerators::new(&plan.links),
        services: Services::new(plan, services_flow(plan)),
        faults: Faults::new(plan, loop_faults),
        meters: Meters::new(
            plan.workloads.len(),
            flows(plan),
            Series::new(interval, fibres(plan)),
            windows,
            Phases::new(&plan.phases),
        ),
        ladder: None,
        attention_at: Instant::START,
        events: 0,
        last_arrival_at: Instant::START,
        failure: None,
        jobs_ahead: Vec::new(),
    };
    schedule_disk_failures(&mut world);
    schedule_jobs(&mut world, plan);
    reachable::check(&world, plan)?;
    put_policies_in_force(&mut world, plan);
    world.arm(plan);
    world.begin_dialogues(plan);
    Ok(world)
}

/// Disks that fail do so by events of their array.
fn schedule_disk_failures<const E: bool>(world: &mut World<E>) {
    for (number, array) in world.array.arrays().pairs() {
        for (group, state) in array.groups.pairs() {
            for failing in &state.failing {
                let event = Event::DriveFails(number, group);
                let component = array.first_n_port.number();
                world.agenda.schedule(failing.at, component, event);
            }
        }
    }
}

/// A job starts at its time, or when its ports have logged in, and no earlier than the workloads it waits
/// for end.
fn schedule_jobs<const E: bool>(world: &mut World<E>, plan: &Plan) {
    for (id, job) in (0..).map(Id::new).zip(&plan.jobs) {
        let initiators = world.host.initiators_of(id);
        let waits = world.host.order.waits(Id::new(job.workload));
        if !world.services.hold(id, &initiators) && !waits {
            let component = world.host.component(id).number();
            let starts_at = Instant::from_ps(job.start_ps);
            world
                .agenda
                .schedule(starts_at, component, Event::JobStart(id));
        }
    }
}

/// Policies from the start are in force now, the others when their time comes.
fn put_policies_in_force<const E: bool>(world: &mut World<E>, plan: &Plan) {
    for (policy, change) in (0..).map(Id::new).zip(&plan.qos) {
        let at = Instant::from_ps(change.at_ps);
        if at == Instant::START {
            world.network.apply_policy(policy, at);
        } else {
            world.agenda.schedule(at, 0, Event::Policy(policy));
        }
    }
}

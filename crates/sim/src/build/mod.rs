//! A plan becomes a world.

mod arrays;
mod fabric;
mod flows;
mod hosts;
mod jobs;
mod loops;
mod paths;
mod reachable;

use sanlab_fc::ExchangeIds;
use sanlab_kernel::{Agenda, Arena};
use sanlab_metrics::FrameLatencies;

use crate::event::Event;
use crate::faults::Faults;
use crate::host::file_system::FileSystem;
use crate::meters::series::Series;
use crate::meters::workload::WorkloadState;
use crate::plan::{Plan, PlanError};
use crate::services::{Services, has_dialogues};
use crate::tables;
use crate::world::World;

pub(crate) use arrays::level_of;
pub(crate) use flows::{back_end_flows, mirror_flows};

pub(crate) fn build<const E: bool>(plan: &Plan) -> Result<World<E>, PlanError> {
    let network = fabric::network_of(plan).build::<E>();
    let services_flow = flows::services_flow(plan);
    let mut world = World {
        network,
        agenda: Agenda::new(),
        hosts: Vec::new(),
        adapters: Vec::new(),
        jobs: Vec::new(),
        arrays: arrays::arrays_of(plan)?,
        requests: Arena::default(),
        tasks: Arena::default(),
        operations: Vec::new(),
        exchange_ids: vec![ExchangeIds::default(); plan.n_ports.len()],
        port_of_array: arrays::ports_of_arrays(plan),
        workloads: plan
            .workloads
            .iter()
            .map(|_| WorkloadState::default())
            .collect(),
        latencies: FrameLatencies::new(services_flow as usize + usize::from(has_dialogues(plan))),
        series: Series::new(plan.interval_ps.map_or(0, u64::from), tables::fibres(plan)),
        data_frame_bytes: plan.data_frame_bytes,
        exchanges_opened: 0,
        exchanges_closed: 0,
        events: 0,
        last_arrival_at: 0,
        failure: None,
        loop_faults: plan.loop_faults.iter().map(loops::fault_of).collect(),
        file_systems: plan.file_systems.iter().map(FileSystem::new).collect(),
        faults: Faults::new(plan),
        services: Services::new(plan, services_flow),
        paths: Vec::new(),
        devices: Vec::new(),
    };
    hosts::add_hosts(&mut world, plan);
    add_failures(&mut world);
    jobs::add_jobs(&mut world, plan);
    reachable::check(&world, plan)?;
    put_policies_in_force(&mut world, plan);
    world.arm(plan);
    world.begin_dialogues(plan);
    Ok(world)
}

/// Disks that fail do so by events of their array.
fn add_failures<const E: bool>(world: &mut World<E>) {
    for (number, array) in (0..).zip(&world.arrays) {
        for (group, of) in (0..).zip(&array.groups) {
            for failing in &of.failing {
                let event = Event::DriveFails(number, group);
                world.agenda.schedule(failing.at, array.first_n_port, event);
            }
        }
    }
}

/// Policies from the start are in force now, the others when their time comes.
fn put_policies_in_force<const E: bool>(world: &mut World<E>, plan: &Plan) {
    for (policy, change) in (0..).zip(&plan.qos) {
        if change.at_ps == 0 {
            world.network.apply_policy(policy, 0);
        } else {
            world
                .agenda
                .schedule(change.at_ps, 0, Event::Policy(policy));
        }
    }
}

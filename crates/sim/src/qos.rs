//! Trunks, classes, virtual channels and policies: from the plan to the fabric, and in force.

use sanlab_fabric::{
    Class, Discipline, Limit, NetworkBuilder, Pair, PairCounters, Policy, PolicyChange, Switch,
    Trunk, VirtualChannel,
};
use sanlab_fc::wire_bytes;
use sanlab_kernel::{Picoseconds, Rate, id_of};
use sanlab_metrics::{Column, Table};

use crate::check::{PlanError, require};
use crate::event::Event;
use crate::plan::{EndPlan, LimitPlan, LinkPlan, Plan, PolicyPlan, SwitchPlan, VirtualChannelPlan};
use crate::tables;
use crate::world::World;

/// Most members of a trunk.
const MOST_MEMBERS: u32 = 16;
/// Most virtual channels of a link; an extended receiver-ready primitive tells that many apart (FC-FS-4).
const MOST_CHANNELS: usize = 16;

/// Check what the plan says of trunks, classes, channels and policies.
pub(crate) fn check(plan: &Plan) -> Result<(), PlanError> {
    let classes = |switch: &SwitchPlan| id_of(switch.classes.len().max(1));
    for (index, switch) in plan.switches.iter().enumerate() {
        let is_good = switch
            .classes
            .iter()
            .all(|it| it.weight > 0 && it.level < 16);
        let place = || format!("switches[{index}].classes");
        require(is_good, place, "weights are above 0 and levels below 16")?;
        let is_known = switch.shared_class < classes(switch);
        require(is_known, place, "no such class")?;
    }
    for (index, link) in plan.links.iter().enumerate() {
        let place = || format!("links[{index}]");
        let is_isl = matches!(
            (link.a, link.b),
            (EndPlan::Switch { .. }, EndPlan::Switch { .. })
        );
        let is_plain = link.members == 1 && link.virtual_channels.is_empty();
        require(
            is_isl || is_plain,
            place,
            "only a link between switches is a trunk or has channels",
        )?;
        let is_good = (1..=MOST_MEMBERS).contains(&link.members)
            && link.virtual_channels.len() <= MOST_CHANNELS
            && link
                .virtual_channels
                .iter()
                .all(|it| it.credit_a_to_b.min(it.credit_b_to_a) > 0);
        require(
            is_good,
            place,
            "too many members or channels, or a channel without credit",
        )?;
    }
    let fewest = plan.switches.iter().map(classes).min().unwrap_or(1);
    let mut before = 0;
    for (index, of) in plan.qos.iter().enumerate() {
        let place = || format!("qos[{index}]");
        require(
            of.at_ps >= before,
            place,
            "policies are in the order of time",
        )?;
        before = of.at_ps;
        let (ends, limit) = match of.policy {
            PolicyPlan::Limit {
                source,
                destination,
                limit,
            } => ([source, destination], limit),
            PolicyPlan::Ingress { n_port, limit } => ([n_port; 2], limit),
            PolicyPlan::Priority {
                source,
                destination,
                class_id,
                ..
            } => {
                require(class_id < fewest, place, "no such class")?;
                ([source, destination], LimitPlan::None {})
            }
        };
        let is_known = ends.iter().all(|&it| (it as usize) < plan.n_ports.len());
        require(is_known, place, "no such N_Port")?;
        let is_good = match limit {
            LimitPlan::None {} => true,
            LimitPlan::Wheel { slots, of } => (1..=of).contains(&slots) && of <= 1024,
            LimitPlan::Rate { bytes_per_s, .. } => bytes_per_s > 0,
        };
        require(
            is_good,
            place,
            "a limit lets something pass, and no more than there is",
        )?;
    }
    Ok(())
}

/// The link just added carries frames by several members.
pub(crate) fn add_trunk(builder: &mut NetworkBuilder, link: &LinkPlan) {
    let first = builder.fibres.len() - 2;
    if link.members > 1 {
        for fibre in &mut builder.fibres[first..] {
            fibre.features_mut().trunk = Some(Trunk::new(link.members));
        }
    }
    let granted: [fn(&VirtualChannelPlan) -> u32; 2] =
        [|it| it.credit_a_to_b, |it| it.credit_b_to_a];
    for (fibre, credit) in (first..).zip(granted) {
        let channels = link.virtual_channels.iter().map(|it| VirtualChannel {
            class: it.class_id,
            credit: credit(it),
        });
        let channels: Vec<_> = channels.collect();
        if !channels.is_empty() {
            builder.channels.push((id_of(fibre), channels));
        }
    }
}

/// A switch with the classes of its plan.
pub(crate) fn classed(mut switch: Switch, plan: &SwitchPlan) -> Switch {
    if !plan.classes.is_empty() {
        let classes = plan.classes.iter().map(|it| Class {
            level: it.level,
            weight: it.weight,
        });
        switch.classes = classes.collect();
        switch.shared_class = plan.shared_class;
    }
    switch
}

/// Policies of the plan, in its order.
pub(crate) fn add_policies(builder: &mut NetworkBuilder, plan: &Plan) {
    let slots = slots_of_n_ports(plan);
    builder.policies = plan
        .qos
        .iter()
        .map(|it| Policy {
            at: it.at_ps,
            change: change_of(&it.policy, &slots),
        })
        .collect();
}

fn change_of(policy: &PolicyPlan, slots: &[Picoseconds]) -> PolicyChange {
    match *policy {
        PolicyPlan::Limit {
            source,
            destination,
            limit,
        } => PolicyChange::Limit(
            (source, destination),
            limit_of(limit, slots[destination as usize]),
        ),
        PolicyPlan::Ingress { n_port, limit } => {
            PolicyChange::Ingress(n_port, limit_of(limit, slots[n_port as usize]))
        }
        PolicyPlan::Priority {
            source,
            destination,
            class_id,
            switch,
        } => PolicyChange::Class((source, destination), class_id, switch),
    }
}

fn limit_of(limit: LimitPlan, slot: Picoseconds) -> Option<Limit> {
    match limit {
        LimitPlan::None {} => None,
        LimitPlan::Wheel { slots, of } => Some(Limit::Wheel {
            slots,
            wheel_slots: of,
            turn: u64::from(of) * slot,
        }),
        LimitPlan::Rate {
            bytes_per_s,
            burst_bytes,
        } => Some(Limit::Rate {
            bytes_per_s,
            burst_bytes,
        }),
    }
}

/// Time of a full frame on the link of each N_Port.
fn slots_of_n_ports(plan: &Plan) -> Vec<Picoseconds> {
    let mut slots = vec![0; plan.n_ports.len()];
    for link in &plan.links {
        let rate = Rate::from_bytes_per_s(link.bytes_per_s);
        let bytes = wire_bytes(plan.data_frame_bytes) + link.gap_bytes;
        for end in [link.a, link.b] {
            if let EndPlan::NPort(n_port) = end {
                slots[n_port as usize] = rate.time_for(u64::from(bytes));
            }
        }
    }
    slots
}

/// Policies from the start are in force now, the others when their time comes.
pub(crate) fn put_in_force<const E: bool>(world: &mut World<E>, plan: &Plan) {
    for (policy, of) in (0..).zip(&plan.qos) {
        if of.at_ps == 0 {
            world.network.apply_policy(policy, 0);
        } else {
            world.agenda.schedule(of.at_ps, 0, Event::Policy(policy));
        }
    }
}

struct PairRow {
    port: String,
    pair: Pair,
    counters: PairCounters,
}

/// What pairs that policies name have sent by each output that knows them.
pub(crate) fn pairs<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut rows = Vec::new();
    for (id, fibre) in (0..).zip(&world.network.fibres) {
        let pairs = fibre.discipline().into_iter().flat_map(Discipline::pairs);
        for (pair, counters) in pairs.filter(|(_, counters)| counters.frames > 0) {
            rows.push(PairRow {
                port: tables::fibre_name(plan, id),
                pair,
                counters: *counters,
            });
        }
    }
    let name = |n_port: u32| plan.n_ports[n_port as usize].name.clone();
    let whole = |value: fn(&PairRow) -> u64| Column::whole(&rows, value);
    Table::new(
        "pairs",
        vec![
            ("port", Column::text(&rows, |row| row.port.clone())),
            ("source", Column::text(&rows, |row| name(row.pair.0))),
            ("destination", Column::text(&rows, |row| name(row.pair.1))),
            ("tx_frames_count", whole(|row| row.counters.frames)),
            ("tx_bytes", whole(|row| row.counters.bytes)),
            ("tx_payload_bytes", whole(|row| row.counters.payload_bytes)),
            (
                "held_ps",
                whole(|row| u64::try_from(row.counters.held).unwrap_or(u64::MAX)),
            ),
        ],
    )
}

//! Trunks, classes, virtual channels and policies of a plan.

use sanlab_fabric::{
    Class, Limit, NetworkBuilder, Policy, PolicyChange, Switch, Trunk, VirtualChannel,
};
use sanlab_fc::wire_bytes;
use sanlab_kernel::{Picoseconds, Rate, id_of};

use crate::event::Event;
use crate::plan::{EndPlan, LimitPlan, LinkPlan, Plan, PolicyPlan, SwitchPlan, VirtualChannelPlan};
use crate::world::World;

/// The link just added carries frames by several members.
pub(super) fn add_trunk(builder: &mut NetworkBuilder, link: &LinkPlan) {
    let first = builder.fibres.len() - 2;
    if link.members > 1 {
        for fibre in &mut builder.fibres[first..] {
            fibre.features_mut().trunk = Some(Trunk::new(link.members));
        }
    }
    let granted: [fn(&VirtualChannelPlan) -> u32; 2] = [
        |channel| channel.credit_a_to_b,
        |channel| channel.credit_b_to_a,
    ];
    for (fibre, credit) in (first..).zip(granted) {
        let channels = link.virtual_channels.iter().map(|channel| VirtualChannel {
            class: channel.class_id,
            credit: credit(channel),
        });
        let channels: Vec<_> = channels.collect();
        if !channels.is_empty() {
            builder.channels.push((id_of(fibre), channels));
        }
    }
}

/// A switch with the classes of its plan.
pub(super) fn classed(mut switch: Switch, plan: &SwitchPlan) -> Switch {
    if !plan.classes.is_empty() {
        let classes = plan.classes.iter().map(|class| Class {
            level: class.level,
            weight: class.weight,
        });
        switch.classes = classes.collect();
        switch.shared_class = plan.shared_class;
    }
    switch
}

/// Policies of the plan, in its order.
pub(super) fn add_policies(builder: &mut NetworkBuilder, plan: &Plan) {
    let slots = slots_of_n_ports(plan);
    builder.policies = plan
        .qos
        .iter()
        .map(|plan| Policy {
            at: plan.at_ps,
            change: change_of(&plan.policy, &slots),
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
pub(super) fn put_in_force<const E: bool>(world: &mut World<E>, plan: &Plan) {
    for (policy, planned) in (0..).zip(&plan.qos) {
        if planned.at_ps == 0 {
            world.network.apply_policy(policy, 0);
        } else {
            world
                .agenda
                .schedule(planned.at_ps, 0, Event::Policy(policy));
        }
    }
}

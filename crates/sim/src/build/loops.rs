//! Loops of a plan become loops of the network.

use sanlab_fabric::{
    Fibre, LoopFault, LoopPortSettings, LoopString, Medium, NetworkBuilder, SharedLoop, Sink,
    Source, SwitchedLoop,
};
use sanlab_fc::{LoopAccess, LoopBuffers, PRIMITIVE_BYTES};
use sanlab_kernel::{Rate, id_of};

use crate::plan::{LoopActionPlan, LoopFaultPlan, LoopPlan, LoopPortPlan, MediumPlan, StringPlan};

/// What happens to a loop, and to which.
pub(super) fn fault_of(fault: &LoopFaultPlan) -> (u32, LoopFault) {
    let action = match &fault.action {
        LoopActionPlan::Stop { until_ps } => LoopFault::Stop { until: *until_ps },
        LoopActionPlan::Remove { places } => LoopFault::Remove(places.clone()),
        LoopActionPlan::Insert { places } => LoopFault::Insert(places.clone()),
        LoopActionPlan::Cut {
            first,
            end,
            above_ps,
            below_ps,
        } => LoopFault::Cut {
            first: *first,
            end: *end,
            above: *above_ps,
            below: *below_ps,
        },
        LoopActionPlan::Darken { crossbar } => LoopFault::Darken(*crossbar),
    };
    (fault.loop_id, action)
}

/// Add a loop with its ports.
pub(super) fn add_loop(builder: &mut NetworkBuilder, ring: &LoopPlan) {
    let rate = Rate::from_bytes_per_s(ring.bytes_per_s);
    let first_fibre = builder.fibres.len() + builder.loop_fibres.len();
    for port in &ring.ports {
        // It has no far end of its own, and credit is that of its circuits.
        let id = port.n_port;
        let fibre = Fibre::new(
            Source::NPort(id),
            Sink::NPort(id),
            rate,
            ring.gap_bytes,
            0,
            1,
        );
        builder.loop_fibres.push(fibre);
    }
    let settings: Vec<_> = ring.ports.iter().map(loop_port_of).collect();
    let medium = match &ring.medium {
        MediumPlan::Shared {} => Medium::Shared(shared_loop_of(ring, rate)),
        MediumPlan::Switched { crossbars, strings } => {
            Medium::Switched(switched_loop_of(ring, crossbars.len(), strings))
        }
    };
    let fibre = id_of(first_fibre);
    builder
        .loops
        .add(medium, rate, ring.gap_bytes, &settings, fibre);
}

fn loop_port_of(port: &LoopPortPlan) -> LoopPortSettings {
    LoopPortSettings {
        n_port: port.n_port,
        buffers: LoopBuffers {
            login: port.login_credit,
            buffers: port.buffers.max(1),
        },
        is_full_duplex: port.is_full_duplex,
        tenancy_frames: port.tenancy_frames.max(1),
        repeat: port.repeat_ps,
    }
}

fn shared_loop_of(ring: &LoopPlan, rate: Rate) -> SharedLoop {
    let steps = ring.ports.iter().map(|port| port.delay_ps).collect();
    let access: Vec<_> = ring
        .ports
        .iter()
        .map(|port| LoopAccess {
            al_pa: port.al_pa,
            is_fair: port.is_fair,
            uses_transfer: port.uses_transfer,
        })
        .collect();
    SharedLoop::new(steps, rate.time_for(PRIMITIVE_BYTES), &access)
}

fn switched_loop_of(ring: &LoopPlan, crossbars: usize, strings: &[StringPlan]) -> SwitchedLoop {
    let places: Vec<_> = ring
        .ports
        .iter()
        .map(|port| (port.crossbar, port.delay_ps))
        .collect();
    let strings = strings
        .iter()
        .map(|string| LoopString {
            between: (string.a, string.b),
            links: string.links,
            delay: string.delay_ps,
        })
        .collect();
    SwitchedLoop::new(id_of(crossbars), &places, strings)
}

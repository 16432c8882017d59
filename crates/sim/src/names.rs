//! Names of ports and transmitters, as people know them.

use sanlab_fabric::Fibre;
use sanlab_kernel::Id;

use crate::plan::{EndPlan, LinkPlan, LoopPortPlan, Plan};

/// The name people know a port by: `host1.hba0.p0`, `sw1.f3`, `sw1.e16`. `at_b` is the second end.
pub(crate) fn port_name(plan: &Plan, link: usize, at_b: bool) -> String {
    let (near, far) = ends(&plan.links[link], at_b);
    match near {
        EndPlan::NPort { n_port: id } => plan.n_ports[id as usize].name.clone(),
        EndPlan::Switch { switch, port } => {
            let kind = match far {
                EndPlan::Switch { .. } => "e",
                EndPlan::NPort { .. } => "f",
                EndPlan::Loop { .. } => "fl",
            };
            format!("{}.{kind}{port}", plan.switches[switch as usize].name)
        }
        EndPlan::Loop { loop_id } => plan.loops[loop_id as usize].name.clone(),
    }
}

/// Transmitters: two of each link, one of each place on a loop.
pub(crate) fn fibres(plan: &Plan) -> usize {
    let on_loops: usize = plan.loops.iter().map(|ring| ring.ports.len()).sum();
    2 * plan.links.len() + on_loops
}

/// The name of the port that a transmitter belongs to.
pub(crate) fn fibre_name(plan: &Plan, fibre: Id<Fibre>) -> String {
    let link = fibre.place() / 2;
    if link < plan.links.len() {
        return port_name(plan, link, fibre.number() % 2 == 1);
    }
    port_on_loop(plan, fibre).map_or_else(String::new, |port| {
        port.n_port.map_or_else(String::new, |n_port| {
            plan.n_ports[n_port as usize].name.clone()
        })
    })
}

/// The port on a loop that a transmitter belongs to; none if it is on a link.
pub(crate) fn port_on_loop(plan: &Plan, fibre: Id<Fibre>) -> Option<&LoopPortPlan> {
    let mut place = fibre.place().checked_sub(2 * plan.links.len())?;
    for ring in &plan.loops {
        if place < ring.ports.len() {
            return Some(&ring.ports[place]);
        }
        place -= ring.ports.len();
    }
    None
}

/// Both ends of a link, the near one first.
pub(crate) fn ends(link: &LinkPlan, at_b: bool) -> (EndPlan, EndPlan) {
    if at_b {
        (link.b, link.a)
    } else {
        (link.a, link.b)
    }
}

/// The name of the box that an end of a link is at.
pub(crate) fn node_name(plan: &Plan, end: EndPlan) -> String {
    match end {
        EndPlan::NPort { n_port: id } => plan.n_ports[id as usize].node.clone(),
        EndPlan::Switch { switch, .. } => plan.switches[switch as usize].name.clone(),
        EndPlan::Loop { loop_id } => plan.loops[loop_id as usize].name.clone(),
    }
}

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

/// The port that a transmitter sends to on the way to an `N_Port`; none if it sends to that one.
pub(crate) fn far_port_name(plan: &Plan, fibre: Id<Fibre>, n_port: u32) -> Option<String> {
    let link = fibre.place() / 2;
    if link < plan.links.len() {
        let at_b = fibre.number().is_multiple_of(2);
        let (far, _) = ends(&plan.links[link], at_b);
        // A frame from a switch goes to a port of the loop at once.
        let is_loop = matches!(far, EndPlan::Loop { .. });
        return (!is_loop).then(|| port_name(plan, link, at_b));
    }
    let (ring, _) = place_on_loop(plan, fibre)?;
    let is_there = plan.loops[ring]
        .ports
        .iter()
        .any(|port| port.n_port == Some(n_port));
    if is_there {
        return None;
    }
    let is_ring =
        |end: EndPlan| matches!(end, EndPlan::Loop { loop_id } if loop_id as usize == ring);
    let gates = plan.links.iter().enumerate();
    let mut gates = gates.filter(|(_, link)| is_ring(link.a) || is_ring(link.b));
    gates
        .next()
        .map(|(number, link)| port_name(plan, number, is_ring(link.a)))
}

/// The port on a loop that a transmitter belongs to; none if it is on a link.
pub(crate) fn port_on_loop(plan: &Plan, fibre: Id<Fibre>) -> Option<&LoopPortPlan> {
    let (ring, place) = place_on_loop(plan, fibre)?;
    Some(&plan.loops[ring].ports[place])
}

/// The loop that a transmitter is on, and its place on it.
fn place_on_loop(plan: &Plan, fibre: Id<Fibre>) -> Option<(usize, usize)> {
    let mut place = fibre.place().checked_sub(2 * plan.links.len())?;
    for (number, ring) in plan.loops.iter().enumerate() {
        if place < ring.ports.len() {
            return Some((number, place));
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

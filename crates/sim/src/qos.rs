//! Trunks, classes, virtual channels and policies that a plan may not have.

use sanlab_kernel::id_of;

use crate::check::{PlanError, require};
use crate::plan::{EndPlan, LimitPlan, Plan, PolicyPlan, SwitchPlan};

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

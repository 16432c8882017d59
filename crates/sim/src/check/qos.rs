//! Trunks, classes, virtual channels and policies.

use crate::plan::{EndPlan, LimitPlan, LinkPlan, Plan, PlanError, PolicyPlan, SwitchPlan};

use super::bounds::{LARGEST_LUN, Within, instant, known, require};
use super::fabric::n_port;

/// Most members of a trunk.
const MOST_MEMBERS: u64 = 16;
/// Most virtual channels of a link: an extended receiver-ready primitive tells that many apart
/// (FC-FS-4).
const MOST_CHANNELS: usize = 16;
/// Levels of classes.
const MOST_LEVELS: u64 = 16;
/// Slots of a wheel.
const MOST_SLOTS: u64 = 1024;

pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
    for (index, switch) in plan.switches.iter().enumerate() {
        classes(switch, |key| format!("switches[{index}].classes.{key}"))?;
    }
    for (index, link) in plan.links.iter().enumerate() {
        trunk(plan, link, |key| format!("links[{index}].{key}"))?;
    }
    require(
        plan.qos.is_sorted_by_key(|change| change.at_ps),
        || "qos".into(),
        || "policies are in the order of time".into(),
    )?;
    let fewest = plan.switches.iter().map(count).min().unwrap_or(1);
    for (index, change) in plan.qos.iter().enumerate() {
        instant(change.at_ps, || format!("qos[{index}].at_ps"))?;
        let place = |key: &str| format!("qos[{index}].policy.{key}");
        policy(plan, &change.policy, fewest, place)?;
    }
    Ok(())
}

/// Classes that a switch tells apart.
fn count(switch: &SwitchPlan) -> usize {
    let classes = switch.classes.as_ref();
    classes.map_or(1, |of| of.classes.len().max(1))
}

fn classes(switch: &SwitchPlan, place: impl Fn(&str) -> String) -> Result<(), PlanError> {
    let Some(classes) = &switch.classes else {
        return Ok(());
    };
    for (number, class) in classes.classes.iter().enumerate() {
        let at = || place(&format!("classes[{number}].level"));
        class.level.within(0, MOST_LEVELS - 1, at)?;
    }
    known(classes.shared, classes.classes.len(), "class", || {
        place("shared")
    })
}

fn trunk(plan: &Plan, link: &LinkPlan, place: impl Fn(&str) -> String) -> Result<(), PlanError> {
    link.members.within(1, MOST_MEMBERS, || place("members"))?;
    let channels = link.virtual_channels.len();
    require(
        channels <= MOST_CHANNELS,
        || place("virtual_channels"),
        || format!("a link has at most {MOST_CHANNELS} channels"),
    )?;
    let is_isl = matches!(
        (link.a, link.b),
        (EndPlan::Switch { .. }, EndPlan::Switch { .. })
    );
    require(
        is_isl || (link.members.get() == 1 && channels == 0),
        || place("members"),
        || "only a link between switches is a trunk or has channels".into(),
    )?;
    for (number, channel) in link.virtual_channels.iter().enumerate() {
        let at = |key: &str| place(&format!("virtual_channels[{number}].{key}"));
        for end in [link.a, link.b] {
            if let EndPlan::Switch { switch, .. } = end {
                let classes = count(&plan.switches[switch as usize]);
                known(channel.class_id, classes, "class of its switches", || {
                    at("class_id")
                })?;
            }
        }
        channel
            .credit_a_to_b
            .within(1, 1 << 20, || at("credit_a_to_b"))?;
        channel
            .credit_b_to_a
            .within(1, 1 << 20, || at("credit_b_to_a"))?;
    }
    Ok(())
}

fn policy(
    plan: &Plan,
    policy: &PolicyPlan,
    classes: usize,
    place: impl Fn(&str) -> String,
) -> Result<(), PlanError> {
    match *policy {
        PolicyPlan::Limit {
            source,
            destination,
            limit,
        } => {
            n_port(plan, source, || place("source"))?;
            n_port(plan, destination, || place("destination"))?;
            check_limit(limit, || place("limit"))
        }
        PolicyPlan::Ingress { n_port: id, limit } => {
            n_port(plan, id, || place("n_port"))?;
            check_limit(limit, || place("limit"))
        }
        PolicyPlan::Priority {
            source,
            destination,
            class_id,
            switch,
        } => {
            n_port(plan, source, || place("source"))?;
            n_port(plan, destination, || place("destination"))?;
            known(class_id, classes, "class", || place("class_id"))?;
            let Some(switch) = switch else { return Ok(()) };
            known(switch, plan.switches.len(), "switch", || place("switch"))
        }
    }
}

fn check_limit(limit: Option<LimitPlan>, place: impl Fn() -> String) -> Result<(), PlanError> {
    match limit {
        None => Ok(()),
        Some(LimitPlan::Wheel { slots, of }) => {
            of.within(1, MOST_SLOTS, &place)?;
            slots.within(1, u64::from(of.get()), place)
        }
        Some(LimitPlan::Rate { burst_bytes, .. }) => burst_bytes.within(0, LARGEST_LUN, place),
    }
}

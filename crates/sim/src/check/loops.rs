//! Arbitrated loops and what happens to them.

use crate::plan::{
    EndPlan, LinkPlan, LoopActionPlan, LoopFaultPlan, LoopPlan, MediumPlan, Plan, PlanError,
};

use super::bounds::{MOST_SLOTS, Within, instant, known, rate, require, span};

/// Ports of a loop: 126 and an FL_Port (FC-AL-2).
const MOST_PORTS: usize = 127;
/// Highest AL_PA (FC-AL-2).
const HIGHEST_AL_PA: u64 = 0xef;

pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
    for (index, of) in plan.loops.iter().enumerate() {
        check_loop(of, |key| format!("loops[{index}].{key}"))?;
    }
    check_fl_ports(plan)?;
    require(
        plan.loop_faults.is_sorted_by_key(|fault| fault.at_ps),
        || "loop_faults".into(),
        || "faults are in the order of time".into(),
    )?;
    for (index, fault) in plan.loop_faults.iter().enumerate() {
        check_fault(plan, fault, &format!("loop_faults[{index}]"))?;
    }
    Ok(())
}

fn check_loop(of: &LoopPlan, place: impl Fn(&str) -> String) -> Result<(), PlanError> {
    rate(of.bytes_per_s, || place("bytes_per_s"))?;
    of.gap_bytes.within(0, MOST_SLOTS, || place("gap_bytes"))?;
    require(
        (2..=MOST_PORTS).contains(&of.ports.len()),
        || place("ports"),
        || format!("a loop has 2 to {MOST_PORTS} ports"),
    )?;
    let mut seen = [false; 256];
    for (number, port) in of.ports.iter().enumerate() {
        let at = |key: &str| place(&format!("ports[{number}].{key}"));
        u64::from(port.al_pa).within(0, HIGHEST_AL_PA, || at("al_pa"))?;
        let before = std::mem::replace(&mut seen[usize::from(port.al_pa)], true);
        require(
            !before,
            || at("al_pa"),
            || format!("another port has AL_PA {}", port.al_pa),
        )?;
        span(port.delay_ps, || at("delay_ps"))?;
        port.repeat_ps
            .within(0, port.delay_ps.get(), || at("repeat_ps"))?;
        port.login_credit
            .within(0, MOST_SLOTS, || at("login_credit"))?;
        port.buffers.within(1, MOST_SLOTS, || at("buffers"))?;
    }
    let MediumPlan::Switched { crossbars, strings } = &of.medium else {
        return Ok(());
    };
    for (number, port) in of.ports.iter().enumerate() {
        known(port.crossbar, crossbars.len(), "crossbar", || {
            place(&format!("ports[{number}].crossbar"))
        })?;
    }
    for (number, string) in strings.iter().enumerate() {
        let at = |key: &str| place(&format!("medium.strings[{number}].{key}"));
        known(string.a, crossbars.len(), "crossbar", || at("a"))?;
        known(string.b, crossbars.len(), "crossbar", || at("b"))?;
        string.links.within(1, MOST_SLOTS, || at("links"))?;
        span(string.delay_ps, || at("delay_ps"))?;
    }
    Ok(())
}

/// An FL_Port joins a shared loop to a switch, and nothing happens to that link.
pub(super) fn check_fl_link(
    plan: &Plan,
    link: &LinkPlan,
    loop_id: u32,
    place: impl Fn() -> String,
) -> Result<(), PlanError> {
    let has_switch = [link.a, link.b]
        .iter()
        .any(|end| matches!(end, EndPlan::Switch { .. }));
    require(has_switch, &place, || {
        "the other end of an FL_Port's link is a switch".into()
    })?;
    let of = &plan.loops[loop_id as usize];
    let fl_ports = of.ports.iter().filter(|port| port.n_port.is_none());
    let is_shared = matches!(of.medium, MediumPlan::Shared {});
    require(fl_ports.count() == 1 && is_shared, &place, || {
        "a shared loop with a link to a switch has one FL_Port".into()
    })?;
    let is_plain = link.outages.is_empty()
        && link.member_outages.is_empty()
        && link.bit_error_interval.is_none()
        && link.virtual_channels.is_empty()
        && link.members.get() == 1;
    require(is_plain, &place, || {
        "the link of an FL_Port has no faults, members or virtual channels".into()
    })
}

/// Every FL_Port has a link to its switch.
fn check_fl_ports(plan: &Plan) -> Result<(), PlanError> {
    for (index, of) in plan.loops.iter().enumerate() {
        let is_of_loop =
            |end: EndPlan| matches!(end, EndPlan::Loop { loop_id } if loop_id as usize == index);
        let ends = plan.links.iter().flat_map(|link| [link.a, link.b]);
        let links = ends.filter(|&end| is_of_loop(end)).count();
        let fl_ports = of.ports.iter().filter(|port| port.n_port.is_none());
        require(
            links == fl_ports.count(),
            || format!("loops[{index}].ports"),
            || "an FL_Port has one link, to its switch".into(),
        )?;
    }
    Ok(())
}

fn check_fault(plan: &Plan, fault: &LoopFaultPlan, place: &str) -> Result<(), PlanError> {
    instant(fault.at_ps, || format!("{place}.at_ps"))?;
    known(fault.loop_id, plan.loops.len(), "loop", || {
        format!("{place}.loop_id")
    })?;
    let of = &plan.loops[fault.loop_id as usize];
    let at = || format!("{place}.action");
    match &fault.action {
        LoopActionPlan::Stop { until_ps } => {
            instant(*until_ps, at)?;
            let lasts = *until_ps >= fault.at_ps;
            require(lasts, at, || "it ends before it begins".into())
        }
        LoopActionPlan::Remove { places } | LoopActionPlan::Insert { places } => {
            for &port in places {
                known(port, of.ports.len(), "port of that loop", at)?;
                let has_n_port = of.ports[port as usize].n_port.is_some();
                require(has_n_port, at, || "an FL_Port stays on its loop".into())?;
            }
            Ok(())
        }
        LoopActionPlan::Cut {
            first,
            end,
            above_ps,
            below_ps,
        } => {
            span(*above_ps, at)?;
            span(*below_ps, at)?;
            let is_range = first < end && *end as usize <= of.ports.len();
            let is_private = of.ports.iter().all(|port| port.n_port.is_some());
            let is_shared = matches!(of.medium, MediumPlan::Shared {}) && is_private;
            require(is_range && is_shared, at, || {
                "an enclosure is a range of places on a shared loop without an FL_Port".into()
            })
        }
        LoopActionPlan::Darken { crossbar } => match &of.medium {
            MediumPlan::Shared {} => Err(PlanError::new(at(), "a shared loop has no crossbars")),
            MediumPlan::Switched { crossbars, .. } => {
                known(*crossbar, crossbars.len(), "crossbar", at)
            }
        },
    }
}

//! Decisions of the fabrics' services, and logins.

use crate::plan::{DialoguePlan, Plan, PlanError, ServicesPlan};

use super::bounds::{Within, instant, known, require, span};
use super::fabric::n_port;

pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
    let Some(services) = &plan.services else {
        return Ok(());
    };
    span(services.service_ps, || "services.service_ps".into())?;
    let names = services.node_names.len();
    require(
        names == 0 || names == plan.n_ports.len(),
        || "services.node_names".into(),
        || format!("there are {names} names of {} N_Ports", plan.n_ports.len()),
    )?;
    facts(plan, services)?;
    for (index, dialogue) in (0..).zip(&services.dialogues) {
        check_dialogue(plan, dialogue, index)?;
    }
    Ok(())
}

fn facts(plan: &Plan, services: &ServicesPlan) -> Result<(), PlanError> {
    let switches = plan.switches.len();
    for (index, port) in services.ports.iter().enumerate() {
        let place = |key: &str| format!("services.ports[{index}].{key}");
        instant(port.at_ps, || place("at_ps"))?;
        known(port.switch, switches, "switch", || place("switch"))?;
    }
    for (index, zone) in services.zones.iter().enumerate() {
        let place = |key: &str| format!("services.zones[{index}].{key}");
        instant(zone.at_ps, || place("at_ps"))?;
        known(zone.switch, switches, "switch", || place("switch"))?;
    }
    for (index, sight) in services.sights.iter().enumerate() {
        let place = |key: &str| format!("services.sights[{index}].{key}");
        instant(sight.at_ps, || place("at_ps"))?;
        for &id in std::iter::once(&sight.n_port).chain(&sight.targets) {
            n_port(plan, id, || place("targets"))?;
        }
    }
    for (index, pair) in services.apart.iter().enumerate() {
        let place = |key: &str| format!("services.apart[{index}].{key}");
        instant(pair.at_ps, || place("at_ps"))?;
        n_port(plan, pair.a, || place("a"))?;
        n_port(plan, pair.b, || place("b"))?;
    }
    Ok(())
}

fn check_dialogue(plan: &Plan, dialogue: &DialoguePlan, index: u32) -> Result<(), PlanError> {
    let place = |key: &str| format!("services.dialogues[{index}].{key}");
    instant(dialogue.at_ps, || place("at_ps"))?;
    // References to earlier dialogues only, so that no chain of them is a circle.
    for (key, earlier) in [("after", dialogue.after), ("replaces", dialogue.replaces)] {
        if let Some(earlier) = earlier {
            u64::from(earlier).within(0, u64::from(index).saturating_sub(1), || place(key))?;
            require(
                earlier < index,
                || place(key),
                || "it is not earlier".into(),
            )?;
        }
    }
    if let Some(id) = dialogue.logs_in {
        n_port(plan, id, || place("logs_in"))?;
    }
    require(
        !dialogue.steps.is_empty(),
        || place("steps"),
        || "a dialogue has a request".into(),
    )?;
    for (number, step) in dialogue.steps.iter().enumerate() {
        let at = |key: &str| place(&format!("steps[{number}].{key}"));
        n_port(plan, step.asks, || at("asks"))?;
        n_port(plan, step.answers, || at("answers"))?;
        if let Some(service) = step.service {
            service.within(0, 0xff_ffff, || at("service"))?;
        }
        for &id in &step.ports {
            n_port(plan, id, || at("ports"))?;
        }
    }
    Ok(())
}

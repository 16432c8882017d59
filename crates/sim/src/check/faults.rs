//! Faults of the fabric and timers.

use crate::plan::{Plan, PlanError};

use super::bounds::{Within, fields, instant, known, rate, require, span};
use super::fabric::n_port;

/// BB_SC_N is four bits (FC-FS).
const MOST_BB_SC_N: u64 = 15;

pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
    let faults = &plan.faults;
    let place = |key: &str| format!("faults.{key}");
    fields!(span, faults, place;
        notice_ps, login_ps, e_d_tov_ps, r_a_tov_ps, credit_timeout_ps);
    // A timer of no time would be due again at once, without end.
    fields!(positive, faults, place; e_d_tov_ps, r_a_tov_ps, credit_timeout_ps);
    faults
        .bb_sc_n
        .within(1, MOST_BB_SC_N, || place("bb_sc_n"))?;
    // A host that has no timers would wait for a lost frame, or count its bytes as moved.
    for (index, link) in plan.links.iter().enumerate() {
        require(
            link.bit_error_interval.is_none() || faults.is_armed,
            || format!("links[{index}].bit_error_interval"),
            || "bit errors need timers, which are on if faults.is_armed".into(),
        )?;
    }
    for &at_ps in &faults.route_updates_ps {
        instant(at_ps, || place("route_updates_ps"))?;
    }
    for (index, change) in faults.visibility.iter().enumerate() {
        let at = |key: &str| format!("faults.visibility[{index}].{key}");
        fields!(instant, change, at; at_ps, told_ps);
        n_port(plan, change.a, || at("a"))?;
        n_port(plan, change.b, || at("b"))?;
    }
    for (index, drain) in faults.drains.iter().enumerate() {
        let at = |key: &str| format!("faults.drains[{index}].{key}");
        instant(drain.at_ps, || at("at_ps"))?;
        n_port(plan, drain.n_port, || at("n_port"))?;
        rate(drain.bytes_per_s, || at("bytes_per_s"))?;
    }
    for (index, loss) in faults.credit_losses.iter().enumerate() {
        let at = |key: &str| format!("faults.credit_losses[{index}].{key}");
        instant(loss.at_ps, || at("at_ps"))?;
        known(loss.fibre, 2 * plan.links.len(), "fibre", || at("fibre"))?;
    }
    for (index, happening) in faults.happenings.iter().enumerate() {
        let at = |key: &str| format!("faults.happenings[{index}].{key}");
        instant(happening.at_ps, || at("at_ps"))?;
    }
    Ok(())
}

fn positive(value: u64, place: impl FnOnce() -> String) -> Result<(), PlanError> {
    require(value > 0, place, || "a timer needs a time".into())
}

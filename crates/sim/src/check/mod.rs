//! Refuses plans that cannot be simulated.
//!
//! The types of the plan already exclude zeros, unknown variants and missing fields. The files here
//! check what types cannot say: every id names a part that exists, every number is within the range
//! the engine's arithmetic and memory allow, and parts that refer to each other agree. Everything
//! behind [`check`] relies on it. People get their messages from the scenario compiler; a refusal here
//! means that the compiler is wrong or that a person edited the plan.

mod acceleration;
mod arrays;
mod bounds;
pub(crate) mod drives;
mod fabric;
mod faults;
mod hosts;
mod jobs;
mod loads;
mod loops;
mod media;
mod patterns;
mod qos;
mod raid;
mod services;

use crate::plan::{FORMAT, Plan, PlanError};
use bounds::{Within, horizon, require};

/// Check every reference and every range the simulator relies on.
///
/// # Errors
///
/// The first field that is wrong, with the reason.
pub fn check(plan: &Plan) -> Result<(), PlanError> {
    header(plan)?;
    fabric::check(plan)?;
    acceleration::check(plan)?;
    loops::check(plan)?;
    faults::check(plan)?;
    hosts::check(plan)?;
    arrays::check(plan)?;
    jobs::check(plan)?;
    fabric::check_owners(plan)?;
    qos::check(plan)?;
    services::check(plan)
}

fn header(plan: &Plan) -> Result<(), PlanError> {
    require(
        plan.format == FORMAT,
        || "format".into(),
        || format!("this version reads format {FORMAT}"),
    )?;
    let frame = plan.data_frame_bytes;
    require(
        (64..=2112).contains(&frame) && frame.is_multiple_of(4),
        || "data_frame_bytes".into(),
        || "must be a whole number of words from 64 to 2112 bytes".into(),
    )?;
    plan.end_ps.within(1, horizon(plan), || "end_ps".into())?;
    bounds::span(plan.interval_ps, || "interval_ps".into())?;
    if let Some(interval) = plan.interval_ps {
        require(
            plan.end_ps / interval <= bounds::MOST_BINS,
            || "interval_ps".into(),
            || format!("makes more than {} bins of the run", bounds::MOST_BINS),
        )?;
    }
    Ok(())
}

//! A plan goes in, tables come out.
//!
//! [`plan`] is what a run needs, [`check`] refuses a plan that does not hold together, `build` makes
//! the world, [`run()`] drives it to its end, checks the laws that every run must keep, and turns what
//! was counted into tables.

mod array;
mod build;
mod check;
pub mod drive;
mod event;
mod exchanges;
mod faults;
mod host;
mod laws;
mod meters;
mod outcome;
mod qos;
mod run;
mod services;
mod tables;
mod world;

pub use sanlab_plan as plan;

// The plans of the integration tests, for the unit tests too.
#[cfg(test)]
extern crate self as sanlab_sim;
#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod support;

pub use check::check;
pub use outcome::{Check, Outcome, RunError, Summary};
pub use plan::PlanError;
pub use run::{CaptureRequest, Control, RunOptions, run};

//! A plan goes in, tables come out.
//!
//! [`plan`] is what a run needs, [`check`] refuses a plan that does not hold together, `build` makes
//! the world, [`run()`] drives it to its end, checks the laws that every run must keep, and turns what
//! was counted into tables.

mod build;
mod check;
mod event;
mod exchanges;
mod initiator;
mod outcome;
pub mod plan;
mod run;
mod series;
mod tables;
mod target;
mod workload;
mod world;

pub use check::{PlanError, check};
pub use outcome::{Check, Outcome, RunError, Summary};
pub use run::{CaptureRequest, Control, RunOptions, run};

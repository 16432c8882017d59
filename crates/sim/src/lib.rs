//! A plan goes in, tables come out.
//!
//! [`plan`] is what a run needs, [`check`] refuses a plan that does not hold together, `build` makes
//! the world, [`run()`] drives it to its end, checks the laws that every run must keep, and turns what
//! was counted into tables.

mod back_end;
mod build;
mod build_loops;
mod build_paths;
mod check;
pub mod drive;
mod event;
mod exchanges;
mod fault_tables;
mod faults;
mod file_system;
mod host_tables;
mod initiator;
mod issuer;
mod laws;
mod loop_tables;
mod outcome;
mod pages;
mod paths;
mod pieces;
pub mod plan;
mod qos;
mod raid;
mod recovery;
mod run;
mod series;
mod services;
mod storage_check;
mod storage_tables;
mod tables;
mod target;
mod workload;
mod world;

// The plans of the integration tests, for the unit tests too.
#[cfg(test)]
extern crate self as sanlab_sim;
#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod support;

pub use check::{PlanError, check};
pub use outcome::{Check, Outcome, RunError, Summary};
pub use run::{CaptureRequest, Control, RunOptions, run};

//! A plan goes in, tables come out.
//!
//! [`plan`] is what a run needs, [`check`] refuses a plan that does not hold together, `build` makes
//! the world, [`run()`] drives it to its end, checks the laws that every run must keep, and turns what
//! was counted into tables.
//!
//! A file uses only files below it:
//!
//! 1. `run`.
//! 2. `build`, `laws` and `tables`: before and after the run; `watch`: its answers to other threads, by
//!    way of `control`.
//! 3. `dispatch`: which handler takes the next event. `command`: a command's way through both sides.
//! 4. Handlers, as methods of the world: `host`, `array`, `services`, `faults`.
//! 5. `exchanges`: what the handlers of both sides have in common.
//! 6. `world`: all parts together.
//! 7. The state of each part, `host::state`, `array::state`, `services::state`, `faults::state` and
//!    `meters`, with fields of its own; `event`, `outcome`, `flows`, `names`.
//!
//! Handlers of one side call each other where a step takes no time: a request that fails at once makes
//! the job ask for the next one before the first handler has returned.

mod acceleration;
mod array;
mod build;
mod check;
mod command;
mod control;
mod dispatch;
pub mod drive;
pub mod drive_load;
mod event;
mod exchanges;
mod faults;
mod flows;
mod host;
mod issuer;
mod ladder;
mod laws;
mod meters;
mod names;
mod one_io;
mod outcome;
mod run;
mod services;
mod tables;
mod trace_table;
mod watch;
mod world;

pub use sanlab_plan as plan;

// The plans of the integration tests, for the unit tests too.
#[cfg(test)]
extern crate self as sanlab_sim;
#[cfg(test)]
#[path = "../tests/suite/support.rs"]
mod support;

pub use check::check;
pub use control::{Control, NO_HOLD, Snapshot, SnapshotNames};
pub use one_io::IoName;
pub use outcome::{Check, Outcome, RunError, Summary};
pub use plan::PlanError;
pub use run::{CaptureRequest, RunOptions, run, run_json};
pub use sanlab_host::TraceIo;
pub use trace_table::{TRACE_MAGIC, write_trace_table};

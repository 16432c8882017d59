//! The host's side of a command.
//!
//! State lies below: [`state`] with [`request`], [`running_job`], [`path`] and [`file_system`]. Handlers
//! act on it in the order of a request's way: `jobs` and `allocation`, `pieces`, `path_choice`, `adapter`
//! down to the wire, `completion` back up. `turns` starts workloads that wait for others, as [`order`] says.
//! `path_changes` and `recovery` act when something fails. `windows` reads what of open requests has arrived;
//! `read_ahead` reads what the next events concern.

mod adapter;
mod allocation;
mod completion;
pub(crate) mod file_system;
mod jobs;
mod open_bytes;
pub(crate) mod order;
pub(crate) mod path;
mod path_changes;
mod path_choice;
mod pieces;
mod read_ahead;
mod recovery;
pub(crate) mod request;
pub(crate) mod running_job;
pub(crate) mod state;
mod turns;
mod windows;

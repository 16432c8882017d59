//! What goes wrong in the fabric, and what follows for exchanges.
//!
//! What hosts and arrays make of it is in their own folders, in `recovery`.

mod aborts;
mod arm;
mod fabric;
mod given_up;
mod idle_timers;
mod patience;
pub(crate) mod state;

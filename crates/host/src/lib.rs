//! What asks: streams of requests, the processors that issue them and the adapters that carry them.

mod adapter;
mod job;

pub use adapter::Adapter;
pub use job::{Addresses, Job, JobSettings, Pacing, Request};

use sanlab_kernel::{Picoseconds, Station};

/// A host: processors and the time an I/O costs them.
#[derive(Clone, Debug)]
pub struct Host {
    /// Its processors.
    pub cpu: Station,
    /// From the application's call to the command at the adapter.
    pub cpu_submit: Picoseconds,
    /// From the adapter's interrupt to the application.
    pub cpu_complete: Picoseconds,
    /// The adapters' ports, as indices into all of them.
    pub adapters: Vec<u32>,
}

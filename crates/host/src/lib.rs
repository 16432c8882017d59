//! What asks: streams of requests, the processors that issue them and the adapters that carry them.

mod access_spec;
mod adapter;
mod job;
mod multipath;
mod stream;
mod volume;

pub use access_spec::{AccessLine, AccessSpec, Region};
pub use adapter::Adapter;
pub use job::{Addresses, Job, JobSettings, Pacing, Pattern, Request};
pub use multipath::{Device, Multipath, NoPath, PathState, Spreading};
pub use stream::{BLOCK_BYTES, Runs, Stream, StreamKind, Walk};
pub use volume::{Extent, Piece, Volume};

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

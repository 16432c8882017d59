//! What asks: streams of requests, the processors that issue them and the adapters that carry them.

mod access_spec;
mod adapter;
mod block_layer;
mod circle;
mod elsewhere;
mod engine;
mod job;
mod multipath;
mod request;
mod stream;
mod trace;
mod volume;

pub use access_spec::{AccessLine, AccessSpec, Region};
pub use adapter::{Adapter, LunQueue};
pub use block_layer::{BlockLayer, CpuCosts, Role};
pub use elsewhere::{Array, Lun, Port};
pub use engine::Engine;
pub use job::{Addresses, Job, JobSettings, Pacing, Pattern};
pub use multipath::{Device, DevicePath, Multipath, NoPath, PathGroup, PathState, Spreading};
pub use request::{Request, Target};
pub use stream::{BLOCK_BYTES, Runs, Stream, StreamKind, Walk};
pub use trace::{Replay, Trace, TraceIo, TraceSource};
pub use volume::{Extent, Piece, Volume};

use sanlab_kernel::{Id, Station};

/// A host: processors, the time an I/O costs them, and what makes commands of it.
#[derive(Clone, Debug)]
pub struct Host {
    /// Its processors.
    pub cpu: Station,
    /// Time of theirs that requests take.
    pub costs: CpuCosts,
    /// How requests become commands.
    pub block_layer: BlockLayer,
    /// The adapters' ports.
    pub adapters: Vec<Id<Adapter>>,
}

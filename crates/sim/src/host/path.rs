//! Paths, and LUNs as hosts see them.

use sanlab_fc::NPort;
use sanlab_host::{Adapter, Device, DevicePath, LunQueue, PathState};
use sanlab_kernel::{Id, IdVec, Instant, Span};
use sanlab_storage::{Array, Lun};

/// One path to a LUN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    pub(crate) path: Id<Path>,
    pub(crate) adapter: Id<Adapter>,
    pub(crate) target_n_port: Id<NPort>,
    pub(crate) array: Id<Array>,
    pub(crate) lun: Id<Lun>,
    /// The LUN's queue at the adapter.
    pub(crate) queue: Id<LunQueue>,
}

/// A way from an adapter to a port of an array.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) adapter: Id<Adapter>,
    pub(crate) initiator: Id<NPort>,
    pub(crate) target: Id<NPort>,
    /// What the host knows.
    pub(crate) state: PathState,
    /// Whether it works, as of the host's last check.
    pub(crate) is_usable: bool,
    /// When the host has logged in again, since it last became usable.
    pub(crate) ready_at: Instant,
    /// Changes of its state, counted, so that a timer knows its own.
    pub(crate) changes: u32,
    /// The first of its losses, its last, and time lost before that one.
    pub(crate) lost_first: Option<Instant>,
    pub(crate) lost_at: Instant,
    pub(crate) lost_for: Span,
    pub(crate) losses: u32,
    /// Answers over it.
    pub(crate) answers: u64,
    /// Devices whose requests went over it when it was lost.
    pub(crate) displaced: Vec<Id<HostDevice>>,
    /// First answer to one of these by another path.
    pub(crate) replaced_at: Option<Instant>,
    /// Devices that use it.
    pub(crate) devices: Vec<Id<HostDevice>>,
}

/// A LUN as a host sees it.
#[derive(Clone, Debug)]
pub(crate) struct HostDevice {
    pub(crate) device: Device,
    pub(crate) routes: IdVec<DevicePath, Route>,
    /// From a failed path's return to its use: looks of the path checker; none uses it at once.
    pub(crate) checker: Span,
}

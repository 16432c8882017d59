//! Paths, and LUNs as hosts see them.

use sanlab_host::{Device, PathState};
use sanlab_kernel::Picoseconds;

/// One path to a LUN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    /// Path, of all.
    pub(crate) path: u32,
    pub(crate) adapter: u32,
    pub(crate) target_n_port: u32,
    pub(crate) array: u32,
    pub(crate) lun: u32,
    /// The LUN's queue at the adapter.
    pub(crate) queue: u32,
}

/// A way from an adapter to a port of an array.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) adapter: u32,
    pub(crate) initiator: u32,
    pub(crate) target: u32,
    /// What the host knows.
    pub(crate) state: PathState,
    /// Whether it works, as of the host's last check.
    pub(crate) is_usable: bool,
    /// When the host has logged in again, since it last became usable.
    pub(crate) ready_at: Picoseconds,
    /// Changes of its state, counted, so that a timer knows its own.
    pub(crate) changes: u32,
    /// The first of its losses, its last, and time lost before that one.
    pub(crate) lost_first: Option<Picoseconds>,
    pub(crate) lost_at: Picoseconds,
    pub(crate) lost_for: Picoseconds,
    pub(crate) losses: u32,
    /// Answers over it.
    pub(crate) answers: u64,
    /// First answer by another path, of a device that uses this one too, after its first loss.
    pub(crate) replaced_at: Option<Picoseconds>,
    /// Devices that use it.
    pub(crate) devices: Vec<u32>,
}

/// A LUN as a host sees it.
#[derive(Clone, Debug)]
pub(crate) struct HostDevice {
    pub(crate) device: Device,
    pub(crate) routes: Vec<Route>,
    /// From a failed path's return to its use: looks of the path checker; 0 uses it at once.
    pub(crate) checker: Picoseconds,
}

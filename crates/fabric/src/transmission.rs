//! A transmission that has started, for those above the network.

use sanlab_kernel::{NEVER, Picoseconds};

/// Instant at which a frame arrives that is lost on its way.
pub const LOST: Picoseconds = NEVER - 1;

/// What follows from the start of a transmission for those above the network.
#[derive(Clone, Copy, Debug)]
pub struct Transmission {
    /// The frame.
    pub frame: u32,
    /// Its last bit reaches its destination N_Port at this instant; [`NEVER`] while it is still to
    /// cross a switch, [`LOST`] if it goes no further. The caller frees a frame that arrives or is lost.
    pub arrives_at: Picoseconds,
    /// Its last bit is in; earlier than `arrives_at` only where it is stored over an I/O bus.
    pub landed_at: Picoseconds,
    /// The fibre.
    pub fibre: u32,
    /// The last frame of a sequence has left its source.
    pub ends_sequence: bool,
}

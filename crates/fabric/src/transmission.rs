//! A transmission that has started, for those above the network.

use sanlab_fc::Frame;
use sanlab_kernel::{Id, Instant};

use crate::fibre::Fibre;

/// Instant at which a frame arrives that is lost on its way.
pub const LOST: Instant = Instant::from_ps(u64::MAX - 1);

/// Instant at which a frame arrives that an end of an accelerated link takes out of the fabric: it has all of
/// it when the frame is `ready_at`.
pub const TAKEN: Instant = Instant::from_ps(u64::MAX - 2);

/// What follows from the start of a transmission for those above the network.
#[derive(Clone, Copy, Debug)]
pub struct Transmission {
    /// The frame.
    pub frame: Id<Frame>,
    /// Its last bit reaches its destination N_Port at this instant; [`Instant::NEVER`] while it is still to
    /// cross a switch, [`LOST`] if it goes no further, [`TAKEN`] if an end of an accelerated link has it. The caller frees a frame that arrives or is lost.
    pub arrives_at: Instant,
    /// Its last bit is in; earlier than `arrives_at` only where it is stored over an I/O bus.
    pub landed_at: Instant,
    /// The fibre.
    pub fibre: Id<Fibre>,
    /// The last frame of a sequence has left its source.
    pub ends_sequence: bool,
}

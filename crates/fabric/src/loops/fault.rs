//! What may happen to a loop.

use sanlab_fc::LoopPlace;
use sanlab_kernel::{Id, Instant, Span};

use super::Crossbar;

/// Something that happens to a loop. Places are those of the loop.
#[derive(Clone, Debug)]
pub enum LoopFault {
    /// No port arbitrates before this instant: the loop initialises, or a port holds it. An open
    /// circuit ends as it would have without the fault.
    Stop {
        /// When it goes on.
        until: Instant,
    },
    /// Ports leave the loop, bypassed or pulled; what they have to send is lost.
    Remove(Vec<Id<LoopPlace>>),
    /// Ports are back.
    Insert(Vec<Id<LoopPlace>>),
    /// An enclosure loses its power: the neighbours close the ring above it and below it.
    Cut {
        /// First place of the enclosure.
        first: Id<LoopPlace>,
        /// One past its last.
        end: Id<LoopPlace>,
        /// Step to the first port above from then on.
        above: Span,
        /// Step to the first port below.
        below: Span,
    },
    /// A crossbar is gone with its ports and strings.
    Darken(Id<Crossbar>),
}

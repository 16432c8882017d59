//! What may happen to a loop.

use sanlab_kernel::Picoseconds;

/// Something that happens to a loop. Places are those of the loop.
#[derive(Clone, Debug)]
pub enum LoopFault {
    /// No port arbitrates before this instant: the loop initialises, or a port holds it. An open
    /// circuit ends as it would have without the fault.
    Stop {
        /// When it goes on.
        until: Picoseconds,
    },
    /// Ports leave the loop, bypassed or pulled; what they have to send is lost.
    Remove(Vec<u32>),
    /// Ports are back.
    Insert(Vec<u32>),
    /// An enclosure loses its power: the neighbours close the ring above it and below it.
    Cut {
        /// First place of the enclosure.
        first: u32,
        /// One past its last.
        end: u32,
        /// Step to the first port above from then on.
        above: Picoseconds,
        /// Step to the first port below.
        below: Picoseconds,
    },
    /// A crossbar is gone with its ports and strings.
    Darken(u32),
}

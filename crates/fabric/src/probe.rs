//! Who watches frames.

use sanlab_fc::{Exchange, Frame};
use sanlab_kernel::{Arena, Picoseconds};

/// What becomes of a frame on a fibre.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It comes in as it went out.
    #[default]
    Whole,
    /// A bit comes in inverted: its CRC is wrong, and its receiver throws it away.
    Corrupted,
    /// The light went before its last bit was in: it does not come in.
    CutOff,
}

/// Sees every frame at both ends of every fibre. Compiled in by type: [`NoProbe`] costs nothing.
pub trait Probe {
    /// A frame's first bit leaves the transmitter of `fibre` at `sent_at`; its last bit reaches the
    /// receiver at `received_at`, unless its `fate` is another. `exchanges` holds the exchange of a frame
    /// that is not plain.
    fn frame(
        &mut self,
        fibre: u32,
        frame: &Frame,
        exchanges: &Arena<Exchange>,
        sent_at: Picoseconds,
        received_at: Picoseconds,
        fate: Fate,
    );

    /// Whether it looks at all.
    #[inline(always)]
    fn is_on(&self) -> bool {
        true
    }

    /// It has seen all it wants to see: the run may end.
    #[inline]
    fn is_done(&self) -> bool {
        false
    }
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProbe;

impl Probe for NoProbe {
    #[inline(always)]
    fn is_on(&self) -> bool {
        false
    }

    #[inline(always)]
    fn frame(
        &mut self,
        _: u32,
        _: &Frame,
        _: &Arena<Exchange>,
        _: Picoseconds,
        _: Picoseconds,
        _: Fate,
    ) {
    }
}

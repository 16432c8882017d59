//! Who watches frames.

use sanlab_fc::{Exchange, Frame};
use sanlab_kernel::{Arena, Picoseconds};

/// Sees every frame at both ends of every fibre. Compiled in by type: [`NoProbe`] costs nothing.
pub trait Probe {
    /// A frame's first bit leaves the transmitter of `fibre` at `sent_at`; its last bit reaches the
    /// receiver at `received_at`. `exchanges` holds the exchange of a frame that is not plain.
    fn frame(
        &mut self,
        fibre: u32,
        frame: &Frame,
        exchanges: &Arena<Exchange>,
        sent_at: Picoseconds,
        received_at: Picoseconds,
    );

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
    fn frame(&mut self, _: u32, _: &Frame, _: &Arena<Exchange>, _: Picoseconds, _: Picoseconds) {}
}

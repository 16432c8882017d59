//! Who watches frames.

use sanlab_fc::Frame;
use sanlab_kernel::{Id, Instant, Span};

use crate::fibre::Fibre;

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
///
/// `C` is what the layers above know of exchanges. The fabric hands it on and does not look into it.
pub trait Probe<C = ()> {
    /// A frame's first bit leaves the transmitter of `fibre` at `sent_at`; its last bit reaches the
    /// receiver at `received_at`, unless its `fate` is another. `context` is what was given to
    /// [`crate::Network::step`].
    fn frame(
        &mut self,
        fibre: Id<Fibre>,
        frame: &Frame,
        context: &C,
        sent_at: Instant,
        received_at: Instant,
        fate: Fate,
    );

    /// What the frame just shown has waited for credit at this transmitter, and where the fabric knows it by
    /// now, when a credit is back: that of the fibre which it came by, and that of this one.
    #[inline(always)]
    fn credit(&mut self, _waited: Span, _came_by_back_at: Instant, _back_at: Instant) {}

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

/// A probe that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProbe;

impl<C> Probe<C> for NoProbe {
    #[inline(always)]
    fn is_on(&self) -> bool {
        false
    }

    #[inline(always)]
    fn frame(&mut self, _: Id<Fibre>, _: &Frame, _: &C, _: Instant, _: Instant, _: Fate) {}
}

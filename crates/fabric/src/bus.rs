//! Ports behind the I/O buses of their hosts.
//!
//! A frame such a port sends is fetched from memory first, ahead of the fibre as far as its transmit
//! buffers go. One it receives stays in its buffer until it has been stored in memory: an alarm of the
//! port rings when a frame is in, since only then is it known who else is on the bus before it.

use std::collections::VecDeque;

use sanlab_fc::{BusPlace, Exchange, Frame, IoBus, NPort};
use sanlab_kernel::{Id, IdVec, Span, slot_of};

/// Buses, and the ports behind them.
#[derive(Debug, Default)]
pub struct Buses {
    /// Segments.
    pub segments: IdVec<IoBus>,
    /// Ports behind one.
    pub ports: IdVec<BusPlace, BusPort>,
    /// Frames stored.
    pub(crate) stored: u64,
    /// For each exchange the time for which a free fibre waited for frames of its sequence under way.
    waits: Vec<Span>,
}

impl Buses {
    /// Time for which a free fibre waited for frames of this exchange since [`Buses::forget_wait`].
    #[inline]
    pub fn wait(&self, exchange: Id<Exchange>) -> Span {
        self.waits
            .get(slot_of(exchange))
            .copied()
            .unwrap_or_default()
    }

    /// Count the wait of an exchange from 0 again.
    #[inline]
    pub fn forget_wait(&mut self, exchange: Id<Exchange>) {
        if let Some(wait) = self.waits.get_mut(slot_of(exchange)) {
            *wait = Span::ZERO;
        }
    }

    pub(crate) fn add_wait(&mut self, exchange: Id<Exchange>, wait: Span) {
        let slot = slot_of(exchange);
        if self.waits.len() <= slot {
            self.waits.resize(slot + 1, Span::ZERO);
        }
        self.waits[slot] += wait;
    }
}

/// A port behind a bus.
#[derive(Debug)]
pub struct BusPort {
    /// Its N_Port.
    pub n_port: Id<NPort>,
    /// Its segment.
    pub segment: Id<IoBus>,
    /// Frames that are in, or on the last fibre, and not yet stored.
    pub(crate) landing: VecDeque<Id<Frame>>,
}

impl BusPort {
    /// A port of this segment with nothing to store.
    pub fn new(n_port: Id<NPort>, segment: Id<IoBus>) -> Self {
        Self {
            n_port,
            segment,
            landing: VecDeque::new(),
        }
    }
}

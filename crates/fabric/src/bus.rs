//! Ports behind the I/O buses of their hosts.
//!
//! A frame such a port sends is fetched from memory first, ahead of the fibre as far as its transmit
//! buffers go. One it receives stays in its buffer until it has been stored in memory: an alarm of the
//! port rings when a frame is in, since only then is it known who else is on the bus before it.

use std::collections::VecDeque;

use sanlab_fc::IoBus;
use sanlab_kernel::{Picoseconds, slot_of};

/// Buses, and the ports behind them.
#[derive(Debug, Default)]
pub struct Buses {
    /// Segments.
    pub segments: Vec<IoBus>,
    /// Ports behind one.
    pub ports: Vec<BusPort>,
    /// Frames stored.
    pub(crate) stored: u64,
    /// For each exchange the time for which a free fibre waited for frames of its sequence under way.
    waits: Vec<Picoseconds>,
}

impl Buses {
    /// Time for which a free fibre waited for frames of this exchange since [`Buses::forget_wait`].
    #[inline]
    pub fn wait(&self, exchange: u32) -> Picoseconds {
        self.waits.get(slot_of(exchange)).copied().unwrap_or(0)
    }

    /// Count the wait of an exchange from 0 again.
    #[inline]
    pub fn forget_wait(&mut self, exchange: u32) {
        if let Some(wait) = self.waits.get_mut(slot_of(exchange)) {
            *wait = 0;
        }
    }

    pub(crate) fn add_wait(&mut self, exchange: u32, wait: Picoseconds) {
        let slot = slot_of(exchange);
        if self.waits.len() <= slot {
            self.waits.resize(slot + 1, 0);
        }
        self.waits[slot] += wait;
    }
}

/// A port behind a bus.
#[derive(Debug)]
pub struct BusPort {
    /// Its N_Port.
    pub n_port: u32,
    /// Its segment.
    pub segment: u32,
    /// Frames that are in, or on the last fibre, and not yet stored.
    pub(crate) landing: VecDeque<u32>,
}

impl BusPort {
    /// A port of this segment with nothing to store.
    pub fn new(n_port: u32, segment: u32) -> Self {
        Self {
            n_port,
            segment,
            landing: VecDeque::new(),
        }
    }
}

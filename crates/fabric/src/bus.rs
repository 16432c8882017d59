//! Ports behind the I/O buses of their hosts.
//!
//! A frame such a port sends is fetched from memory first, ahead of the fibre as far as its transmit
//! buffers go. One it receives stays in its buffer until it has been stored in memory: an alarm of the
//! port rings when a frame is in, since only then is it known who else is on the bus before it.

use std::collections::VecDeque;

use sanlab_fc::IoBus;

/// Buses, and the ports behind them.
#[derive(Debug, Default)]
pub struct Buses {
    /// Segments.
    pub segments: Vec<IoBus>,
    /// Ports behind one.
    pub ports: Vec<BusPort>,
    /// Frames stored.
    pub(crate) stored: u64,
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

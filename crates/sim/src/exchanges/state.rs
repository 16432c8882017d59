//! Exchange ids of N_Ports, and how many exchanges there were.

use sanlab_fc::{ExchangeIds, NPort};
use sanlab_kernel::{Id, IdVec};

/// Exchange ids of N_Ports, and exchanges counted.
pub(crate) struct Exchanges {
    ids: IdVec<NPort, ExchangeIds>,
    pub(crate) opened: u64,
    pub(crate) closed: u64,
    data_frame_bytes: u32,
}

impl Exchanges {
    pub(crate) fn new(n_ports: usize, data_frame_bytes: u32) -> Self {
        Self {
            ids: IdVec::filled(ExchangeIds::default(), n_ports),
            opened: 0,
            closed: 0,
            data_frame_bytes,
        }
    }

    /// Let the ids of N_Ports begin apart. Ports that log in have no address yet, and a reader of a capture
    /// tells the FLOGI of one from that of another by its id.
    pub(crate) fn spread_ids(&mut self) {
        for (apart, ids) in (0..4096).cycle().zip(&mut self.ids) {
            ids.skip(apart);
        }
    }

    /// An id for an exchange that this N_Port originates; none when all are in use.
    pub(crate) fn take_id(&mut self, n_port: Id<NPort>) -> Option<u16> {
        self.ids[n_port].take()
    }

    /// An id may be used again.
    pub(crate) fn give_back_id(&mut self, n_port: Id<NPort>, id: u16) {
        self.ids[n_port].give_back(id);
    }

    /// Payload of a full frame.
    #[inline]
    pub(crate) fn data_frame_bytes(&self) -> u32 {
        self.data_frame_bytes
    }

    /// Payload of the last frame of so much data.
    #[inline]
    pub(crate) fn last_frame_bytes(&self, bytes: u32) -> u32 {
        let full = self.data_frame_bytes;
        (bytes + full - 1) % full + 1
    }
}

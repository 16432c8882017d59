//! A port of a loop.

use std::collections::VecDeque;

use sanlab_fc::{Circuit, LoopBuffers, Sequence};
use sanlab_kernel::{NONE, Picoseconds};

use crate::counters::FibreCounters;

/// How a port behaves on its loop.
#[derive(Clone, Copy, Debug)]
pub struct LoopPortSettings {
    /// Its N_Port.
    pub n_port: u32,
    /// What it offers to a partner.
    pub buffers: LoopBuffers,
    /// It opens circuits both ways at once (OPNyx, not OPNyy).
    pub is_full_duplex: bool,
    /// Frames it sends before it looks whether others want the loop.
    pub tenancy_frames: u32,
    /// Its own part of the delay of the loop.
    pub repeat: Picoseconds,
}

/// What a port is in the circuit it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Free,
    Owner { partner: u32 },
    Opened { owner: u32 },
}

/// How far the circuit of a port's own is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CircuitPhase {
    Idle,
    /// The switch keeps the way to this partner free.
    Granted {
        partner: u32,
    },
    Open,
    /// It has sent CLS.
    Closing,
}

/// A port with what it has to send.
#[derive(Clone, Debug)]
pub struct LoopPort {
    /// How it behaves.
    pub settings: LoopPortSettings,
    /// Its loop.
    pub loop_id: u32,
    /// Its place there.
    pub place: u32,
    /// Its transmitter.
    pub fibre: u32,
    /// Frames that were sent to it.
    pub received: FibreCounters,
    /// It is on the loop, neither bypassed nor without power.
    pub(crate) is_inserted: bool,
    pub(crate) queue: VecDeque<Sequence>,
    pub(crate) role: Role,
    pub(crate) phase: CircuitPhase,
    pub(crate) circuit: Circuit,
    pub(crate) won_at: Picoseconds,
    /// Its circuit has been counted as taken up to then.
    pub(crate) owned_to: Picoseconds,
    pub(crate) frames_left: u32,
}

impl LoopPort {
    pub(crate) fn new(
        settings: LoopPortSettings,
        (loop_id, place): (u32, u32),
        fibre: u32,
    ) -> Self {
        Self {
            settings,
            loop_id,
            place,
            fibre,
            received: FibreCounters::default(),
            is_inserted: true,
            queue: VecDeque::new(),
            role: Role::Free,
            phase: CircuitPhase::Idle,
            circuit: Circuit::default(),
            won_at: 0,
            owned_to: 0,
            frames_left: 0,
        }
    }

    /// Whether it has a sequence of this exchange to send.
    pub(crate) fn holds(&self, exchange: u32) -> bool {
        self.queue
            .iter()
            .any(|sequence| sequence.exchange == exchange)
    }

    /// Port that the first waiting sequence goes to.
    pub(crate) fn next_partner(&self, port_of: &[u32]) -> u32 {
        let first = self.queue.front();
        first.map_or(NONE, |sequence| port_of[sequence.destination as usize])
    }

    /// Whether anything waits for this partner.
    pub(crate) fn next_partner_among(&self, partner: u32, port_of: &[u32]) -> bool {
        let mut waiting = self.queue.iter();
        waiting.any(|sequence| port_of[sequence.destination as usize] == partner)
    }
}

//! A port of a loop.

use std::collections::VecDeque;

use sanlab_fc::{Circuit, Exchange, LoopBuffers, LoopPlace, NPort, Sequence};
use sanlab_kernel::{Id, IdVec, Instant, MaybeId, Span};

use super::Loop;
use crate::counters::FibreCounters;
use crate::fibre::Fibre;

/// How a port behaves on its loop.
#[derive(Clone, Copy, Debug)]
pub struct LoopPortSettings {
    /// Its N_Port.
    pub n_port: Id<NPort>,
    /// What it offers to a partner.
    pub buffers: LoopBuffers,
    /// It opens circuits both ways at once (OPNyx, not OPNyy).
    pub is_full_duplex: bool,
    /// Frames it sends before it looks whether others want the loop.
    pub tenancy_frames: u32,
    /// Its own part of the delay of the loop.
    pub repeat: Span,
}

/// What a port is in the circuit it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Free,
    Owner { partner: Id<LoopPort> },
    Opened { owner: Id<LoopPort> },
}

/// How far the circuit of a port's own is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CircuitPhase {
    Idle,
    /// The switch keeps the way to this partner free.
    Granted {
        partner: Id<LoopPort>,
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
    pub loop_id: Id<Loop>,
    /// Its place there.
    pub place: Id<LoopPlace>,
    /// Its transmitter.
    pub fibre: Id<Fibre>,
    /// Frames that were sent to it.
    pub received: FibreCounters,
    /// It is on the loop, neither bypassed nor without power.
    pub(crate) is_inserted: bool,
    pub(crate) queue: VecDeque<Sequence>,
    pub(crate) role: Role,
    pub(crate) phase: CircuitPhase,
    pub(crate) circuit: Circuit,
    pub(crate) won_at: Instant,
    /// Its circuit has been counted as taken up to then.
    pub(crate) owned_to: Instant,
    pub(crate) frames_left: u32,
}

impl LoopPort {
    pub(crate) fn new(
        settings: LoopPortSettings,
        (loop_id, place): (Id<Loop>, Id<LoopPlace>),
        fibre: Id<Fibre>,
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
            won_at: Instant::START,
            owned_to: Instant::START,
            frames_left: 0,
        }
    }

    /// Whether it has a sequence of this exchange to send.
    pub(crate) fn holds(&self, exchange: Id<Exchange>) -> bool {
        self.queue
            .iter()
            .any(|sequence| sequence.exchange == exchange.into())
    }

    /// Port that the first waiting sequence goes to; none if nothing waits.
    pub(crate) fn next_partner(&self, port_of: &IdVec<NPort, MaybeId<LoopPort>>) -> MaybeId<Self> {
        let first = self.queue.front();
        first.map_or(MaybeId::NONE, |sequence| port_of[sequence.destination])
    }

    /// Whether anything waits for this partner.
    pub(crate) fn next_partner_among(
        &self,
        partner: Id<LoopPort>,
        port_of: &IdVec<NPort, MaybeId<LoopPort>>,
    ) -> bool {
        let mut waiting = self.queue.iter();
        waiting.any(|sequence| port_of[sequence.destination] == partner.into())
    }
}

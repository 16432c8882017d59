//! A port of a loop.

use std::collections::VecDeque;

use sanlab_fc::{Circuit, Exchange, LoopBuffers, LoopPlace, NPort, Sequence};
use sanlab_kernel::{Id, IdVec, Instant, MaybeId, Span};

use super::Loop;
use crate::ahead::Ahead;
use crate::counters::FibreCounters;
use crate::fibre::Fibre;

/// How a port behaves on its loop.
#[derive(Clone, Copy, Debug)]
pub struct LoopPortSettings {
    /// Its N_Port; none for an FL_Port, which belongs to a switch.
    pub n_port: MaybeId<NPort>,
    /// It has logged in to the fabric of the loop's FL_Port, if there is one.
    pub is_public: bool,
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

/// What a port of a loop is to a fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FabricSide {
    /// It reaches only the ports of its loop.
    Private,
    /// It reaches the fabric by this FL_Port.
    Public(Id<LoopPort>),
    /// It is an FL_Port.
    FlPort {
        /// What comes from the loop into its switch.
        into_switch: Id<Fibre>,
        /// A port waits for one of its buffers: the instant at which it looks, if that is known.
        looks_at: Option<Instant>,
    },
}

/// A sequence that waits at a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// The port of the loop that it goes to, found once: a queue is searched for it at every look.
    pub(crate) partner: Id<LoopPort>,
    pub(crate) sequence: Sequence,
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
    /// Frames that were sent to it, and which of them lie ahead.
    pub(crate) received: FibreCounters,
    pub(crate) ahead: Ahead,
    /// First port of its loop, and one past the last.
    pub(crate) mates: (Id<LoopPort>, Id<LoopPort>),
    /// What it is to a fabric.
    pub(crate) side: FabricSide,
    /// It is on the loop, neither bypassed nor without power.
    pub(crate) is_inserted: bool,
    pub(crate) queue: VecDeque<Waiting>,
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
            ahead: Ahead::default(),
            mates: (Id::new(0), Id::new(0)),
            side: FabricSide::Private,
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

    /// What was sent to it up to now.
    pub fn received(&self, now: Instant) -> FibreCounters {
        FibreCounters {
            busy: self.received.busy - self.ahead.after(now),
            ..self.received
        }
    }

    /// Whether it has a sequence of this exchange to send.
    pub(crate) fn holds(&self, exchange: Id<Exchange>) -> bool {
        self.queue
            .iter()
            .any(|waiting| waiting.sequence.exchange == exchange.into())
    }

    /// Port that the first waiting sequence goes to; none if nothing waits.
    pub(crate) fn next_partner(&self) -> MaybeId<Self> {
        let first = self.queue.front();
        first.map_or(MaybeId::NONE, |waiting| waiting.partner.into())
    }

    /// Port of its loop that frames for an N_Port go to: that of the N_Port, or the FL_Port if it is
    /// not on the loop; none where a private port would need the fabric.
    pub(crate) fn partner_for(
        &self,
        destination: Id<NPort>,
        port_of: &IdVec<NPort, MaybeId<LoopPort>>,
    ) -> MaybeId<Self> {
        let (first, end) = self.mates;
        let direct = port_of[destination];
        match (direct.get(), self.side) {
            (Some(port), _) if first <= port && port < end => direct,
            (_, FabricSide::Public(fl_port)) => fl_port.into(),
            _ => MaybeId::NONE,
        }
    }

    /// What comes from the loop into its switch, if it is an FL_Port.
    #[inline]
    pub(crate) fn switch_input(&self) -> Option<Id<Fibre>> {
        match self.side {
            FabricSide::FlPort { into_switch, .. } => Some(into_switch),
            _ => None,
        }
    }

    /// Whether anything waits for this partner.
    pub(crate) fn has_for(&self, partner: Id<LoopPort>) -> bool {
        self.next_for(partner, 0).is_some()
    }

    /// The place of the first sequence for this partner in its queue, from this place on.
    pub(crate) fn next_for(&self, partner: Id<LoopPort>, place: usize) -> Option<usize> {
        let mut waiting = self.queue.range(place..);
        let steps = waiting.position(|waiting| waiting.partner == partner)?;
        Some(place + steps)
    }
}

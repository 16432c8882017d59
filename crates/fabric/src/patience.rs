//! How long a transmitter waits: frames that are discarded, links that are reset.
//!
//! Nothing of it touches the path of a frame. Each transmitter has an instant before which its patience
//! cannot end, and is looked at then: either it ends, or the next such instant is known. A frame that
//! comes later has all of its time before it, so that one look in each such time is enough.

use sanlab_kernel::{Alarms, Id, IdVec, Instant, Span};

use crate::fibre::Fibre;

/// How long a transmitter waits; `None` is indefinitely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Patience {
    /// A frame of a switch that has been ready for so long is discarded: hold time, congestion drop.
    /// Longer than a frame takes to come in.
    pub hold: Option<Span>,
    /// After so long without credit, a switch discards what waits for this output, and what comes for
    /// it, until credit is back.
    pub no_credit: Option<Span>,
    /// After so long without credit, the transmitter resets its link.
    pub reset: Option<Span>,
}

impl Patience {
    /// The shortest time in which anything ends.
    fn shortest(&self) -> Option<Span> {
        [self.hold, self.no_credit, self.reset]
            .into_iter()
            .flatten()
            .min()
    }

    /// It counts how long the transmitter is without credit.
    pub(crate) fn minds_credit(&self) -> bool {
        self.no_credit.is_some() || self.reset.is_some()
    }
}

/// What ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Impatience {
    /// Frames were discarded after the hold time.
    HoldTime,
    /// The output discards frames because it has no credit.
    NoCredit,
    /// The link was reset. So many frames were lost in the buffers of its two ends.
    LinkReset(u64),
}

/// What a transmitter counts when its patience ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatienceCounters {
    /// Frames discarded after the hold time.
    pub timeouts: u64,
    /// Frames discarded because there was no credit.
    pub no_credit: u64,
    /// Frames that came by this fibre and were discarded after the hold time of their output.
    pub received_timeouts: u64,
    /// Resets of the link that this transmitter began.
    pub resets: u64,
}

/// One transmitter that is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watch {
    pub(crate) patience: Patience,
    /// Since when it has had no credit, and how many frames it had sent by then.
    pub(crate) without_credit: Option<(Instant, u64)>,
    /// It discards what comes.
    pub(crate) drops: bool,
    pub(crate) counters: PatienceCounters,
}

/// All transmitters, and when to look at which.
#[derive(Clone, Debug)]
pub(crate) struct Watches {
    pub(crate) alarms: Alarms,
    pub(crate) of: IdVec<Fibre, Watch>,
}

impl Watches {
    pub(crate) fn new(fibres: usize) -> Self {
        Self {
            alarms: Alarms::new(fibres),
            of: IdVec::filled(Watch::default(), fibres),
        }
    }

    /// A transmitter waits no longer than this, from the start of the run on.
    pub(crate) fn set(&mut self, fibre: Id<Fibre>, patience: Patience) {
        self.of[fibre].patience = patience;
        if let Some(shortest) = patience.shortest() {
            self.alarms.set(fibre.number(), Instant::START + shortest);
        }
    }
}

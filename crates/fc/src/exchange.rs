//! Exchanges between two N_Ports, and their ids.

use sanlab_kernel::{Id, Instant, Span};

use crate::link_services::ServiceFrame;
use crate::{Flow, FrameKind, NPort};

/// State of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExchangeState {
    /// It is open.
    Open,
    /// Its originator has sent ABTS and waits for BA_ACC.
    Aborting,
    /// It is over, and frames of it may still be on their way: its id rests (FC-FS, "recovery
    /// qualifier").
    Aborted,
    /// It is over.
    Closed,
}

/// Which ends know the responder's id of an exchange: to others it is unassigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RxIdKnown {
    /// Neither: no frame of the originator has arrived yet.
    ToNobody,
    /// The responder: the first information unit has arrived.
    ToTarget,
    /// Both: a frame of the responder has arrived.
    ToBoth,
}

/// The exchange of a frame, in four bytes: one that has a record, one with a service, or one that no part
/// keeps. The kind of the frame tells them apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct AnyExchange(u32);

/// No id of a record has this bit.
const SERVICE_BIT: u32 = 1 << 31;

impl AnyExchange {
    /// Plain frames: no part keeps their exchange.
    pub const NONE: Self = Self(u32::MAX);

    /// An exchange with a service, by what the frame says.
    #[inline]
    pub const fn with_service(frame: Id<ServiceFrame>) -> Self {
        Self(frame.number() | SERVICE_BIT)
    }

    /// The record of an exchange that has one.
    #[inline]
    pub fn record(self) -> Id<Exchange> {
        debug_assert!(self.0 & SERVICE_BIT == 0, "an exchange without a record");
        Id::new(self.0)
    }

    /// What a frame of a service says.
    #[inline]
    pub fn service(self) -> Id<ServiceFrame> {
        debug_assert!(self.0 & SERVICE_BIT != 0, "an exchange without a service");
        Id::new(self.0 & !SERVICE_BIT)
    }
}

impl From<Id<Exchange>> for AnyExchange {
    #[inline]
    fn from(record: Id<Exchange>) -> Self {
        Self(record.number())
    }
}

/// An exchange: the sequences of one operation of a protocol above.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// N_Port of the originator.
    pub initiator: Id<NPort>,
    /// N_Port of the responder.
    pub target: Id<NPort>,
    /// What its frames are counted under.
    pub flow: Id<Flow>,
    /// Originator's exchange id.
    pub ox_id: u16,
    /// State.
    pub state: ExchangeState,
    /// Which ends know its RX_ID.
    pub rx_id_known: RxIdKnown,
    /// When it was opened.
    pub opened_at: Instant,
    /// Its number among all exchanges.
    pub number: u32,
    /// Credit wait of the transmitter when the information unit under way was handed to it, to tell
    /// its share later.
    pub credit_wait_before: Span,
}

impl Exchange {
    /// Record the arrival of the last frame of an information unit.
    pub fn on_arrived(&mut self, kind: FrameKind) {
        match kind {
            FrameKind::Command => self.rx_id_known = RxIdKnown::ToTarget,
            FrameKind::TransferReady | FrameKind::EarlyReady => {
                self.rx_id_known = RxIdKnown::ToBoth;
            }
            _ => {}
        }
    }
}

/// Exchange ids of one N_Port: each in use at most once, handed out in turn.
#[derive(Clone, Debug, Default)]
pub struct ExchangeIds {
    free: std::collections::VecDeque<u16>,
    next: u16,
}

impl ExchangeIds {
    /// An id not in use; `None` when all 65535 are (0xFFFF means "unassigned" on the fibre).
    pub fn take(&mut self) -> Option<u16> {
        if self.next < u16::MAX {
            self.next += 1;
            return Some(self.next - 1);
        }
        self.free.pop_front()
    }

    /// The next ids come later: they are handed out when the others have been.
    pub fn skip(&mut self, count: u16) {
        self.free.extend(self.next..self.next + count);
        self.next += count;
    }

    /// The exchange of this id is over.
    pub fn give_back(&mut self, id: u16) {
        self.free.push_back(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_but_the_last_is_handed_out_once_and_then_again() {
        let mut ids = ExchangeIds::default();
        for id in 0..u16::MAX {
            assert_eq!(ids.take(), Some(id));
        }
        assert_eq!(ids.take(), None);
        ids.give_back(7);
        ids.give_back(3);
        assert_eq!(
            [ids.take(), ids.take(), ids.take()],
            [Some(7), Some(3), None]
        );
    }
}

//! The answer to an ABTS, or to a command that went wrong: what was asked for is sent again.

use sanlab_fc::{Exchange, ExchangeState, Frame, FrameKind};
use sanlab_kernel::{Id, Instant};

use crate::issuer::Tag;
use crate::world::World;

/// Payload of BA_ACC: sequence, ids of the exchange, lowest and highest count (FC-FS).
const BA_ACC_BYTES: u32 = 12;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// An information unit of an exchange that is being aborted, or was: only the abort itself counts.
    pub(crate) fn on_arrived_late(&mut self, now: Instant, frame: &Frame) {
        let id = frame.exchange.record();
        if self.fcp.exchange(id).state != ExchangeState::Aborting {
            return;
        }
        match frame.kind {
            FrameKind::Abort => {
                self.release(now, id);
                self.send(now, id, FrameKind::AbortAccepted, 0, BA_ACC_BYTES);
            }
            FrameKind::AbortAccepted => self.end_abort(now, id),
            _ => {}
        }
    }

    pub(crate) fn on_abort_due(&mut self, now: Instant, id: Id<Exchange>, number: u32) {
        if self.is_state(id, number, ExchangeState::Aborting) {
            self.end_abort(now, id);
        }
    }

    /// The exchange is over, its command is sent again.
    fn end_abort(&mut self, now: Instant, id: Id<Exchange>) {
        if let Tag::Host(request) = self.detach(now, id) {
            self.try_again(now, request, true);
        }
    }

    /// A response that reports an error, or comes without all data.
    pub(crate) fn on_spoilt(&mut self, now: Instant, id: Id<Exchange>) {
        match self.detach(now, id) {
            Tag::Host(request) => self.try_again(now, request, true),
            Tag::Mirror(copy) => self.send_transfer(now, copy),
            Tag::BackEnd(_) => {}
        }
    }
}

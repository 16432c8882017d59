//! Exchanges that end before their time: ABTS, BA_ACC, and ids that rest for R_A_TOV.

use sanlab_fc::{ExchangeState, Frame, FrameKind};
use sanlab_kernel::{NONE, Picoseconds};

use crate::event::RecoveryEvent;
use crate::issuer::Issuer;
use crate::world::World;

/// Payload of BA_ACC: sequence, ids of the exchange, lowest and highest count (FC-FS).
const BA_ACC_BYTES: u32 = 12;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// The initiator gives a command up and sends ABTS.
    pub(crate) fn abort(&mut self, now: Picoseconds, id: u32) {
        let exchange = self.fcp.exchange_mut(id);
        exchange.state = ExchangeState::Aborting;
        let number = exchange.number;
        let due_at = now + 2 * self.faults.plan().r_a_tov_ps;
        self.recover_at(due_at, RecoveryEvent::AbortDue(id, number));
        self.send(now, id, FrameKind::Abort, 0, 0);
    }

    /// An information unit of an exchange that is being aborted, or was: only the abort itself counts.
    pub(crate) fn on_arrived_late(&mut self, now: Picoseconds, frame: &Frame) {
        let id = frame.exchange;
        if self.fcp.exchange(id).state != ExchangeState::Aborting {
            return;
        }
        match frame.kind {
            FrameKind::Abort => {
                self.release(id);
                self.send(now, id, FrameKind::AbortAccepted, 0, BA_ACC_BYTES);
            }
            FrameKind::AbortAccepted => self.end_abort(now, id),
            _ => {}
        }
    }

    pub(crate) fn on_abort_due(&mut self, now: Picoseconds, id: u32, number: u32) {
        if self.is_state(id, number, ExchangeState::Aborting) {
            self.end_abort(now, id);
        }
    }

    /// Whether a timer's exchange is still the one it was set for, and in this state.
    pub(crate) fn is_state(&self, id: u32, number: u32, state: ExchangeState) -> bool {
        let exchange = self.fcp.latest(id);
        exchange.number == number && exchange.state == state
    }

    /// The exchange is over, its command is sent again.
    fn end_abort(&mut self, now: Picoseconds, id: u32) {
        let request = self.detach(now, id);
        self.try_again(now, request, true);
    }

    /// An exchange ends before its time. Its id rests until nothing of it can be on its way. Returns
    /// its request or transfer.
    pub(crate) fn detach(&mut self, now: Picoseconds, id: u32) -> u32 {
        self.fcp.exchange_mut(id).state = ExchangeState::Aborted;
        let rested_at = now + self.faults.plan().r_a_tov_ps;
        let request = std::mem::replace(&mut self.fcp.command_mut(id).tag.request, NONE);
        self.rest_until(rested_at, id);
        request
    }

    fn rest_until(&mut self, at: Picoseconds, exchange: u32) {
        self.faults.resting += 1;
        self.recover_at(at, RecoveryEvent::Rested(exchange));
    }

    pub(crate) fn on_rested(&mut self, now: Picoseconds, id: u32) {
        self.faults.resting -= 1;
        let travels = self.network.holds_frame_of(id);
        if travels || self.array.works_on(id) {
            // Where nothing moves any more, what holds the id holds it for ever.
            if !self.is_still() {
                self.rest_until(now + self.faults.plan().r_a_tov_ps, id);
            }
            return;
        }
        self.release(id);
        self.forget_exchange(id);
    }

    /// A response that reports an error, or comes without all data.
    pub(crate) fn on_spoilt(&mut self, now: Picoseconds, id: u32) {
        let issuer = self.fcp.command(id).tag.issuer;
        let request = self.detach(now, id);
        match issuer {
            Issuer::Host => self.try_again(now, request, true),
            Issuer::Mirror => self.send_transfer(now, request),
            Issuer::BackEnd => {}
        }
    }
}

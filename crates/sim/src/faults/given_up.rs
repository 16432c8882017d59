//! Exchanges that are given up: ABTS, and ids that rest for R_A_TOV.

use sanlab_fc::{Exchange, ExchangeState, FrameKind};
use sanlab_kernel::{Id, Instant};

use crate::event::RecoveryEvent;
use crate::issuer::Tag;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// The initiator gives a command up and sends ABTS.
    pub(crate) fn abort(&mut self, now: Instant, id: Id<Exchange>) {
        self.leave_accelerator(id);
        let exchange = self.fcp.exchange_mut(id);
        exchange.state = ExchangeState::Aborting;
        let number = exchange.number;
        let due_at = now + self.faults.times().r_a_tov * 2;
        self.recover_at(due_at, RecoveryEvent::AbortDue(id, number));
        self.send(now, id, FrameKind::Abort, 0, 0);
    }

    /// An exchange ends before its time. Its id rests until nothing of it can be on its way. Returns
    /// its request or transfer.
    pub(crate) fn detach(&mut self, now: Instant, id: Id<Exchange>) -> Tag {
        self.leave_accelerator(id);
        self.fcp.exchange_mut(id).state = ExchangeState::Aborted;
        let rested_at = now + self.faults.times().r_a_tov;
        self.rest_until(rested_at, id);
        self.fcp.command(id).tag
    }

    fn rest_until(&mut self, at: Instant, exchange: Id<Exchange>) {
        self.faults.resting += 1;
        self.recover_at(at, RecoveryEvent::Rested(exchange));
    }

    pub(crate) fn on_rested(&mut self, now: Instant, id: Id<Exchange>) {
        self.faults.resting -= 1;
        let travels = self.network.holds_frame_of(id);
        if travels || self.array.works_on(id) {
            // If nothing moves any more, the id is never released.
            if !self.is_still() {
                self.rest_until(now + self.faults.times().r_a_tov, id);
            }
            return;
        }
        self.release(now, id);
        self.forget_exchange(id);
    }
}

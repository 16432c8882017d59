//! Exchanges that end before their time: ABTS, BA_ACC, and ids that rest for R_A_TOV.

use sanlab_fc::{Frame, FrameKind, Owner, Phase};
use sanlab_kernel::{NONE, Picoseconds};

use crate::event::RecoveryEvent;
use crate::world::World;

/// Payload of BA_ACC: sequence, ids of the exchange, lowest and highest count (FC-FS).
const BA_ACC_BYTES: u32 = 12;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// The initiator gives a command up and sends ABTS.
    pub(crate) fn abort(&mut self, now: Picoseconds, id: u32) {
        let exchange = &mut self.network.exchanges[id];
        exchange.phase = Phase::Aborting;
        let number = exchange.number;
        let due_at = now + 2 * self.faults.plan().r_a_tov_ps;
        self.recover_at(due_at, RecoveryEvent::AbortDue(id, number));
        self.send(now, id, FrameKind::Abort, 0, 0);
    }

    /// An information unit of an exchange that is being aborted, or was: only the abort itself counts.
    pub(crate) fn on_arrived_late(&mut self, now: Picoseconds, frame: &Frame) {
        let id = frame.exchange;
        if self.network.exchanges[id].phase != Phase::Aborting {
            return;
        }
        match frame.kind {
            FrameKind::Abort => {
                self.array.release(&mut self.network.exchanges[id]);
                self.send(now, id, FrameKind::AbortAccepted, 0, BA_ACC_BYTES);
            }
            FrameKind::AbortAccepted => self.end_abort(now, id),
            _ => {}
        }
    }

    pub(crate) fn on_abort_due(&mut self, now: Picoseconds, id: u32, number: u32) {
        if self.is_phase(id, number, Phase::Aborting) {
            self.end_abort(now, id);
        }
    }

    /// Whether a timer's exchange is still the one it was set for, and in this phase.
    pub(crate) fn is_phase(&self, id: u32, number: u32, phase: Phase) -> bool {
        let exchange = &self.network.exchanges[id];
        exchange.number == number && exchange.phase == phase
    }

    /// The exchange is over, its command is sent again.
    fn end_abort(&mut self, now: Picoseconds, id: u32) {
        let request = self.detach(now, id);
        self.try_again(now, request, true);
    }

    /// An exchange ends before its time. Its id rests until nothing of it can be on its way. Returns
    /// its request or transfer.
    pub(crate) fn detach(&mut self, now: Picoseconds, id: u32) -> u32 {
        let exchange = &mut self.network.exchanges[id];
        exchange.phase = Phase::Aborted;
        let rested_at = now + self.faults.plan().r_a_tov_ps;
        let request = std::mem::replace(&mut exchange.request, NONE);
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
        self.array.release(&mut self.network.exchanges[id]);
        self.forget_exchange(id);
    }

    /// A response that reports an error, or comes without all data.
    pub(crate) fn on_spoilt(&mut self, now: Picoseconds, id: u32) {
        let owner = self.network.exchanges[id].owner;
        let request = self.detach(now, id);
        match owner {
            Owner::Host => self.try_again(now, request, true),
            Owner::Mirror => self.send_transfer(now, request),
            Owner::BackEnd => {}
        }
    }
}

//! Commands that go wrong at an array: data or answers that do not come, task sets that are cleared.
//!
//! A target that misses data it has asked for waits for E_D_TOV and then answers with an error.

use sanlab_fc::{Exchange, ExchangeState, FrameKind, NPort};
use sanlab_kernel::{Id, Instant};
use sanlab_scsi::{FCP_RSP_BYTES, Status};

use crate::event::Event;
use crate::issuer::Tag;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    pub(crate) fn on_copy_due(&mut self, now: Instant, id: Id<Exchange>, number: u32) {
        if self.is_state(id, number, ExchangeState::Open)
            && let Tag::Mirror(transfer) = self.detach(now, id)
        {
            self.send_transfer(now, transfer);
        }
    }

    /// Data were asked for: if they do not come, the target reports an error.
    pub(crate) fn expect_data(&mut self, now: Instant, id: Id<Exchange>) {
        let number = self.fcp.exchange(id).number;
        let due = Event::DataDue(id, number, self.fcp.command(id).arrived_bytes);
        let due_at = now + self.faults.times().e_d_tov;
        self.agenda.schedule(due_at, 0, due);
    }

    /// Whether the target of the exchange that a timer was set for still waits for data.
    pub(crate) fn waits_for_data(&self, id: Id<Exchange>, number: u32) -> bool {
        let is_open = self.is_state(id, number, ExchangeState::Open);
        is_open && {
            let command = self.fcp.command(id);
            command.misses_data() && command.status == Status::Good
        }
    }

    pub(crate) fn on_data_due(&mut self, now: Instant, id: Id<Exchange>, number: u32, seen: u32) {
        if !self.waits_for_data(id, number) {
            return;
        }
        let command = self.fcp.command_mut(id);
        if command.arrived_bytes != seen {
            self.expect_data(now, id);
            return;
        }
        command.status = Status::CheckCondition;
        self.release(now, id);
        self.send(now, id, FrameKind::Response, 0, FCP_RSP_BYTES);
    }

    /// A target that lost its port, or its power, forgets the commands it had.
    pub(crate) fn clear_task_sets(&mut self, now: Instant, n_port: Id<NPort>) {
        for id in self.fcp.live() {
            let is_here = self.fcp.exchange(id).target == n_port;
            if is_here && matches!(self.fcp.command(id).tag, Tag::Host(_)) {
                self.release(now, id);
            }
        }
    }
}

//! Commands that go wrong at an array: data or answers that do not come, task sets that are cleared.
//!
//! A target that misses data it has asked for waits for E_D_TOV and then answers with an error.

use sanlab_fc::{FCP_RSP_BYTES, FrameKind, Owner, Phase, ScsiStatus};
use sanlab_kernel::{Picoseconds, id_of};

use crate::event::Event;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    pub(crate) fn on_copy_due(&mut self, now: Picoseconds, id: u32, number: u32) {
        if self.is_phase(id, number, Phase::Open) {
            let transfer = self.detach(now, id);
            self.send_transfer(now, transfer);
        }
    }

    /// Data were asked for: if they do not come, the target reports an error.
    pub(crate) fn expect_data(&mut self, now: Picoseconds, id: u32) {
        let exchange = &self.network.exchanges[id];
        let due = Event::DataDue(id, exchange.number, exchange.arrived_bytes);
        let due_at = now + self.faults.plan().e_d_tov_ps;
        self.agenda.schedule(due_at, 0, due);
    }

    /// Whether the target of the exchange that a timer was set for still waits for data.
    pub(crate) fn waits_for_data(&self, id: u32, number: u32) -> bool {
        let exchange = &self.network.exchanges[id];
        self.is_phase(id, number, Phase::Open)
            && exchange.misses_data()
            && exchange.status == ScsiStatus::Good
    }

    pub(crate) fn on_data_due(&mut self, now: Picoseconds, id: u32, number: u32, seen: u32) {
        if !self.waits_for_data(id, number) {
            return;
        }
        let exchange = &mut self.network.exchanges[id];
        if exchange.arrived_bytes != seen {
            self.expect_data(now, id);
            return;
        }
        exchange.status = ScsiStatus::CheckCondition;
        self.array.release(&mut self.network.exchanges[id]);
        self.send(now, id, FrameKind::Response, 0, FCP_RSP_BYTES);
    }

    /// A target that lost its port, or its power, forgets the commands it had.
    pub(crate) fn clear_task_sets(&mut self, n_port: u32) {
        for id in 0..id_of(self.network.exchanges.peak()) {
            let exchange = &self.network.exchanges[id];
            if exchange.target == n_port && exchange.owner == Owner::Host {
                self.array.release(&mut self.network.exchanges[id]);
            }
        }
    }
}

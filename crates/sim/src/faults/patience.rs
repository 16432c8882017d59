//! Transmitters that waited too long: frames that are discarded, links that are reset.
//!
//! A run without faults starts no timers, because nothing is lost in it. The first frame that a switch
//! discards starts them.

use sanlab_fabric::Impatience;
use sanlab_fc::ExchangeState;
use sanlab_kernel::Instant;
use sanlab_scsi::Status;

use super::state::Place;
use crate::event::RecoveryEvent;
use crate::issuer::Tag;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// The patience of transmitters ends: frames are lost, or links reset.
    pub(crate) fn end_patience(&mut self, now: Instant) {
        self.network.end_patience(now);
        for (at, fibre, what) in std::mem::take(&mut self.network.happened) {
            let what = match what {
                Impatience::HoldTime if self.faults.discarding.insert(fibre) => {
                    "frames are discarded after the hold time"
                }
                Impatience::HoldTime => continue,
                Impatience::NoCredit => "frames are discarded for want of credit",
                Impatience::LinkReset(_) => "link reset gives the credit back",
            };
            self.faults.note(at, what, Place::Fibre(fibre));
        }
        if self.faults.arm() {
            self.start_timers(now);
        }
    }

    /// Timers of what is under way when the first frame is lost. A command's runs from its beginning, that
    /// of data a target has asked for from now on.
    fn start_timers(&mut self, now: Instant) {
        self.services.be_patient(self.faults.times().r_a_tov);
        self.watch_open_commands(now);
        let live: Vec<_> = self.fcp.live().collect();
        for id in live {
            let exchange = self.fcp.exchange(id);
            if exchange.state != ExchangeState::Open {
                continue;
            }
            let (opened_at, number) = (exchange.opened_at, exchange.number);
            let command = *self.fcp.command(id);
            if matches!(command.tag, Tag::Mirror(_)) {
                let due_at = opened_at + self.faults.times().r_a_tov;
                self.recover_at(due_at.max(now), RecoveryEvent::CopyDue(id, number));
            }
            if command.misses_data() && command.status == Status::Good {
                self.expect_data(now, id);
            }
        }
    }
}

//! Timers that find nothing to do.
//!
//! A command's timer runs on when its answer is there, and the id of an aborted exchange rests for
//! R_A_TOV. Neither is work: a run ends with its last work, and its utilisations refer to that time.

use sanlab_fc::ExchangeState;
use sanlab_kernel::Instant;

use crate::event::{Event, FaultEvent, RecoveryEvent, ServiceEvent};
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Whether the next event is a timer that finds nothing to do.
    #[cold]
    pub(crate) fn next_is_idle(&self) -> bool {
        let is_next = self.faults.is_armed() && self.agenda.next_at() <= self.network.next_at();
        let next = self.agenda.peek().filter(|_| is_next);
        next.is_some_and(|event| self.is_idle(event))
    }

    /// Whether an event that is due is a timer that finds nothing to do.
    #[cold]
    pub(crate) fn is_idle(&self, event: &Event) -> bool {
        match *event {
            Event::Recovery(timer) => self.is_idle_recovery(timer),
            Event::DataDue(exchange, number, _) => !self.waits_for_data(exchange, number),
            Event::Fault(FaultEvent::GiveBack(..)) => self.only_lun_moves_are_left(),
            Event::Service(ServiceEvent::Overdue(step)) => self.services.is_answered(step),
            _ => false,
        }
    }

    /// Whether no command can come any more that cares which controller serves its LUN.
    pub(crate) fn only_lun_moves_are_left(&self) -> bool {
        let known = self.faults.resting() + self.faults.give_backs;
        self.network.next_at() == Instant::NEVER && self.agenda.len() <= known
    }

    fn is_idle_recovery(&self, timer: RecoveryEvent) -> bool {
        match timer {
            RecoveryEvent::Rested(_) => true,
            RecoveryEvent::CommandsDue(adapter) => !self.has_open_command(adapter),
            RecoveryEvent::AbortDue(exchange, number) => {
                !self.is_state(exchange, number, ExchangeState::Aborting)
            }
            RecoveryEvent::CopyDue(exchange, number) => {
                !self.is_state(exchange, number, ExchangeState::Open)
            }
            _ => false,
        }
    }

    /// Drop the idle timers that come next. Returns whether nothing else is left.
    pub(crate) fn has_ended(&mut self) -> bool {
        while self.next_is_idle() {
            self.agenda.pop();
        }
        self.next_at() == Instant::NEVER
    }
}

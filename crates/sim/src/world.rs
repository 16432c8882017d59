//! All parts together.

use sanlab_fabric::Network;
use sanlab_kernel::{Agenda, Instant};

use crate::array::state::ArraySide;
use crate::event::{Event, RecoveryEvent};
use crate::exchanges::state::Exchanges;
use crate::faults::state::Faults;
use crate::host::state::HostSide;
use crate::issuer::Tag;
use crate::meters::{Meters, OpenFor};
use crate::outcome::Failure;
use crate::services::state::Services;

/// Everything that moves. Handlers are methods of it; each part keeps its own fields to itself.
pub(crate) struct World<const EVERY_EVENT: bool> {
    pub(crate) network: Network<EVERY_EVENT>,
    pub(crate) agenda: Agenda<Event>,
    pub(crate) host: HostSide,
    pub(crate) array: ArraySide,
    /// Exchanges that are open, with their commands.
    pub(crate) fcp: sanlab_scsi::Exchanges<Tag>,
    pub(crate) exchanges: Exchanges,
    /// Dialogues with the services of the fabric.
    pub(crate) services: Services,
    /// What goes wrong in the fabric.
    pub(crate) faults: Faults,
    pub(crate) meters: Meters,
    pub(crate) events: u64,
    /// The last frame so far reaches its destination then.
    pub(crate) last_arrival_at: Instant,
    pub(crate) failure: Option<Failure>,
}

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// When the next thing happens; [`Instant::NEVER`] when nothing does.
    #[inline]
    pub(crate) fn next_at(&self) -> Instant {
        self.agenda.next_at().min(self.network.next_at())
    }

    /// The next thing is one that only the slow reference does: nothing is counted with it.
    #[inline]
    pub(crate) fn next_is_internal(&self) -> bool {
        self.network.next_is_internal() && self.network.next_at() < self.agenda.next_at()
    }

    /// Close the intervals of the time series that have ended by now, and the phases.
    pub(crate) fn close_series(&mut self, now: Instant, at_end: bool) {
        self.meters.close_series(now, at_end, &self.network);
        loop {
            let turns_at = self.meters.phases().next_at();
            if turns_at <= now {
                self.turn_phase(turns_at);
            } else if at_end && self.meters.phases().is_on() {
                self.turn_phase(now);
                return;
            } else {
                return;
            }
        }
    }

    /// A phase begins or ends now, after everything that came before.
    fn turn_phase(&mut self, now: Instant) {
        let open_for = self.open_for(now);
        if let Err(broken) = self.meters.turn_phase(now, &open_for) {
            self.failure.get_or_insert(Failure::Phase(broken));
        }
    }

    /// Time that open requests have lasted up to now.
    pub(crate) fn open_for(&self, now: Instant) -> OpenFor {
        let mut sums: OpenFor = self.meters.workloads().iter().map(|_| [0; 2]).collect();
        for (workload, is_read, span) in self.host.open_requests(now) {
            sums[workload][usize::from(is_read)] += u128::from(span.as_ps());
        }
        sums
    }

    /// When something is due besides events: an interval of the time series ends, a phase begins or ends,
    /// or a transmitter is to be looked at.
    pub(crate) fn attention_at(&self) -> Instant {
        self.meters.interval_ends_at().min(self.network.looks_at())
    }

    /// Do what is due besides events before the next of them. Returns the instant at which the patience of
    /// a transmitter ended, if it did; then the next event may be another.
    #[cold]
    pub(crate) fn attend(&mut self, next_at: Instant, end_at: Instant) -> Option<Instant> {
        let is_over = self.agenda.next_at() == Instant::NEVER && self.network.is_quiet();
        let ends_at = if is_over {
            None
        } else {
            self.network.look(next_at.min(end_at))
        };
        if let Some(ends_at) = ends_at {
            self.close_series(ends_at, false);
            self.end_patience(ends_at);
        } else if self.meters.interval_ends_at() <= next_at
            && next_at <= end_at
            && !self.next_is_internal()
            && !self.next_is_idle()
        {
            self.close_series(next_at, false);
        }
        ends_at
    }

    /// A step of recovery is due then; [`Instant::NEVER`] for one that never comes.
    pub(crate) fn recover_at(&mut self, at: Instant, event: RecoveryEvent) {
        if at < Instant::NEVER {
            self.agenda.schedule(at, 0, Event::Recovery(event));
        }
    }

    /// Nothing but resting ids is left, and no frame moves.
    pub(crate) fn is_still(&self) -> bool {
        self.network.next_at() == Instant::NEVER && self.agenda.len() == self.faults.resting()
    }
}

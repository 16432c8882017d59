//! All parts together.

use sanlab_fabric::Network;
use sanlab_kernel::{Agenda, Id, IdVec, Instant};

use crate::acceleration::state::Accelerators;
use crate::array::state::ArraySide;
use crate::event::{Event, RecoveryEvent};
use crate::exchanges::state::Exchanges;
use crate::faults::state::Faults;
use crate::host::running_job::RunningJob;
use crate::host::state::HostSide;
use crate::issuer::Tag;
use crate::meters::{Machines, Meters, OpenFor, OpenNow, WorkloadState};
use crate::one_io::OneIo;
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
    /// Links whose ends accelerate writes.
    pub(crate) accelerators: Accelerators,
    /// Dialogues with the services of the fabric.
    pub(crate) services: Services,
    /// What goes wrong in the fabric.
    pub(crate) faults: Faults,
    pub(crate) meters: Meters,
    /// The one I/O that a run is made for to see it step by step.
    pub(crate) ladder: Option<Box<OneIo>>,
    /// When something is due besides events, at the latest known look.
    pub(crate) attention_at: Instant,
    pub(crate) events: u64,
    /// The last frame so far reaches its destination then.
    pub(crate) last_arrival_at: Instant,
    pub(crate) failure: Option<Failure>,
    /// Jobs whose hosts are read ahead, kept for its memory.
    pub(crate) jobs_ahead: Vec<Id<RunningJob>>,
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

    /// Close the intervals of the time series that have ended by now, begin the measured windows that
    /// begin, and turn the phases.
    pub(crate) fn read_meters(&mut self, now: Instant, at_end: bool) {
        if self.meters.next_at() > now && !at_end {
            return;
        }
        self.host.read_open_bytes(&self.fcp);
        while let Some(began_at) = self.meters.take_begun(now) {
            self.host.begin_window(began_at);
        }
        if at_end {
            self.host.end_windows();
        }
        let of_workloads = self.host.open_bytes_of(self.meters.workloads().len());
        let mut machines = Machines {
            network: &mut self.network,
            host: &mut self.host,
            array: &mut self.array,
        };
        self.meters
            .close_series(now, at_end, &mut machines, &of_workloads);
        if at_end {
            self.array.read_lags(now);
        }
        self.turn_phases(now, at_end, of_workloads);
    }

    /// Begin and end the phases that begin or end by now, and with `at_end` the one that is on. Of the I/Os
    /// that are open now so many bytes have arrived.
    fn turn_phases(&mut self, now: Instant, at_end: bool, bytes: IdVec<WorkloadState, [u64; 2]>) {
        let mut open = OpenNow {
            bytes,
            lasted: OpenFor::default(),
        };
        loop {
            let turns_at = self.meters.phases().next_at();
            let is_cut = at_end && self.meters.phases().is_on() && turns_at > now;
            let turns_at = if is_cut { now } else { turns_at };
            if turns_at > now {
                return;
            }
            open.lasted = self.open_for(turns_at);
            if let Err(broken) = self.meters.turn_phase(turns_at, &open) {
                self.failure.get_or_insert(Failure::Phase(broken));
            }
            if is_cut {
                return;
            }
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

    /// Find when something is due besides events: an interval of the time series ends, a measured window
    /// begins, a phase begins or ends, or a transmitter is to be looked at.
    pub(crate) fn renew_attention(&mut self) {
        self.attention_at = self.meters.next_at().min(self.network.looks_at());
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
            self.read_meters(ends_at, false);
            self.end_patience(ends_at);
        } else if self.meters.next_at() <= next_at
            && next_at <= end_at
            && !self.next_is_internal()
            && !self.next_is_idle()
        {
            self.read_meters(next_at, false);
        }
        ends_at
    }

    /// A step of recovery is due then; [`Instant::NEVER`] for one that never comes.
    pub(crate) fn recover_at(&mut self, at: Instant, event: RecoveryEvent) {
        if at < Instant::NEVER {
            self.agenda.schedule(at, 0, Event::Recovery(event));
        }
    }

    /// Something is still to come that may change a result: more than an idle timer, or patience that ends.
    pub(crate) fn has_something_ahead(&self) -> bool {
        if self.next_at() == Instant::NEVER {
            return self.network.looks_at() != Instant::NEVER && !self.network.is_quiet();
        }
        !self.next_is_idle()
    }

    /// Nothing but resting ids is left, and no frame moves.
    pub(crate) fn is_still(&self) -> bool {
        self.network.next_at() == Instant::NEVER && self.agenda.len() == self.faults.resting()
    }
}

//! All N_Ports, fibres and switches together.

use sanlab_fc::{Fc2, Frame, NPort, Sequence, Wire};
use sanlab_kernel::{Alarms, Arena, Fingerprint, Id, IdVec, Instant, MaybeId, Span};

use crate::bus::Buses;
use crate::counters::FibreCounters;
use crate::fibre::{Fibre, Sink, Source, way_back};
use crate::loops::{Gateway, Loops};
use crate::parts::Switch;
use crate::patience::{Impatience, Watches};
use crate::policy::Policy;
use crate::reference::Reference;
use crate::switch::SwitchModel;
use crate::topology::Topology;

/// All N_Ports, fibres and switches.
///
/// `EVERY_EVENT` makes the slow reference of it, in which every credit return, every end of a
/// transmission and every arrival is an event of its own; it must give the same run.
pub struct Network<const EVERY_EVENT: bool> {
    /// Ports of nodes.
    pub n_ports: IdVec<NPort, Fc2>,
    /// Fibres; those of link `i` are `2 i`, away from its first end, and `2 i + 1`.
    pub fibres: IdVec<Fibre>,
    /// Frames on their way.
    pub frames: Arena<Frame>,
    /// Hash over all starts.
    pub fingerprint: Fingerprint,
    /// Loops and their ports.
    pub loops: Loops,
    pub(crate) alarms: Alarms,
    /// The alarm of the first loop; those below are of fibres.
    pub(crate) first_loop_alarm: u32,
    /// The alarm of the first port behind an I/O bus; they come last.
    pub(crate) first_bus_alarm: u32,
    /// I/O buses of hosts.
    pub buses: Buses,
    pub(crate) tenancy_events: u64,
    pub(crate) frames_on_loops: u64,
    /// The last step without a transmission began or ended a tenancy on a loop; else it was an event of
    /// the slow reference, without consequences above the network.
    pub is_tenancy_step: bool,
    /// Sequences that were lost with their port.
    pub lost: u64,
    /// Frames that were lost: cut off with their link, corrupted, or without a way on.
    pub dropped: u64,
    /// Policies and when they come into force.
    pub policies: IdVec<Policy>,
    pub(crate) switches: IdVec<Switch, SwitchModel>,
    pub(crate) addresses: IdVec<NPort, u32>,
    pub(crate) uplinks: IdVec<NPort, Id<Fibre>>,
    /// What routes are computed from.
    pub(crate) topology: Topology,
    /// For the slot of each exchange whose write is accelerated the fibre that its data go by.
    pub(crate) accelerated: Vec<MaybeId<Wire>>,
    pub(crate) sent: u64,
    pub(crate) delivered: u64,
    pub(crate) starts: u64,
    pub(crate) reference: Reference,
    pub(crate) watches: Watches,
    /// Whose patience ended, for the layers above to read and clear.
    pub happened: Vec<(Instant, Id<Fibre>, Impatience)>,
}

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// When the next frame starts; [`Instant::NEVER`] when none waits.
    #[inline]
    pub fn next_at(&self) -> Instant {
        if EVERY_EVENT {
            return self.alarms.first().0.min(self.reference.next_at());
        }
        self.alarms.first().0
    }

    /// The next event is one of the reference's own, not the start of a transmission.
    #[inline]
    pub fn next_is_internal(&self) -> bool {
        EVERY_EVENT && self.reference.next_at() <= self.alarms.first().0
    }

    /// Events handled: one for each start, and in the reference one for each of its own.
    pub fn events(&self) -> u64 {
        let on_links = self.starts - self.frames_on_loops;
        on_links + self.tenancy_events + self.buses.stored + self.reference.events()
    }

    /// Transmissions started: frames times hops.
    pub fn frame_hops(&self) -> u64 {
        self.starts
    }

    /// Frames delivered to N_Ports.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Frames in switches.
    pub fn on_the_way(&self) -> u64 {
        self.sent - self.delivered - self.dropped
    }

    /// Time up to now for which this transmitter had a frame to send, a free fibre and no credit, a
    /// wait that lasts included.
    pub fn credit_wait(&self, fibre: Id<Fibre>, now: Instant) -> Span {
        self.fibres[fibre].counters.credit_wait + self.lasting_credit_wait(fibre, now)
    }

    /// The part of it that has not ended.
    #[inline(always)]
    pub(crate) fn lasting_credit_wait(&self, fibre: Id<Fibre>, now: Instant) -> Span {
        if EVERY_EVENT {
            self.reference.credit_wait(fibre, now)
        } else {
            now.saturating_since(self.fibres[fibre].could_start_at)
        }
    }

    /// What a transmitter has counted up to now: a wait that lasts counts as far as it has come, and
    /// so does the time of the frame that is being sent.
    #[inline]
    pub fn counters(&self, fibre: Id<Fibre>, now: Instant) -> FibreCounters {
        let transmitter = &self.fibres[fibre];
        FibreCounters {
            busy: transmitter.busy(now),
            credit_wait: self.credit_wait(fibre, now),
            ..transmitter.counters
        }
    }

    /// The fibre that has waited longest for credit as of now.
    pub fn most_starved(&self, now: Instant) -> Id<Fibre> {
        let fibres = self.fibres.ids();
        fibres
            .max_by_key(|&fibre| self.credit_wait(fibre, now))
            .unwrap_or(self.topology.null_fibre)
    }

    /// The fibre an N_Port sends by.
    pub fn uplink(&self, n_port: Id<NPort>) -> &Fibre {
        &self.fibres[self.uplinks[n_port]]
    }

    /// Whether frames can get from one N_Port to another.
    pub fn is_reachable(&self, source: Id<NPort>, destination: Id<NPort>) -> bool {
        let uplink = match self.loops.gateway(source, destination) {
            Gateway::Off => self.uplink(source),
            Gateway::Direct => return true,
            Gateway::None => return false,
            Gateway::FlPort(into_switch) => &self.fibres[into_switch],
        };
        match uplink.sink {
            Sink::NPort(n_port) => n_port == destination,
            Sink::Switch { switch, .. } => {
                let routes = &self.switches[switch].routes;
                routes.towards(destination) != [self.topology.null_fibre]
                    && self.loops.is_present(destination)
            }
            Sink::Loop(_) => unreachable!("no N_Port sends by an FL_Port's own output"),
        }
    }

    /// Whether an N_Port is on a loop.
    #[inline]
    pub fn is_on_loop(&self, n_port: Id<NPort>) -> bool {
        self.loops.port_of[n_port].is_some()
    }

    /// Queue a sequence at an N_Port.
    pub fn queue(&mut self, n_port: Id<NPort>, sequence: Sequence, now: Instant) {
        if let Some(port) = self.loops.port_of[n_port].get() {
            self.queue_on_loop(port, sequence, now);
            return;
        }
        if self.uplink(n_port).is_dark(now) {
            self.lost += 1;
            return;
        }
        let owner = match self.uplink(n_port).source {
            Source::NPort(owner) => owner,
            Source::Switch | Source::Loop(_) => n_port,
        };
        let port = &mut self.n_ports[owner];
        port.queue(sequence);
        if let Some(bus_port) = port.bus_port() {
            self.fetch(owner, bus_port, now);
        }
        self.wake(owner, now);
    }

    /// Reads what the next frames from and to an N_Port need there, so that it is in the caches by then.
    #[inline]
    pub fn read_ahead(&self, n_port: Id<NPort>) -> u64 {
        let away = self.uplinks[n_port];
        let fibres = [away, way_back(away)].map(|id| {
            let fibre = self.fibres.get(id);
            fibre.map_or(0, |fibre| {
                fibre.read_ahead() ^ self.alarms.get(id.number()).as_ps()
            })
        });
        self.n_ports[n_port].read_ahead() ^ fibres[0] ^ fibres[1]
    }

    /// Whether two N_Ports share one link, as virtual ports do.
    pub fn share_link(&self, a: Id<NPort>, b: Id<NPort>) -> bool {
        self.uplinks[a] == self.uplinks[b]
    }
}

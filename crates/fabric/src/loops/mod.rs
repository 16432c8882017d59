//! Arbitrated loops between N_Ports: shared ones, and switched ones that look the same to a device.
//!
//! Nothing on a loop is an event of its own but the tenancy: its begin, when the owner has won and
//! opens its partner, and its end, when the owner has nothing left to send. All frames in between go
//! at instants that [`sanlab_fc::Circuit`] computes as soon as they are queued.

mod counters;
mod fault;
mod port;
mod shared;
mod switched;

use std::collections::VecDeque;

pub use counters::{LoopCounters, StringCounters};
pub use fault::LoopFault;
pub(crate) use port::{CircuitPhase, FabricSide, Role, Waiting};
pub use port::{LoopPort, LoopPortSettings};
use sanlab_fc::{CircuitPath, FrameKind, LoopPlace, NPort};
use sanlab_kernel::{Id, IdVec, Instant, MaybeId, Rate, Span};
pub use shared::SharedLoop;
pub use switched::{Crossbar, LoopString, SwitchedLoop};

use crate::ahead::Ahead;
use crate::fibre::{Fibre, way_back};
use crate::transmission::Transmission;

/// What joins the ports of a loop.
#[derive(Clone, Debug)]
pub enum Medium {
    /// A ring of cables through every port: one circuit at a time.
    Shared(SharedLoop),
    /// Crossbars: one circuit for each pair of free ports that free strings join.
    Switched(SwitchedLoop),
}

/// One loop, in the order of its places.
#[derive(Clone, Debug)]
pub struct Loop {
    /// What joins its ports.
    pub medium: Medium,
    pub(crate) counters: LoopCounters,
    /// Frames that are counted and lie ahead.
    pub(crate) ahead: Ahead,
    /// Its last step was then: no table asks for an earlier instant any more.
    pub(crate) reached: Instant,
    pub(crate) places: Places,
    pub(crate) word: Span,
    pub(crate) gap: Span,
}

impl Loop {
    /// What has been counted up to now: of frames the part that is sent.
    pub fn counters(&self, now: Instant) -> LoopCounters {
        LoopCounters {
            sending: self.counters.sending - self.ahead.after(now),
            ..self.counters
        }
    }
}

/// Where the ports of a loop are among those of all loops: one after the other, in the order of its
/// places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    /// The port in the first place.
    pub(crate) first: Id<LoopPort>,
}

impl Places {
    /// The port in a place.
    #[inline]
    pub(crate) fn port(self, place: Id<LoopPlace>) -> Id<LoopPort> {
        Id::new(self.first.number() + place.number())
    }

    /// The place of a port.
    #[inline]
    pub(crate) fn of(self, port: Id<LoopPort>) -> Id<LoopPlace> {
        Id::new(port.number() - self.first.number())
    }
}

/// How frames leave an N_Port for another.
pub(crate) enum Gateway {
    /// It is on no loop.
    Off,
    /// In a circuit between the two.
    Direct,
    /// By the FL_Port of its loop, into a switch.
    FlPort(Id<Fibre>),
    /// Not at all.
    None,
}

/// All loops of a network.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    /// Loops.
    pub loops: IdVec<Loop>,
    /// Their ports; the ports of one loop are adjacent.
    pub ports: IdVec<LoopPort>,
    /// For each N_Port its loop port; none where it has a link.
    pub port_of: IdVec<NPort, MaybeId<LoopPort>>,
    /// Frames that began since the network was last asked, with the instants they begin at.
    pub(crate) started: VecDeque<(Instant, Transmission)>,
}

impl Loop {
    /// Time of a word all the way round a shared loop; 0 on a switched one, where it depends on the
    /// pair.
    pub fn round(&self) -> Span {
        match &self.medium {
            Medium::Shared(shared) => shared.arbitration.ring().round(),
            Medium::Switched(_) => Span::ZERO,
        }
    }
}

impl Loops {
    /// No loop, for so many N_Ports.
    pub fn new(n_ports: usize) -> Self {
        Self {
            port_of: IdVec::filled(MaybeId::NONE, n_ports),
            ..Self::default()
        }
    }

    /// Add a loop. `fibre` numbers the transmitters of its ports from here on.
    pub fn add(
        &mut self,
        medium: Medium,
        rate: Rate,
        gap_bytes: u32,
        ports: &[LoopPortSettings],
        fibre: Id<Fibre>,
    ) {
        let first = self.ports.next_id();
        for (place, &settings) in (0..).zip(ports) {
            let owner = (self.loops.next_id(), Id::new(place));
            let fibre = Id::new(fibre.number() + place);
            let port = self.ports.push(LoopPort::new(settings, owner, fibre));
            if let Some(n_port) = settings.n_port.get() {
                self.port_of[n_port] = port.into();
            }
        }
        let end = self.ports.next_id();
        for port in (first.number()..end.number()).map(Id::new) {
            self.ports[port].mates = (first, end);
        }
        self.loops.push(Loop {
            medium,
            counters: LoopCounters::default(),
            ahead: Ahead::default(),
            reached: Instant::START,
            places: Places { first },
            word: rate.time_for(sanlab_fc::PRIMITIVE_BYTES),
            gap: rate.time_for(u64::from(gap_bytes)),
        });
    }

    /// A loop joins the fabric by this port, which sends by an output of its switch. Returns the
    /// N_Ports that log in there.
    pub(crate) fn join_fabric(&mut self, id: Id<LoopPort>, output: Id<Fibre>) -> Vec<Id<NPort>> {
        let (first, end) = self.ports[id].mates;
        let mut public = Vec::new();
        for port in (first.number()..end.number()).map(Id::new) {
            let port = &mut self.ports[port];
            if let (Some(n_port), true) = (port.settings.n_port.get(), port.settings.is_public) {
                port.side = FabricSide::Public(id);
                public.push(n_port);
            }
        }
        self.ports[id].fibre = output;
        self.ports[id].side = FabricSide::FlPort {
            into_switch: way_back(output),
            looks_at: None,
        };
        public
    }

    /// When the next thing happens on a loop.
    pub(crate) fn next_at(&mut self, id: Id<Loop>) -> Instant {
        match &mut self.loops[id].medium {
            Medium::Shared(shared) => shared.next_at(),
            Medium::Switched(switched) => switched.next_at(),
        }
    }

    /// Whether an N_Port has not left its loop, if it is on one.
    pub(crate) fn is_present(&self, n_port: Id<NPort>) -> bool {
        let port = self.port_of[n_port].get();
        port.is_none_or(|port| self.ports[port].is_inserted)
    }

    /// How frames leave an N_Port for another.
    pub(crate) fn gateway(&self, from: Id<NPort>, to: Id<NPort>) -> Gateway {
        let Some(port) = self.port_of[from].get() else {
            return Gateway::Off;
        };
        let partner = self.ports[port].partner_for(to, &self.port_of).get();
        let joined = partner.filter(|&partner| self.are_joined(port, partner));
        let into_switch = joined.map(|partner| self.ports[partner].switch_input());
        match into_switch {
            None => Gateway::None,
            Some(None) => Gateway::Direct,
            Some(Some(fibre)) => Gateway::FlPort(fibre),
        }
    }

    /// Circuits of this port go both ways.
    pub(crate) fn is_full_duplex(&self, owner: Id<LoopPort>) -> bool {
        self.ports[owner].settings.is_full_duplex
    }

    /// The owner of a circuit keeps the fairness rule, and hears another port that wants the loop, or
    /// on a switched one the ports of the circuit.
    pub(crate) fn must_yield(&self, id: Id<LoopPort>, now: Instant) -> bool {
        let port = &self.ports[id];
        let this_loop = &self.loops[port.loop_id];
        let Role::Owner { partner } = port.role else {
            return false;
        };
        match &this_loop.medium {
            Medium::Shared(shared) => shared.arbitration.must_yield(port.place, now),
            Medium::Switched(switched) => switched.waiting().any(|place| {
                let waiting = this_loop.places.port(place);
                let wanted = self.ports[waiting].next_partner();
                wanted == id.into() || wanted == partner.into() || waiting == partner
            }),
        }
    }

    /// Whether the owner of a circuit sends the next frame of this sequence now. It looks for others
    /// that wait before each information unit but the first, and after so many frames; a response
    /// goes with its data.
    pub(crate) fn may_send_next(&self, id: Id<LoopPort>, place: usize) -> bool {
        let sequence = &self.ports[id].queue[place].sequence;
        self.may_send(id, sequence.seq_cnt, sequence.kind)
    }

    /// The same for a frame with this count in its sequence.
    pub(crate) fn may_send(&self, id: Id<LoopPort>, seq_cnt: u16, kind: FrameKind) -> bool {
        let port = &self.ports[id];
        let is_boundary = seq_cnt == 0
            && kind != FrameKind::Response
            && port.frames_left < port.settings.tenancy_frames;
        port.frames_left > 0 && !(is_boundary && self.must_yield(id, port.circuit.dry_at()))
    }

    /// The place of the first sequence for this partner in a port's queue, from this place on.
    #[inline]
    pub(crate) fn next_for(
        &self,
        id: Id<LoopPort>,
        partner: Id<LoopPort>,
        place: usize,
    ) -> Option<usize> {
        self.ports[id].next_for(partner, place)
    }

    /// Both ports are on their loop, and it is the same one.
    pub(crate) fn are_joined(&self, a: Id<LoopPort>, b: Id<LoopPort>) -> bool {
        let (a, b) = (&self.ports[a], &self.ports[b]);
        a.is_inserted
            && b.is_inserted
            && a.loop_id == b.loop_id
            && match &self.loops[a.loop_id].medium {
                Medium::Shared(_) => true,
                Medium::Switched(switched) => switched.joins(a.place, b.place),
            }
    }

    pub(crate) fn path(this_loop: &Loop, from: Id<LoopPort>, to: Id<LoopPort>) -> CircuitPath {
        let (from, to) = (this_loop.places.of(from), this_loop.places.of(to));
        let (out, back) = match &this_loop.medium {
            Medium::Shared(shared) => shared.delays(from, to),
            Medium::Switched(switched) => {
                let delay = switched.delay(from, to);
                (delay, delay)
            }
        };
        CircuitPath {
            out,
            back,
            word: this_loop.word,
            gap: this_loop.gap,
        }
    }
}

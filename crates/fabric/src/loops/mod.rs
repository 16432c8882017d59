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
pub(crate) use port::{CircuitPhase, Role};
pub use port::{LoopPort, LoopPortSettings};
use sanlab_fc::{CircuitPath, FrameKind, Sequence};
use sanlab_kernel::{NONE, Picoseconds, Rate, id_of};
pub use shared::SharedLoop;
pub use switched::{LoopString, SwitchedLoop};

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
    /// What has been counted.
    pub counters: LoopCounters,
    pub(crate) first_port: u32,
    pub(crate) word: Picoseconds,
    pub(crate) gap: Picoseconds,
}

/// All loops of a network.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    /// Loops.
    pub loops: Vec<Loop>,
    /// Their ports; the ports of one loop are adjacent.
    pub ports: Vec<LoopPort>,
    /// For each N_Port its loop port; [`NONE`] where it has a link.
    pub port_of: Vec<u32>,
    /// Frames that began since the network was last asked, with the instants they begin at.
    pub(crate) started: VecDeque<(Picoseconds, Transmission)>,
}

impl Loop {
    /// Time of a word all the way round a shared loop; 0 on a switched one, where it depends on the
    /// pair.
    pub fn round(&self) -> Picoseconds {
        match &self.medium {
            Medium::Shared(shared) => shared.arbitration.ring().round(),
            Medium::Switched(_) => 0,
        }
    }
}

impl Loops {
    /// No loop, for so many N_Ports.
    pub fn new(n_ports: usize) -> Self {
        Self {
            port_of: vec![NONE; n_ports],
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
        fibre: u32,
    ) {
        let first_port = id_of(self.ports.len());
        for (place, &settings) in ports.iter().enumerate() {
            self.port_of[settings.n_port as usize] = id_of(self.ports.len());
            let owner = (id_of(self.loops.len()), id_of(place));
            self.ports
                .push(LoopPort::new(settings, owner, fibre + id_of(place)));
        }
        self.loops.push(Loop {
            medium,
            counters: LoopCounters::default(),
            first_port,
            word: rate.time_for(sanlab_fc::PRIMITIVE_BYTES),
            gap: rate.time_for(u64::from(gap_bytes)),
        });
    }

    /// When the next thing happens on a loop.
    pub(crate) fn next_at(&mut self, id: u32) -> Picoseconds {
        match &mut self.loops[id as usize].medium {
            Medium::Shared(shared) => shared.next_at(),
            Medium::Switched(switched) => switched.next_at(),
        }
    }

    /// Whether a circuit between two N_Ports is possible.
    pub(crate) fn joins(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.port_of[a as usize], self.port_of[b as usize]);
        if a == NONE || b == NONE {
            return false;
        }
        self.are_joined(a, b)
    }

    /// Circuits of this port go both ways.
    pub(crate) fn is_full_duplex(&self, owner: u32) -> bool {
        self.ports[owner as usize].settings.is_full_duplex
    }

    /// The owner of a circuit keeps the fairness rule, and hears another port that wants the loop, or
    /// on a switched one the ports of the circuit.
    pub(crate) fn must_yield(&self, id: u32, now: Picoseconds) -> bool {
        let port = &self.ports[id as usize];
        let this_loop = &self.loops[port.loop_id as usize];
        let Role::Owner { partner } = port.role else {
            return false;
        };
        match &this_loop.medium {
            Medium::Shared(shared) => shared.arbitration.must_yield(port.place, now),
            Medium::Switched(switched) => switched.waiting().any(|place| {
                let other = &self.ports[(this_loop.first_port + place) as usize];
                let wanted = other.next_partner(&self.port_of);
                wanted == id || wanted == partner || this_loop.first_port + place == partner
            }),
        }
    }

    /// Whether the owner of a circuit sends the next frame of this sequence now. It looks for others
    /// that wait before each information unit but the first, and after so many frames; a response
    /// goes with its data.
    pub(crate) fn may_send_next(&self, id: u32, place: usize) -> bool {
        let port = &self.ports[id as usize];
        let sequence = &port.queue[place];
        let is_boundary = sequence.seq_cnt == 0
            && sequence.kind != FrameKind::Response
            && port.frames_left < port.settings.tenancy_frames;
        port.frames_left > 0 && !(is_boundary && self.must_yield(id, port.circuit.dry_at()))
    }

    /// The place of the first sequence for this partner in a port's queue, from this place on.
    #[inline]
    pub(crate) fn next_for(&self, id: u32, partner: u32, place: usize) -> Option<usize> {
        let mut waiting = self.ports[id as usize].queue.range(place..);
        let is_for_partner =
            |sequence: &Sequence| self.port_of[sequence.destination as usize] == partner;
        waiting.position(is_for_partner).map(|steps| place + steps)
    }

    /// Both ports are on their loop, and it is the same one.
    pub(crate) fn are_joined(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.ports[a as usize], &self.ports[b as usize]);
        a.is_inserted
            && b.is_inserted
            && a.loop_id == b.loop_id
            && match &self.loops[a.loop_id as usize].medium {
                Medium::Shared(_) => true,
                Medium::Switched(switched) => switched.joins(a.place, b.place),
            }
    }

    pub(crate) fn path(this_loop: &Loop, from: u32, to: u32) -> CircuitPath {
        let (from, to) = (from - this_loop.first_port, to - this_loop.first_port);
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

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
pub use port::{LoopPort, LoopPortSettings};
use port::{Phase, Role};
use sanlab_fc::{CircuitPath, FrameKind, Lane, Sequence};
use sanlab_kernel::{NEVER, NONE, Picoseconds, Rate, id_of};
pub use shared::SharedLoop;
pub use switched::{LoopString, SwitchedLoop};

use crate::network::{Network, Start};

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
    first_port: u32,
    word: Picoseconds,
    gap: Picoseconds,
}

/// All loops of a network.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    /// Loops.
    pub loops: Vec<Loop>,
    /// Their ports, those of one loop one behind the other.
    pub ports: Vec<LoopPort>,
    /// For each N_Port its loop port; [`NONE`] where it has a link.
    pub port_of: Vec<u32>,
    /// Frames that began since the network was last asked, with the instants they begin at.
    started: VecDeque<(Picoseconds, Start)>,
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
    fn next_at(&mut self, id: u32) -> Picoseconds {
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
    fn is_full_duplex(&self, owner: u32) -> bool {
        self.ports[owner as usize].settings.is_full_duplex
    }

    /// The owner of a circuit keeps the fairness rule, and hears another port that wants the loop, or
    /// on a switched one the ports of the circuit.
    fn must_yield(&self, id: u32, now: Picoseconds) -> bool {
        let port = &self.ports[id as usize];
        let of = &self.loops[port.loop_id as usize];
        let Role::Owner { partner } = port.role else {
            return false;
        };
        match &of.medium {
            Medium::Shared(shared) => shared.arbitration.must_yield(port.place, now),
            Medium::Switched(switched) => switched.waiting().any(|place| {
                let other = &self.ports[(of.first_port + place) as usize];
                let wanted = other.next_partner(&self.port_of);
                wanted == id || wanted == partner || of.first_port + place == partner
            }),
        }
    }

    /// Whether the owner of a circuit sends the next frame of this sequence now. It looks for others
    /// that wait before each information unit but the first, and after so many frames; a response
    /// goes with its data.
    fn may_send_next(&self, id: u32, place: usize) -> bool {
        let port = &self.ports[id as usize];
        let sequence = &port.queue[place];
        let is_boundary = sequence.seq_cnt == 0
            && sequence.kind != FrameKind::Response
            && port.frames_left < port.settings.tenancy_frames;
        port.frames_left > 0 && !(is_boundary && self.must_yield(id, port.circuit.dry_at()))
    }

    /// Both ports are on their loop, and it is the same one.
    fn are_joined(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.ports[a as usize], &self.ports[b as usize]);
        a.is_inserted
            && b.is_inserted
            && a.loop_id == b.loop_id
            && match &self.loops[a.loop_id as usize].medium {
                Medium::Shared(_) => true,
                Medium::Switched(switched) => switched.joins(a.place, b.place),
            }
    }

    fn path(of: &Loop, from: u32, to: u32) -> CircuitPath {
        let (from, to) = (from - of.first_port, to - of.first_port);
        let (out, back) = match &of.medium {
            Medium::Shared(shared) => shared.delays(from, to),
            Medium::Switched(switched) => {
                let delay = switched.delay(from, to);
                (delay, delay)
            }
        };
        CircuitPath {
            out,
            back,
            word: of.word,
            gap: of.gap,
        }
    }
}

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// A frame that began on a loop since this was last asked, and when it begins: not before now.
    #[inline(always)]
    pub fn started_on_loop(&mut self) -> Option<(Picoseconds, Start)> {
        self.loops.started.pop_front()
    }

    /// Queue a sequence at a port of a loop: it goes at once if its circuit is open.
    pub(crate) fn queue_on_loop(&mut self, id: u32, mut sequence: Sequence, now: Picoseconds) {
        let n_port = self.loops.ports[id as usize].settings.n_port;
        sequence.seq_id = self.n_ports[n_port as usize].open_on_loop();
        let destination = self.loops.port_of[sequence.destination as usize];
        if !self.loops.are_joined(id, destination) {
            self.n_ports[n_port as usize].close_on_loop(sequence.seq_id);
            self.lost += 1;
            return;
        }
        let port = &mut self.loops.ports[id as usize];
        // A response goes with its data, ahead of data of other commands.
        if sequence.kind == FrameKind::Response {
            port.queue.push_front(sequence);
        } else {
            port.queue.push_back(sequence);
        }
        let role = port.role;
        match role {
            Role::Owner { partner } if partner == destination => self.flush(id, now, Lane::Out),
            Role::Opened { owner } if owner == destination && self.loops.is_full_duplex(owner) => {
                self.flush(id, now, Lane::Back);
            }
            _ => {}
        }
        if !self.loops.ports[id as usize].queue.is_empty() {
            self.request_loop(id, now);
        }
        let loop_id = self.loops.ports[id as usize].loop_id;
        self.rearm_loop(loop_id);
    }

    /// A port wants a circuit of its own, unless the one it has will do.
    fn request_loop(&mut self, id: u32, now: Picoseconds) {
        let port = &self.loops.ports[id as usize];
        let is_served = matches!(port.role, Role::Owner { partner }
            if port.circuit.closes_at().is_none() && port.next_partner(&self.loops.port_of) == partner);
        if is_served {
            return;
        }
        let (place, of) = (port.place, &mut self.loops.loops[port.loop_id as usize]);
        match &mut of.medium {
            Medium::Shared(shared) => shared.arbitration.request(place, now),
            Medium::Switched(switched) => {
                switched.request(place, now);
                self.grant(self.loops.ports[id as usize].loop_id, now);
            }
        }
    }

    /// The next thing happens on this loop.
    pub(crate) fn step_loop(&mut self, id: u32, now: Picoseconds) {
        self.tenancy_events += 1;
        let of = &mut self.loops.loops[id as usize];
        let first_port = of.first_port;
        match &mut of.medium {
            Medium::Shared(shared) => {
                if let Some(owner) = shared.owner {
                    self.end_tenancy(first_port + owner, now);
                } else {
                    let winner = shared.take_win(&mut of.counters);
                    self.begin_tenancy(first_port + winner, now);
                }
            }
            Medium::Switched(switched) => {
                let port = first_port + switched.next_place();
                match self.loops.ports[port as usize].phase {
                    Phase::Granted { .. } => self.begin_tenancy(port, now),
                    Phase::Open => self.end_tenancy(port, now),
                    Phase::Closing => self.free_circuit(port, now),
                    Phase::Idle => switched.alarms.clear(port - first_port),
                }
            }
        }
        self.rearm_loop(id);
    }

    fn rearm_loop(&mut self, id: u32) {
        let at = self.loops.next_at(id);
        let slot = self.first_loop_alarm + id;
        if at == NEVER {
            self.alarms.clear(slot);
        } else {
            self.alarms.set(slot, at);
        }
    }

    /// The owner has won: it opens the partner of the first sequence that waits.
    fn begin_tenancy(&mut self, id: u32, now: Picoseconds) {
        let loops = &mut self.loops;
        let of = &loops.loops[loops.ports[id as usize].loop_id as usize];
        let port = &loops.ports[id as usize];
        let partner = match port.phase {
            Phase::Granted { partner } => partner,
            _ => port.next_partner(&loops.port_of),
        };
        let path = Loops::path(of, id, partner);
        let offers = (
            loops.ports[id as usize].settings.buffers,
            loops.ports[partner as usize].settings.buffers,
        );
        if let Medium::Shared(shared) = &of.medium {
            for before in shared.last_pair(of.first_port) {
                loops.ports[before as usize].role = Role::Free;
            }
        }
        loops.ports[partner as usize].role = Role::Opened { owner: id };
        let port = &mut loops.ports[id as usize];
        port.role = Role::Owner { partner };
        port.phase = Phase::Open;
        (port.won_at, port.owned_to) = (now, now);
        port.frames_left = port.settings.tenancy_frames;
        port.circuit.open(now, path, offers.0, offers.1);
        let (loop_id, place) = (port.loop_id as usize, port.place);
        let of = &mut loops.loops[loop_id];
        of.counters.tenancies += 1;
        if let Medium::Shared(shared) = &mut of.medium {
            shared.opened(place, partner - of.first_port);
        }
        self.flush(id, now, Lane::Out);
        if self.loops.is_full_duplex(id) {
            self.flush(partner, now, Lane::Back);
        }
    }

    /// The owner has nothing left to send, or has sent as much as it may in one go.
    fn end_tenancy(&mut self, id: u32, now: Picoseconds) {
        let port = &mut self.loops.ports[id as usize];
        let Role::Owner { partner } = port.role else {
            unreachable!("a tenancy without an owner")
        };
        let has_more = port.next_partner_among(partner, &self.loops.port_of);
        port.frames_left = port.settings.tenancy_frames;
        if has_more && !self.loops.must_yield(id, now) {
            self.flush(id, now, Lane::Out);
            return;
        }
        let port = &mut self.loops.ports[id as usize];
        port.circuit.close(now);
        port.phase = Phase::Closing;
        let wants_more = !port.queue.is_empty();
        self.set_end(id);
        if wants_more {
            self.request_loop(id, now);
        }
    }

    /// A switched circuit is over: its ports and strings are free for others.
    fn free_circuit(&mut self, id: u32, now: Picoseconds) {
        let port = &mut self.loops.ports[id as usize];
        let Role::Owner { partner } = port.role else {
            unreachable!("a circuit without an owner")
        };
        let (place, loop_id, won_at) = (port.place, port.loop_id, port.won_at);
        port.role = Role::Free;
        port.phase = Phase::Idle;
        self.loops.ports[partner as usize].role = Role::Free;
        let of = &mut self.loops.loops[loop_id as usize];
        let partner_place = partner - of.first_port;
        if let Medium::Switched(switched) = &mut of.medium {
            switched.free(place, partner_place, now - won_at);
        }
        self.grant(loop_id, now);
    }

    /// Open what can be opened on a switched loop, longest wait first.
    fn grant(&mut self, loop_id: u32, now: Picoseconds) {
        let loops = &mut self.loops;
        let of = &mut loops.loops[loop_id as usize];
        let Medium::Switched(switched) = &mut of.medium else {
            return;
        };
        let (ports, port_of, first) = (&mut loops.ports, &loops.port_of, of.first_port);
        let granted = switched.grant(now, |place| {
            ports[(first + place) as usize].next_partner(port_of) - first
        });
        for &place in granted {
            let port = &mut ports[(first + place) as usize];
            let partner = port.next_partner(port_of);
            port.phase = Phase::Granted { partner };
        }
    }

    /// Send what waits for the partner of the open circuit, as far as credit is known.
    fn flush(&mut self, id: u32, now: Picoseconds, lane: Lane) {
        let (owner, partner) = match (lane, self.loops.ports[id as usize].role) {
            (Lane::Out, Role::Owner { partner }) => (id, partner),
            (Lane::Back, Role::Opened { owner }) => (owner, owner),
            _ => return,
        };
        let mut place = 0;
        while place < self.loops.ports[id as usize].queue.len() {
            let destination = self.loops.ports[id as usize].queue[place].destination;
            if self.loops.port_of[destination as usize] != partner {
                place += 1;
            } else if !self.send_on_loop(id, place, owner, now, lane) {
                break;
            }
        }
        let port = &self.loops.ports[id as usize];
        let (is_done, loop_id, own_place) = (port.queue.is_empty(), port.loop_id, port.place);
        if is_done {
            match &mut self.loops.loops[loop_id as usize].medium {
                Medium::Shared(shared) => shared.arbitration.withdraw(own_place, now),
                Medium::Switched(switched) => switched.withdraw(own_place),
            }
        }
        self.set_end(owner);
    }

    /// When the owner of a circuit will be dry, or when the circuit is over if it closes.
    fn set_end(&mut self, id: u32) {
        let port = &mut self.loops.ports[id as usize];
        let closes_at = port.circuit.closes_at();
        let (dry_at, released_at) = (port.circuit.dry_at(), port.circuit.released_at());
        let of = &mut self.loops.loops[port.loop_id as usize];
        match (&mut of.medium, closes_at) {
            (Medium::Shared(shared), None) => shared.dry_at = dry_at,
            (Medium::Shared(shared), Some(at)) => shared.release(at, released_at),
            (Medium::Switched(switched), None) => switched.alarms.set(port.place, dry_at),
            (Medium::Switched(switched), Some(_)) => switched.alarms.set(port.place, released_at),
        }
        if closes_at.is_some() {
            of.counters.owned += released_at - port.owned_to;
            port.owned_to = released_at;
        }
    }

    /// Send a sequence to its end; false if it must wait before that.
    fn send_on_loop(
        &mut self,
        id: u32,
        place: usize,
        owner: u32,
        now: Picoseconds,
        lane: Lane,
    ) -> bool {
        loop {
            if lane == Lane::Out && !self.loops.may_send_next(id, place)
                || !self.loops.ports[owner as usize].circuit.takes(lane, now)
            {
                return false;
            }
            let port = &mut self.loops.ports[id as usize];
            if lane == Lane::Out {
                port.frames_left -= 1;
            }
            let (n_port, fibre) = (port.settings.n_port, port.fibre);
            let sequence = &mut port.queue[place];
            let frame = self.n_ports[n_port as usize].cut_frame(sequence, now);
            let is_last = frame.is_last;
            if is_last {
                self.loops.ports[id as usize].queue.remove(place);
                self.n_ports[n_port as usize].close_on_loop(frame.seq_id);
            }
            self.start_on_loop(frame, fibre, owner, lane, now);
            if is_last {
                return true;
            }
        }
    }

    fn start_on_loop(
        &mut self,
        mut frame: sanlab_fc::Frame,
        id: u32,
        owner: u32,
        lane: Lane,
        now: Picoseconds,
    ) {
        let fibre = &mut self.fibres[id as usize];
        let (sending, slot) = fibre.times(frame.wire_bytes);
        let receiver = &mut self.n_ports[frame.destination as usize];
        let payload_bytes = frame.payload_bytes;
        let circuit = &mut self.loops.ports[owner as usize].circuit;
        let times = circuit.send(lane, now, sending, |arrives_at| {
            receiver.on_received(arrives_at, payload_bytes)
        });
        let starts_at = times.starts_at;
        (frame.sent_at, frame.ready_at, frame.came_by) = (starts_at, starts_at, NONE);
        crate::network::count(fibre, &mut frame, starts_at, slot, times.credit_wait);
        frame.came_by = id;
        self.fingerprint
            .add(starts_at ^ u64::from(id) << 44 ^ u64::from(frame.wire_bytes) << 32);
        let loop_id = self.loops.ports[owner as usize].loop_id;
        self.loops.loops[loop_id as usize].counters.sending += slot;
        let receiver = self.loops.port_of[frame.destination as usize];
        let received = &mut self.loops.ports[receiver as usize].received;
        received.frames += 1;
        received.bytes += u64::from(frame.wire_bytes);
        received.payload_bytes += u64::from(frame.payload_bytes);
        received.busy += slot;
        (self.starts, self.sent) = (self.starts + 1, self.sent + 1);
        self.delivered += 1;
        self.frames_on_loops += 1;
        let ends_sequence = frame.is_last;
        let start = Start {
            frame: self.frames.insert(frame),
            arrives_at: times.arrives_at,
            landed_at: times.arrives_at,
            fibre: id,
            ends_sequence,
        };
        self.loops.started.push_back((starts_at, start));
    }
}

//! Tenancies of arbitrated loops.

use sanlab_fc::{Frame, FrameKind, Lane, Sequence};
use sanlab_kernel::{Id, Instant, MaybeId, Span};

use super::state::Network;
use crate::fibre::Fibre;
use crate::loops::{CircuitPhase, Loop, LoopPort, Loops, Medium, Role, Waiting};
use crate::transmission::Transmission;

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// A frame that began on a loop since this was last asked, and when it begins: not before now.
    #[inline(always)]
    pub fn started_on_loop(&mut self) -> Option<(Instant, Transmission)> {
        self.loops.started.pop_front()
    }

    /// Queue a sequence at a port of a loop: it goes at once if its circuit is open.
    pub(crate) fn queue_on_loop(&mut self, id: Id<LoopPort>, mut sequence: Sequence, now: Instant) {
        let port = &self.loops.ports[id];
        let partner = port.partner_for(sequence.destination, &self.loops.port_of);
        let joined = partner.get().filter(|&it| self.loops.are_joined(id, it));
        let Some(destination) = joined else {
            self.lost += 1;
            return;
        };
        let n_port = port.settings.n_port.certain();
        sequence.seq_id = self.n_ports[n_port].open_on_loop();
        let port = &mut self.loops.ports[id];
        // A response goes with its data, ahead of data of other commands.
        let waiting = Waiting {
            partner: destination,
            sequence,
        };
        if sequence.kind == FrameKind::Response {
            port.queue.push_front(waiting);
        } else {
            port.queue.push_back(waiting);
        }
        let role = port.role;
        match role {
            Role::Owner { partner } if partner == destination => self.flush(id, now, Lane::Out),
            Role::Opened { owner } if owner == destination && self.loops.is_full_duplex(owner) => {
                self.flush(id, now, Lane::Back);
            }
            _ => {}
        }
        if !self.loops.ports[id].queue.is_empty() {
            self.request_loop(id, now);
        }
        let loop_id = self.loops.ports[id].loop_id;
        self.rearm_loop(loop_id);
    }

    /// A port wants a circuit of its own, unless the one it has will do.
    pub(super) fn request_loop(&mut self, id: Id<LoopPort>, now: Instant) {
        let port = &self.loops.ports[id];
        let next = self.next_partner(id, now);
        let is_served = matches!(port.role, Role::Owner { partner }
            if port.circuit.closes_at().is_none() && next == partner.into());
        if is_served {
            return;
        }
        let port = &self.loops.ports[id];
        let (place, this_loop) = (port.place, &mut self.loops.loops[port.loop_id]);
        match &mut this_loop.medium {
            Medium::Shared(shared) => shared.arbitration.request(place, now),
            Medium::Switched(switched) => {
                switched.request(place, now);
                self.grant(self.loops.ports[id].loop_id, now);
            }
        }
    }

    /// The next thing happens on this loop.
    pub(crate) fn step_loop(&mut self, id: Id<Loop>, now: Instant) {
        self.tenancy_events += 1;
        let this_loop = &mut self.loops.loops[id];
        this_loop.reached = now;
        let places = this_loop.places;
        match &mut this_loop.medium {
            Medium::Shared(shared) => {
                if let Some(owner) = shared.owner {
                    self.end_tenancy(places.port(owner), now);
                } else {
                    let winner = shared.take_win(&mut this_loop.counters);
                    self.begin_tenancy(places.port(winner), now);
                }
            }
            Medium::Switched(switched) => {
                let place = switched.next_place();
                let port = places.port(place);
                match self.loops.ports[port].phase {
                    CircuitPhase::Granted { .. } => self.begin_tenancy(port, now),
                    CircuitPhase::Open => self.end_tenancy(port, now),
                    CircuitPhase::Closing => self.free_circuit(port, now),
                    CircuitPhase::Idle => switched.alarms.clear(place.number()),
                }
            }
        }
        self.rearm_loop(id);
    }

    pub(super) fn rearm_loop(&mut self, id: Id<Loop>) {
        let at = self.loops.next_at(id);
        let slot = self.first_loop_alarm + id.number();
        self.alarms.set_or_clear(slot, at);
    }

    /// The owner has won: it opens the partner of the first sequence that waits.
    fn begin_tenancy(&mut self, id: Id<LoopPort>, now: Instant) {
        let partner = match self.loops.ports[id].phase {
            CircuitPhase::Granted { partner } => partner,
            _ => self.next_partner(id, now).certain(),
        };
        let loops = &mut self.loops;
        let this_loop = &loops.loops[loops.ports[id].loop_id];
        let path = Loops::path(this_loop, id, partner);
        let offers = (
            loops.ports[id].settings.buffers,
            loops.ports[partner].settings.buffers,
        );
        if let Medium::Shared(shared) = &this_loop.medium {
            for before in shared.last_pair() {
                loops.ports[this_loop.places.port(before)].role = Role::Free;
            }
        }
        loops.ports[partner].role = Role::Opened { owner: id };
        let port = &mut loops.ports[id];
        port.role = Role::Owner { partner };
        port.phase = CircuitPhase::Open;
        (port.won_at, port.owned_to) = (now, now);
        port.frames_left = port.settings.tenancy_frames;
        port.circuit.open(now, path, offers.0, offers.1);
        let (loop_id, place) = (port.loop_id, port.place);
        let this_loop = &mut loops.loops[loop_id];
        this_loop.counters.tenancies += 1;
        let partner_place = this_loop.places.of(partner);
        if let Medium::Shared(shared) = &mut this_loop.medium {
            shared.opened(place, partner_place);
        }
        self.flush(id, now, Lane::Out);
    }

    /// The owner has nothing left to send, or has sent as much as it may in one go.
    fn end_tenancy(&mut self, id: Id<LoopPort>, now: Instant) {
        let Role::Owner { partner } = self.loops.ports[id].role else {
            unreachable!("a tenancy without an owner")
        };
        let has_more = self.has_more_for(id, partner, now) && self.has_buffer_at(partner.into());
        if has_more && self.is_within_unit(id, partner) {
            self.flush(id, now, Lane::Out);
            return;
        }
        let port = &mut self.loops.ports[id];
        port.frames_left = port.settings.tenancy_frames;
        if has_more && !self.loops.must_yield(id, now) {
            self.flush(id, now, Lane::Out);
            return;
        }
        let port = &mut self.loops.ports[id];
        port.circuit.close(now);
        port.phase = CircuitPhase::Closing;
        let next = self.next_partner(id, now);
        let wants_more = self.has_frames(id, now) && self.has_buffer_at(next);
        self.set_end(id);
        if wants_more {
            self.request_loop(id, now);
        }
    }

    /// A switched circuit is over: its ports and strings are free for others.
    fn free_circuit(&mut self, id: Id<LoopPort>, now: Instant) {
        let port = &mut self.loops.ports[id];
        let Role::Owner { partner } = port.role else {
            unreachable!("a circuit without an owner")
        };
        let (place, loop_id, won_at) = (port.place, port.loop_id, port.won_at);
        port.role = Role::Free;
        port.phase = CircuitPhase::Idle;
        self.loops.ports[partner].role = Role::Free;
        let this_loop = &mut self.loops.loops[loop_id];
        let partner_place = this_loop.places.of(partner);
        if let Medium::Switched(switched) = &mut this_loop.medium {
            switched.free(place, partner_place, now - won_at);
        }
        self.grant(loop_id, now);
    }

    /// Open what can be opened on a switched loop, longest wait first.
    fn grant(&mut self, loop_id: Id<Loop>, now: Instant) {
        let loops = &mut self.loops;
        let this_loop = &mut loops.loops[loop_id];
        let Medium::Switched(switched) = &mut this_loop.medium else {
            return;
        };
        let (ports, places) = (&mut loops.ports, this_loop.places);
        let granted = switched.grant(now, |place| {
            let partner = ports[places.port(place)].next_partner();
            places.of(partner.certain())
        });
        for &place in granted {
            let port = &mut ports[places.port(place)];
            let partner = port.next_partner().certain();
            port.phase = CircuitPhase::Granted { partner };
        }
    }

    /// Send what waits for the partner of the open circuit, as far as credit is known. What the owner
    /// sends keeps the circuit open, so that its R_RDYs let the partner send more.
    pub(super) fn flush(&mut self, id: Id<LoopPort>, now: Instant, lane: Lane) {
        self.flush_lane(id, now, lane);
        if let (Lane::Out, Role::Owner { partner }) = (lane, self.loops.ports[id].role)
            && self.loops.is_full_duplex(id)
            && self.has_frames(partner, now)
        {
            self.flush_lane(partner, now, Lane::Back);
        }
    }

    fn flush_lane(&mut self, id: Id<LoopPort>, now: Instant, lane: Lane) {
        let (owner, partner) = match (lane, self.loops.ports[id].role) {
            (Lane::Out, Role::Owner { partner }) => (id, partner),
            (Lane::Back, Role::Opened { owner }) => (owner, owner),
            _ => return,
        };
        if self.loops.ports[id].switch_input().is_some() {
            self.send_from_switch(id, partner, owner, now, lane);
        }
        let mut place = 0;
        while let Some(next) = self.loops.next_for(id, partner, place) {
            if !self.send_on_loop(id, next, (owner, partner), now, lane) {
                break;
            }
            place = next;
        }
        let is_done = !self.has_frames(id, now);
        let port = &self.loops.ports[id];
        let (loop_id, own_place) = (port.loop_id, port.place);
        if is_done {
            match &mut self.loops.loops[loop_id].medium {
                Medium::Shared(shared) => shared.arbitration.withdraw(own_place, now),
                Medium::Switched(switched) => switched.withdraw(own_place),
            }
        } else if lane == Lane::Back && port.switch_input().is_none() {
            // What waited for a buffer of the FL_Port has gone; what is behind it may be for another port.
            let next = self.next_partner(id, now);
            if self.has_buffer_at(next) {
                self.request_loop(id, now);
            }
        }
        self.set_end(owner);
    }

    /// When the owner of a circuit will be dry, or when the circuit is over if it closes.
    fn set_end(&mut self, id: Id<LoopPort>) {
        let port = &mut self.loops.ports[id];
        let closes_at = port.circuit.closes_at();
        let (dry_at, released_at) = (port.circuit.dry_at(), port.circuit.released_at());
        let this_loop = &mut self.loops.loops[port.loop_id];
        match (&mut this_loop.medium, closes_at) {
            (Medium::Shared(shared), None) => shared.dry_at = dry_at,
            (Medium::Shared(shared), Some(at)) => shared.release(at, released_at),
            (Medium::Switched(switched), None) => switched.alarms.set(port.place.number(), dry_at),
            (Medium::Switched(switched), Some(_)) => {
                switched.alarms.set(port.place.number(), released_at);
            }
        }
        if closes_at.is_some() {
            this_loop.counters.owned += released_at - port.owned_to;
            port.owned_to = released_at;
        }
    }

    /// Send a sequence to its end; false if it must wait before that.
    fn send_on_loop(
        &mut self,
        id: Id<LoopPort>,
        place: usize,
        (owner, partner): (Id<LoopPort>, Id<LoopPort>),
        now: Instant,
        lane: Lane,
    ) -> bool {
        loop {
            if lane == Lane::Out && !self.loops.may_send_next(id, place)
                || !self.takes(owner, partner, lane, now)
            {
                return false;
            }
            let port = &mut self.loops.ports[id];
            if lane == Lane::Out {
                port.frames_left -= 1;
            }
            let (n_port, fibre) = (port.settings.n_port.certain(), port.fibre);
            let sequence = &mut port.queue[place].sequence;
            let frame = self.n_ports[n_port].cut_frame(sequence, now);
            let is_last = frame.is_last;
            if is_last {
                self.loops.ports[id].queue.remove(place);
                self.n_ports[n_port].close_on_loop(frame.seq_id);
            }
            if let Some(into) = self.loops.ports[partner].switch_input() {
                self.start_into_switch(frame, (fibre, into), owner, lane, now);
                // The owner takes a buffer of the switch when it sends the frame, not earlier.
                if lane == Lane::Out {
                    return false;
                }
            } else {
                self.start_on_loop(frame, fibre, owner, lane, now);
            }
            if is_last {
                return true;
            }
        }
    }

    /// Whether a frame that is ready now can still go in an open circuit.
    fn takes(
        &mut self,
        owner: Id<LoopPort>,
        receiver: Id<LoopPort>,
        lane: Lane,
        now: Instant,
    ) -> bool {
        let port = &self.loops.ports[owner];
        if self.loops.ports[receiver].switch_input().is_some() {
            let is_first = port.frames_left == port.settings.tenancy_frames;
            let is_free = lane == Lane::Back || is_first || port.circuit.dry_at() <= now;
            // A frame that came behind the CLS would need an R_RDY behind it.
            let is_open = port.circuit.closes_at().is_none();
            return is_open && is_free && self.has_buffer_at(receiver.into());
        }
        port.circuit.takes(lane, now)
    }

    fn start_on_loop(
        &mut self,
        mut frame: Frame,
        id: Id<Fibre>,
        owner: Id<LoopPort>,
        lane: Lane,
        now: Instant,
    ) {
        let fibre = &mut self.fibres[id];
        let (sending, slot) = fibre.times(frame.wire_bytes);
        let receiver = &mut self.n_ports[frame.destination];
        let payload_bytes = frame.payload_bytes;
        let circuit = &mut self.loops.ports[owner].circuit;
        let times = circuit.send(lane, now, sending, |arrives_at| {
            receiver.on_received(arrives_at, payload_bytes)
        });
        let starts_at = times.starts_at;
        (frame.sent_at, frame.ready_at, frame.came_by) = (starts_at, starts_at, MaybeId::NONE);
        fibre.count(&mut frame, starts_at, slot, times.credit_wait);
        frame.came_by = id.same().into();
        self.note_start(starts_at, id, &frame);
        self.count_on_loop(owner, id, &frame, (starts_at, slot));
        (self.sent, self.delivered) = (self.sent + 1, self.delivered + 1);
        let ends_sequence = frame.is_last;
        let start = Transmission {
            frame: self.frames.insert(frame),
            arrives_at: times.arrives_at,
            landed_at: times.arrives_at,
            fibre: id,
            ends_sequence,
        };
        self.loops.started.push_back((starts_at, start));
    }

    /// Count a frame that goes at this instant on its loop, and at the port of its destination if that is on
    /// the loop. Its transmitter has counted it.
    pub(super) fn count_on_loop(
        &mut self,
        owner: Id<LoopPort>,
        id: Id<Fibre>,
        frame: &Frame,
        (starts_at, slot): (Instant, Span),
    ) {
        let loop_id = self.loops.ports[owner].loop_id;
        let this_loop = &mut self.loops.loops[loop_id];
        let reached = this_loop.reached;
        this_loop.counters.sending += slot;
        this_loop.ahead.add(starts_at, slot, reached);
        self.fibres[id].count_ahead(starts_at, slot, reached);
        if let Some(receiver) = self.loops.port_of[frame.destination].get()
            && self.loops.ports[receiver].loop_id == loop_id
        {
            let port = &mut self.loops.ports[receiver];
            port.received.count(frame, slot);
            port.ahead.add(starts_at, slot, reached);
        }
        self.starts += 1;
        self.frames_on_loops += 1;
    }
}

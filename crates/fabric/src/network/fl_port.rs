//! FL_Ports: ports of a switch on a loop.
//!
//! Frames from the fabric wait in the queues of the FL_Port's output until it has won the loop, and
//! hold the buffers they came by. Frames from the loop take buffers of the FL_Port, which it announces
//! by R_RDY when it is opened and as they become free. A port that finds none closes its circuit, and
//! arbitrates again when there is one: two loops that send to each other never wait in a circle.

use std::collections::VecDeque;

use sanlab_fc::{Frame, Lane};
use sanlab_kernel::{Id, Instant, MaybeId};

use super::state::Network;
use super::transmit::Leg;
use crate::fibre::{Fibre, Sink, Source, way_back};
use crate::loops::{FabricSide, LoopPort, Medium, Role};
use crate::transmission::Transmission;

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// A frame is ready at the output of an FL_Port, or one of its buffers is free that a port of the
    /// loop waits for.
    pub(super) fn poke_fl_port(&mut self, id: Id<Fibre>, now: Instant) {
        self.tenancy_events += 1;
        self.alarms.clear(id.number());
        let fibre = &mut self.fibres[id];
        fibre.could_start_at = Instant::NEVER;
        match (fibre.source, fibre.sink) {
            (Source::Loop(fl_port), _) => self.tell_of_buffer(fl_port.same(), now),
            (_, Sink::Loop(fl_port)) => self.offer_frames(fl_port.same(), now),
            _ => unreachable!("a fibre that belongs to no FL_Port"),
        }
    }

    /// The FL_Port sends what is ready in the circuit it has, or requests the loop.
    pub(super) fn offer_frames(&mut self, id: Id<LoopPort>, now: Instant) {
        self.discard_unreachable(id, now);
        match self.loops.ports[id].role {
            Role::Owner { .. } => self.flush(id, now, Lane::Out),
            Role::Opened { owner } if self.loops.is_full_duplex(owner) => {
                self.flush(id, now, Lane::Back);
            }
            _ => {}
        }
        if self.has_frames(id, now) {
            self.request_loop(id, now);
        }
        self.set_output_alarm(id, now);
        let loop_id = self.loops.ports[id].loop_id;
        self.rearm_loop(loop_id);
    }

    /// A buffer of the FL_Port is free: ports that have waited for one go on.
    fn tell_of_buffer(&mut self, id: Id<LoopPort>, now: Instant) {
        if let FabricSide::FlPort { looks_at, .. } = &mut self.loops.ports[id].side {
            *looks_at = None;
        }
        let (first, end) = self.loops.ports[id].mates;
        for port in (first.number()..end.number()).map(Id::new) {
            if self.loops.ports[port].next_partner() != id.into() {
                continue;
            }
            match self.loops.ports[port].role {
                Role::Owner { partner } if partner == id => self.flush(port, now, Lane::Out),
                Role::Opened { owner } if owner == id && self.loops.is_full_duplex(owner) => {
                    self.flush(port, now, Lane::Back);
                }
                _ => {}
            }
            if self.has_frames(port, now) {
                self.request_loop(port, now);
            }
        }
        let loop_id = self.loops.ports[id].loop_id;
        self.rearm_loop(loop_id);
    }

    /// A buffer of an FL_Port is free from this instant on; its R_RDY follows then.
    pub(super) fn free_fl_buffer(&mut self, into: Id<Fibre>, id: Id<LoopPort>, at: Instant) {
        self.fibres[into].credit.give(at);
        if let FabricSide::FlPort { looks_at, .. } = &mut self.loops.ports[id].side
            && looks_at.is_some_and(|known| at < known)
        {
            *looks_at = Some(at);
            self.alarms.set(into.number(), at);
        }
    }

    /// Whether the owner of a circuit with an FL_Port is in the middle of an information unit: it does
    /// not look for others there.
    pub(super) fn is_within_unit(&self, id: Id<LoopPort>, partner: Id<LoopPort>) -> bool {
        let port = &self.loops.ports[id];
        let next = self.loops.next_for(id, partner, 0);
        self.loops.ports[partner].switch_input().is_some()
            && port.frames_left > 0
            && next.is_some_and(|place| port.queue[place].sequence.seq_cnt > 0)
    }

    /// Whether a port that would be opened has a buffer, or will at a known instant: every N_Port has,
    /// an FL_Port whose buffers are all in use has not, and says so when one is free.
    pub(super) fn has_buffer_at(&mut self, partner: MaybeId<LoopPort>) -> bool {
        let Some(id) = partner.get() else {
            return true;
        };
        let FabricSide::FlPort {
            into_switch,
            looks_at,
        } = &mut self.loops.ports[id].side
        else {
            return true;
        };
        if self.fibres[*into_switch].credit.next_at() != Instant::NEVER {
            return true;
        }
        looks_at.get_or_insert(Instant::NEVER);
        false
    }

    /// Port that the next frame or sequence of a port goes to; none if nothing waits.
    pub(super) fn next_partner(&self, id: Id<LoopPort>, now: Instant) -> MaybeId<LoopPort> {
        let port = &self.loops.ports[id];
        let Some(into) = port.switch_input() else {
            return port.next_partner();
        };
        let queues = &self.fibres[way_back(into)].queues;
        let next = queues.next_ready_that(now, |_| true);
        next.map_or(MaybeId::NONE, |queue| {
            self.loops.port_of[self.frames[queues.head(queue)].destination]
        })
    }

    /// Whether a port has anything to send now.
    pub(super) fn has_frames(&self, id: Id<LoopPort>, now: Instant) -> bool {
        let port = &self.loops.ports[id];
        match port.switch_input() {
            None => !port.queue.is_empty(),
            Some(_) => self.next_partner(id, now).is_some(),
        }
    }

    /// Whether a port has more to send to its partner.
    pub(super) fn has_more_for(
        &self,
        id: Id<LoopPort>,
        partner: Id<LoopPort>,
        now: Instant,
    ) -> bool {
        let port = &self.loops.ports[id];
        let Some(into) = port.switch_input() else {
            return port.has_for(partner);
        };
        let queues = &self.fibres[way_back(into)].queues;
        let next = queues.next_ready_that(now, |frame| self.goes_to(frame, partner));
        next.is_some()
    }

    fn goes_to(&self, frame: Id<Frame>, partner: Id<LoopPort>) -> bool {
        self.loops.port_of[self.frames[frame].destination] == partner.into()
    }

    /// An FL_Port sends frames that are ready for the other port of its circuit.
    pub(super) fn send_from_switch(
        &mut self,
        id: Id<LoopPort>,
        partner: Id<LoopPort>,
        owner: Id<LoopPort>,
        now: Instant,
        lane: Lane,
    ) {
        let Some(into) = self.loops.ports[id].switch_input() else {
            return;
        };
        let output = way_back(into);
        loop {
            let queues = &self.fibres[output].queues;
            let next = queues.next_ready_that(now, |frame| self.goes_to(frame, partner));
            let Some(queue) = next else { break };
            let frame = &self.frames[queues.head(queue)];
            if lane == Lane::Out && !self.loops.may_send(id, frame.seq_cnt, frame.kind)
                || !self.loops.ports[owner].circuit.takes(lane, now)
            {
                break;
            }
            if lane == Lane::Out {
                self.loops.ports[id].frames_left -= 1;
            }
            let frame = self.fibres[output].queues.serve(queue, &self.frames);
            self.start_from_switch(frame, output, owner, lane, now);
        }
        self.discard_unreachable(id, now);
        self.set_output_alarm(id, now);
    }

    /// A frame of the fabric goes in the circuit of this owner; the buffer that it holds is free when
    /// its last bit is out.
    fn start_from_switch(
        &mut self,
        id: Id<Frame>,
        output: Id<Fibre>,
        owner: Id<LoopPort>,
        lane: Lane,
        now: Instant,
    ) {
        let fibre = &mut self.fibres[output];
        let frame = &mut self.frames[id];
        let (sending, slot) = fibre.times(frame.wire_bytes);
        let (payload_bytes, channel) = (frame.payload_bytes, std::mem::take(&mut frame.channel));
        let receiver = &mut self.n_ports[frame.destination];
        let circuit = &mut self.loops.ports[owner].circuit;
        let times = circuit.send(lane, now, sending, |arrives_at| {
            receiver.on_received(arrives_at, payload_bytes)
        });
        fibre.count(frame, times.starts_at, slot, times.credit_wait);
        let came_by = std::mem::replace(&mut frame.came_by, output.same().into());
        let came_by = came_by.certain().same();
        let frame = *frame;
        self.note_start(times.starts_at, output, &frame);
        self.count_on_loop(owner, output, &frame, (times.starts_at, slot));
        self.delivered += 1;
        let back_at = times.starts_at + sending + self.fibres[came_by].credit_return;
        self.give_credit(came_by, channel, back_at);
        let start = Transmission {
            frame: id,
            arrives_at: times.arrives_at,
            landed_at: times.arrives_at,
            fibre: output,
            ends_sequence: false,
        };
        self.loops.started.push_back((times.starts_at, start));
    }

    /// A frame of a port of the loop goes into the switch.
    pub(super) fn start_into_switch(
        &mut self,
        mut frame: Frame,
        (id, into): (Id<Fibre>, Id<Fibre>),
        owner: Id<LoopPort>,
        lane: Lane,
        now: Instant,
    ) {
        let (sending, slot) = self.fibres[id].times(frame.wire_bytes);
        let free_at = self.fibres[into].credit.next_at();
        let circuit = &mut self.loops.ports[owner].circuit;
        let times = circuit.send_with(lane, now, sending, free_at);
        let starts_at = times.starts_at;
        (frame.sent_at, frame.ready_at, frame.came_by) = (starts_at, starts_at, MaybeId::NONE);
        self.fibres[id].count(&mut frame, starts_at, slot, times.credit_wait);
        self.note_start(starts_at, id, &frame);
        self.count_on_loop(owner, id, &frame, (starts_at, slot));
        let reached = self.loops.loops[self.loops.ports[owner].loop_id].reached;
        let at_switch = &mut self.fibres[into];
        at_switch.credit.take(starts_at);
        at_switch.counters.count(&frame, slot);
        at_switch.count_ahead(starts_at, slot, reached);
        let Sink::Switch { switch, port } = at_switch.sink else {
            unreachable!("what comes into an FL_Port goes to its switch")
        };
        self.sent += 1;
        frame.came_by = into.same().into();
        let ends_sequence = frame.is_last;
        let frame = self.frames.insert(frame);
        let first_bit_at = times.arrives_at - sending;
        let whole = (first_bit_at, times.arrives_at);
        let leg = Leg::new(&self.fibres[into], into, frame, whole);
        let start = Transmission {
            frame,
            arrives_at: self.forward::<true>(&leg, (switch, port)),
            landed_at: times.arrives_at,
            fibre: id,
            ends_sequence,
        };
        self.loops.started.push_back((starts_at, start));
    }

    /// Frames at the heads of its queues whose ports have left the loop are lost.
    fn discard_unreachable(&mut self, id: Id<LoopPort>, now: Instant) {
        let Some(into) = self.loops.ports[id].switch_input() else {
            return;
        };
        let output = way_back(into);
        let mut lost = VecDeque::new();
        loop {
            let fibre = &self.fibres[output];
            let next = fibre.queues.next_ready_that(now, |frame| {
                let port = self.loops.port_of[self.frames[frame].destination].get();
                !port.is_some_and(|port| self.loops.are_joined(id, port))
            });
            let Some(queue) = next else { break };
            lost.push_back(self.fibres[output].queues.serve(queue, &self.frames));
        }
        if lost.is_empty() {
            return;
        }
        self.fibres[output].counters.dropped += lost.len() as u64;
        self.dropped += lost.len() as u64;
        for frame in lost {
            self.drop_frame(frame, now);
        }
        self.withdraw_if_done(id, now);
    }

    /// An FL_Port that has nothing to send any more does not arbitrate.
    fn withdraw_if_done(&mut self, id: Id<LoopPort>, now: Instant) {
        if self.has_frames(id, now) {
            return;
        }
        let port = &self.loops.ports[id];
        if let Medium::Shared(shared) = &mut self.loops.loops[port.loop_id].medium {
            shared.arbitration.withdraw(port.place, now);
        }
    }

    /// Frames have left its queues without having been sent.
    pub(super) fn after_fl_discard(&mut self, id: Id<LoopPort>, now: Instant) {
        self.withdraw_if_done(id, now);
        self.offer_frames(id, now);
    }

    /// Look again when the next frame becomes ready. An alarm that has not rung yet stays, though what follows
    /// from a frame under way may be computed for a later instant: when it rings, the port requests the loop
    /// for what its circuit did not take.
    fn set_output_alarm(&mut self, id: Id<LoopPort>, now: Instant) {
        if let Some(into) = self.loops.ports[id].switch_input() {
            let output = way_back(into);
            if self.fibres[output].could_start_at <= now {
                return;
            }
            let at = self.fibres[output].queues.ready_after(now);
            self.fibres[output].could_start_at = at;
            self.alarms.set_or_clear(output.number(), at);
        }
    }

    /// Add a start to the fingerprint.
    pub(super) fn note_start(&mut self, at: Instant, id: Id<Fibre>, frame: &Frame) {
        self.fingerprint
            .add(at.as_ps() ^ u64::from(id.number()) << 44 ^ u64::from(frame.wire_bytes) << 32);
    }
}

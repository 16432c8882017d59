//! The one event that moves frames: the start of a transmission.

use sanlab_fc::{Frame, NPort};
use sanlab_kernel::{Id, Instant, Rate};

use super::state::Network;
use crate::fibre::{Fibre, Sink, Source, way_back};
use crate::parts::{Switch, SwitchPort};
use crate::probe::{Fate, Probe};
use crate::switch::Forwarding;
use crate::transmission::{LOST, Transmission};

/// A frame on a fibre, with what the next hop asks of that fibre, read once.
pub(super) struct Leg {
    fibre: Id<Fibre>,
    frame: Id<Frame>,
    /// The first bit leaves.
    now: Instant,
    /// The last bit leaves.
    tail_at: Instant,
    /// The header is in.
    header_at: Instant,
    /// The last bit is in.
    in_at: Instant,
    rate: Rate,
}

impl Leg {
    /// A frame whose first bit leaves at the first instant, and the last one at the second.
    #[inline(always)]
    pub(super) fn new(
        fibre: &Fibre,
        id: Id<Fibre>,
        frame: Id<Frame>,
        (now, tail_at): (Instant, Instant),
    ) -> Self {
        Self {
            fibre: id,
            frame,
            now,
            tail_at,
            header_at: now + fibre.header,
            in_at: tail_at + fibre.delay,
            rate: fibre.rate(),
        }
    }
}

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// An N_Port may have something to send.
    pub(crate) fn wake(&mut self, n_port: Id<NPort>, now: Instant) {
        let ready_at = self.n_ports[n_port].ready_at();
        if ready_at != Instant::NEVER {
            self.announce(self.uplinks[n_port], ready_at.max(now));
        }
    }

    /// A frame for this transmitter will be ready at this instant.
    #[inline(always)]
    pub(super) fn announce(&mut self, fibre: Id<Fibre>, ready_at: Instant) {
        if EVERY_EVENT && self.fibres[fibre].fl_port().is_none() {
            self.reference.announce(fibre, ready_at);
            return;
        }
        let transmitter = &mut self.fibres[fibre];
        if transmitter.on_slow_path && transmitter.is_featured_output() {
            self.reschedule(fibre, Instant::START);
            return;
        }
        let could_start_at = ready_at.max(transmitter.free_at);
        if could_start_at < transmitter.could_start_at {
            transmitter.could_start_at = could_start_at;
            let at = could_start_at.max(transmitter.credit.next_at());
            if at != Instant::NEVER {
                self.alarms.set(fibre.number(), at);
            }
        }
    }

    /// A credit of this transmitter will be back at this instant.
    #[inline(always)]
    pub(crate) fn give_credit(&mut self, fibre: Id<Fibre>, channel: u8, at: Instant) {
        if EVERY_EVENT && self.fibres[fibre].fl_port().is_none() {
            self.reference.give_credit(fibre, channel, at);
        }
        if self.fibres[fibre].on_slow_path {
            self.give_credit_slowly(fibre, channel, at);
            return;
        }
        self.give_plain_credit(fibre, at);
    }

    /// A buffer at the far end of a fibre is free at this instant.
    #[inline(always)]
    fn return_credit(&mut self, fibre: Id<Fibre>, channel: u8, freed_at: Instant) -> Instant {
        let transmitter = &self.fibres[fibre];
        let at = freed_at + transmitter.credit_return;
        if EVERY_EVENT || transmitter.on_slow_path {
            self.give_credit(fibre, channel, at);
        } else {
            self.give_plain_credit(fibre, at);
        }
        at
    }

    /// The same where nothing but the one credit of the fibre is concerned.
    #[inline(always)]
    fn give_plain_credit(&mut self, fibre: Id<Fibre>, at: Instant) {
        let transmitter = &mut self.fibres[fibre];
        let before = transmitter.credit.next_at();
        transmitter.credit.give(at);
        if !EVERY_EVENT && at < before && transmitter.could_start_at != Instant::NEVER {
            self.alarms
                .set(fibre.number(), transmitter.could_start_at.max(at));
        }
    }

    /// The same for a transmitter on the slow path: the R_RDY may wait for a frame, as far as is known.
    #[inline(never)]
    fn give_credit_slowly(&mut self, fibre: Id<Fibre>, channel: u8, at: Instant) {
        if fibre == self.topology.null_fibre {
            return;
        }
        if let Some(fl_port) = self.fibres[fibre].fl_port() {
            self.free_fl_buffer(fibre, fl_port.same(), at);
            return;
        }
        let mut back_at = at;
        if self.fibres[fibre].r_rdy_waits {
            let tail_at = self.fibres[way_back(fibre)].tail_at;
            back_at = at.max(tail_at + self.fibres[fibre].credit_return);
        }
        self.fibres[fibre].give_credit(channel, back_at);
        if !EVERY_EVENT {
            self.reset_alarm(fibre);
        }
    }

    /// A credit of this transmitter is back now, without an R_RDY.
    pub(crate) fn restore_credit(&mut self, fibre: Id<Fibre>, now: Instant) {
        if EVERY_EVENT {
            self.reference.restore_credit(fibre, 0, now);
        }
        self.fibres[fibre].credit_mut(0).give(now);
        if !EVERY_EVENT {
            self.reset_alarm(fibre);
        }
    }

    /// A frame starts on a fibre by which R_RDYs go back for the other: those that come free while it is
    /// being sent wait for its last bit.
    #[inline(never)]
    fn hold_back_credit(&mut self, id: Id<Fibre>, now: Instant, tail_at: Instant) {
        if EVERY_EVENT {
            self.reference.send_until(id, tail_at);
        }
        self.fibres[id].tail_at = tail_at;
        let other_way = way_back(id);
        let transmitter = &mut self.fibres[other_way];
        let takes = transmitter.credit_return;
        transmitter.delay_credit(now + takes, tail_at + takes);
        // What was known of its next start was not final: it is later than now.
        if !EVERY_EVENT {
            self.reset_alarm(other_way);
        }
    }

    /// Credit of this transmitter comes back at other instants than was known.
    pub(crate) fn reset_alarm(&mut self, id: Id<Fibre>) {
        let transmitter = &self.fibres[id];
        if transmitter.is_featured_output() {
            self.reschedule(id, Instant::START);
        } else if transmitter.could_start_at != Instant::NEVER {
            let at = transmitter.could_start_at.max(transmitter.credit.next_at());
            self.alarms.set_or_clear(id.number(), at);
        }
    }

    /// Handle the next event, which is due `now`: [`Network::next_at`]. The probe is given the context.
    /// `None` where no transmission started; see [`Network::is_tenancy_step`].
    #[inline]
    pub fn step<C>(
        &mut self,
        now: Instant,
        probe: &mut impl Probe<C>,
        context: &C,
    ) -> Option<Transmission> {
        if self.next_is_internal() {
            let (at, fibre) = self.reference.step()?;
            if let Source::NPort(n_port) = self.fibres[fibre].source {
                let is_ready = self.n_ports[n_port].ready_at() <= at;
                self.reference.set_ready(fibre, at, is_ready);
            }
            if self.fibres[fibre].discipline().is_some() {
                self.reschedule(fibre, at);
            } else if self.reference.can_start(fibre) {
                self.alarms.set(fibre.number(), at);
            }
            self.is_tenancy_step = false;
            return None;
        }
        let (_, alarm) = self.alarms.first();
        if alarm >= self.first_loop_alarm {
            if alarm >= self.first_bus_alarm {
                return self.store(now, Id::new(alarm - self.first_bus_alarm));
            }
            self.step_loop(Id::new(alarm - self.first_loop_alarm), now);
            self.is_tenancy_step = true;
            return None;
        }
        let fibre = Id::new(alarm);
        if self.fibres[fibre].on_slow_path {
            if self.fibres[fibre].fl_port().is_some() {
                self.poke_fl_port(fibre, now);
                self.is_tenancy_step = true;
                return None;
            }
            return Some(self.start_on_slow_path(now, fibre, probe, context));
        }
        Some(self.start::<false, C>(now, fibre, probe, context))
    }

    #[inline(never)]
    fn start_on_slow_path<C>(
        &mut self,
        now: Instant,
        id: Id<Fibre>,
        probe: &mut impl Probe<C>,
        context: &C,
    ) -> Transmission {
        self.start::<true, C>(now, id, probe, context)
    }

    /// Start a transmission. Without `SLOW_PATH` the fibre has no optional features, no faults and no I/O
    /// bus at either end, and the code for them is left out.
    #[inline(always)]
    fn start<const SLOW_PATH: bool, C>(
        &mut self,
        now: Instant,
        id: Id<Fibre>,
        probe: &mut impl Probe<C>,
        context: &C,
    ) -> Transmission {
        self.starts += 1;
        let credit_wait = self.lasting_credit_wait(id, now);
        let (frame_id, ends_sequence) = self.take_frame::<SLOW_PATH>(now, id);
        let fibre = &mut self.fibres[id];
        let frame = &mut self.frames[frame_id];
        let wire_bytes = frame.wire_bytes;
        let (sending, slot) = fibre.times(wire_bytes);
        let tail_at = now + sending;
        let came_on = std::mem::take(&mut frame.channel);
        let mut gate_opens_at = Instant::NEVER;
        if SLOW_PATH && fibre.features.is_some() {
            gate_opens_at = fibre.start_with_features(now, slot, frame);
        } else {
            fibre.free_at = now + slot;
            fibre.credit.take(now);
        }
        fibre.count(frame, now, slot, credit_wait);
        let holds_back = SLOW_PATH && fibre.r_rdy_waits;
        let came_by = std::mem::replace(&mut frame.came_by, id.same().into());
        let channel = frame.channel;
        self.fingerprint
            .add(now.as_ps() ^ u64::from(id.number()) << 44 ^ u64::from(wire_bytes) << 32);
        let (source, sink) = (fibre.source, fibre.sink);
        let leg = Leg::new(fibre, id, frame_id, (now, tail_at));
        let in_at = leg.in_at;
        let may_be_faulty = SLOW_PATH && in_at > fibre.faultless_until;
        if EVERY_EVENT {
            self.reference.open_gate(id, now, gate_opens_at);
            self.reference.on_start(id, channel, now + slot);
        }
        if holds_back {
            self.hold_back_credit(id, now, tail_at);
        }
        let fate = if may_be_faulty {
            self.fate(id, frame_id, tail_at)
        } else {
            Fate::Whole
        };
        if probe.is_on() {
            let frame = Frame {
                came_by,
                ..self.frames[frame_id]
            };
            probe.frame(id, &frame, context, now, in_at, fate);
        }
        let (mut came_by_back_at, mut back_at) = (Instant::NEVER, Instant::NEVER);
        let arrives_at = match sink {
            _ if fate != Fate::Whole => LOST,
            Sink::NPort(n_port) => {
                let arrives_at;
                (arrives_at, back_at) = self.deliver::<SLOW_PATH>(&leg, n_port, channel);
                arrives_at
            }
            Sink::Switch { switch, port } => self.forward::<SLOW_PATH>(&leg, (switch, port)),
            Sink::Loop(_) => unreachable!("the loop of an FL_Port starts its frames"),
        };
        if let Some(came_by) = came_by.get() {
            came_by_back_at = self.return_credit(came_by.same(), came_on, tail_at);
        } else if let Source::NPort(n_port) = source {
            self.n_ports[n_port].on_sent(tail_at);
        }
        if probe.is_on() {
            probe.credit(credit_wait, came_by_back_at, back_at);
        }
        self.rearm_with::<SLOW_PATH>(id, now);
        Transmission {
            frame: frame_id,
            arrives_at,
            landed_at: arrives_at,
            fibre: id,
            ends_sequence,
        }
    }

    #[inline(always)]
    fn take_frame<const SLOW_PATH: bool>(
        &mut self,
        now: Instant,
        id: Id<Fibre>,
    ) -> (Id<Frame>, bool) {
        let fibre = &mut self.fibres[id];
        match fibre.source {
            Source::Switch if SLOW_PATH => (fibre.pop(now, &self.frames), false),
            Source::Switch => (fibre.queues.pop(now, &self.frames), false),
            Source::NPort(n_port) => {
                let source = &mut self.n_ports[n_port];
                let next = if SLOW_PATH && let Some(bus_port) = source.bus_port() {
                    self.take_fetched(now, id, n_port, bus_port)
                } else {
                    source.next_frame(now, n_port)
                };
                self.sent += 1;
                (self.frames.insert(next.frame), next.ends_sequence)
            }
            Source::Loop(_) => unreachable!("ports of the loop start their frames"),
        }
    }

    /// The frame reaches its destination: its buffer is free again when the N_Port says so. Returns when it is
    /// in, and when its credit is back, where that is known.
    #[inline(always)]
    fn deliver<const SLOW_PATH: bool>(
        &mut self,
        leg: &Leg,
        n_port: Id<NPort>,
        channel: u8,
    ) -> (Instant, Instant) {
        let port = &mut self.n_ports[n_port];
        if let (true, Some(bus_port)) = (SLOW_PATH, port.bus_port()) {
            self.land(bus_port, leg.frame, leg.in_at);
            self.delivered += 1;
            return (Instant::NEVER, Instant::NEVER);
        }
        let freed_at = port.on_received(leg.in_at, self.frames[leg.frame].payload_bytes);
        let back_at = self.return_credit(leg.fibre, channel, freed_at);
        self.delivered += 1;
        (leg.in_at, back_at)
    }

    /// The frame goes on to a switch, where it waits for its output.
    #[inline(always)]
    pub(super) fn forward<const SLOW_PATH: bool>(
        &mut self,
        leg: &Leg,
        (switch, port): (Id<Switch>, Id<SwitchPort>),
    ) -> Instant {
        let switch = &self.switches[switch];
        let (forwarding, latency) = (switch.forwarding, switch.latency);
        let output = (switch.routes).output(&self.frames[leg.frame], port, &self.addresses);
        let waits_for = &self.fibres[output];
        let on_slow_path = waits_for.on_slow_path;
        // A faster output would run dry in the middle of the frame.
        let needs_tail =
            forwarding == Forwarding::StoreAndForward || waits_for.rate().is_faster_than(leg.rate);
        if SLOW_PATH || on_slow_path {
            if self.is_taken(leg.fibre, leg.frame, output) {
                return self.take_out(leg.fibre, leg.frame, leg.tail_at);
            }
            if on_slow_path && self.refuses(output, leg.now) {
                return self.discard(leg.fibre, leg.frame, output, leg.tail_at);
            }
        }
        let known_at = if needs_tail { leg.in_at } else { leg.header_at };
        let mut ready_at = known_at + latency;
        let frame = &mut self.frames[leg.frame];
        frame.switch_wait += latency;
        if SLOW_PATH && self.fibres[leg.fibre].features.is_some() {
            ready_at = self.fibres[leg.fibre].come_in(ready_at, frame);
        }
        frame.ready_at = ready_at;
        let waits_for = &mut self.fibres[output];
        let mut queue = port.same();
        if on_slow_path && waits_for.is_featured_output() {
            let address = self.addresses[frame.destination];
            queue = waits_for.queue_of(frame, port, address);
        }
        (waits_for.queues).push(queue, leg.frame, ready_at, &mut self.frames);
        self.announce(output, ready_at);
        Instant::NEVER
    }

    /// After a start: when can the next frame go?
    #[inline]
    pub(crate) fn rearm(&mut self, id: Id<Fibre>, now: Instant) {
        self.rearm_with::<true>(id, now);
    }

    #[inline(always)]
    fn rearm_with<const SLOW_PATH: bool>(&mut self, id: Id<Fibre>, now: Instant) {
        let fibre = &mut self.fibres[id];
        if SLOW_PATH && fibre.is_featured_output() {
            self.reschedule(id, now);
            return;
        }
        let ready_at = match fibre.source {
            Source::Switch => fibre.queues.ready_at(fibre.free_at),
            Source::NPort(n_port) => self.n_ports[n_port].ready_at(),
            Source::Loop(_) => Instant::NEVER,
        };
        if EVERY_EVENT {
            self.alarms.clear(id.number());
            if let (Source::NPort(_), true) = (fibre.source, ready_at != Instant::NEVER) {
                self.reference.announce(id, ready_at.max(fibre.free_at));
            }
            return;
        }
        fibre.could_start_at = if ready_at == Instant::NEVER {
            Instant::NEVER
        } else {
            ready_at.max(fibre.free_at)
        };
        let at = fibre.could_start_at.max(fibre.credit.next_at());
        self.alarms.set_or_clear(id.number(), at);
    }

    /// When can the next frame go at an output with features? The slow reference asks for this instant.
    #[inline(never)]
    pub(crate) fn reschedule(&mut self, id: Id<Fibre>, now: Instant) {
        let fibre = &mut self.fibres[id];
        if EVERY_EVENT {
            let reference = &mut self.reference;
            if let Some(discipline) = fibre.discipline() {
                let has_credit = |channel| reference.has_credit_on(id, channel);
                let is_ready = discipline.is_ready(&fibre.queues, now, has_credit);
                reference.set_startable(id, now, is_ready);
            } else {
                reference.after_start(id, now);
            }
            if reference.can_start(id) {
                self.alarms.set(id.number(), now);
            } else {
                self.alarms.clear(id.number());
            }
            return;
        }
        let (could_start_at, at) = fibre.next_start();
        fibre.could_start_at = could_start_at;
        self.alarms.set_or_clear(id.number(), at);
    }
}

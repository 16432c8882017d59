//! All fibres and switches together, and the one event that moves frames: the start of a
//! transmission.

use sanlab_fc::{BbCredit, Exchange, Frame, NPort, Sequence};
use sanlab_kernel::{Alarms, Arena, Fingerprint, NEVER, NONE, Picoseconds, id_of};

use crate::bus::Buses;
use crate::counters::FibreCounters;
use crate::fibre::{Fibre, Sink, Source};
use crate::fspf::Hop;
use crate::health::{Topology, nowhere};
use crate::loops::Loops;
use crate::policy::Policy;
use crate::probe::{Fate, Probe};
use crate::qos::VirtualChannel;
use crate::reference::Reference;
use crate::switch::{Forwarding, Switch};
use crate::voq::Queues;

/// Instant at which a frame arrives that is lost on its way.
pub const LOST: Picoseconds = NEVER - 1;

/// What follows from the start of a transmission for those above the network.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// The frame.
    pub frame: u32,
    /// Its last bit reaches its destination N_Port at this instant; [`NEVER`] while it is still to
    /// cross a switch, [`LOST`] if it goes no further. The caller frees a frame that arrives or is lost.
    pub arrives_at: Picoseconds,
    /// Its last bit is in; earlier than `arrives_at` only where it is stored over an I/O bus.
    pub landed_at: Picoseconds,
    /// The fibre.
    pub fibre: u32,
    /// The last frame of a sequence has left its source.
    pub ends_sequence: bool,
}

/// A law of the fabric that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FabricFault {
    /// Credit granted is not credit known plus frames that hold some.
    Credit {
        /// The fibre.
        fibre: u32,
        /// Granted at login.
        granted: u32,
        /// Known to be free or coming back.
        known: u32,
        /// Frames that hold a buffer at the far end.
        held: u32,
    },
    /// Frames sent are not frames delivered plus frames on their way.
    Frames {
        /// Sent by N_Ports.
        sent: u64,
        /// Delivered to N_Ports.
        delivered: u64,
        /// Lost by faults.
        dropped: u64,
        /// Still in a switch.
        on_the_way: u64,
    },
}

/// All N_Ports, fibres and switches.
///
/// `EVERY_EVENT` makes the slow reference of it, in which every credit return, every end of a
/// transmission and every arrival is an event of its own; it must give the same run.
pub struct Network<const EVERY_EVENT: bool> {
    /// Ports of nodes.
    pub n_ports: Vec<NPort>,
    /// Fibres; those of link `i` are `2 i`, away from its first end, and `2 i + 1`.
    pub fibres: Vec<Fibre>,
    /// Frames on their way.
    pub frames: Arena<Frame>,
    /// Exchanges open between N_Ports.
    pub exchanges: Arena<Exchange>,
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
    /// The last step that was no start of a transmission was the begin or the end of a tenancy.
    pub was_tenancy: bool,
    /// Sequences that were lost with their port.
    pub lost: u64,
    /// Frames that were lost: cut off with their link, corrupted, or without a way on.
    pub dropped: u64,
    /// Policies and when they come into force.
    pub policies: Vec<Policy>,
    pub(crate) switches: Vec<Switch>,
    pub(crate) addresses: Vec<u32>,
    pub(crate) uplinks: Vec<u32>,
    /// What routes are computed from.
    pub(crate) topology: Topology,
    pub(crate) sent: u64,
    pub(crate) delivered: u64,
    pub(crate) starts: u64,
    pub(crate) reference: Reference,
}

/// Collects the parts of a [`Network`].
#[derive(Default)]
pub struct NetworkBuilder {
    /// Ports of nodes.
    pub n_ports: Vec<NPort>,
    /// Their addresses, which routes are chosen by.
    pub addresses: Vec<u32>,
    /// Virtual N_Ports, each with the one whose link it shares.
    pub sharers: Vec<(u32, u32)>,
    /// Switches without routes.
    pub switches: Vec<Switch>,
    /// Fibres, two for each link.
    pub fibres: Vec<Fibre>,
    /// FSPF cost of each link.
    pub costs: Vec<u64>,
    /// Loops.
    pub loops: Loops,
    /// Transmitters of their ports.
    pub loop_fibres: Vec<Fibre>,
    /// Loops that faults may make of them, at most.
    pub spare_loops: usize,
    /// I/O buses of hosts.
    pub buses: Buses,
    /// Virtual channels of fibres that have any.
    pub channels: Vec<(u32, Vec<VirtualChannel>)>,
    /// Policies, in the order of time.
    pub policies: Vec<Policy>,
}

impl NetworkBuilder {
    /// Wire it up: outputs, virtual output queues, routes by FSPF.
    pub fn build<const EVERY_EVENT: bool>(mut self) -> Network<EVERY_EVENT> {
        let mut uplinks = vec![NONE; self.n_ports.len()];
        let mut attached = vec![None; self.n_ports.len()];
        let mut hops = Vec::new();
        for id in 0..self.fibres.len() {
            let far_end = self.fibres[id ^ 1].sink;
            let fibre = &mut self.fibres[id];
            if let Source::NPort(n_port) = fibre.source {
                uplinks[n_port as usize] = id_of(id);
            }
            // The transmitter of a fibre is the receiver of the link's other fibre.
            if let Sink::Switch { switch, port } = far_end {
                let outputs = &mut self.switches[switch as usize].outputs;
                outputs[port as usize] = id_of(id);
                fibre.queues = Queues::new(outputs.len());
                match fibre.sink {
                    Sink::NPort(n_port) => attached[n_port as usize] = Some((switch, id_of(id))),
                    Sink::Switch { switch: to, .. } => {
                        hops.push(Hop {
                            from: switch,
                            to,
                            fibre: id_of(id),
                            cost: self.costs[id / 2],
                        });
                    }
                }
            }
        }
        self.add_disciplines();
        for &(virtual_port, owner) in &self.sharers {
            uplinks[virtual_port as usize] = uplinks[owner as usize];
            attached[virtual_port as usize] = attached[owner as usize];
        }
        let fibres = self.fibres.len();
        self.loops.port_of.resize(self.n_ports.len(), NONE);
        self.fibres.append(&mut self.loop_fibres);
        self.fibres.push(nowhere());
        let topology = Topology {
            attached,
            hops,
            nowhere: id_of(self.fibres.len() - 1),
        };
        topology.route(&mut self.switches, |_| true);
        for port in &self.loops.ports {
            uplinks[port.settings.n_port as usize] = port.fibre;
        }
        let all_loops = self.loops.loops.len() + self.spare_loops;
        let mut network = Network {
            n_ports: self.n_ports,
            fibres: self.fibres,
            frames: Arena::default(),
            exchanges: Arena::default(),
            fingerprint: Fingerprint::default(),
            alarms: Alarms::new(fibres + all_loops + self.buses.ports.len()),
            first_loop_alarm: id_of(fibres),
            first_bus_alarm: id_of(fibres + all_loops),
            buses: self.buses,
            tenancy_events: 0,
            frames_on_loops: 0,
            was_tenancy: false,
            lost: 0,
            dropped: 0,
            topology,
            loops: self.loops,
            policies: self.policies,
            switches: self.switches,
            addresses: self.addresses,
            uplinks,
            sent: 0,
            delivered: 0,
            starts: 0,
            reference: Reference::new(if EVERY_EVENT { fibres } else { 0 }),
        };
        network.mark_buses(fibres);
        if EVERY_EVENT {
            for (id, fibre) in network.fibres[..fibres].iter().enumerate() {
                network.reference.grant(id_of(id), fibre);
            }
        }
        for n_port in 0..network.n_ports.len() {
            if network.loops.port_of[n_port] == NONE {
                network.wake(id_of(n_port), 0);
            }
        }
        network
    }
}

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// When the next frame starts; [`NEVER`] when none waits.
    #[inline]
    pub fn next_at(&self) -> Picoseconds {
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
    pub fn credit_wait(&self, fibre: u32, now: Picoseconds) -> Picoseconds {
        self.fibres[fibre as usize].counters.credit_wait + self.lasting_credit_wait(fibre, now)
    }

    /// The part of it that has not ended.
    #[inline(always)]
    pub(crate) fn lasting_credit_wait(&self, fibre: u32, now: Picoseconds) -> Picoseconds {
        if EVERY_EVENT {
            self.reference.credit_wait(fibre, now)
        } else {
            now.saturating_sub(self.fibres[fibre as usize].could_start_at)
        }
    }

    /// What a transmitter has counted up to now: a wait that lasts counts as far as it has come, and
    /// so does the time of the frame that is being sent.
    pub fn counters(&self, fibre: u32, now: Picoseconds) -> FibreCounters {
        let transmitter = &self.fibres[fibre as usize];
        FibreCounters {
            busy: transmitter.busy(now),
            credit_wait: self.credit_wait(fibre, now),
            ..transmitter.counters
        }
    }

    /// The fibre that has waited longest for credit as of now.
    pub fn most_starved(&self, now: Picoseconds) -> u32 {
        let fibres = 0..id_of(self.fibres.len());
        fibres
            .max_by_key(|&fibre| self.credit_wait(fibre, now))
            .unwrap_or(0)
    }

    /// The fibre an N_Port sends by.
    pub fn uplink(&self, n_port: u32) -> &Fibre {
        &self.fibres[self.uplinks[n_port as usize] as usize]
    }

    /// Whether frames can get from one N_Port to another.
    pub fn is_reachable(&self, source: u32, destination: u32) -> bool {
        if self.is_on_loop(source) {
            return self.loops.joins(source, destination);
        }
        match self.uplink(source).sink {
            Sink::NPort(n_port) => n_port == destination,
            Sink::Switch { switch, .. } => {
                let routes = &self.switches[switch as usize].routes;
                routes.towards(destination) != [self.topology.nowhere]
            }
        }
    }

    /// Whether an N_Port is on a loop.
    #[inline]
    pub fn is_on_loop(&self, n_port: u32) -> bool {
        self.loops.port_of[n_port as usize] != NONE
    }

    /// Queue a sequence at an N_Port.
    pub fn queue(&mut self, n_port: u32, sequence: Sequence, now: Picoseconds) {
        if self.is_on_loop(n_port) {
            let port = self.loops.port_of[n_port as usize];
            self.queue_on_loop(port, sequence, now);
            return;
        }
        if self.uplink(n_port).is_dark(now) {
            self.lost += 1;
            return;
        }
        let owner = match self.uplink(n_port).source {
            Source::NPort(owner) => owner,
            Source::Switch => n_port,
        };
        let port = &mut self.n_ports[owner as usize];
        port.queue(sequence);
        if let Some(bus_port) = port.bus_port() {
            self.fetch(owner, bus_port, now);
        }
        self.wake(owner, now);
    }

    /// Whether two N_Ports share one link, as virtual ports do.
    pub fn share_link(&self, a: u32, b: u32) -> bool {
        self.uplinks[a as usize] == self.uplinks[b as usize]
    }

    /// An N_Port may have something to send.
    pub(crate) fn wake(&mut self, n_port: u32, now: Picoseconds) {
        let ready_at = self.n_ports[n_port as usize].ready_at();
        if ready_at != NEVER {
            self.announce(self.uplinks[n_port as usize], ready_at.max(now));
        }
    }

    /// A frame for this transmitter will be ready at this instant.
    #[inline(always)]
    fn announce(&mut self, fibre: u32, ready_at: Picoseconds) {
        if EVERY_EVENT {
            self.reference.announce(fibre, ready_at);
            return;
        }
        let transmitter = &mut self.fibres[fibre as usize];
        if transmitter.needs_care && transmitter.is_special() {
            self.reschedule(fibre, 0);
            return;
        }
        let could_start_at = ready_at.max(transmitter.free_at);
        if could_start_at < transmitter.could_start_at {
            transmitter.could_start_at = could_start_at;
            let at = could_start_at.max(transmitter.credit.next_at());
            if at != NEVER {
                self.alarms.set(fibre, at);
            }
        }
    }

    /// A credit of this transmitter will be back at this instant.
    #[inline(always)]
    pub(crate) fn give_credit(&mut self, fibre: u32, channel: u8, at: Picoseconds) {
        if EVERY_EVENT {
            self.reference.give_credit(fibre, channel, at);
        }
        let transmitter = &mut self.fibres[fibre as usize];
        if transmitter.needs_care && transmitter.is_special() {
            transmitter.credit_mut(channel).give(at);
            if !EVERY_EVENT {
                self.reschedule(fibre, 0);
            }
            return;
        }
        let before = transmitter.credit.next_at();
        transmitter.credit.give(at);
        if !EVERY_EVENT && at < before && transmitter.could_start_at != NEVER {
            self.alarms.set(fibre, transmitter.could_start_at.max(at));
        }
    }

    /// The next thing happens, which is due `now`: [`Network::next_at`]. `None` for what is no start of
    /// a transmission: an event of the slow reference, which concerns nobody above, or the begin or the
    /// end of a tenancy on a loop ([`Network::was_tenancy`]), whose frames
    /// [`Network::started_on_loop`] has.
    #[inline]
    pub fn step(&mut self, now: Picoseconds, probe: &mut impl Probe) -> Option<Start> {
        if self.next_is_internal() {
            let (at, fibre) = self.reference.step();
            if let Source::NPort(n_port) = self.fibres[fibre as usize].source {
                let is_ready = self.n_ports[n_port as usize].ready_at() <= at;
                self.reference.set_ready(fibre, at, is_ready);
            }
            if self.fibres[fibre as usize].discipline().is_some() {
                self.reschedule(fibre, at);
            } else if self.reference.can_start(fibre) {
                self.alarms.set(fibre, at);
            }
            self.was_tenancy = false;
            return None;
        }
        let (_, fibre) = self.alarms.first();
        if fibre >= self.first_loop_alarm {
            if fibre >= self.first_bus_alarm {
                return self.store(now, fibre - self.first_bus_alarm);
            }
            self.was_tenancy = true;
            self.step_loop(fibre - self.first_loop_alarm, now);
            return None;
        }
        if self.fibres[fibre as usize].needs_care {
            return Some(self.start_with_care(now, fibre, probe));
        }
        Some(self.start::<false>(now, fibre, probe))
    }

    #[inline(never)]
    fn start_with_care(&mut self, now: Picoseconds, id: u32, probe: &mut impl Probe) -> Start {
        self.start::<true>(now, id, probe)
    }

    /// A transmission starts. Without `CARE` the fibre has neither extras nor faults, and no I/O bus at
    /// either end: what there is to look at then is left out.
    #[inline(always)]
    fn start<const CARE: bool>(
        &mut self,
        now: Picoseconds,
        id: u32,
        probe: &mut impl Probe,
    ) -> Start {
        self.starts += 1;
        let credit_wait = self.lasting_credit_wait(id, now);
        let (frame_id, ends_sequence) = self.take_frame::<CARE>(now, id);
        let fibre = &mut self.fibres[id as usize];
        let frame = &mut self.frames[frame_id];
        let wire_bytes = frame.wire_bytes;
        let (sending, slot) = fibre.times(wire_bytes);
        let tail_at = now + sending;
        let came_on = std::mem::take(&mut frame.channel);
        let mut gate_opens_at = NEVER;
        if CARE && fibre.extras.is_some() {
            gate_opens_at = fibre.start_with_extras(now, slot, frame);
        } else {
            fibre.free_at = now + slot;
            fibre.credit.take(now);
        }
        count(fibre, frame, now, slot, credit_wait);
        let came_by = std::mem::replace(&mut frame.came_by, id);
        self.fingerprint
            .add(now ^ u64::from(id) << 44 ^ u64::from(wire_bytes) << 32);
        let (sink, in_at) = (fibre.sink, tail_at + fibre.delay);
        let is_in_trouble = CARE && in_at > fibre.trouble_at;
        if EVERY_EVENT {
            self.reference.open_gate(id, now, gate_opens_at);
            self.reference.on_start(id, frame.channel, now + slot);
        }
        let fate = if is_in_trouble {
            self.fate(id, frame_id, tail_at)
        } else {
            Fate::Whole
        };
        if probe.is_on() {
            let frame = Frame {
                came_by,
                ..self.frames[frame_id]
            };
            probe.frame(id, &frame, &self.exchanges, now, in_at, fate);
        }
        let arrives_at = match sink {
            _ if fate != Fate::Whole => LOST,
            Sink::NPort(n_port) => self.deliver::<CARE>(id, frame_id, n_port, tail_at),
            Sink::Switch { switch, port } => {
                self.forward::<CARE>(id, frame_id, (switch, port), now, tail_at)
            }
        };
        if came_by == NONE {
            if let Source::NPort(n_port) = self.fibres[id as usize].source {
                self.n_ports[n_port as usize].on_sent(tail_at);
            }
        } else {
            let back_at = tail_at + self.fibres[came_by as usize].credit_return;
            self.give_credit(came_by, came_on, back_at);
        }
        self.rearm_with::<CARE>(id, now);
        Start {
            frame: frame_id,
            arrives_at,
            landed_at: arrives_at,
            fibre: id,
            ends_sequence,
        }
    }

    #[inline(always)]
    fn take_frame<const CARE: bool>(&mut self, now: Picoseconds, id: u32) -> (u32, bool) {
        let fibre = &mut self.fibres[id as usize];
        match fibre.source {
            Source::Switch if CARE => (fibre.pop(now, &self.frames), false),
            Source::Switch => (fibre.queues.pop(now, &self.frames), false),
            Source::NPort(n_port) => {
                let source = &mut self.n_ports[n_port as usize];
                let next = if CARE && let Some(bus_port) = source.bus_port() {
                    self.take_fetched(now, id, n_port, bus_port)
                } else {
                    source.next_frame(now, n_port)
                };
                self.sent += 1;
                (self.frames.insert(next.frame), next.ends_sequence)
            }
        }
    }

    /// The frame reaches its destination: its buffer is free again when the N_Port says so.
    #[inline(always)]
    fn deliver<const CARE: bool>(
        &mut self,
        id: u32,
        frame: u32,
        n_port: u32,
        tail_at: Picoseconds,
    ) -> Picoseconds {
        let fibre = &self.fibres[id as usize];
        let arrives_at = tail_at + fibre.delay;
        let payload_bytes = self.frames[frame].payload_bytes;
        let credit_return = fibre.credit_return;
        let port = &mut self.n_ports[n_port as usize];
        if let (true, Some(bus_port)) = (CARE, port.bus_port()) {
            self.land(bus_port, frame, arrives_at);
            self.delivered += 1;
            return NEVER;
        }
        let freed_at = port.on_received(arrives_at, payload_bytes);
        let channel = self.frames[frame].channel;
        self.give_credit(id, channel, freed_at + credit_return);
        self.delivered += 1;
        arrives_at
    }

    /// The frame goes on to a switch, where it waits for its output.
    #[inline(always)]
    fn forward<const CARE: bool>(
        &mut self,
        id: u32,
        frame_id: u32,
        (switch, port): (u32, u32),
        now: Picoseconds,
        tail_at: Picoseconds,
    ) -> Picoseconds {
        let switch = &self.switches[switch as usize];
        let output = switch
            .routes
            .output(&self.frames[frame_id], port, &self.addresses);
        let needs_care = self.fibres[output as usize].needs_care;
        if needs_care && self.fibres[output as usize].is_dark(now) {
            return self.discard(id, frame_id, output, tail_at);
        }
        let fibre = &self.fibres[id as usize];
        // A faster output would run dry in the middle of the frame.
        let needs_tail = switch.forwarding == Forwarding::StoreAndForward
            || self.fibres[output as usize]
                .rate()
                .is_faster_than(fibre.rate());
        let known_at = if needs_tail {
            tail_at + fibre.delay
        } else {
            now + fibre.header
        };
        let mut ready_at = known_at + switch.latency;
        let frame = &mut self.frames[frame_id];
        frame.switch_wait += switch.latency;
        if CARE && self.fibres[id as usize].extras.is_some() {
            ready_at = self.fibres[id as usize].come_in(ready_at, frame);
        }
        frame.ready_at = ready_at;
        let waits_for = &mut self.fibres[output as usize];
        let mut queue = port;
        if needs_care && waits_for.is_special() {
            let address = self.addresses[frame.destination as usize];
            queue = waits_for.queue_of(frame, port, address);
        }
        waits_for.queues.push(queue, frame_id, &mut self.frames);
        self.announce(output, ready_at);
        NEVER
    }

    /// After a start: when can the next frame go?
    #[inline]
    pub(crate) fn rearm(&mut self, id: u32, now: Picoseconds) {
        self.rearm_with::<true>(id, now);
    }

    #[inline(always)]
    fn rearm_with<const CARE: bool>(&mut self, id: u32, now: Picoseconds) {
        let fibre = &mut self.fibres[id as usize];
        if CARE && fibre.is_special() {
            self.reschedule(id, now);
            return;
        }
        let ready_at = match fibre.source {
            Source::Switch => fibre.queues.ready_at(fibre.free_at),
            Source::NPort(n_port) => self.n_ports[n_port as usize].ready_at(),
        };
        if EVERY_EVENT {
            self.alarms.clear(id);
            if let (Source::NPort(_), true) = (fibre.source, ready_at != NEVER) {
                self.reference.announce(id, ready_at.max(fibre.free_at));
            }
            return;
        }
        fibre.could_start_at = if ready_at == NEVER {
            NEVER
        } else {
            ready_at.max(fibre.free_at)
        };
        let at = fibre.could_start_at.max(fibre.credit.next_at());
        if at == NEVER {
            self.alarms.clear(id);
        } else {
            self.alarms.set(id, at);
        }
    }

    /// When can the next frame go at an output with extras? The slow reference asks for this instant.
    #[inline(never)]
    pub(crate) fn reschedule(&mut self, id: u32, now: Picoseconds) {
        let fibre = &mut self.fibres[id as usize];
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
                self.alarms.set(id, now);
            } else {
                self.alarms.clear(id);
            }
            return;
        }
        let (could_start_at, at) = fibre.next_start();
        fibre.could_start_at = could_start_at;
        if at == NEVER {
            self.alarms.clear(id);
        } else {
            self.alarms.set(id, at);
        }
    }

    /// Of the transmitters that can never send again the one that has waited longest for credit.
    ///
    /// Who has no credit, and none on its way, waits for the frames that came by it and stand in the
    /// queues of other outputs. If one of these can still send, its turn will come; whoever is left
    /// when all such are taken out waits in a circle.
    pub fn deadlocked(&self, now: Picoseconds) -> Option<u32> {
        let first: Vec<usize> = self
            .fibres
            .iter()
            .scan(0, |next, fibre| {
                let first = *next;
                *next += fibre.credits().count();
                Some(first)
            })
            .collect();
        // A virtual channel is stuck or not by itself.
        let credits = self.fibres.iter().flat_map(Fibre::credits);
        let mut is_stuck: Vec<bool> = credits.map(|credit| credit.known() == 0).collect();
        // What is being stored frees its buffer.
        for id in self.landing() {
            let frame = &self.frames[id];
            is_stuck[first[frame.came_by as usize] + usize::from(frame.channel)] = false;
        }
        let mut waits = Vec::new();
        for (output, fibre) in self.fibres.iter().enumerate() {
            let discipline = fibre.discipline();
            for (queue, id) in fibre.queues.waiting_in(&self.frames) {
                let frame = &self.frames[id];
                let came_by = first[frame.came_by as usize] + usize::from(frame.channel);
                let channel = discipline.map_or(0, |it| usize::from(it.channel_of_queue(queue)));
                waits.push((came_by, first[output] + channel % fibre.credits().count()));
            }
        }
        waits.dedup();
        loop {
            let freed =
                |&&(credit, output): &&(usize, usize)| is_stuck[credit] && !is_stuck[output];
            let Some(&(credit, _)) = waits.iter().find(freed) else {
                break;
            };
            is_stuck[credit] = false;
        }
        let stuck = (0..id_of(self.fibres.len())).filter(|&fibre| {
            let from = first[fibre as usize];
            let count = self.fibres[fibre as usize].credits().count();
            is_stuck[from..from + count].contains(&true)
        });
        stuck.max_by_key(|&fibre| self.credit_wait(fibre, now))
    }

    /// Conservation of frames and credit, by a walk over everything that waits.
    pub fn check(&self) -> Result<u64, FabricFault> {
        let mut held = vec![0u32; self.fibres.len()];
        let mut on_the_way = 0;
        for fibre in &self.fibres {
            for id in fibre.queues.waiting(&self.frames) {
                held[self.frames[id].came_by as usize] += 1;
                on_the_way += 1;
            }
        }
        for id in self.landing() {
            held[self.frames[id].came_by as usize] += 1;
        }
        if self.sent != self.delivered + self.dropped + on_the_way {
            return Err(FabricFault::Frames {
                sent: self.sent,
                delivered: self.delivered,
                dropped: self.dropped,
                on_the_way,
            });
        }
        let places = &self.fibres[..self.topology.nowhere as usize];
        for (id, fibre) in places.iter().enumerate() {
            let known = fibre.credits().map(BbCredit::known).sum();
            let (granted, held) = (fibre.granted(), held[id]);
            if granted != known + held + fibre.lost_credit {
                return Err(FabricFault::Credit {
                    fibre: id_of(id),
                    granted,
                    known,
                    held,
                });
            }
        }
        Ok(self.fibres.len() as u64)
    }
}

/// Count a frame that starts now, and what it has waited for.
#[inline(always)]
pub(crate) fn count(
    fibre: &mut Fibre,
    frame: &mut Frame,
    now: Picoseconds,
    slot: Picoseconds,
    credit_wait: Picoseconds,
) {
    let counters = &mut fibre.counters;
    counters.frames += 1;
    counters.bytes += u64::from(frame.wire_bytes);
    counters.payload_bytes += u64::from(frame.payload_bytes);
    counters.busy += slot;
    let since = if frame.came_by == NONE {
        frame.framed_at
    } else {
        frame.ready_at
    };
    let waited = now - since;
    counters.queue_wait += u128::from(waited);
    if credit_wait > 0 {
        counters.credit_wait += credit_wait;
        counters.credit_waits += 1;
    }
    let own_credit_wait = credit_wait.min(waited);
    if frame.came_by != NONE {
        frame.credit_wait += own_credit_wait;
        frame.switch_wait += waited - own_credit_wait;
    }
}

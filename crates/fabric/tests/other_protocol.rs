//! A protocol that is not FCP, over the same fabric: commands of 96 bytes, the first burst of a write
//! without transfer ready, responses of 32 bytes, and several queues for each pair of ports.
//!
//! The protocol lives in this file alone. The fabric moves its frames without knowing it, and every law
//! of the fabric holds at every step.

use sanlab_fabric::{
    Fibre, Forwarding, LOST, Network, NetworkBuilder, NoProbe, RoutePolicy, Sink, Source,
    SwitchModel, Transmission,
};
use sanlab_fc::{Exchange, ExchangeIds, Fc2, Frame, FrameKind, Interleave, NPort, Sequence};
use sanlab_kernel::{Agenda, Arena, Id, IdVec, Instant, RandomStream, Rate, Span};

const COMMAND_BYTES: u32 = 96;
const RESPONSE_BYTES: u32 = 32;
const TRANSFER_READY_BYTES: u32 = 20;
const FIRST_BURST_BYTES: u32 = 8_192;
const BURST_BYTES: u32 = 16_384;
/// Commands that a queue has open at once, and how many it gets in all.
const QUEUE_DEPTH: u32 = 4;
const QUEUE_COMMANDS: u32 = 40;

/// N_Ports 0 to 2 send commands to N_Ports 3 and 4, by three queues for each pair.
const INITIATORS: u32 = 3;
const TARGETS: u32 = 2;
const QUEUES_OF_PAIR: u32 = 3;

#[derive(Clone, Copy, Debug)]
struct Operation {
    queue: Id<Queue>,
    initiator: Id<NPort>,
    target: Id<NPort>,
    ox_id: u16,
    is_read: bool,
    bytes: u32,
    asked_bytes: u32,
    arrived_bytes: u32,
}

struct Queue {
    initiator: Id<NPort>,
    target: Id<NPort>,
    left: u32,
}

struct Protocol<const EVERY_EVENT: bool> {
    network: Network<EVERY_EVENT>,
    agenda: Agenda<Id<Frame>>,
    queues: IdVec<Queue>,
    operations: Arena<Operation>,
    ox_ids: IdVec<NPort, ExchangeIds>,
    draws: RandomStream,
    completed: u32,
    /// Payload that was handed to N_Ports.
    handed_over: u64,
}

impl<const EVERY_EVENT: bool> Protocol<EVERY_EVENT> {
    fn new(seed: u64) -> Self {
        let pairs = (0..INITIATORS).flat_map(|a| (0..TARGETS).map(move |b| (a, INITIATORS + b)));
        let queues = pairs.flat_map(|(initiator, target)| {
            (0..QUEUES_OF_PAIR).map(move |_| Queue {
                initiator: Id::new(initiator),
                target: Id::new(target),
                left: QUEUE_COMMANDS,
            })
        });
        Self {
            network: network(),
            agenda: Agenda::new(),
            queues: queues.collect(),
            operations: Arena::default(),
            ox_ids: IdVec::filled(ExchangeIds::default(), INITIATORS as usize),
            draws: RandomStream::new(seed, "other protocol"),
            completed: 0,
            handed_over: 0,
        }
    }

    /// Run to the end, with a check of the laws every so often.
    fn run(&mut self) {
        for queue in self.queues.ids() {
            for _ in 0..QUEUE_DEPTH {
                self.submit(Instant::START, queue);
            }
        }
        for step in 0u32.. {
            let now = self.agenda.next_at().min(self.network.next_at());
            if now == Instant::NEVER {
                break;
            }
            if self.agenda.next_at() == now {
                if let Some((_, frame)) = self.agenda.pop() {
                    self.on_arrived(now, frame);
                }
            } else if let Some(start) = self.network.step(now, &mut NoProbe, &()) {
                self.on_start(start);
            }
            if step % 97 == 0 {
                self.check();
            }
        }
        self.check();
    }

    fn check(&self) {
        self.network
            .check()
            .expect("frames and credit are conserved");
    }

    fn submit(&mut self, now: Instant, queue: Id<Queue>) {
        let of_queue = &mut self.queues[queue];
        if of_queue.left == 0 {
            return;
        }
        of_queue.left -= 1;
        let (initiator, target) = (of_queue.initiator, of_queue.target);
        let ox_id = self.ox_ids[initiator].take();
        let kib = u32::try_from(self.draws.below(64)).expect("below 64") + 1;
        let operation = Operation {
            queue,
            initiator,
            target,
            ox_id: ox_id.expect("65535 ids"),
            is_read: self.draws.below(2) == 0,
            bytes: 1024 * kib,
            asked_bytes: 0,
            arrived_bytes: 0,
        };
        let id = self.operations.insert(operation);
        self.send(now, id, FrameKind::Command, 0, COMMAND_BYTES);
        if !operation.is_read {
            let burst = operation.bytes.min(FIRST_BURST_BYTES);
            self.operations[id].asked_bytes = burst;
            self.send(now, id, FrameKind::Data, 0, burst);
        }
    }

    fn send(&mut self, now: Instant, id: Id<Operation>, kind: FrameKind, offset: u32, bytes: u32) {
        let operation = &self.operations[id];
        let is_out = match kind {
            FrameKind::Command => true,
            FrameKind::Data => !operation.is_read,
            _ => false,
        };
        let (a, b) = (operation.initiator, operation.target);
        let (source, destination) = if is_out { (a, b) } else { (b, a) };
        self.handed_over += u64::from(bytes);
        let sequence = Sequence {
            kind,
            exchange: id.same::<Exchange>().into(),
            flow: operation.queue.same(),
            source,
            destination,
            ox_id: operation.ox_id,
            seq_id: 0,
            queued_at: now,
            offset,
            left_bytes: bytes,
            seq_cnt: 0,
        };
        self.network.queue(source, sequence, now);
    }

    fn on_start(&mut self, start: Transmission) {
        if start.arrives_at >= LOST {
            assert_eq!(start.arrives_at, Instant::NEVER, "nothing is lost here");
            return;
        }
        let frame = self.network.frames[start.frame];
        if frame.kind == FrameKind::Data {
            self.operations[frame.exchange.record().same()].arrived_bytes +=
                u32::from(frame.payload_bytes);
        }
        if frame.is_last {
            self.agenda
                .schedule(start.arrives_at, frame.destination.number(), start.frame);
        } else {
            self.network.frames.remove(start.frame);
        }
    }

    /// An information unit is complete.
    fn on_arrived(&mut self, now: Instant, frame_id: Id<Frame>) {
        let frame = self.network.frames[frame_id];
        self.network.frames.remove(frame_id);
        let id = frame.exchange.record().same();
        let operation = self.operations[id];
        match frame.kind {
            FrameKind::Command if operation.is_read => {
                self.send(now, id, FrameKind::Data, 0, operation.bytes);
                self.send(now, id, FrameKind::Response, 0, RESPONSE_BYTES);
            }
            FrameKind::Data if !operation.is_read => self.on_burst(now, id),
            FrameKind::TransferReady => {
                let burst = operation.asked_bytes - frame.offset;
                self.send(now, id, FrameKind::Data, frame.offset, burst);
            }
            FrameKind::Response => self.complete(now, id),
            _ => {}
        }
    }

    /// A burst of a write is there: ask for the next one, or answer.
    fn on_burst(&mut self, now: Instant, id: Id<Operation>) {
        let operation = &mut self.operations[id];
        let offset = operation.asked_bytes;
        assert_eq!(operation.arrived_bytes, offset, "bursts come one by one");
        if offset == operation.bytes {
            self.send(now, id, FrameKind::Response, 0, RESPONSE_BYTES);
        } else {
            operation.asked_bytes += BURST_BYTES.min(operation.bytes - offset);
            self.send(
                now,
                id,
                FrameKind::TransferReady,
                offset,
                TRANSFER_READY_BYTES,
            );
        }
    }

    fn complete(&mut self, now: Instant, id: Id<Operation>) {
        let operation = self.operations[id];
        assert_eq!(operation.arrived_bytes, operation.bytes);
        self.ox_ids[operation.initiator].give_back(operation.ox_id);
        self.operations.remove(id);
        self.completed += 1;
        self.submit(now, operation.queue);
    }
}

/// Two switches with an ISL of little credit; initiators on one, targets on the other.
fn network<const EVERY_EVENT: bool>() -> Network<EVERY_EVENT> {
    let mut builder = NetworkBuilder::default();
    let ports = INITIATORS + TARGETS;
    for (domain, forwarding) in [
        (1, Forwarding::CutThrough),
        (2, Forwarding::StoreAndForward),
    ] {
        let policy = RoutePolicy::Exchange;
        let switch = SwitchModel::new(
            domain,
            forwarding,
            Span::from_ps(700_000),
            policy,
            ports as usize + 1,
        );
        builder.switches.push(switch);
    }
    for n_port in 0..ports {
        let switch = u32::from(n_port >= INITIATORS);
        let interleave = Interleave::Sequence;
        builder.n_ports.push(Fc2::new(2112, 2, 255, interleave));
        builder.addresses.push((switch + 1) << 16 | n_port << 8);
        let port = Sink::Switch {
            switch: Id::new(switch),
            port: Id::new(n_port),
        };
        let n_port = Id::new(n_port);
        add_link(
            &mut builder,
            (Source::NPort(n_port), Sink::NPort(n_port)),
            (Source::Switch, port),
            8,
        );
    }
    let isl_end = |switch| {
        let sink = Sink::Switch {
            switch: Id::new(switch),
            port: Id::new(ports),
        };
        (Source::Switch, sink)
    };
    add_link(&mut builder, isl_end(0), isl_end(1), 3);
    builder.build()
}

fn add_link(builder: &mut NetworkBuilder, a: (Source, Sink), b: (Source, Sink), credit: u32) {
    let rate = Rate::from_bytes_per_s(850_000_000);
    for (source, sink) in [(a.0, b.1), (b.0, a.1)] {
        let fibre = Fibre::new(source, sink, rate, 24, Span::from_ps(50_000), credit);
        builder.fibres.push(fibre);
    }
    builder.costs.push(1);
}

fn ran<const EVERY_EVENT: bool>(seed: u64) -> Protocol<EVERY_EVENT> {
    let mut protocol = Protocol::new(seed);
    protocol.run();
    protocol
}

#[test]
fn every_operation_completes_and_the_fabric_keeps_its_laws() {
    for seed in 0..5 {
        let done = ran::<false>(seed);
        let queues = INITIATORS * TARGETS * QUEUES_OF_PAIR;
        assert_eq!(done.completed, queues * QUEUE_COMMANDS);
        assert_eq!(done.operations.alive(), 0);
        assert_eq!(done.network.frames.alive(), 0);
        assert_eq!(done.network.on_the_way(), 0);
        let first_fibres = done.network.fibres.iter();
        let sent: u64 = first_fibres
            .filter(|fibre| matches!(fibre.source, Source::NPort(_)))
            .map(|fibre| fibre.counters.payload_bytes)
            .sum();
        assert_eq!(sent, done.handed_over);
    }
}

#[test]
fn the_engine_in_which_everything_is_an_event_gives_the_same_run() {
    for seed in 0..5 {
        let (fast, slow) = (ran::<false>(seed), ran::<true>(seed));
        assert_eq!(fast.network.fingerprint, slow.network.fingerprint);
        assert_eq!(fast.network.frame_hops(), slow.network.frame_hops());
    }
}

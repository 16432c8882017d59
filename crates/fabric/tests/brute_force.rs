//! The network against a third model that shares no line with it: time goes on nanosecond by
//! nanosecond, every port is asked at each of them whether it may send, queues are plain lists.
//!
//! Both modes of the network use the same queues, routes and times of frames; an error there would
//! not show between them. Here it does: the start of every frame on every fibre must be the same.

#![allow(
    clippy::cast_possible_truncation,
    reason = "small positive numbers of a test"
)]

use std::collections::VecDeque;

use sanlab_fabric::{
    Fate, Fibre, Forwarding, Network, NetworkBuilder, Patience, Probe, RoutePolicy, Sink, Source,
    SwitchModel,
};
use sanlab_fc::{Fc2, Frame, Generator, Interleave};
use sanlab_kernel::{Id, Instant, RandomStream, Rate, Span};

/// One byte a nanosecond times a whole number, so that the third model may walk in nanoseconds.
const NS: Span = Span::from_ps(1000);

/// Whole nanoseconds since the start.
fn nanoseconds(at: Instant) -> u64 {
    (at - Instant::START) / NS
}

/// Two switches, some N_Ports on each, `isls` links between them; all in nanoseconds and bytes.
#[derive(Clone, Debug)]
struct Case {
    /// Switch of each N_Port, its link, and what it sends: target, payload, frames, interval, start.
    ports: Vec<(usize, Cable, Option<[u64; 5]>)>,
    isls: Vec<Cable>,
    /// Latency, and whether it cuts through.
    switches: [(u64, bool); 2],
    /// From a frame's last bit to its buffer being free, at every N_Port.
    hold: u64,
    /// How long a frame may wait at an output of a switch, and how long an output may be without credit.
    patience: [Option<u64>; 2],
    /// An R_RDY waits for the frame that is being sent its way.
    r_rdy_waits: bool,
}

#[derive(Clone, Copy, Debug)]
struct Cable {
    /// Time of one byte.
    byte: u64,
    delay: u64,
    credit: u32,
    gap: u64,
}

/// Fibre, source of the frame, its number there, start.
type Started = (usize, usize, u64, u64);

fn draw(draws: &mut RandomStream) -> Case {
    let mut pick = |of: &[u64]| of[draws.below(of.len() as u64) as usize];
    let mut cable = |isl: bool| Cable {
        byte: if isl { 2 } else { pick(&[1, 2, 2, 4]) },
        delay: pick(&[0, 0, 7, 100, 1500]),
        credit: pick(&[1, 1, 2, 3, 9]) as u32,
        gap: pick(&[0, 0, 24]),
    };
    let isls = [cable(true), cable(true), cable(true)];
    let cables: Vec<_> = (0..7).map(|_| cable(false)).collect();
    let isls = isls[..pick(&[1, 2, 3]) as usize].to_vec();
    let count = pick(&[2, 4, 5, 7]);
    let ports = cables[..count as usize].iter().map(|&cable| {
        let sends = pick(&[0, 1, 1]) == 1;
        let target = pick(&[0, 1, 2, 3, 4, 5, 6]) % count;
        let flow = [
            target,
            pick(&[0, 1, 64, 100]),
            pick(&[1, 8, 20]),
            pick(&[0, 0, 0, 150, 700]),
            pick(&[0, 0, 90, 1000]),
        ];
        (pick(&[0, 1]) as usize, cable, sends.then_some(flow))
    });
    Case {
        ports: ports.collect(),
        isls,
        switches: [0; 2].map(|_| (pick(&[0, 0, 5, 300]), pick(&[0, 1]) == 1)),
        hold: pick(&[0, 0, 250, 15_000]),
        patience: [0; 2].map(|_| Some(pick(&[0, 0, 0, 4000, 9000])).filter(|&limit| limit > 0)),
        r_rdy_waits: pick(&[0, 1]) == 1,
    }
}

/// Ends of each link: N_Ports first, then ISLs. A fibre from the first end is `2 link`.
impl Case {
    fn cable(&self, link: usize) -> Cable {
        match self.ports.get(link) {
            Some(port) => port.1,
            None => self.isls[link - self.ports.len()],
        }
    }

    fn links(&self) -> usize {
        self.ports.len() + self.isls.len()
    }

    /// The switch that a fibre leads to; `None` if it leads to an N_Port.
    fn leads_to(&self, fibre: usize) -> Option<usize> {
        match (self.ports.get(fibre / 2), fibre % 2) {
            (Some(port), 0) => Some(port.0),
            (Some(_), _) => None,
            (None, end) => Some(1 - end),
        }
    }

    /// The port of either switch by which a link is reached: they are numbered alike.
    fn output(&self, switch: usize, link_in: usize, target: usize) -> usize {
        if self.ports[target].0 == switch {
            return 2 * target + 1;
        }
        let isl = link_in % self.isls.len();
        2 * (self.ports.len() + isl) + switch
    }
}

/// Everything as it is in this nanosecond.
struct Third<'a> {
    case: &'a Case,
    now: u64,
    /// Of each fibre: when it is free, credit, and instants at which more comes back.
    free_at: Vec<u64>,
    credit: Vec<u32>,
    back: Vec<Vec<u64>>,
    /// For each output a list for each input: frames, and when each is ready.
    queues: Vec<Vec<VecDeque<(Packet, u64)>>>,
    served: Vec<usize>,
    sent: Vec<u64>,
    seen: Vec<Started>,
    /// Since when an output has had no credit, though it had a frame; whether it discards what comes.
    without_credit: Vec<Option<u64>>,
    drops: Vec<bool>,
    discarded: u64,
    /// Buffers of each fibre that are free at these instants and not known to be by its transmitter.
    free: Vec<Vec<u64>>,
    /// When the last bit of the last frame on each fibre leaves.
    tail: Vec<u64>,
}

#[derive(Clone, Copy)]
struct Packet {
    source: usize,
    number: u64,
    target: usize,
    wire: u64,
    came_by: usize,
}

impl<'a> Third<'a> {
    fn run(case: &'a Case, end: u64) -> (Vec<Started>, u64) {
        let fibres = 2 * case.links();
        let mut third = Self {
            case,
            now: 0,
            free_at: vec![0; fibres],
            credit: (0..fibres).map(|id| case.cable(id / 2).credit).collect(),
            back: vec![vec![]; fibres],
            queues: vec![vec![VecDeque::new(); case.links()]; fibres],
            served: vec![0; fibres],
            sent: vec![0; case.ports.len()],
            seen: vec![],
            without_credit: vec![None; fibres],
            drops: vec![false; fibres],
            discarded: 0,
            free: vec![vec![]; fibres],
            tail: vec![0; fibres],
        };
        while third.now < end {
            for fibre in 0..fibres {
                third.send_r_rdys(fibre);
            }
            for fibre in 0..fibres {
                let now = third.now;
                let returned = third.back[fibre].iter().filter(|&&at| at == now).count();
                third.credit[fibre] += returned as u32;
            }
            for fibre in 0..fibres {
                third.lose_patience(fibre);
            }
            for fibre in 0..fibres {
                third.try_start(fibre);
            }
            third.now += 1;
        }
        (third.seen, third.discarded)
    }

    /// Discards what has waited for too long at an output, or without credit.
    fn lose_patience(&mut self, fibre: usize) {
        let now = self.now;
        let has_ready =
            |queue: &VecDeque<(Packet, u64)>| queue.front().is_some_and(|head| head.1 <= now);
        if self.credit[fibre] > 0 {
            (self.without_credit[fibre], self.drops[fibre]) = (None, false);
        } else if self.free_at[fibre] <= now && self.queues[fibre].iter().any(has_ready) {
            self.without_credit[fibre].get_or_insert(now);
        }
        let [hold, limit] = self.case.patience;
        if let (Some(limit), Some(since)) = (limit, self.without_credit[fibre]) {
            self.drops[fibre] |= since + limit <= now;
        }
        let drops = self.drops[fibre];
        for input in 0..self.case.links() {
            while let Some(&(packet, ready_at)) = self.queues[fibre][input].front() {
                let is_old = hold.is_some_and(|hold| ready_at + hold <= now);
                let is_dropped = drops && ready_at <= now;
                if !is_old && !is_dropped {
                    break;
                }
                self.queues[fibre][input].pop_front();
                self.discarded += 1;
                self.free_buffer(packet.came_by, now);
            }
        }
    }

    fn try_start(&mut self, fibre: usize) {
        if self.free_at[fibre] > self.now || self.credit[fibre] == 0 {
            return;
        }
        let next = match self.case.ports.get(fibre / 2) {
            Some(port) if fibre.is_multiple_of(2) => self.generated(fibre / 2, port.2),
            _ => self.queued(fibre),
        };
        if let Some(packet) = next {
            self.start(fibre, packet);
        }
    }

    fn generated(&mut self, source: usize, flow: Option<[u64; 5]>) -> Option<Packet> {
        let [target, payload, frames, interval, start] = flow?;
        let number = self.sent[source];
        if number == frames || start + number * interval > self.now {
            return None;
        }
        self.sent[source] += 1;
        Some(Packet {
            source,
            number,
            target: target as usize,
            wire: 36 + payload.next_multiple_of(4),
            came_by: usize::MAX,
        })
    }

    fn queued(&mut self, fibre: usize) -> Option<Packet> {
        let inputs = self.case.links();
        for step in 1..=inputs {
            let input = (self.served[fibre] + step) % inputs;
            let queue = &mut self.queues[fibre][input];
            if queue.front().is_some_and(|head| head.1 <= self.now) {
                self.served[fibre] = input;
                return queue.pop_front().map(|head| head.0);
            }
        }
        None
    }

    fn start(&mut self, fibre: usize, mut packet: Packet) {
        let (case, now) = (self.case, self.now);
        self.seen.push((fibre, packet.source, packet.number, now));
        let cable = case.cable(fibre / 2);
        let tail = now + packet.wire * cable.byte;
        self.free_at[fibre] = tail + cable.gap * cable.byte;
        self.tail[fibre] = tail;
        self.credit[fibre] -= 1;
        (self.without_credit[fibre], self.drops[fibre]) = (None, false);
        if packet.came_by != usize::MAX {
            self.free_buffer(packet.came_by, tail);
        }
        packet.came_by = fibre;
        let Some(switch) = case.leads_to(fibre) else {
            self.free_buffer(fibre, tail + cable.delay + case.hold);
            return;
        };
        let output = case.output(switch, fibre / 2, packet.target);
        if self.drops[output] && self.credit[output] == 0 {
            self.discarded += 1;
            self.free_buffer(fibre, tail + cable.delay);
            return;
        }
        let (latency, cuts_through) = case.switches[switch];
        let seen_at = if cuts_through && case.cable(output / 2).byte >= cable.byte {
            now + 28 * cable.byte
        } else {
            tail
        };
        self.queues[output][fibre / 2].push_back((packet, seen_at + cable.delay + latency));
    }

    /// The buffer at the end of this fibre is free then.
    fn free_buffer(&mut self, fibre: usize, at: u64) {
        self.free[fibre].push(at);
        // It may be free already, and the R_RDYs of this nanosecond have been sent.
        self.send_r_rdys(fibre);
    }

    /// R_RDYs go back for the buffers that are free, unless a frame goes the same way.
    fn send_r_rdys(&mut self, fibre: usize) {
        let now = self.now;
        if self.case.r_rdy_waits && self.tail[fibre ^ 1] > now {
            return;
        }
        let cable = self.case.cable(fibre / 2);
        let (free, later) = self.free[fibre].iter().partition(|&&at| at <= now);
        self.free[fibre] = later;
        let free: Vec<u64> = free;
        self.back[fibre].extend(free.iter().map(|_| now + cable.delay + 4 * cable.byte));
    }
}

fn network<const EVERY_EVENT: bool>(case: &Case) -> Network<EVERY_EVENT> {
    let mut builder = NetworkBuilder::default();
    for (id, (_, _, flow)) in case.ports.iter().enumerate() {
        let mut port = Fc2::new(2112, 1, 255, Interleave::Sequence).receiving(NS * case.hold, None);
        if let Some([target, payload, frames, interval, start]) = *flow {
            port.add_generator(Generator {
                flow: Id::from_place(id),
                destination: Id::new(target as u32),
                payload_bytes: payload as u32,
                left: frames,
                interval: NS * interval,
                draws: None,
                curve: None,
                next_at: Instant::START + NS * start,
                sent: 0,
            });
        }
        builder.n_ports.push(port);
        builder.addresses.push(id as u32);
    }
    for (latency, cuts_through) in case.switches {
        let forwarding = if cuts_through {
            Forwarding::CutThrough
        } else {
            Forwarding::StoreAndForward
        };
        let policy = RoutePolicy::IngressPort;
        let switch = SwitchModel::new(1, forwarding, NS * latency, policy, case.links());
        builder.switches.push(switch);
    }
    builder.r_rdy_waits = case.r_rdy_waits;
    for link in 0..case.links() {
        add_link(&mut builder, case, link);
    }
    builder.build()
}

fn add_link(builder: &mut NetworkBuilder, case: &Case, link: usize) {
    let cable = case.cable(link);
    let rate = Rate::from_bytes_per_s(1_000_000_000 / cable.byte);
    for end in [0, 1] {
        let sink = |fibre| match case.leads_to(fibre) {
            Some(switch) => Sink::Switch {
                switch: Id::from_place(switch),
                port: Id::from_place(link),
            },
            None => Sink::NPort(Id::from_place(link)),
        };
        let source = match sink(2 * link + 1 - end) {
            Sink::NPort(id) => Source::NPort(id),
            Sink::Switch { .. } => Source::Switch,
            Sink::Loop(_) => unreachable!("links only"),
        };
        let to = sink(2 * link + end);
        let fibre = Fibre::new(
            source,
            to,
            rate,
            cable.gap as u32,
            NS * cable.delay,
            cable.credit,
        );
        let id = builder.fibres.push(fibre);
        if source == Source::Switch {
            let [hold, no_credit] = case.patience.map(|limit| limit.map(|limit| NS * limit));
            let patience = Patience {
                hold,
                no_credit,
                reset: None,
            };
            builder.patience.push((id, patience));
        }
    }
    builder.costs.push(1);
}

/// Writes down every start.
#[derive(Default)]
struct Starts(Vec<Started>);

impl Probe for Starts {
    fn frame(
        &mut self,
        fibre: Id<Fibre>,
        frame: &Frame,
        (): &(),
        sent_at: Instant,
        _: Instant,
        fate: Fate,
    ) {
        assert_eq!(fate, Fate::Whole, "nothing goes wrong here");
        let since_start = sent_at - Instant::START;
        assert_eq!(
            since_start % NS,
            Span::ZERO,
            "all times are whole nanoseconds here"
        );
        // A generator counts its frames from 1, and writes the count into their ids.
        let number = u64::from(frame.ox_id) - 1;
        let source = frame.source.place();
        self.0
            .push((fibre.place(), source, number, nanoseconds(sent_at)));
    }
}

fn starts<const EVERY_EVENT: bool>(case: &Case) -> (Vec<Started>, u64, u64) {
    let mut network = network::<EVERY_EVENT>(case);
    let mut starts = Starts::default();
    let mut last = Instant::START;
    while network.next_at() != Instant::NEVER || !network.is_quiet() {
        let now = network.next_at();
        if let Some(ends_at) = network.look(now) {
            network.end_patience(ends_at);
            last = ends_at;
            continue;
        }
        assert_ne!(now, Instant::NEVER, "frames wait indefinitely");
        if let Some(start) = network.step(now, &mut starts, &()) {
            last = now;
            if start.arrives_at != Instant::NEVER {
                network.frames.remove(start.frame);
            }
        }
    }
    network.check().expect("frames and credit are conserved");
    (starts.0, nanoseconds(last), network.dropped)
}

#[test]
fn every_frame_starts_when_a_third_model_says() {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let cases = asked.map_or(250, |cases| cases.parse().expect("a number of cases"));
    let mut draws = RandomStream::new(11, "third model");
    let (mut compared, mut discarded) = (0, 0);
    for number in 0..cases {
        let case = draw(&mut draws);
        let (mut fast, last, fast_discarded) = starts::<false>(&case);
        let (mut slow, _, slow_discarded) = starts::<true>(&case);
        let (mut third, third_discarded) = Third::run(&case, last + 5000);
        assert_eq!([fast_discarded, slow_discarded], [third_discarded; 2]);
        discarded += third_discarded;
        for list in [&mut fast, &mut slow, &mut third] {
            list.sort_unstable();
        }
        assert_eq!(fast, third, "case {number}: {case:?}");
        assert_eq!(slow, third, "case {number}, in the reference: {case:?}");
        compared += third.len();
    }
    assert!(
        compared > 40 * cases,
        "only {compared} starts were compared"
    );
    assert!(
        discarded > cases as u64 / 2,
        "only {discarded} frames were discarded"
    );
}

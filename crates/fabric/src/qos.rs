//! Which frame an output serves first, and which it holds back: limits, priorities, virtual channels.

use sanlab_fc::{FlowControl, Frame, NPort};
use sanlab_kernel::{Arena, Id, IdVec, Instant, Span};

use crate::parts::SwitchPort;
use crate::voq::{Queue, Queues};

/// The part of an output that a pair may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Slots of a wheel, one frame each: a share of the wire with precedence over other frames.
    Wheel {
        /// Slots of the pair.
        slots: u32,
        /// Slots of the wheel.
        wheel_slots: u32,
        /// Time of one revolution with full frames; delays by other frames are made up within it.
        turn: Span,
    },
    /// A bucket that fills at a rate; frames are counted from SOF to EOF.
    Rate {
        /// The rate.
        bytes_per_s: u64,
        /// What it holds, beyond the frame that is taken from it.
        burst_bytes: u64,
    },
}

impl Limit {
    /// How long a frame keeps the next one waiting.
    fn cost(self, slot: Span, wire_bytes: u16) -> Span {
        match self {
            Self::Wheel {
                slots, wheel_slots, ..
            } => {
                let of_wheel = slot * u64::from(wheel_slots);
                Span::from_ps(of_wheel.as_ps().div_ceil(u64::from(slots)))
            }
            Self::Rate { bytes_per_s, .. } => time_of(u64::from(wire_bytes), bytes_per_s),
        }
    }

    fn tolerance(self) -> Span {
        match self {
            Self::Wheel { turn, .. } => turn,
            Self::Rate {
                bytes_per_s,
                burst_bytes,
            } => time_of(burst_bytes, bytes_per_s),
        }
    }
}

fn time_of(bytes: u64, bytes_per_s: u64) -> Span {
    let exact = (u128::from(bytes) * 1_000_000_000_000).div_ceil(u128::from(bytes_per_s));
    Span::from_ps(u64::try_from(exact).unwrap_or(u64::MAX / 4))
}

/// Keeps a limit, by the generic cell rate algorithm (ITU-T I.371): frames are due one cost apart, and
/// one may come before it is due by no more than the tolerance.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gate {
    limit: Option<Limit>,
    due: Instant,
}

impl Gate {
    /// Another limit from now on.
    pub fn change(&mut self, limit: Option<Limit>, now: Instant) {
        self.limit = limit;
        self.due = now;
    }

    /// When the next frame may pass.
    #[inline]
    pub fn open_at(&self) -> Instant {
        self.limit.map_or(Instant::START, |limit| {
            self.due.saturating_sub(limit.tolerance())
        })
    }

    /// A frame passes.
    pub fn pass(&mut self, now: Instant, slot: Span, wire_bytes: u16) {
        if let Some(limit) = self.limit {
            self.due = self.due.max(now) + limit.cost(slot, wire_bytes);
        }
    }

    fn is_wheel(&self) -> bool {
        matches!(self.limit, Some(Limit::Wheel { .. }))
    }
}

/// Frames that share an output by weight, and classes that go before others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Classes of a lower level go first, always.
    pub level: u32,
    /// Share among the classes of a level that have frames.
    pub weight: u32,
}

/// A virtual channel of a link: part of its buffers, with credit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VirtualChannel {
    /// The class that uses it.
    pub class: Id<Class>,
    /// Its buffers.
    pub credit: u32,
}

/// What one pair of N_Ports has sent by an output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairCounters {
    /// Frames.
    pub frames: u64,
    /// Bytes from SOF to EOF.
    pub bytes: u64,
    /// Their payload.
    pub payload_bytes: u64,
    /// Time for which they could have been forwarded and stood in the queue, summed over them.
    pub held: u128,
}

/// Frames with their own queue at an output.
#[derive(Clone, Debug)]
struct Lane {
    gate: Gate,
    class: Id<Class>,
    channel: u8,
    counters: PairCounters,
}

/// A pair of N_Ports: source and destination.
pub type Pair = (Id<NPort>, Id<NPort>);

#[derive(Clone, Copy, Debug)]
struct ClassState {
    class: Class,
    /// Service it has had, over its weight.
    passed: u64,
    /// The queue it served last.
    served_last: Id<Queue>,
}

/// Service of one byte at weight 1.
const BYTE: u64 = 1 << 16;

/// The policies of an output, besides its queues.
///
/// It keeps queues for *lanes*: one for each pair of N_Ports that a policy names, and one for all
/// other frames of each virtual channel. A queue is ready when its first frame is ready, the gate
/// of its lane is open and its channel has credit. A waiting frame delays only frames of its own
/// pair.
#[derive(Clone, Debug)]
pub struct Discipline {
    ports: u32,
    lanes: IdVec<Lane>,
    /// Lanes of named pairs, in order.
    pairs: Vec<(Pair, Id<Lane>)>,
    /// Lanes of all others come first, one for each channel of their class.
    shared_lanes: u32,
    /// Classes, and behind them the wheel.
    classes: IdVec<Class, ClassState>,
    /// What frames in the slots of a wheel are, as if it were a class.
    wheel: Id<Class>,
    /// Service given by each level, as the start of the frame served last.
    reached: Vec<u64>,
    /// Virtual channels; `None` if the link has one credit for all.
    channels: Vec<VirtualChannel>,
    /// Their credit.
    pub(crate) credits: Vec<FlowControl>,
    /// When the last frame of each of them started.
    started_at: Vec<Instant>,
    /// Since when each has been known to be without credit.
    without_credit: Vec<Option<Instant>>,
    /// The lane of the frame taken last.
    serving: Id<Lane>,
}

impl Discipline {
    /// An output of a switch with so many ports. Frames of no named pair are in class `shared_class`.
    pub fn new(
        ports: usize,
        classes: &IdVec<Class>,
        shared_class: Id<Class>,
        channels: &[VirtualChannel],
        pairs: &[Pair],
        area_of: impl Fn(Id<NPort>) -> u32,
    ) -> Self {
        let wheel = Class {
            level: 0,
            weight: 1,
        };
        let ranked = classes.iter().map(|class| Class {
            level: class.level + 1,
            ..*class
        });
        let states: IdVec<Class, ClassState> = ranked
            .chain([wheel])
            .map(|class| ClassState {
                class,
                passed: 0,
                served_last: Id::new(0),
            })
            .collect();
        let levels = states
            .iter()
            .map(|state| state.class.level)
            .max()
            .unwrap_or(0) as usize
            + 1;
        let mut discipline = Self {
            ports: number(ports),
            lanes: IdVec::new(),
            pairs: Vec::new(),
            shared_lanes: 0,
            wheel: Id::from_place(classes.len()),
            classes: states,
            reached: vec![0; levels],
            channels: channels.to_vec(),
            credits: channels
                .iter()
                .map(|channel| FlowControl::bb_credit(channel.credit))
                .collect(),
            started_at: vec![Instant::START; channels.len()],
            without_credit: vec![None; channels.len()],
            serving: Id::new(0),
        };
        let own = discipline.channels_of(shared_class).count();
        let used = if own == 0 { channels.len().max(1) } else { own };
        for area in (0..used).map(number) {
            let channel = discipline.channel_of(shared_class, area);
            discipline.lanes.push(Lane::new(shared_class, channel));
        }
        discipline.shared_lanes = discipline.lanes.next_id().number();
        for &pair in pairs {
            let channel = discipline.channel_of(shared_class, area_of(pair.1));
            let lane = discipline.lanes.push(Lane::new(shared_class, channel));
            discipline.pairs.push((pair, lane));
        }
        discipline.pairs.sort_unstable();
        discipline
    }

    /// Queues it needs.
    pub fn queues(&self) -> usize {
        self.ports as usize * self.lanes.len()
    }

    fn channels_of(&self, class: Id<Class>) -> impl Iterator<Item = u8> + '_ {
        let numbered = (0..).zip(&self.channels);
        numbered
            .filter(move |(_, channel)| channel.class == class)
            .map(|(number, _)| number)
    }

    /// The channel of a class's frames to a destination: by its area, so that ports of one switch spread
    /// over them. A class without channels of its own uses all.
    fn channel_of(&self, class: Id<Class>, area: u32) -> u8 {
        let count = number(self.channels_of(class).count());
        if count == 0 {
            let all = self.channels.len().max(1);
            return u8::try_from(area as usize % all).unwrap_or(0);
        }
        let own = self.channels_of(class).nth((area % count) as usize);
        own.unwrap_or(0)
    }

    fn lane_of(&self, frame: &Frame, area: u32) -> Id<Lane> {
        let pair = (frame.source, frame.destination);
        match self.pairs.binary_search_by_key(&pair, |named| named.0) {
            Ok(at) => self.pairs[at].1,
            Err(_) => Id::new(area % self.shared_lanes),
        }
    }

    /// The queue of a frame that came in by this port.
    pub(crate) fn queue_of(&self, frame: &Frame, input: Id<SwitchPort>, area: u32) -> Id<Queue> {
        let lane = self.lane_of(frame, area);
        Id::new(lane.number() * self.ports + input.number())
    }

    /// The lane of a queue: each has one for every port.
    fn lane_with(&self, queue: Id<Queue>) -> Id<Lane> {
        Id::new(queue.number() / self.ports)
    }

    fn lane(&self, queue: Id<Queue>) -> &Lane {
        &self.lanes[self.lane_with(queue)]
    }

    /// When a frame could start but for credit, and when it can.
    pub(crate) fn next_start(
        &self,
        queues: &Queues,
        floor: Instant,
        credit: &FlowControl,
    ) -> (Instant, Instant) {
        let mut next = (Instant::NEVER, Instant::NEVER);
        for (queue, ready_at) in queues.heads() {
            let lane = self.lane(queue);
            let at = ready_at.max(lane.gate.open_at()).max(floor);
            let credit = self
                .credits
                .get(usize::from(lane.channel))
                .unwrap_or(credit);
            next = (next.0.min(at), next.1.min(at.max(credit.next_at())));
        }
        next
    }

    /// Whether a frame is ready now, and whether one of the ready frames has credit, which the
    /// caller counts.
    pub(crate) fn is_ready(
        &self,
        queues: &Queues,
        now: Instant,
        has_credit: impl Fn(u8) -> bool,
    ) -> (bool, bool) {
        let mut is_ready = (false, false);
        for (queue, ready_at) in queues.heads() {
            let lane = self.lane(queue);
            if ready_at.max(lane.gate.open_at()) <= now {
                is_ready.0 = true;
                is_ready.1 |= has_credit(lane.channel);
            }
        }
        is_ready
    }

    /// Take the frame whose turn it is.
    pub(crate) fn pop(
        &mut self,
        queues: &mut Queues,
        now: Instant,
        frames: &Arena<Frame>,
    ) -> Id<Frame> {
        let (class, _, start) = self
            .startable(queues, now)
            .map(|(_, class)| {
                let state = self.classes[class];
                let start = state.passed.max(self.reached[state.class.level as usize]);
                (class, state.class.level, start)
            })
            .min_by_key(|&(class, level, start)| (level, start, class))
            .expect("an alarm rang for an output with nothing ready");
        let last = self.classes[class].served_last;
        let turns = self.startable(queues, now);
        let (_, queue) = turns
            .filter(|&(_, its_class)| its_class == class)
            .map(|(queue, _)| (queue <= last, queue))
            .min()
            .expect("a class was chosen for a queue of its own");
        let bytes = u64::from(frames[queues.head(queue)].wire_bytes);
        let state = &mut self.classes[class];
        state.served_last = queue;
        state.passed = start + bytes * BYTE / u64::from(state.class.weight);
        self.reached[state.class.level as usize] = start;
        self.serving = self.lane_with(queue);
        queues.take(queue, frames)
    }

    /// Queues whose first frame may start now, with their classes.
    fn startable<'a>(
        &'a self,
        queues: &'a Queues,
        now: Instant,
    ) -> impl Iterator<Item = (Id<Queue>, Id<Class>)> + 'a {
        queues.heads().filter_map(move |(queue, ready_at)| {
            let lane = self.lane(queue);
            let credit = self.credits.get(usize::from(lane.channel));
            let is_ready = ready_at.max(lane.gate.open_at()) <= now
                && credit.is_none_or(|credit| credit.next_at() <= now);
            is_ready.then(|| (queue, self.class_of(lane)))
        })
    }

    /// A pair in its slot goes before all classes.
    fn class_of(&self, lane: &Lane) -> Id<Class> {
        if lane.gate.is_wheel() {
            self.wheel
        } else {
            lane.class
        }
    }

    /// The frame taken last starts: it uses its limit and counts. Returns its channel, and when its lane's
    /// gate opens again.
    pub(crate) fn start(&mut self, now: Instant, slot: Span, frame: &Frame) -> (u8, Instant) {
        let lane = &mut self.lanes[self.serving];
        let channel = usize::from(lane.channel);
        if let Some(at) = self.started_at.get_mut(channel) {
            (*at, self.without_credit[channel]) = (now, None);
        }
        lane.gate.pass(now, slot, frame.wire_bytes);
        lane.counters.frames += 1;
        lane.counters.bytes += u64::from(frame.wire_bytes);
        lane.counters.payload_bytes += u64::from(frame.payload_bytes);
        lane.counters.held += u128::from((now - frame.ready_at).as_ps());
        (lane.channel, lane.gate.open_at())
    }

    /// Since when a virtual channel that had a frame to send has been without credit, of those that have
    /// been so for longest.
    pub(crate) fn without_credit(&mut self, queues: &Queues, now: Instant) -> Option<Instant> {
        for (credit, since) in self.credits.iter().zip(&mut self.without_credit) {
            if credit.next_at() <= now {
                *since = None;
            }
        }
        for (queue, ready_at) in queues.heads() {
            let lane = &self.lanes[Id::new(queue.number() / self.ports)];
            let channel = usize::from(lane.channel);
            let ready_at = ready_at.max(lane.gate.open_at());
            let has_none = (self.credits.get(channel)).is_some_and(|of| of.next_at() > now);
            if has_none && ready_at <= now {
                let since = ready_at.max(self.started_at[channel]);
                self.without_credit[channel].get_or_insert(since);
            }
        }
        self.without_credit.iter().flatten().copied().min()
    }

    /// All credit of its channels is there from this instant on.
    pub(crate) fn renew_credit(&mut self, at: Instant) {
        for credit in &mut self.credits {
            credit.renew(at);
        }
        self.started_at.fill(at);
        self.without_credit.fill(None);
    }

    /// The first channel has lost credit: it may have none from now on, whether it has a frame or not.
    pub(crate) fn lost_credit(&mut self, now: Instant) {
        let first = self.credits.first().zip(self.without_credit.first_mut());
        if let Some((credit, since)) = first
            && credit.next_at() == Instant::NEVER
        {
            since.get_or_insert(now);
        }
    }

    /// A pair that was named has another limit; says when its gate opens.
    pub(crate) fn limit(&mut self, pair: Pair, limit: Option<Limit>, now: Instant) -> Instant {
        let Some(lane) = self.lane_of_pair(pair) else {
            return Instant::NEVER;
        };
        lane.gate.change(limit, now);
        lane.gate.open_at()
    }

    /// A pair that was named is in another class, and its next frames on another channel.
    pub(crate) fn classify(&mut self, pair: Pair, class: Id<Class>, area: u32) {
        let channel = self.channel_of(class, area);
        if let Some(lane) = self.lane_of_pair(pair) {
            lane.class = class;
            lane.channel = channel;
        }
    }

    fn lane_of_pair(&mut self, pair: Pair) -> Option<&mut Lane> {
        let at = self
            .pairs
            .binary_search_by_key(&pair, |named| named.0)
            .ok()?;
        Some(&mut self.lanes[self.pairs[at].1])
    }

    /// Pairs that were named, with what they sent.
    pub fn pairs(&self) -> impl Iterator<Item = (Pair, &PairCounters)> {
        let known = self.pairs.iter();
        known.map(|&(pair, lane)| (pair, &self.lanes[lane].counters))
    }

    /// The channel that the frames in a queue will leave by.
    pub(crate) fn channel_of_queue(&self, queue: Id<Queue>) -> u8 {
        self.lane(queue).channel
    }
}

/// A number of ports or channels.
fn number(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than 2^32 of a kind")
}

impl Lane {
    fn new(class: Id<Class>, channel: u8) -> Self {
        Self {
            gate: Gate::default(),
            class,
            channel,
            counters: PairCounters::default(),
        }
    }
}

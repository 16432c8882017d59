//! Which frame an output serves first, and which it holds back: limits, priorities, virtual channels.

use sanlab_fc::{FlowControl, Frame};
use sanlab_kernel::{Arena, NEVER, Picoseconds, id_of};

use crate::voq::Queues;

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
        turn: Picoseconds,
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
    fn cost(self, slot: Picoseconds, wire_bytes: u16) -> Picoseconds {
        match self {
            Self::Wheel {
                slots, wheel_slots, ..
            } => (slot * u64::from(wheel_slots)).div_ceil(u64::from(slots)),
            Self::Rate { bytes_per_s, .. } => time_of(u64::from(wire_bytes), bytes_per_s),
        }
    }

    fn tolerance(self) -> Picoseconds {
        match self {
            Self::Wheel { turn, .. } => turn,
            Self::Rate {
                bytes_per_s,
                burst_bytes,
            } => time_of(burst_bytes, bytes_per_s),
        }
    }
}

fn time_of(bytes: u64, bytes_per_s: u64) -> Picoseconds {
    let exact = (u128::from(bytes) * 1_000_000_000_000).div_ceil(u128::from(bytes_per_s));
    u64::try_from(exact).unwrap_or(NEVER / 4)
}

/// Keeps a limit, by the generic cell rate algorithm (ITU-T I.371): frames are due one cost apart, and
/// one may come before it is due by no more than the tolerance.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gate {
    limit: Option<Limit>,
    due: Picoseconds,
}

impl Gate {
    /// Another limit from now on.
    pub fn change(&mut self, limit: Option<Limit>, now: Picoseconds) {
        self.limit = limit;
        self.due = now;
    }

    /// When the next frame may pass.
    #[inline]
    pub fn open_at(&self) -> Picoseconds {
        self.limit
            .map_or(0, |limit| self.due.saturating_sub(limit.tolerance()))
    }

    /// A frame passes.
    pub fn pass(&mut self, now: Picoseconds, slot: Picoseconds, wire_bytes: u16) {
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
    pub class: u32,
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
    class: u32,
    channel: u8,
    counters: PairCounters,
}

/// A pair of N_Ports: source and destination.
pub type Pair = (u32, u32);

#[derive(Clone, Copy, Debug)]
struct ClassState {
    class: Class,
    /// Service it has had, over its weight.
    passed: u64,
    /// The queue it served last.
    served_last: usize,
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
    ports: usize,
    lanes: Vec<Lane>,
    /// Lanes of named pairs, in order.
    pairs: Vec<(Pair, u32)>,
    /// Lanes of all others come first, one for each channel of their class.
    shared_lanes: u32,
    /// Classes, and behind them the wheel.
    classes: Vec<ClassState>,
    /// Service given by each level, as the start of the frame served last.
    reached: Vec<u64>,
    /// Virtual channels; `None` if the link has one credit for all.
    channels: Vec<VirtualChannel>,
    /// Their credit.
    pub(crate) credits: Vec<FlowControl>,
    /// The lane of the frame taken last.
    serving: u32,
}

impl Discipline {
    /// An output of a switch with so many ports. Frames of no named pair are in class `shared_class`.
    pub fn new(
        ports: usize,
        classes: &[Class],
        shared_class: u32,
        channels: &[VirtualChannel],
        pairs: &[Pair],
        area_of: impl Fn(u32) -> u32,
    ) -> Self {
        let wheel = Class {
            level: 0,
            weight: 1,
        };
        let ranked = classes.iter().map(|class| Class {
            level: class.level + 1,
            ..*class
        });
        let states: Vec<_> = ranked
            .chain([wheel])
            .map(|class| ClassState {
                class,
                passed: 0,
                served_last: 0,
            })
            .collect();
        let levels = states
            .iter()
            .map(|state| state.class.level)
            .max()
            .unwrap_or(0) as usize
            + 1;
        let mut discipline = Self {
            ports,
            lanes: Vec::new(),
            pairs: Vec::new(),
            shared_lanes: 0,
            classes: states,
            reached: vec![0; levels],
            channels: channels.to_vec(),
            credits: channels
                .iter()
                .map(|channel| FlowControl::bb_credit(channel.credit))
                .collect(),
            serving: 0,
        };
        let own = discipline.channels_of(shared_class).count();
        let used = if own == 0 { channels.len().max(1) } else { own };
        for area in 0..id_of(used) {
            let channel = discipline.channel_of(shared_class, area);
            discipline.lanes.push(Lane::new(shared_class, channel));
        }
        discipline.shared_lanes = id_of(discipline.lanes.len());
        for &pair in pairs {
            discipline.pairs.push((pair, id_of(discipline.lanes.len())));
            let channel = discipline.channel_of(shared_class, area_of(pair.1));
            discipline.lanes.push(Lane::new(shared_class, channel));
        }
        discipline.pairs.sort_unstable();
        discipline
    }

    /// Queues it needs.
    pub fn queues(&self) -> usize {
        self.ports * self.lanes.len()
    }

    fn channels_of(&self, class: u32) -> impl Iterator<Item = u8> + '_ {
        let numbered = (0..).zip(&self.channels);
        numbered
            .filter(move |(_, channel)| channel.class == class)
            .map(|(number, _)| number)
    }

    /// The channel of a class's frames to a destination: by its area, so that ports of one switch spread
    /// over them. A class without channels of its own uses all.
    fn channel_of(&self, class: u32, area: u32) -> u8 {
        let count = id_of(self.channels_of(class).count());
        if count == 0 {
            let all = self.channels.len().max(1);
            return u8::try_from(area as usize % all).unwrap_or(0);
        }
        let own = self.channels_of(class).nth((area % count) as usize);
        own.unwrap_or(0)
    }

    fn lane_of(&self, frame: &Frame, area: u32) -> u32 {
        let pair = (frame.source, frame.destination);
        match self.pairs.binary_search_by_key(&pair, |named| named.0) {
            Ok(at) => self.pairs[at].1,
            Err(_) => area % self.shared_lanes,
        }
    }

    /// The queue of a frame that came in by this port.
    pub(crate) fn queue_of(&self, frame: &Frame, input: u32, area: u32) -> u32 {
        let lane = self.lane_of(frame, area);
        id_of(lane as usize * self.ports) + input
    }

    fn lane(&self, queue: usize) -> &Lane {
        &self.lanes[queue / self.ports]
    }

    /// When a frame could start but for credit, and when it can.
    pub(crate) fn next_start(
        &self,
        queues: &Queues,
        floor: Picoseconds,
        credit: &FlowControl,
    ) -> (Picoseconds, Picoseconds) {
        let mut next = (NEVER, NEVER);
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
        now: Picoseconds,
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
        now: Picoseconds,
        frames: &Arena<Frame>,
    ) -> u32 {
        let (class, _, start) = self
            .startable(queues, now)
            .map(|(_, class)| {
                let state = self.classes[class];
                let start = state.passed.max(self.reached[state.class.level as usize]);
                (class, state.class.level, start)
            })
            .min_by_key(|&(class, level, start)| (level, start, class))
            .expect("an alarm rang for an output with nothing ready");
        let after = self.classes[class].served_last + 1;
        let turns = self.startable(queues, now);
        let (_, queue) = turns
            .filter(|&(_, its_class)| its_class == class)
            .map(|(queue, _)| (queue < after, queue))
            .min()
            .expect("a class was chosen for a queue of its own");
        let bytes = u64::from(frames[queues.head(queue)].wire_bytes);
        let state = &mut self.classes[class];
        state.served_last = queue;
        state.passed = start + bytes * BYTE / u64::from(state.class.weight);
        self.reached[state.class.level as usize] = start;
        self.serving = id_of(queue / self.ports);
        queues.take(queue, frames)
    }

    /// Queues whose first frame may start now, with their classes.
    fn startable<'a>(
        &'a self,
        queues: &'a Queues,
        now: Picoseconds,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        queues.heads().filter_map(move |(queue, ready_at)| {
            let lane = self.lane(queue);
            let credit = self.credits.get(usize::from(lane.channel));
            let is_ready = ready_at.max(lane.gate.open_at()) <= now
                && credit.is_none_or(|credit| credit.next_at() <= now);
            is_ready.then(|| (queue, self.class_of(lane)))
        })
    }

    /// A pair in its slot goes before all classes.
    fn class_of(&self, lane: &Lane) -> usize {
        if lane.gate.is_wheel() {
            self.classes.len() - 1
        } else {
            lane.class as usize
        }
    }

    /// The frame taken last starts: it uses its limit and counts. Returns its channel, and when its lane's
    /// gate opens again.
    pub(crate) fn start(
        &mut self,
        now: Picoseconds,
        slot: Picoseconds,
        frame: &Frame,
    ) -> (u8, Picoseconds) {
        let lane = &mut self.lanes[self.serving as usize];
        lane.gate.pass(now, slot, frame.wire_bytes);
        lane.counters.frames += 1;
        lane.counters.bytes += u64::from(frame.wire_bytes);
        lane.counters.payload_bytes += u64::from(frame.payload_bytes);
        lane.counters.held += u128::from(now - frame.ready_at);
        (lane.channel, lane.gate.open_at())
    }

    /// A pair that was named has another limit; says when its gate opens.
    pub(crate) fn limit(
        &mut self,
        pair: Pair,
        limit: Option<Limit>,
        now: Picoseconds,
    ) -> Picoseconds {
        let Some(lane) = self.lane_of_pair(pair) else {
            return NEVER;
        };
        lane.gate.change(limit, now);
        lane.gate.open_at()
    }

    /// A pair that was named is in another class, and its next frames on another channel.
    pub(crate) fn classify(&mut self, pair: Pair, class: u32, area: u32) {
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
        Some(&mut self.lanes[self.pairs[at].1 as usize])
    }

    /// Pairs that were named, with what they sent.
    pub fn pairs(&self) -> impl Iterator<Item = (Pair, &PairCounters)> {
        let known = self.pairs.iter();
        known.map(|&(pair, lane)| (pair, &self.lanes[lane as usize].counters))
    }

    /// The channel that the frames in a queue will leave by.
    pub(crate) fn channel_of_queue(&self, queue: usize) -> u8 {
        self.lane(queue).channel
    }
}

impl Lane {
    fn new(class: u32, channel: u8) -> Self {
        Self {
            gate: Gate::default(),
            class,
            channel,
            counters: PairCounters::default(),
        }
    }
}

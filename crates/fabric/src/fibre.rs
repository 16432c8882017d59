//! One direction of a link, with the transmitter at its start.

use sanlab_fc::{FlowControl, Frame, HEADER_IN_BYTES, NPort, PRIMITIVE_BYTES};
use sanlab_kernel::{Arena, Id, Instant, Rate, Span};

use crate::ahead::Ahead;
use crate::bit_errors::BitErrors;
use crate::counters::FibreCounters;
use crate::credit_loss::CreditLoss;
use crate::features::LinkFeatures;
use crate::parts::{FlPort, Switch, SwitchPort, area_of};
use crate::qos::Discipline;
use crate::trunk::Trunk;
use crate::voq::{Queue, Queues};

/// A cable between two ports: a fibre each way.
pub enum Link {}

/// The fibres of a link: away from its first end, and back.
#[inline]
pub fn fibres_of(link: Id<Link>) -> [Id<Fibre>; 2] {
    [2 * link.number(), 2 * link.number() + 1].map(Id::new)
}

/// The fibre of the same link that goes the other way.
#[inline]
pub fn way_back(fibre: Id<Fibre>) -> Id<Fibre> {
    Id::new(fibre.number() ^ 1)
}

/// The link of a fibre.
pub(crate) fn link_of(fibre: Id<Fibre>) -> Id<Link> {
    Id::new(fibre.number() / 2)
}

/// Who transmits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A port of a host or an array.
    NPort(Id<NPort>),
    /// A port of a switch.
    Switch,
    /// What comes from a loop into its FL_Port.
    Loop(Id<FlPort>),
}

/// Who receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// A port of a host or an array.
    NPort(Id<NPort>),
    /// A port of a switch.
    Switch {
        /// Which switch.
        switch: Id<Switch>,
        /// Which of its ports.
        port: Id<SwitchPort>,
    },
    /// The loop of an FL_Port.
    Loop(Id<FlPort>),
}

/// One direction of a link.
///
/// In this order, and aligned to cache lines: what a start looks at, at each of the three fibres that it concerns,
/// is in the first lines, and what only faults and features need comes last.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Fibre {
    /// When a frame could have begun but for credit; [`Instant::NEVER`] while none waits.
    pub could_start_at: Instant,
    /// When the next frame may begin, as far as the fibre is concerned.
    pub free_at: Instant,
    /// Propagation and one word: from a buffer's release at the far end to the credit here.
    pub credit_return: Span,
    /// It has features, faults to come or an I/O bus at one of its ends. A fibre that has none of them pays
    /// for none of them.
    pub on_slow_path: bool,
    /// An R_RDY for its transmitter waits for the frame that is being sent the other way.
    pub r_rdy_waits: bool,
    /// Who transmits.
    pub source: Source,
    /// Who receives.
    pub sink: Sink,
    rate: Rate,
    /// Credit for the receiver.
    pub credit: FlowControl,
    /// Propagation.
    pub delay: Span,
    /// From the first bit sent to the header received.
    pub header: Span,
    /// Frames of a switch that wait for this output.
    pub queues: Queues,
    /// Times of the two sizes sent last: frames of one size come in rows, between them a response.
    cached: [Times; 2],
    /// What has been counted.
    pub counters: FibreCounters,
    gap_bytes: u64,
    /// A trunk, policies, virtual channels: what most fibres are without.
    pub features: Option<Box<LinkFeatures>>,
    /// The last bit of the frame sent last leaves then; kept where R_RDYs wait for it.
    pub(crate) tail_at: Instant,
    /// A frame whose last bit comes in later than this may be lost; [`Instant::NEVER`] where nothing goes wrong.
    pub faultless_until: Instant,
    /// When it goes dark, or did: until it is lit again, it carries nothing.
    pub dark_from: Instant,
    /// Credit that will not be returned: for frames that were cut off, or lost by a fault.
    pub lost_credit: u32,
    /// R_RDYs for its transmitter that a fault takes.
    pub credit_loss: Option<Box<CreditLoss>>,
    /// Bits that arrive inverted.
    pub errors: Option<Box<BitErrors>>,
    /// Frames on a loop that are counted and lie ahead; none on a link between other ports.
    pub(crate) ahead: Option<Box<Ahead>>,
}

/// What a frame of one size takes.
#[derive(Clone, Copy, Debug)]
struct Times {
    wire_bytes: u16,
    /// First to last bit.
    sending: Span,
    /// First bit to that of the next frame at the earliest.
    slot: Span,
}

impl Fibre {
    /// A fibre of this rate and length; `gap_bytes` of fill words follow each frame.
    pub fn new(
        source: Source,
        sink: Sink,
        rate: Rate,
        gap_bytes: u32,
        delay: Span,
        credit: u32,
    ) -> Self {
        Self {
            source,
            sink,
            free_at: Instant::START,
            could_start_at: Instant::NEVER,
            credit: FlowControl::bb_credit(credit),
            queues: Queues::default(),
            counters: FibreCounters::default(),
            on_slow_path: false,
            r_rdy_waits: false,
            tail_at: Instant::START,
            faultless_until: Instant::NEVER,
            dark_from: Instant::NEVER,
            lost_credit: 0,
            credit_loss: None,
            errors: None,
            ahead: None,
            delay,
            credit_return: delay + rate.time_for(PRIMITIVE_BYTES),
            header: delay + rate.time_for(HEADER_IN_BYTES),
            features: None,
            rate,
            gap_bytes: u64::from(gap_bytes),
            cached: [Times {
                wire_bytes: 0,
                sending: Span::ZERO,
                slot: rate.time_for(u64::from(gap_bytes)),
            }; 2],
        }
    }

    /// Time of this many bytes with the gap after them.
    pub fn slot(&self, wire_bytes: u32) -> Span {
        self.rate.time_for(u64::from(wire_bytes) + self.gap_bytes)
    }

    /// Reads what the next frame needs, so that it is in the caches by then.
    #[inline]
    pub(crate) fn read_ahead(&self) -> u64 {
        self.could_start_at.as_ps()
            ^ self.credit.read_ahead()
            ^ self.delay.as_ps()
            ^ self.queues.read_ahead()
            ^ self.cached[1].slot.as_ps()
            ^ self.counters.frames
            ^ self.counters.dropped
    }

    /// Whether it carries nothing now.
    #[inline(always)]
    pub fn is_dark(&self, now: Instant) -> bool {
        now >= self.dark_from
    }

    /// The FL_Port it belongs to: its frames go when the loop of that port lets them.
    #[inline]
    pub(crate) fn fl_port(&self) -> Option<Id<FlPort>> {
        match (self.source, self.sink) {
            (Source::Loop(port), _) | (_, Sink::Loop(port)) => Some(port),
            _ => None,
        }
    }

    /// Its optional features; adds an empty set where it has none.
    pub fn features_mut(&mut self) -> &mut LinkFeatures {
        self.on_slow_path = true;
        self.features.get_or_insert_with(Box::default)
    }

    /// Whether its transmitter, that of a switch, has more to look at than one queue and one credit.
    #[inline(always)]
    pub(crate) fn is_featured_output(&self) -> bool {
        self.features.is_some() && self.source == Source::Switch
    }

    /// Links it stands for: members of a trunk.
    pub fn members(&self) -> u64 {
        let trunk = self
            .features
            .as_ref()
            .and_then(|features| features.trunk.as_ref());
        trunk.map_or(1, Trunk::members)
    }

    /// How its output tells frames apart, if it does.
    pub fn discipline(&self) -> Option<&Discipline> {
        self.features.as_ref()?.discipline.as_ref()
    }

    /// Credit granted, of all virtual channels.
    pub fn granted(&self) -> u32 {
        self.credits().map(FlowControl::granted).sum()
    }

    /// Most credit in use at once, summed over its virtual channels.
    pub fn most_in_use(&self) -> u32 {
        self.credits().map(FlowControl::most_in_use).sum()
    }

    /// Its credit, that of each virtual channel where it has any.
    pub fn credits(&self) -> impl Iterator<Item = &FlowControl> {
        let of_channels = self
            .discipline()
            .map_or(&[][..], |discipline| &discipline.credits);
        let common = of_channels.is_empty().then_some(&self.credit);
        common.into_iter().chain(of_channels)
    }

    /// The link begins anew: all of its credit is there from this instant on.
    pub(crate) fn renew_credit(&mut self, at: Instant) {
        self.lost_credit = 0;
        self.credit_loss = None;
        self.credit.renew(at);
        let features = self.features.as_mut();
        if let Some(discipline) = features.and_then(|features| features.discipline.as_mut()) {
            discipline.renew_credit(at);
        }
    }

    /// R_RDYs that would be back after one instant and before another are back then.
    pub(crate) fn delay_credit(&mut self, after: Instant, until: Instant) {
        if let Some(loss) = &mut self.credit_loss {
            loss.delay(after, until);
        }
        self.credit.delay(after, until);
        let features = self.features.as_mut();
        let discipline = features.and_then(|features| features.discipline.as_mut());
        let channels = discipline.map(|discipline| &mut discipline.credits);
        for credit in channels.into_iter().flatten() {
            credit.delay(after, until);
        }
    }

    /// So many credits of the first channel get lost, of those that are left. Returns how many: what is in
    /// use is lost when its R_RDY comes.
    pub(crate) fn lose_credit(&mut self, most: u32, now: Instant) -> u32 {
        let gone = self.lost_credit + self.credit_to_lose();
        self.on_slow_path = true;
        let mut loss = self.credit_loss.take().unwrap_or_default();
        let credit = self.credit_mut(0);
        let left = credit.granted().saturating_sub(gone).max(credit.known());
        let count = most.min(left);
        let known = loss.lose(credit, count, now);
        self.lost_credit += known;
        self.credit_loss = Some(loss);
        let features = self.features.as_mut();
        if let Some(discipline) = features.and_then(|features| features.discipline.as_mut()) {
            discipline.lost_credit(now);
        }
        count
    }

    /// Credit in use whose R_RDYs will be lost.
    pub fn credit_to_lose(&self) -> u32 {
        self.credit_loss.as_ref().map_or(0, |loss| loss.to_come())
    }

    /// An R_RDY for a frame of this channel will be back at this instant, unless a fault takes it.
    pub(crate) fn give_credit(&mut self, channel: u8, back_at: Instant) {
        let received_at = match &mut self.credit_loss {
            Some(loss) if channel == 0 => loss.pass(back_at),
            _ => Some(back_at),
        };
        match received_at {
            Some(at) => self.credit_mut(channel).give(at),
            None => self.lost_credit += 1,
        }
    }

    /// The credit that frames on this channel use.
    #[inline]
    pub(crate) fn credit_mut(&mut self, channel: u8) -> &mut FlowControl {
        let discipline = self
            .features
            .as_mut()
            .and_then(|features| features.discipline.as_mut());
        discipline
            .and_then(|discipline| discipline.credits.get_mut(usize::from(channel)))
            .unwrap_or(&mut self.credit)
    }

    /// Time for which it was taken up to now; of a trunk the mean of its members.
    #[inline]
    pub(crate) fn busy(&self, now: Instant) -> Span {
        let features = self.features.as_ref();
        if let Some(trunk) = features.and_then(|features| features.trunk.as_ref()) {
            return (self.counters.busy - trunk.to_come(now)) / trunk.members();
        }
        let ahead = self.ahead.as_ref().map(|ahead| ahead.after(now));
        let to_come = self.free_at.saturating_since(now) + ahead.unwrap_or_default();
        self.counters.busy - to_come
    }

    /// A frame on a loop is counted here, and goes at this instant, which may be later than now.
    pub(crate) fn count_ahead(&mut self, starts_at: Instant, slot: Span, reached: Instant) {
        let ahead = self.ahead.get_or_insert_default();
        ahead.add(starts_at, slot, reached);
    }

    /// Take the frame of a switch whose turn it is.
    #[inline(always)]
    pub(crate) fn pop(&mut self, now: Instant, frames: &Arena<Frame>) -> Id<Frame> {
        let discipline = self
            .features
            .as_mut()
            .and_then(|features| features.discipline.as_mut());
        match discipline {
            Some(discipline) => discipline.pop(&mut self.queues, now, frames),
            None => self.queues.pop(now, frames),
        }
    }

    /// A frame starts on a fibre with features; says when its limit lets the next one pass.
    #[inline(never)]
    pub(crate) fn start_with_features(
        &mut self,
        now: Instant,
        slot: Span,
        frame: &mut Frame,
    ) -> Instant {
        let Some(features) = &mut self.features else {
            return Instant::NEVER;
        };
        self.free_at = match &mut features.trunk {
            Some(trunk) => trunk.start(now, slot),
            None => now + slot,
        };
        let mut opens_at = Instant::NEVER;
        if let Some(discipline) = &mut features.discipline {
            let channel;
            (channel, opens_at) = discipline.start(now, slot, frame);
            if !discipline.credits.is_empty() {
                frame.channel = channel;
            }
        }
        self.credit_mut(frame.channel).take(now);
        opens_at
    }

    /// A frame comes in by a fibre with features, and could be forwarded at this instant; says when it can.
    #[inline(never)]
    pub(crate) fn come_in(&mut self, could_at: Instant, frame: &mut Frame) -> Instant {
        let (_, slot) = self.times(frame.wire_bytes);
        let Some(features) = &mut self.features else {
            return could_at;
        };
        let ready_at = features.come_in(could_at, slot, frame.wire_bytes);
        frame.switch_wait += ready_at - could_at;
        ready_at
    }

    /// The queue of a frame that came in by this port, at an output with features.
    #[inline(never)]
    pub(crate) fn queue_of(&self, frame: &Frame, input: Id<SwitchPort>, address: u32) -> Id<Queue> {
        let discipline = self.discipline();
        discipline.map_or(input.same(), |discipline| {
            discipline.queue_of(frame, input, area_of(address))
        })
    }

    /// When a frame of a switch could start but for credit, and when it can.
    pub(crate) fn next_start(&self) -> (Instant, Instant) {
        if let Some(discipline) = self.discipline() {
            return discipline.next_start(&self.queues, self.free_at, &self.credit);
        }
        let ready_at = self.queues.ready_at(self.free_at);
        if ready_at == Instant::NEVER {
            return (Instant::NEVER, Instant::NEVER);
        }
        let could_start_at = ready_at.max(self.free_at);
        (could_start_at, could_start_at.max(self.credit.next_at()))
    }

    /// Count a frame that starts now, and what it has waited for.
    #[inline(always)]
    pub(crate) fn count(&mut self, frame: &mut Frame, now: Instant, slot: Span, credit_wait: Span) {
        let counters = &mut self.counters;
        counters.frames += 1;
        counters.bytes += u64::from(frame.wire_bytes);
        counters.payload_bytes += u64::from(frame.payload_bytes);
        counters.busy += slot;
        let since = if frame.came_by.is_none() {
            frame.framed_at
        } else {
            frame.ready_at
        };
        let waited = now - since;
        counters.queue_wait += u128::from(waited.as_ps());
        if !credit_wait.is_zero() {
            counters.credit_wait += credit_wait;
            counters.credit_waits += 1;
        }
        let own_credit_wait = credit_wait.min(waited);
        if frame.came_by.is_some() {
            frame.credit_wait += own_credit_wait;
            frame.switch_wait += waited - own_credit_wait;
        }
    }

    /// Its rate.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Time from the first to the last bit of a frame, and to the first bit of the next at the
    /// earliest.
    #[inline]
    pub fn times(&mut self, wire_bytes: u16) -> (Span, Span) {
        if self.cached[0].wire_bytes != wire_bytes {
            self.recall(wire_bytes);
        }
        (self.cached[0].sending, self.cached[0].slot)
    }

    fn recall(&mut self, wire_bytes: u16) {
        self.cached.swap(0, 1);
        if self.cached[0].wire_bytes != wire_bytes {
            self.cached[0] = Times {
                wire_bytes,
                sending: self.rate.time_for(u64::from(wire_bytes)),
                slot: self.slot(u32::from(wire_bytes)),
            };
        }
    }
}

//! A port of a node: sequences become frames.

use std::collections::VecDeque;

use sanlab_kernel::{Id, Instant, Span};

use crate::prefetch::Prefetch;
use crate::sequence_ids::SequenceIds;
use crate::{BusPlace, Exchange, Frame, FrameKind, Generator, NPort, NextFrame, Sequence};

/// How frames of open sequences take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interleave {
    /// One sequence to its end, then the next.
    Sequence,
    /// One frame of each open sequence in turn.
    Frame,
    /// Data sequence after data sequence; commands, XFER_RDYs and responses go between their frames,
    /// by turns where there are many of both.
    Control,
}

/// FC-2 of a port of a host or an array: what it has to send, and when it may.
#[derive(Clone, Debug)]
pub struct Fc2 {
    /// Frames it can hold ready ahead of the fibre, kept as the instants at which the last ones left.
    tx_buffers: VecDeque<Instant>,
    interleave: Interleave,
    /// Sequences it may have open at once; those that go between others aren't held back by it.
    sequence_limit: usize,
    /// Open sequences; the first has the next frame.
    open: VecDeque<Sequence>,
    /// Open sequences that go between the frames of those.
    between: VecDeque<Sequence>,
    /// The last frame went between others: it is their turn.
    has_overtaken: bool,
    /// Sequences that wait for one of those places.
    pending: VecDeque<Sequence>,
    generators: Vec<Generator>,
    next_generator: usize,
    data_frame_bytes: u32,
    seq_ids: SequenceIds,
    /// From the last bit of a frame to its buffer being free.
    rx_hold: Span,
    drain: Option<sanlab_kernel::Rate>,
    drained_at: Instant,
    most_open: usize,
    /// Frames fetched ahead, of a port behind an I/O bus.
    prefetch: Option<Box<Prefetch>>,
}

impl Fc2 {
    /// A port that sends data frames of this payload.
    pub fn new(
        data_frame_bytes: u32,
        tx_buffers: u32,
        sequence_limit: u32,
        interleave: Interleave,
    ) -> Self {
        Self {
            tx_buffers: VecDeque::from(vec![Instant::START; tx_buffers.max(1) as usize]),
            interleave,
            sequence_limit: sequence_limit.max(1) as usize,
            open: VecDeque::new(),
            between: VecDeque::new(),
            has_overtaken: false,
            pending: VecDeque::new(),
            generators: Vec::new(),
            next_generator: 0,
            data_frame_bytes,
            seq_ids: SequenceIds::default(),
            rx_hold: Span::ZERO,
            drain: None,
            drained_at: Instant::START,
            most_open: 0,
            prefetch: None,
        }
    }

    /// How long it keeps a received frame, and how fast it empties its buffers at most.
    #[must_use]
    pub fn receiving(mut self, hold: Span, drain: Option<sanlab_kernel::Rate>) -> Self {
        self.rx_hold = hold;
        self.drain = drain;
        self
    }

    /// The same port behind an I/O bus, this one of the ports that are: it holds as many frames fetched
    /// ahead as it has transmit buffers.
    #[must_use]
    pub fn behind_bus(mut self, port: Id<BusPlace>) -> Self {
        self.prefetch = Some(Box::new(Prefetch::new(port, self.tx_buffers.len())));
        self
    }

    /// Its place among the ports behind buses.
    #[inline(always)]
    pub fn bus_port(&self) -> Option<Id<BusPlace>> {
        self.prefetch.as_ref().map(|prefetch| prefetch.port)
    }

    /// The next frame to fetch from memory, if there is one and room for it.
    pub fn next_to_fetch(&mut self, now: Instant, source: Id<NPort>) -> Option<NextFrame> {
        let has_room = self
            .prefetch
            .as_ref()
            .is_some_and(|prefetch| prefetch.has_room());
        (has_room && !self.open.is_empty()).then(|| self.next_frame(now, source))
    }

    /// That frame is there from this instant on.
    pub fn on_fetched(&mut self, next: NextFrame, ready_at: Instant) {
        if let Some(prefetch) = &mut self.prefetch {
            prefetch.push(next, ready_at);
        }
    }

    /// The first of the frames fetched, if it is there by now, and since when.
    pub fn take_fetched(&mut self, now: Instant) -> Option<(NextFrame, Instant)> {
        self.prefetch
            .as_mut()
            .and_then(|prefetch| prefetch.pop(now))
    }

    /// Add a source of plain frames.
    pub fn add_generator(&mut self, generator: Generator) {
        self.generators.push(generator);
    }

    /// Queue an information unit. One that goes between others has a place of its own: were it to wait
    /// for one of theirs, it would go behind them.
    pub fn queue(&mut self, sequence: Sequence) {
        let opens = self.open.len() + self.between.len() < self.sequence_limit;
        if opens || self.overtakes(sequence.kind) {
            self.open_sequence(sequence);
            self.most_open = self.most_open.max(self.open.len() + self.between.len());
        } else {
            self.pending.push_back(sequence);
        }
    }

    fn open_sequence(&mut self, mut sequence: Sequence) {
        sequence.seq_id = self.seq_ids.take();
        if self.overtakes(sequence.kind) {
            self.between.push_back(sequence);
            self.overtake();
        } else {
            self.open.push_back(sequence);
        }
    }

    /// Whether such frames go between those of other sequences.
    fn overtakes(&self, kind: FrameKind) -> bool {
        self.interleave == Interleave::Control && kind != FrameKind::Data
    }

    /// Lets one sequence overtake those that are open, unless one just did: in turns, neither kind
    /// waits indefinitely, whatever the load of the other.
    fn overtake(&mut self) {
        let waits = self
            .open
            .front()
            .is_some_and(|sequence| self.has_overtaken || self.overtakes(sequence.kind));
        if !waits && let Some(next) = self.between.pop_front() {
            self.open.push_front(next);
        }
    }

    /// A sequence id for a sequence that waits for its loop.
    pub fn open_on_loop(&mut self) -> u8 {
        self.seq_ids.take()
    }

    /// Its last frame has been sent.
    pub fn close_on_loop(&mut self, seq_id: u8) {
        self.seq_ids.give_back(seq_id);
    }

    /// The next frame of a sequence of this port, which its loop keeps.
    #[inline]
    pub fn cut_frame(&self, sequence: &mut Sequence, now: Instant) -> Frame {
        let framed_at = sequence.queued_at;
        sequence.cut_frame(self.data_frame_bytes, now, framed_at)
    }

    /// Its link is gone until `back_at`: what it has to send is lost, and its generators pause. Returns
    /// the sequences lost.
    pub fn clear(&mut self, back_at: Instant) -> u64 {
        let mut lost = self.unsent() as u64;
        if let Some(prefetch) = &mut self.prefetch {
            lost += prefetch.frames().filter(|frame| frame.is_last).count() as u64;
            prefetch.clear();
        }
        for sequence in self.open.drain(..).chain(self.between.drain(..)) {
            self.seq_ids.give_back(sequence.seq_id);
        }
        self.pending.clear();
        for generator in &mut self.generators {
            generator.pause_until(back_at);
        }
        lost
    }

    /// Whether it has a sequence of this exchange to send.
    pub fn holds(&self, exchange: Id<Exchange>) -> bool {
        let mut waiting = self.open.iter().chain(&self.between).chain(&self.pending);
        let mut fetched = self.prefetch.iter().flat_map(|prefetch| prefetch.frames());
        waiting.any(|sequence| sequence.exchange == exchange.into())
            || fetched.any(|frame| frame.exchange == exchange.into())
    }

    /// From now on it empties its receive buffers at this rate at most.
    pub fn drains_at(&mut self, rate: Option<sanlab_kernel::Rate>) {
        self.drain = rate;
    }

    /// When it has a frame to send; [`Instant::NEVER`] when it has none.
    #[inline]
    pub fn ready_at(&self) -> Instant {
        if let Some(prefetch) = &self.prefetch {
            return prefetch.ready_at().min(self.next_generated());
        }
        match self.open.front() {
            Some(first) => first.queued_at,
            None if self.generators.is_empty() => Instant::NEVER,
            None => self.next_generated(),
        }
    }

    fn next_generated(&self) -> Instant {
        let waiting = self
            .generators
            .iter()
            .filter(|generator| generator.left > 0);
        waiting
            .map(|generator| generator.next_at)
            .min()
            .unwrap_or(Instant::NEVER)
    }

    /// Reads what the next sequence from it and the next frame to it need, so that it is in the caches by then.
    #[inline]
    pub fn read_ahead(&self) -> u64 {
        let buffer = self.tx_buffers.front().copied();
        buffer.unwrap_or(Instant::START).as_ps()
            ^ self.seq_ids.read_ahead()
            ^ self.rx_hold.as_ps()
            ^ u64::from(self.data_frame_bytes)
    }

    /// Most sequences that were open at once.
    pub fn most_open(&self) -> usize {
        self.most_open
    }

    /// Sequences that have not been sent to the end.
    pub fn unsent(&self) -> usize {
        self.open.len() + self.between.len() + self.pending.len()
    }

    /// The next frame, sent now. `source` is this port; the frame's last bit leaves after `duration`
    /// of its size, which the caller tells with [`Fc2::on_sent`].
    #[inline(always)]
    pub fn next_frame(&mut self, now: Instant, source: Id<NPort>) -> NextFrame {
        if self.open.is_empty() {
            return self.generate(now, source);
        }
        let framed_at = self.tx_buffers[0].max(self.open[0].queued_at);
        let frame = self.open[0].cut_frame(self.data_frame_bytes, now, framed_at);
        let is_last = frame.is_last;
        self.has_overtaken = self.overtakes(frame.kind);
        if is_last {
            self.open.pop_front();
            self.seq_ids.give_back(frame.seq_id);
            if let Some(waiting) = self.pending.pop_front() {
                self.open_sequence(waiting);
            }
        } else if self.interleave == Interleave::Frame {
            self.open.rotate_left(1);
        }
        if !self.between.is_empty() {
            self.overtake();
        }
        NextFrame {
            frame,
            ends_sequence: is_last,
        }
    }

    /// The next plain frame, sent now.
    #[inline(always)]
    pub fn generate(&mut self, now: Instant, source: Id<NPort>) -> NextFrame {
        let is_due = |generator: &Generator| generator.left > 0 && generator.next_at <= now;
        let (before, after) = self.generators.split_at(self.next_generator);
        let turn = match after.iter().position(is_due) {
            Some(place) => self.next_generator + place,
            None => before
                .iter()
                .position(is_due)
                .expect("a port was asked for a frame it does not have"),
        };
        self.next_generator = turn + 1;
        let frame = self.generators[turn].frame(now, self.tx_buffers[0], source);
        NextFrame {
            frame,
            ends_sequence: false,
        }
    }

    /// The last bit of the frame just made leaves at this time: its transmit buffer is free then.
    #[inline]
    pub fn on_sent(&mut self, tail_at: Instant) {
        if self.tx_buffers.len() == 1 {
            self.tx_buffers[0] = tail_at;
        } else {
            self.tx_buffers.pop_front();
            self.tx_buffers.push_back(tail_at);
        }
    }

    /// A frame has arrived whole: when is its receive buffer free again?
    #[inline]
    pub fn on_received(&mut self, tail_at: Instant, payload_bytes: u16) -> Instant {
        let held = tail_at + self.rx_hold;
        match self.drain {
            None => held,
            Some(rate) => {
                self.drained_at =
                    self.drained_at.max(held) + rate.time_for(u64::from(payload_bytes));
                self.drained_at
            }
        }
    }
}

#[cfg(test)]
mod tests;

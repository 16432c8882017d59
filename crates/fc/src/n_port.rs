//! A port of a node: sequences become frames.

use std::collections::VecDeque;

use sanlab_kernel::{NEVER, Picoseconds, RandomStream};

use crate::prefetch::Prefetch;
use crate::sequence_ids::SequenceIds;
use crate::{Frame, FrameKind, wire_bytes};

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

/// Frames of one information unit, to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Sequence {
    /// What it carries.
    pub kind: FrameKind,
    /// Exchange it belongs to.
    pub exchange: u32,
    /// What its frames are counted under.
    pub flow: u32,
    /// N_Port it is sent as: the port itself, or a virtual one that shares its link.
    pub source: u32,
    /// Destination N_Port.
    pub destination: u32,
    /// Originator's exchange id.
    pub ox_id: u16,
    /// Sequence id, which the port gives it when it opens.
    pub seq_id: u8,
    /// Handed to FC-2 at this instant.
    pub queued_at: Picoseconds,
    /// Relative offset of the first byte.
    pub offset: u32,
    /// Bytes still to send.
    pub left_bytes: u32,
    /// Frames sent so far.
    pub seq_cnt: u16,
}

impl Sequence {
    /// Its next frame, sent now.
    #[inline(always)]
    fn cut_frame(
        &mut self,
        data_frame_bytes: u32,
        now: Picoseconds,
        framed_at: Picoseconds,
    ) -> Frame {
        let payload = self.left_bytes.min(data_frame_bytes);
        let frame = Frame {
            ready_at: now,
            framed_at,
            sent_at: now,
            credit_wait: 0,
            switch_wait: 0,
            exchange: self.exchange,
            flow: self.flow,
            came_by: sanlab_kernel::NONE,
            destination: self.destination,
            source: self.source,
            next: sanlab_kernel::NONE,
            offset: self.offset,
            wire_bytes: frame_size(wire_bytes(payload)),
            payload_bytes: frame_size(payload),
            seq_cnt: self.seq_cnt,
            ox_id: self.ox_id,
            seq_id: self.seq_id,
            channel: 0,
            kind: self.kind,
            is_last: payload == self.left_bytes,
        };
        self.left_bytes -= payload;
        self.offset += payload;
        self.seq_cnt = self.seq_cnt.wrapping_add(1);
        frame
    }
}

/// A source of plain frames: no exchange, no response.
#[derive(Clone, Debug)]
pub struct Generator {
    /// What its frames are counted under.
    pub flow: u32,
    /// Destination N_Port.
    pub destination: u32,
    /// Payload of each frame.
    pub payload_bytes: u32,
    /// Frames still to send.
    pub left: u64,
    /// Mean time between frames; 0 sends without pause.
    pub interval: Picoseconds,
    /// Exponential times between frames, from this stream; else constant.
    pub draws: Option<RandomStream>,
    /// When its next frame is there.
    pub next_at: Picoseconds,
    /// Frames sent.
    pub sent: u64,
}

/// FC-2 of a port of a host or an array: what it has to send, and when it may.
#[derive(Clone, Debug)]
pub struct NPort {
    /// Frames it can hold ready ahead of the fibre, kept as the instants at which the last ones left.
    tx_buffers: VecDeque<Picoseconds>,
    interleave: Interleave,
    /// Sequences it may have open at once.
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
    rx_hold: Picoseconds,
    drain: Option<sanlab_kernel::Rate>,
    drained_at: Picoseconds,
    most_open: usize,
    /// Frames fetched ahead, of a port behind an I/O bus.
    prefetch: Option<Box<Prefetch>>,
}

/// A frame that FC-2 made, and whether its sequence ended with it.
#[derive(Clone, Copy, Debug)]
pub struct NextFrame {
    /// The frame; `sent_at` and the fibre are for the transmitter to fill in.
    pub frame: Frame,
    /// It was the last of its sequence.
    pub ends_sequence: bool,
}

impl NPort {
    /// A port that sends data frames of this payload.
    pub fn new(
        data_frame_bytes: u32,
        tx_buffers: u32,
        sequence_limit: u32,
        interleave: Interleave,
    ) -> Self {
        Self {
            tx_buffers: VecDeque::from(vec![0; tx_buffers.max(1) as usize]),
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
            rx_hold: 0,
            drain: None,
            drained_at: 0,
            most_open: 0,
            prefetch: None,
        }
    }

    /// How long it keeps a received frame, and how fast it empties its buffers at most.
    #[must_use]
    pub fn receiving(mut self, hold: Picoseconds, drain: Option<sanlab_kernel::Rate>) -> Self {
        self.rx_hold = hold;
        self.drain = drain;
        self
    }

    /// The same port behind an I/O bus, this one of the ports that are: it holds as many frames fetched
    /// ahead as it has transmit buffers.
    #[must_use]
    pub fn behind_bus(mut self, port: u32) -> Self {
        self.prefetch = Some(Box::new(Prefetch::new(port, self.tx_buffers.len())));
        self
    }

    /// Its place among the ports behind buses.
    #[inline(always)]
    pub fn bus_port(&self) -> Option<u32> {
        self.prefetch.as_ref().map(|of| of.port)
    }

    /// The next frame to fetch from memory, if there is one and room for it.
    pub fn next_to_fetch(&mut self, now: Picoseconds, source: u32) -> Option<NextFrame> {
        let has_room = self.prefetch.as_ref().is_some_and(|of| of.has_room());
        (has_room && !self.open.is_empty()).then(|| self.next_frame(now, source))
    }

    /// That frame is there from this instant on.
    pub fn on_fetched(&mut self, next: NextFrame, ready_at: Picoseconds) {
        if let Some(of) = &mut self.prefetch {
            of.push(next, ready_at);
        }
    }

    /// The first of the frames fetched, if it is there by now, and since when.
    pub fn take_fetched(&mut self, now: Picoseconds) -> Option<(NextFrame, Picoseconds)> {
        self.prefetch.as_mut().and_then(|of| of.pop(now))
    }

    /// Add a source of plain frames.
    pub fn add_generator(&mut self, generator: Generator) {
        self.generators.push(generator);
    }

    /// Queue an information unit.
    pub fn queue(&mut self, sequence: Sequence) {
        if self.open.len() + self.between.len() < self.sequence_limit {
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

    /// Let one sequence overtake those that are open, unless one just did: by turns neither kind waits
    /// for ever, however much of the other there is.
    fn overtake(&mut self) {
        let waits = self
            .open
            .front()
            .is_some_and(|it| self.has_overtaken || self.overtakes(it.kind));
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
    pub fn cut_frame(&self, sequence: &mut Sequence, now: Picoseconds) -> Frame {
        let framed_at = sequence.queued_at;
        sequence.cut_frame(self.data_frame_bytes, now, framed_at)
    }

    /// Its link is gone until `back_at`: what it has to send is lost, and its generators pause. Returns
    /// the sequences lost.
    pub fn clear(&mut self, back_at: Picoseconds) -> u64 {
        let mut lost = self.unsent() as u64;
        if let Some(of) = &mut self.prefetch {
            lost += of.frames().filter(|frame| frame.is_last).count() as u64;
            of.clear();
        }
        for sequence in self.open.drain(..).chain(self.between.drain(..)) {
            self.seq_ids.give_back(sequence.seq_id);
        }
        self.pending.clear();
        for generator in &mut self.generators {
            generator.next_at = generator.next_at.max(back_at);
        }
        lost
    }

    /// Whether it has a sequence of this exchange to send.
    pub fn holds(&self, exchange: u32) -> bool {
        let mut waiting = self.open.iter().chain(&self.between).chain(&self.pending);
        let mut fetched = self.prefetch.iter().flat_map(|of| of.frames());
        waiting.any(|sequence| sequence.exchange == exchange)
            || fetched.any(|frame| frame.exchange == exchange)
    }

    /// From now on it empties its receive buffers at this rate at most.
    pub fn drains_at(&mut self, rate: Option<sanlab_kernel::Rate>) {
        self.drain = rate;
    }

    /// When it has a frame to send; [`NEVER`] when it has none.
    #[inline]
    pub fn ready_at(&self) -> Picoseconds {
        if let Some(of) = &self.prefetch {
            return of.ready_at().min(self.next_generated());
        }
        match self.open.front() {
            Some(first) => first.queued_at,
            None if self.generators.is_empty() => NEVER,
            None => self.next_generated(),
        }
    }

    fn next_generated(&self) -> Picoseconds {
        let waiting = self
            .generators
            .iter()
            .filter(|generator| generator.left > 0);
        waiting
            .map(|generator| generator.next_at)
            .min()
            .unwrap_or(NEVER)
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
    /// of its size, which the caller tells with [`NPort::on_sent`].
    #[inline(always)]
    pub fn next_frame(&mut self, now: Picoseconds, source: u32) -> NextFrame {
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
    pub fn generate(&mut self, now: Picoseconds, source: u32) -> NextFrame {
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
        let generator = &mut self.generators[turn];
        let ready_at = generator.next_at;
        generator.left -= 1;
        generator.sent += 1;
        if generator.interval > 0 {
            let pause = match &mut generator.draws {
                Some(draws) => draws.exponential(generator.interval),
                None => generator.interval,
            };
            generator.next_at = generator.next_at.saturating_add(pause);
        }
        let [.., high, seq_id] = generator.sent.to_be_bytes();
        let ox_id = u16::from_be_bytes([high, seq_id]);
        let frame = Frame {
            ready_at: now,
            framed_at: self.tx_buffers[0].max(ready_at),
            sent_at: now,
            credit_wait: 0,
            switch_wait: 0,
            exchange: generator.flow,
            flow: generator.flow,
            came_by: sanlab_kernel::NONE,
            destination: generator.destination,
            source,
            next: sanlab_kernel::NONE,
            offset: 0,
            wire_bytes: frame_size(wire_bytes(generator.payload_bytes)),
            payload_bytes: frame_size(generator.payload_bytes),
            seq_cnt: 0,
            ox_id,
            seq_id,
            channel: 0,
            kind: FrameKind::Plain,
            is_last: true,
        };
        NextFrame {
            frame,
            ends_sequence: false,
        }
    }

    /// The last bit of the frame just made leaves at this time: its transmit buffer is free then.
    #[inline]
    pub fn on_sent(&mut self, tail_at: Picoseconds) {
        if self.tx_buffers.len() == 1 {
            self.tx_buffers[0] = tail_at;
        } else {
            self.tx_buffers.pop_front();
            self.tx_buffers.push_back(tail_at);
        }
    }

    /// A frame has arrived whole: when is its receive buffer free again?
    #[inline]
    pub fn on_received(&mut self, tail_at: Picoseconds, payload_bytes: u16) -> Picoseconds {
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

/// Bytes of one frame, which are never more than 2148.
#[inline]
fn frame_size(bytes: u32) -> u16 {
    u16::try_from(bytes).expect("a frame has at most 2148 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(limit: u32, interleave: Interleave, sizes: &[u32]) -> NPort {
        let mut port = NPort::new(1000, 1, limit, interleave);
        for (exchange, &left_bytes) in (0..).zip(sizes) {
            port.queue(Sequence {
                kind: FrameKind::Data,
                exchange,
                flow: 0,
                source: 0,
                destination: 0,
                ox_id: 0,
                seq_id: 0,
                queued_at: 5,
                offset: 0,
                left_bytes,
                seq_cnt: 0,
            });
        }
        port
    }

    /// Exchange, number in the sequence, payload, whether it is the last.
    fn frames(port: &mut NPort) -> Vec<(u32, u16, u16, bool)> {
        let mut all = Vec::new();
        while port.unsent() > 0 {
            let next = port.next_frame(10, 0);
            assert_eq!(next.ends_sequence, next.frame.is_last);
            let frame = next.frame;
            all.push((
                frame.exchange,
                frame.seq_cnt,
                frame.payload_bytes,
                frame.is_last,
            ));
        }
        assert_eq!(port.ready_at(), NEVER);
        all
    }

    #[test]
    fn sequences_go_one_after_the_other_or_frame_by_frame() {
        let sizes = [2500, 1000, 1500];
        let large = [(0, 0, 1000, false), (0, 1, 1000, false), (0, 2, 500, true)];
        let small = [(1, 0, 1000, true)];
        let middle = [(2, 0, 1000, false), (2, 1, 500, true)];
        let in_order = frames(&mut port(255, Interleave::Sequence, &sizes));
        assert_eq!(in_order, [&large[..], &small, &middle].concat());
        let in_turn = frames(&mut port(255, Interleave::Frame, &sizes));
        let (first, second) = ([large[0], small[0], middle[0]], [large[1], middle[1]]);
        assert_eq!(in_turn, [&first[..], &second, &large[2..]].concat());
    }

    /// A command that comes while data are being sent goes before their next frame; the next command
    /// after that one, and data wait for the data before them.
    #[test]
    fn commands_go_between_frames_of_data() {
        let mut port = port(255, Interleave::Control, &[2000, 1000]);
        let first = port.next_frame(10, 0).frame;
        for exchange in [7, 8] {
            port.queue(Sequence {
                kind: FrameKind::Command,
                exchange,
                left_bytes: 32,
                queued_at: 20,
                ..port.open[0]
            });
        }
        let order: Vec<_> = frames(&mut port).iter().map(|frame| frame.0).collect();
        assert_eq!((first.exchange, order), (0, vec![7, 0, 8, 1]));
    }

    /// However many commands come, data go on, and however long the data, commands do.
    #[test]
    fn commands_and_data_take_turns() {
        let mut port = port(255, Interleave::Control, &[50_000]);
        let command = Sequence {
            kind: FrameKind::Command,
            left_bytes: 32,
            ..port.open[0]
        };
        let mut data = 0;
        for _ in 0..60 {
            port.queue(command);
            data += u32::from(port.next_frame(10, 0).frame.kind == FrameKind::Data);
        }
        assert_eq!((data, port.unsent()), (30, 31));
    }

    /// Two may be open: the third opens when one of them ends.
    #[test]
    fn sequences_beyond_the_limit_wait() {
        let mut port = port(2, Interleave::Frame, &[2000, 1000, 1000]);
        assert_eq!((port.most_open(), port.unsent()), (2, 3));
        let order: Vec<_> = frames(&mut port).iter().map(|frame| frame.0).collect();
        assert_eq!(order, [0, 1, 0, 2]);
    }

    /// With more buffers FC-2 frames ahead: a frame is begun when the one so many before it has left.
    #[test]
    fn transmit_buffers_move_the_framing_and_nothing_else() {
        for (buffers, framed_at) in [(1, [5, 100, 200, 300]), (3, [5, 5, 5, 100])] {
            let mut port = port(255, Interleave::Sequence, &[4000]);
            port.tx_buffers = VecDeque::from(vec![0; buffers]);
            for (number, expected) in (0u64..).zip(framed_at) {
                let frame = port.next_frame(100 * number + 10, 0).frame;
                assert_eq!(
                    frame.framed_at, expected,
                    "{buffers} buffers, frame {number}"
                );
                port.on_sent(100 * (number + 1));
            }
        }
    }

    #[test]
    fn buffers_are_held_and_drained_one_after_the_other() {
        let rate = sanlab_kernel::Rate::from_bytes_per_s(1_000_000_000); // 1000 ps a byte
        let port = || NPort::new(1000, 1, 1, Interleave::Sequence);
        assert_eq!(port().on_received(70, 10), 70);
        let mut slow = port().receiving(30, Some(rate));
        assert_eq!(slow.on_received(70, 10), 70 + 30 + 10_000);
        assert_eq!(slow.on_received(80, 10), 70 + 30 + 20_000);
        assert_eq!(slow.on_received(90_000, 10), 90_000 + 30 + 10_000);
    }
}

//! Frames of a switch that wait for one output, a queue for each input.

use sanlab_fc::Frame;
use sanlab_kernel::{Arena, Id, IdVec, Instant, MaybeId};

/// The virtual output queues of one output port: one for each port a frame can come in by.
///
/// The output serves the queues in turn (round robin), so that inputs share it fairly whatever they
/// offer, and a frame never blocks frames for another output.
#[derive(Clone, Debug)]
pub struct Queues {
    inputs: IdVec<Queue>,
    /// One bit for each queue that holds a frame.
    occupied: Vec<u64>,
    served_last: Id<Queue>,
}

/// Frames that came in by one port; at an output with features, those of one lane as well.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    head: MaybeId<Frame>,
    tail: MaybeId<Frame>,
    /// When the head can be forwarded.
    ready_at: Instant,
}

impl Default for Queues {
    /// No queue.
    fn default() -> Self {
        Self::new(0)
    }
}

impl Queues {
    /// Queues for a switch with this many ports.
    pub fn new(ports: usize) -> Self {
        let empty = Queue {
            head: MaybeId::NONE,
            tail: MaybeId::NONE,
            ready_at: Instant::NEVER,
        };
        Self {
            inputs: IdVec::filled(empty, ports),
            occupied: vec![0; ports.div_ceil(64)],
            served_last: Id::new(0),
        }
    }

    /// Reads what the next frame needs, so that it is in the caches by then.
    #[inline]
    pub(crate) fn read_ahead(&self) -> u64 {
        let queue = self.inputs.get(self.served_last);
        let ready_at = queue.map_or(Instant::NEVER, |queue| queue.ready_at);
        ready_at.as_ps() ^ self.occupied.last().copied().unwrap_or(0)
    }

    /// Put a frame, whose `ready_at` this is, behind those that came in by the same port.
    #[inline]
    pub fn push(
        &mut self,
        queue: Id<Queue>,
        id: Id<Frame>,
        ready_at: Instant,
        frames: &mut Arena<Frame>,
    ) {
        let place = queue.place();
        let queue = &mut self.inputs[queue];
        if queue.head.is_none() {
            queue.head = id.into();
            queue.ready_at = ready_at;
            self.occupied[place / 64] |= 1 << (place % 64);
        } else {
            frames[queue.tail.certain()].next = id.into();
        }
        queue.tail = id.into();
    }

    /// When the first frame is ready that could be served next: not before `floor`, which is as good
    /// as any earlier instant.
    #[inline]
    pub fn ready_at(&self, floor: Instant) -> Instant {
        let mut earliest = Instant::NEVER;
        for (word, &bits) in self.occupied.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let queue = &self.inputs[queue_at(word, bits)];
                if queue.ready_at <= floor {
                    return floor;
                }
                earliest = earliest.min(queue.ready_at);
                bits &= bits - 1;
            }
        }
        earliest
    }

    /// Take the frame whose turn it is among those that are ready.
    #[inline(always)]
    pub fn pop(&mut self, now: Instant, frames: &Arena<Frame>) -> Id<Frame> {
        let input = self
            .next_ready(now)
            .expect("an alarm rang for an output with nothing ready");
        self.served_last = input;
        self.take(input, frames)
    }

    /// Take the first frame of one queue.
    #[inline(always)]
    pub(crate) fn take(&mut self, input: Id<Queue>, frames: &Arena<Frame>) -> Id<Frame> {
        let place = input.place();
        let queue = &mut self.inputs[input];
        let id = queue.head.certain();
        if queue.head == queue.tail {
            *queue = Queue {
                head: MaybeId::NONE,
                tail: MaybeId::NONE,
                ready_at: Instant::NEVER,
            };
            self.occupied[place / 64] &= !(1 << (place % 64));
        } else {
            queue.head = frames[id].next;
            queue.ready_at = frames[queue.head.certain()].ready_at;
        }
        id
    }

    /// The queue whose turn it is among those with a ready frame of a kind.
    pub(crate) fn next_ready_that(
        &self,
        now: Instant,
        fits: impl Fn(Id<Frame>) -> bool,
    ) -> Option<Id<Queue>> {
        let heads = self.heads();
        let mut ready = heads
            .filter(|&(queue, at)| at <= now && fits(self.head(queue)))
            .map(|(queue, _)| queue);
        let first = ready.next()?;
        let mut all = std::iter::once(first).chain(ready);
        all.find(|&queue| queue > self.served_last).or(Some(first))
    }

    /// Serve the first frame of one queue.
    pub(crate) fn serve(&mut self, queue: Id<Queue>, frames: &Arena<Frame>) -> Id<Frame> {
        self.served_last = queue;
        self.take(queue, frames)
    }

    /// When a frame becomes ready that is not yet, and heads its queue; [`Instant::NEVER`] if none is.
    pub(crate) fn ready_after(&self, now: Instant) -> Instant {
        let later = self.heads().map(|(_, at)| at).filter(|&at| at > now);
        later.min().unwrap_or(Instant::NEVER)
    }

    /// Every queue that holds a frame, in order, with the instant its first frame is ready.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (Id<Queue>, Instant)> + '_ {
        self.occupied
            .iter()
            .enumerate()
            .flat_map(move |(word, &bits)| {
                let mut bits = bits;
                std::iter::from_fn(move || {
                    (bits != 0).then(|| {
                        let place = queue_at(word, bits);
                        bits &= bits - 1;
                        (place, self.inputs[place].ready_at)
                    })
                })
            })
    }

    /// Whether a queue holds a frame.
    pub(crate) fn holds(&self, place: Id<Queue>) -> bool {
        self.inputs[place].head.is_some()
    }

    /// The first frame of a queue that holds one.
    pub(crate) fn head(&self, place: Id<Queue>) -> Id<Frame> {
        self.inputs[place].head.certain()
    }

    /// The first queue after the one served last whose head is ready: from there to the end, then from
    /// the beginning.
    #[inline(always)]
    fn next_ready(&self, now: Instant) -> Option<Id<Queue>> {
        let first = self.served_last.place() + 1;
        let (word, below) = (first / 64, (1u64 << (first % 64)) - 1);
        let words = self.occupied.len();
        if word >= words {
            return (0..words).find_map(|word| self.ready_in(word, u64::MAX, now));
        }
        self.ready_in(word, !below, now)
            .or_else(|| (word + 1..words).find_map(|word| self.ready_in(word, u64::MAX, now)))
            .or_else(|| (0..word).find_map(|word| self.ready_in(word, u64::MAX, now)))
            .or_else(|| self.ready_in(word, below, now))
    }

    /// The first ready queue of one word, among those in the mask.
    #[inline]
    fn ready_in(&self, word: usize, mask: u64, now: Instant) -> Option<Id<Queue>> {
        let mut bits = self.occupied[word] & mask;
        while bits != 0 {
            let input = queue_at(word, bits);
            if self.inputs[input].ready_at <= now {
                return Some(input);
            }
            bits &= bits - 1;
        }
        None
    }

    /// Forget all frames.
    pub fn clear(&mut self) {
        *self = Self::new(self.inputs.len());
    }

    /// Frames that wait, oldest first within each queue.
    pub fn waiting<'a>(&'a self, frames: &'a Arena<Frame>) -> impl Iterator<Item = Id<Frame>> + 'a {
        self.waiting_in(frames).map(|(_, id)| id)
    }

    /// Frames that wait, with the queue of each.
    pub(crate) fn waiting_in<'a>(
        &'a self,
        frames: &'a Arena<Frame>,
    ) -> impl Iterator<Item = (Id<Queue>, Id<Frame>)> + 'a {
        self.inputs.pairs().flat_map(move |(place, queue)| {
            let mut id = queue.head;
            std::iter::from_fn(move || {
                let current = id.get()?;
                id = if id == queue.tail {
                    MaybeId::NONE
                } else {
                    frames[current].next
                };
                Some((place, current))
            })
        })
    }
}

/// The queue of the lowest of these bits, which are of one word of those of all queues.
#[inline(always)]
#[allow(
    clippy::cast_possible_truncation,
    reason = "the number of a queue, which an id of 32 bits named"
)]
fn queue_at(word: usize, bits: u64) -> Id<Queue> {
    Id::new(word as u32 * 64 + bits.trailing_zeros())
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]
mod tests {
    use super::*;
    use sanlab_fc::{AnyExchange, Fc2, Interleave, Sequence};
    use sanlab_kernel::{RandomStream, Span};
    use std::collections::VecDeque;

    fn frame_ready_at(ready_at: Instant) -> Frame {
        let mut port = Fc2::new(2048, 1, 1, Interleave::Sequence);
        port.queue(Sequence {
            kind: sanlab_fc::FrameKind::Command,
            exchange: AnyExchange::NONE,
            flow: Id::new(0),
            source: Id::new(0),
            destination: Id::new(0),
            ox_id: 0,
            seq_id: 0,
            queued_at: Instant::START,
            offset: 0,
            left_bytes: 32,
            seq_cnt: 0,
        });
        let made_frame = port.next_frame(Instant::START, Id::new(0)).frame;
        Frame {
            ready_at,
            ..made_frame
        }
    }

    /// Against plain lists that are asked in turn, with more inputs than a word has bits.
    #[test]
    fn serves_ready_inputs_in_turn() {
        for ports in [1, 3, 64, 65, 130] {
            let mut draws = RandomStream::new(ports, "voq");
            let mut frames = Arena::default();
            let mut queues = Queues::new(ports as usize);
            let mut lists = vec![VecDeque::new(); ports as usize];
            let mut served_last = 0;
            for now in (0..3000).map(Instant::from_ps) {
                let input = draws.below(ports) as usize;
                let last = lists[input]
                    .back()
                    .map_or(Instant::START, |entry: &(Id<Frame>, Instant)| entry.1);
                let ready_at = last.max(now + Span::from_ps(draws.below(8)));
                let id = frames.insert(frame_ready_at(ready_at));
                queues.push(Id::from_place(input), id, ready_at, &mut frames);
                lists[input].push_back((id, ready_at));
                let heads = lists.iter().filter_map(|list| Some(list.front()?.1));
                let first = heads.map(|at| at.max(now)).min();
                assert_eq!(queues.ready_at(now), first.unwrap_or(Instant::NEVER));
                if first != Some(now) {
                    continue;
                }
                let is_ready =
                    |input: &usize| lists[*input].front().is_some_and(|entry| entry.1 <= now);
                let turns = (1..=lists.len()).map(|step| (served_last + step) % lists.len());
                served_last = turns.clone().find(is_ready).expect("one is ready");
                let expected = lists[served_last].pop_front().map(|entry| entry.0);
                assert_eq!(Some(queues.pop(now, &frames)), expected);
            }
            let waiting: Vec<_> = lists.iter().flatten().map(|entry| entry.0).collect();
            assert!(queues.waiting(&frames).eq(waiting));
        }
    }
}

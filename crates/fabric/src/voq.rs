//! Frames of a switch that wait for one output, a queue for each input.

use sanlab_fc::Frame;
use sanlab_kernel::{Arena, NEVER, NONE, Picoseconds};

/// The virtual output queues of one output port: one for each port a frame can come in by.
///
/// The output serves the queues in turn (round robin), so that inputs share it fairly whatever they
/// offer, and a frame never blocks frames for another output.
#[derive(Clone, Debug, Default)]
pub struct Queues {
    inputs: Vec<Queue>,
    /// One bit for each queue that holds a frame.
    occupied: Vec<u64>,
    served_last: usize,
}

#[derive(Clone, Copy, Debug)]
struct Queue {
    head: u32,
    tail: u32,
    /// When the head can be forwarded.
    ready_at: Picoseconds,
}

impl Queues {
    /// Queues for a switch with this many ports.
    pub fn new(ports: usize) -> Self {
        let empty = Queue {
            head: NONE,
            tail: NONE,
            ready_at: NEVER,
        };
        Self {
            inputs: vec![empty; ports],
            occupied: vec![0; ports.div_ceil(64)],
            served_last: 0,
        }
    }

    /// Put a frame, whose `ready_at` is set, behind those that came in by the same port.
    #[inline]
    pub fn push(&mut self, input: u32, id: u32, frames: &mut Arena<Frame>) {
        let queue = &mut self.inputs[input as usize];
        if queue.head == NONE {
            queue.head = id;
            queue.ready_at = frames[id].ready_at;
            self.occupied[input as usize / 64] |= 1 << (input % 64);
        } else {
            frames[queue.tail].next = id;
        }
        queue.tail = id;
    }

    /// When the first frame is ready that could be served next: not before `floor`, which is as good
    /// as any earlier instant.
    #[inline]
    pub fn ready_at(&self, floor: Picoseconds) -> Picoseconds {
        let mut earliest = NEVER;
        for (word, &bits) in self.occupied.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let queue = &self.inputs[word * 64 + bits.trailing_zeros() as usize];
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
    pub fn pop(&mut self, now: Picoseconds, frames: &Arena<Frame>) -> u32 {
        let input = self
            .next_ready(now)
            .expect("an alarm rang for an output with nothing ready");
        self.served_last = input;
        self.take(input, frames)
    }

    /// Take the first frame of one queue.
    #[inline(always)]
    pub(crate) fn take(&mut self, input: usize, frames: &Arena<Frame>) -> u32 {
        let queue = &mut self.inputs[input];
        let id = queue.head;
        if id == queue.tail {
            *queue = Queue {
                head: NONE,
                tail: NONE,
                ready_at: NEVER,
            };
            self.occupied[input / 64] &= !(1 << (input % 64));
        } else {
            queue.head = frames[id].next;
            queue.ready_at = frames[queue.head].ready_at;
        }
        id
    }

    /// Every queue that holds a frame, in order, with the instant its first frame is ready.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (usize, Picoseconds)> + '_ {
        self.occupied
            .iter()
            .enumerate()
            .flat_map(move |(word, &bits)| {
                let mut bits = bits;
                std::iter::from_fn(move || {
                    (bits != 0).then(|| {
                        let place = word * 64 + bits.trailing_zeros() as usize;
                        bits &= bits - 1;
                        (place, self.inputs[place].ready_at)
                    })
                })
            })
    }

    /// The first frame of a queue that holds one.
    pub(crate) fn head(&self, place: usize) -> u32 {
        self.inputs[place].head
    }

    /// The first queue after the one served last whose head is ready: from there to the end, then from
    /// the beginning.
    #[inline(always)]
    fn next_ready(&self, now: Picoseconds) -> Option<usize> {
        let first = self.served_last + 1;
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
    fn ready_in(&self, word: usize, mask: u64, now: Picoseconds) -> Option<usize> {
        let mut bits = self.occupied[word] & mask;
        while bits != 0 {
            let input = word * 64 + bits.trailing_zeros() as usize;
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
    pub fn waiting<'a>(&'a self, frames: &'a Arena<Frame>) -> impl Iterator<Item = u32> + 'a {
        self.waiting_in(frames).map(|(_, id)| id)
    }

    /// Frames that wait, with the queue of each.
    pub(crate) fn waiting_in<'a>(
        &'a self,
        frames: &'a Arena<Frame>,
    ) -> impl Iterator<Item = (usize, u32)> + 'a {
        self.inputs
            .iter()
            .enumerate()
            .flat_map(move |(place, queue)| {
                let mut id = queue.head;
                std::iter::from_fn(move || {
                    let current = id;
                    if current == NONE {
                        return None;
                    }
                    id = if current == queue.tail {
                        NONE
                    } else {
                        frames[current].next
                    };
                    Some((place, current))
                })
            })
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]
mod tests {
    use super::*;
    use sanlab_fc::{Interleave, NPort, Sequence};
    use sanlab_kernel::RandomStream;
    use std::collections::VecDeque;

    fn frame_ready_at(ready_at: Picoseconds) -> Frame {
        let mut port = NPort::new(2048, 1, 1, Interleave::Sequence);
        port.queue(Sequence {
            kind: sanlab_fc::FrameKind::Command,
            exchange: 0,
            flow: 0,
            source: 0,
            destination: 0,
            ox_id: 0,
            seq_id: 0,
            queued_at: 0,
            offset: 0,
            left_bytes: 32,
            seq_cnt: 0,
        });
        let made_frame = port.next_frame(0, 0).frame;
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
            for now in 0..3000u64 {
                let input = draws.below(ports) as usize;
                let last = lists[input].back().map_or(0, |entry: &(u32, u64)| entry.1);
                let ready_at = last.max(now + draws.below(8));
                let id = frames.insert(frame_ready_at(ready_at));
                queues.push(input as u32, id, &mut frames);
                lists[input].push_back((id, ready_at));
                let heads = lists.iter().filter_map(|list| Some(list.front()?.1));
                let first = heads.map(|at| at.max(now)).min();
                assert_eq!(queues.ready_at(now), first.unwrap_or(NEVER));
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

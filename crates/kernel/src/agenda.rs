//! What will happen at a known time.

use crate::Instant;

/// Events in order of time, then of the component that scheduled them, then of that component's own
/// count.
///
/// ```
/// use sanlab_kernel::{Agenda, Instant};
/// let [soon, later] = [10, 20].map(Instant::from_ps);
/// let mut agenda = Agenda::new();
/// agenda.schedule(later, 0, "third");
/// agenda.schedule(soon, 1, "second");
/// agenda.schedule(soon, 0, "first");
/// assert_eq!(agenda.next_at(), soon);
/// assert_eq!(agenda.pop(), Some((soon, "first")));
/// assert_eq!(agenda.pop(), Some((soon, "second")));
/// ```
#[derive(Debug)]
pub struct Agenda<E> {
    /// A heap: the four entries below entry `i` are `4 i + 1` to `4 i + 4`, and none is due before it.
    heap: Vec<Entry<E>>,
    count: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry<E> {
    /// Time in the upper half; below it the component, and in the last bits the running count, which
    /// keeps the events of one component in their order. One comparison decides.
    key: u128,
    event: E,
}

/// Entries below one: more of them make the heap less deep, and neighbours share cache lines.
const WIDTH: usize = 4;

const COUNT_BITS: u32 = 40;

impl<E> Default for Agenda<E> {
    fn default() -> Self {
        Self {
            heap: Vec::new(),
            count: 0,
        }
    }
}

impl<E: Copy> Agenda<E> {
    /// An empty agenda.
    pub fn new() -> Self {
        Self::default()
    }

    /// Put down an event of a component.
    #[inline]
    pub fn schedule(&mut self, at: Instant, component: u32, event: E) {
        self.count += 1;
        debug_assert!(component < 1 << 24 && self.count < 1 << COUNT_BITS);
        let tie = u64::from(component) << COUNT_BITS | self.count;
        let entry = Entry {
            key: u128::from(at.as_ps()) << 64 | u128::from(tie),
            event,
        };
        self.heap.push(entry);
        self.sift_up(self.heap.len() - 1, entry);
    }

    /// An entry takes the place that is empty, or one above it.
    #[inline]
    fn sift_up(&mut self, mut place: usize, entry: Entry<E>) {
        let heap = &mut self.heap[..];
        while place > 0 {
            let above = (place - 1) / WIDTH;
            if heap[above].key <= entry.key {
                break;
            }
            heap[place] = heap[above];
            place = above;
        }
        heap[place] = entry;
    }

    /// The place at the top is empty: the soonest entry of those below moves up, until a place at the
    /// bottom is empty. Returns that place.
    #[inline]
    fn sift_down(&mut self) -> usize {
        let heap = &mut self.heap[..];
        let mut place = 0;
        let mut below = 1;
        while let Some(four) = heap.get(below..).and_then(<[_]>::first_chunk) {
            let step = soonest(four);
            heap[place] = four[step];
            place = below + step;
            below = WIDTH * place + 1;
        }
        let rest = heap.get(below..).unwrap_or_default().iter().enumerate();
        if let Some((step, _)) = rest.min_by_key(|(_, entry)| entry.key) {
            heap[place] = heap[below + step];
            place = below + step;
        }
        place
    }

    /// When the next event is due; [`Instant::NEVER`] without events.
    #[inline]
    pub fn next_at(&self) -> Instant {
        self.heap.first().map_or(Instant::NEVER, Entry::at)
    }

    /// The next event.
    pub fn peek(&self) -> Option<&E> {
        self.heap.first().map(|entry| &entry.event)
    }

    /// Events that are still to come.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether no event is still to come.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Take the next event.
    #[inline]
    pub fn pop(&mut self) -> Option<(Instant, E)> {
        let last = self.heap.pop()?;
        let Some(&first) = self.heap.first() else {
            return Some((last.at(), last.event));
        };
        // The last entry is seldom due soon: let it rise from the bottom rather than sink from the top.
        let place = self.sift_down();
        self.sift_up(place, last);
        Some((first.at(), first.event))
    }
}

/// Which of four entries is due first, without a branch that a processor would have to guess.
#[inline(always)]
fn soonest<E>(four: &[Entry<E>; WIDTH]) -> usize {
    let left = usize::from(four[1].key < four[0].key);
    let right = 2 + usize::from(four[3].key < four[2].key);
    let is_right = four[right % WIDTH].key < four[left % WIDTH].key;
    if is_right { right } else { left }
}

impl<E> Entry<E> {
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "the upper half of the key")]
    fn at(&self) -> Instant {
        Instant::from_ps((self.key >> 64) as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::RandomStream;

    /// Against an ordered set.
    #[test]
    fn events_come_in_order_of_time_then_component_then_count() {
        let mut agenda = Agenda::new();
        let mut expected = BTreeSet::new();
        let mut draws = RandomStream::new(1, "agenda");
        for count in 0..20_000 {
            let size = expected.len() as u64;
            if draws.below(200) < size {
                let (at, _, event) = expected.pop_first().expect("it has events");
                assert_eq!((agenda.next_at(), agenda.peek()), (at, Some(&event)));
                assert_eq!(agenda.pop(), Some((at, event)));
            } else {
                let at = Instant::from_ps(draws.below(50));
                let component = draws.below(3);
                agenda.schedule(at, u32::try_from(component).expect("small"), count);
                expected.insert((at, component, count));
            }
            assert_eq!(agenda.len(), expected.len());
        }
    }
}

//! What will happen at a known time.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::Picoseconds;

/// Events in order of time, then of the component that scheduled them, then of that component's own
/// count.
///
/// ```
/// let mut agenda = sanlab_kernel::Agenda::new();
/// agenda.schedule(20, 0, "later");
/// agenda.schedule(10, 1, "second");
/// agenda.schedule(10, 0, "first");
/// assert_eq!(agenda.next_at(), 10);
/// assert_eq!(agenda.pop(), Some((10, "first")));
/// assert_eq!(agenda.pop(), Some((10, "second")));
/// ```
#[derive(Debug)]
pub struct Agenda<E> {
    heap: BinaryHeap<Reverse<Entry<E>>>,
    count: u64,
}

#[derive(Debug)]
struct Entry<E> {
    /// Time in the upper half; below it the component, and in the last bits the running count, which
    /// keeps the events of one component in their order. One comparison decides.
    key: u128,
    event: E,
}

const COUNT_BITS: u32 = 40;

impl<E> Default for Agenda<E> {
    fn default() -> Self {
        Self {
            heap: BinaryHeap::new(),
            count: 0,
        }
    }
}

impl<E> Agenda<E> {
    /// An empty agenda.
    pub fn new() -> Self {
        Self::default()
    }

    /// Put down an event of a component.
    #[inline]
    pub fn schedule(&mut self, at: Picoseconds, component: u32, event: E) {
        self.count += 1;
        debug_assert!(component < 1 << 24 && self.count < 1 << COUNT_BITS);
        let tie = u64::from(component) << COUNT_BITS | self.count;
        self.heap.push(Reverse(Entry {
            key: u128::from(at) << 64 | u128::from(tie),
            event,
        }));
    }

    /// When the next event is due; [`crate::NEVER`] without events.
    #[inline]
    pub fn next_at(&self) -> Picoseconds {
        self.heap
            .peek()
            .map_or(crate::NEVER, |Reverse(entry)| entry.at())
    }

    /// The next event.
    pub fn peek(&self) -> Option<&E> {
        self.heap.peek().map(|Reverse(entry)| &entry.event)
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
    pub fn pop(&mut self) -> Option<(Picoseconds, E)> {
        self.heap
            .pop()
            .map(|Reverse(entry)| (entry.at(), entry.event))
    }
}

impl<E> Entry<E> {
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "the upper half of the key")]
    fn at(&self) -> Picoseconds {
        (self.key >> 64) as u64
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}
impl<E> Eq for Entry<E> {}
impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

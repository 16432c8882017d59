//! What will happen at a known time.

use crate::Instant;
use crate::calendar::Calendar;

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
    /// Entries that are due soon. A heap: the four entries below entry `i` are `4 i + 1` to `4 i + 4`, and none
    /// is due before it. Empty only if there is no event at all.
    heap: Vec<Entry<E>>,
    /// The entry at the top has been taken: its place is for the next one that is put down. An event often has
    /// one that follows it, and then the heap is gone through once, not twice.
    is_top_taken: bool,
    /// Those due from `later_from` on, where there are so many that a heap of all would be deep.
    later: Calendar<Entry<E>>,
    /// In picoseconds; the greatest number while all are in the heap.
    later_from: u64,
    count: u64,
    /// Too many in the heap are put off from this count on.
    put_off_from: u64,
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

/// Of more entries than this most wait in a calendar; fewer than a quarter of it come back into the heap.
const MANY: usize = 1024;

impl<E> Default for Agenda<E> {
    fn default() -> Self {
        Self {
            heap: Vec::new(),
            is_top_taken: false,
            later: Calendar::default(),
            later_from: u64::MAX,
            count: 0,
            put_off_from: 0,
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
        if at.as_ps() < self.later_from {
            if self.is_top_taken {
                self.is_top_taken = false;
                self.sift_down(entry);
                return;
            }
            self.heap.push(entry);
            self.sift_up(self.heap.len() - 1, entry);
            let is_deep = self.heap.len() > MANY && self.later.len() == 0;
            if is_deep && self.count >= self.put_off_from {
                self.put_off();
            }
        } else {
            self.later.put(entry, at.as_ps());
        }
    }

    /// The heap has become large: all but the entries of the first day wait in a calendar.
    #[cold]
    fn put_off(&mut self) {
        let entries = std::mem::take(&mut self.heap);
        self.later.plan(entries, Entry::due);
        self.take_up();
        // Where most are due at one instant, as the starts of all jobs are, that did not help. It is tried again
        // after as many events as would be put off again.
        self.put_off_from = self.count + self.heap.len() as u64;
    }

    /// The heap is empty: the entries of the next day go there, or all if they have become few.
    #[cold]
    fn take_up(&mut self) {
        let is_few = self.later.len() < MANY / 4;
        while self.later.len() > 0 && (is_few || self.heap.is_empty()) {
            self.later_from = self.later.take_day(&mut self.heap, Entry::due);
        }
        if self.later.len() == 0 {
            self.later_from = u64::MAX;
        }
        // What is sorted is a heap too.
        self.heap.sort_unstable_by_key(|entry| entry.key);
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
    fn clear_top(&mut self) -> usize {
        let heap = &mut self.heap[..];
        let mut place = 0;
        let mut below = 1;
        while let Some(four) = heap.get(below..).and_then(<[_]>::first_chunk) {
            let step = soonest(four);
            heap[place] = four[step];
            place = below + step;
            below = WIDTH * place + 1;
        }
        if let Some(step) = soonest_of_rest(heap, below) {
            heap[place] = heap[below + step];
            place = below + step;
        }
        place
    }

    /// An entry takes the place at the top, which is empty, or one below it.
    #[inline]
    fn sift_down(&mut self, entry: Entry<E>) {
        let heap = &mut self.heap[..];
        let mut place = 0;
        let mut below = 1;
        while let Some(four) = heap.get(below..).and_then(<[_]>::first_chunk) {
            let step = soonest(four);
            if entry.key < four[step].key {
                heap[place] = entry;
                return;
            }
            heap[place] = four[step];
            place = below + step;
            below = WIDTH * place + 1;
        }
        if let Some(step) = soonest_of_rest(heap, below)
            && heap[below + step].key < entry.key
        {
            heap[place] = heap[below + step];
            place = below + step;
        }
        heap[place] = entry;
    }

    /// Nothing was put down after the last event was taken: fill its place. True if a day of the calendar was
    /// taken up for that: [`Self::soon`] has its events.
    #[inline]
    pub fn settle(&mut self) -> bool {
        if !self.is_top_taken {
            return false;
        }
        self.is_top_taken = false;
        self.fill_top()
    }

    /// The last entry is seldom due soon: let it rise from the bottom rather than sink from the top.
    fn fill_top(&mut self) -> bool {
        let Some(last) = self.heap.pop() else {
            return false;
        };
        if !self.heap.is_empty() {
            let place = self.clear_top();
            self.sift_up(place, last);
            return false;
        }
        let is_more = self.later.len() > 0;
        if is_more {
            self.take_up();
        }
        is_more
    }

    /// Events that do not wait in the calendar.
    pub fn soon(&self) -> impl Iterator<Item = &E> {
        debug_assert!(!self.is_top_taken, "an agenda is read before it is settled");
        self.heap.iter().map(|entry| &entry.event)
    }

    /// When the next event is due; [`Instant::NEVER`] without events.
    #[inline]
    pub fn next_at(&self) -> Instant {
        self.first().map_or(Instant::NEVER, Entry::at)
    }

    /// The next event.
    pub fn peek(&self) -> Option<&E> {
        self.first().map(|entry| &entry.event)
    }

    #[inline]
    fn first(&self) -> Option<&Entry<E>> {
        debug_assert!(!self.is_top_taken, "an agenda is read before it is settled");
        self.heap.first()
    }

    /// Events that are still to come.
    pub fn len(&self) -> usize {
        self.heap.len() + self.later.len() - usize::from(self.is_top_taken)
    }

    /// Whether no event is still to come.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Take the next event. Its place is given to the next one that is put down, until [`Self::settle`].
    #[inline]
    pub fn take(&mut self) -> Option<(Instant, E)> {
        self.settle();
        let first = self.heap.first()?;
        self.is_top_taken = true;
        Some((first.at(), first.event))
    }

    /// Take the next event.
    pub fn pop(&mut self) -> Option<(Instant, E)> {
        let taken = self.take();
        self.settle();
        taken
    }
}

/// Which of less than four entries at the end of a heap is due first.
#[inline(always)]
fn soonest_of_rest<E>(heap: &[Entry<E>], below: usize) -> Option<usize> {
    let rest = heap.get(below..).unwrap_or_default().iter().enumerate();
    rest.min_by_key(|(_, entry)| entry.key)
        .map(|(step, _)| step)
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

    #[inline]
    fn due(&self) -> u64 {
        self.at().as_ps()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::RandomStream;

    /// Against an ordered set, with about so many events due within so long.
    fn against_a_set(events: u64, within: u64) {
        let mut agenda = Agenda::new();
        let mut expected = BTreeSet::new();
        let mut draws = RandomStream::new(events, "agenda");
        let mut now = 0;
        for count in 0..20_000 {
            let size = expected.len() as u64;
            if draws.below(events) < size {
                let (at, _, event): (Instant, u64, u64) = expected.pop_first().expect("events");
                assert_eq!((agenda.next_at(), agenda.peek()), (at, Some(&event)));
                // Half of the places are left for the next event; it is put down before anyone looks.
                let is_left = draws.below(2) == 0;
                let taken = if is_left { agenda.take() } else { agenda.pop() };
                assert_eq!(taken, Some((at, event)));
                now = at.as_ps();
                if !is_left || draws.below(4) == 0 {
                    agenda.settle();
                    continue;
                }
            }
            {
                // Some are due long after all others.
                let far = if draws.below(50) == 0 { 1_000 } else { 1 };
                let at = Instant::from_ps(now + draws.below(within) * far);
                let component = draws.below(3);
                agenda.schedule(at, u32::try_from(component).expect("small"), count);
                expected.insert((at, component, count));
            }
            assert_eq!(agenda.len(), expected.len());
            agenda.settle();
            assert_eq!(agenda.len(), expected.len());
        }
        for (at, _, event) in expected {
            assert_eq!(agenda.pop(), Some((at, event)));
        }
        assert!(agenda.is_empty());
    }

    #[test]
    fn events_come_in_order_of_time_then_component_then_count() {
        against_a_set(200, 50);
    }

    /// All events of the beginning are due at once. Those that follow them still come into a calendar.
    #[test]
    fn many_events_are_put_off_after_a_beginning_at_one_instant() {
        let mut agenda = Agenda::new();
        for job in 0..20_000 {
            agenda.schedule(Instant::START, 0, job);
        }
        let mut draws = RandomStream::new(1, "beginning");
        for _ in 0..40_000 {
            let (now, job) = agenda.pop().expect("a job");
            let pause = crate::Span::from_ps(1 + draws.below(1_000_000));
            agenda.schedule(now + pause, 0, job);
        }
        assert_eq!(agenda.len(), 20_000);
        assert!(
            agenda.heap.len() < MANY,
            "{} in the heap",
            agenda.heap.len()
        );
    }

    /// So many that most wait in a calendar, also with all at few instants.
    #[test]
    fn many_events_come_in_the_same_order() {
        for within in [2, 50, 100_000, 1_000_000_000] {
            against_a_set(5_000, within);
        }
    }
}

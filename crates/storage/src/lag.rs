//! Acknowledged writes that a copy does not have yet.

use std::collections::VecDeque;

use sanlab_kernel::{Instant, Span};

/// How far an asynchronous copy is behind its source, in bytes and in time.
///
/// The age of the oldest acknowledged write that the copy lacks is the recovery point that a loss of the
/// source would leave now. The source knows that a write was copied when it has the response.
#[derive(Clone, Debug, Default)]
pub struct Lag {
    /// Acknowledged writes, from the oldest whose copy is not done.
    behind: VecDeque<Behind>,
    /// Number of the first of them.
    first: u64,
    /// The oldest acknowledged write that will never be copied.
    lost_since: Option<Instant>,
    bytes: u64,
    most_bytes: u64,
    worst: Span,
    area: u128,
    as_of: Instant,
    interval: LagInterval,
}

/// A number for each acknowledged write, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LagPlace(u64);

#[derive(Clone, Copy, Debug)]
struct Behind {
    acknowledged_at: Instant,
    is_copied: bool,
}

/// The lag in one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LagInterval {
    /// Bytes behind at the end.
    pub bytes: u64,
    /// Most bytes behind.
    pub most_bytes: u64,
    /// Bytes behind, integrated over time in picoseconds.
    pub area: u128,
    /// Greatest age of the oldest write behind.
    pub worst: Span,
}

impl LagInterval {
    /// Extend it by the interval that follows.
    pub fn merge(&mut self, later: &Self) {
        self.bytes = later.bytes;
        self.most_bytes = self.most_bytes.max(later.most_bytes);
        self.area += later.area;
        self.worst = self.worst.max(later.worst);
    }
}

impl Lag {
    /// A write was acknowledged whose copy is not done.
    pub fn acknowledge(&mut self, now: Instant, bytes: u64) -> LagPlace {
        self.add(now, bytes);
        let place = LagPlace(self.first + self.behind.len() as u64);
        self.behind.push_back(Behind {
            acknowledged_at: now,
            is_copied: false,
        });
        place
    }

    /// The copy of a write is done.
    pub fn copied(&mut self, now: Instant, place: LagPlace, bytes: u64) {
        self.read(now);
        self.bytes -= bytes;
        self.interval.bytes = self.bytes;
        self.forget(place);
    }

    /// A write was acknowledged that will not be copied.
    pub fn acknowledge_lost(&mut self, now: Instant, bytes: u64) {
        self.add(now, bytes);
        self.lost_since.get_or_insert(now);
    }

    /// The copy of an acknowledged write is given up: the copy lacks it from now on.
    pub fn lose(&mut self, place: LagPlace) {
        let since = self.behind[self.index(place)].acknowledged_at;
        self.lost_since = Some(self.lost_since.map_or(since, |oldest| oldest.min(since)));
        self.forget(place);
    }

    /// Acknowledged writes that were given up have been copied after all.
    pub fn regained(&mut self, now: Instant, bytes: u64) {
        self.read(now);
        self.bytes -= bytes;
        self.interval.bytes = self.bytes;
    }

    /// No acknowledged write is given up any more.
    pub fn restore(&mut self, now: Instant) {
        self.read(now);
        self.lost_since = None;
    }

    /// Bring means and maxima up to now.
    pub fn read(&mut self, now: Instant) {
        let area = u128::from(self.bytes) * u128::from((now - self.as_of).as_ps());
        self.area += area;
        self.interval.area += area;
        let age = self.age(now);
        self.worst = self.worst.max(age);
        self.interval.worst = self.interval.worst.max(age);
        self.as_of = now;
    }

    /// Take what happened since the last call, and begin an interval.
    pub fn end_interval(&mut self, now: Instant) -> LagInterval {
        self.read(now);
        let next = LagInterval {
            bytes: self.bytes,
            most_bytes: self.bytes,
            ..LagInterval::default()
        };
        std::mem::replace(&mut self.interval, next)
    }

    /// Age of the oldest acknowledged write that the copy lacks; zero if it has all.
    pub fn age(&self, now: Instant) -> Span {
        let oldest = self.behind.front().map(|write| write.acknowledged_at);
        match (oldest, self.lost_since) {
            (Some(open), Some(lost)) => now - open.min(lost),
            (Some(since), None) | (None, Some(since)) => now - since,
            (None, None) => Span::ZERO,
        }
    }

    /// Bytes of acknowledged writes that the copy lacks.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Most of them so far.
    pub fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// Greatest age so far.
    pub fn worst(&self) -> Span {
        self.worst
    }

    /// Bytes behind, integrated over time in picoseconds.
    pub fn area(&self) -> u128 {
        self.area
    }

    fn add(&mut self, now: Instant, bytes: u64) {
        self.read(now);
        self.bytes += bytes;
        self.most_bytes = self.most_bytes.max(self.bytes);
        self.interval.bytes = self.bytes;
        self.interval.most_bytes = self.interval.most_bytes.max(self.bytes);
    }

    fn forget(&mut self, place: LagPlace) {
        let index = self.index(place);
        self.behind[index].is_copied = true;
        while self.behind.front().is_some_and(|write| write.is_copied) {
            self.behind.pop_front();
            self.first += 1;
        }
    }

    #[allow(
        clippy::cast_possible_truncation,
        reason = "a place among those kept in memory"
    )]
    fn index(&self, place: LagPlace) -> usize {
        (place.0 - self.first) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    /// Copies that overtake others do not make the oldest write younger.
    #[test]
    fn the_oldest_write_counts() {
        let mut lag = Lag::default();
        let first = lag.acknowledge(at(10), 100);
        let second = lag.acknowledge(at(20), 50);
        lag.copied(at(30), second, 50);
        assert_eq!((lag.bytes(), lag.age(at(40))), (100, Span::from_ps(30)));
        lag.copied(at(50), first, 100);
        assert_eq!((lag.bytes(), lag.age(at(60))), (0, Span::ZERO));
        assert_eq!((lag.most_bytes(), lag.worst()), (150, Span::from_ps(40)));
        assert_eq!(lag.area(), 100 * 40 + 50 * 10);
    }

    #[test]
    fn intervals_join_to_the_whole() {
        let mut lag = Lag::default();
        let first = lag.acknowledge(at(5), 8);
        let mut whole = lag.end_interval(at(10));
        assert_eq!(
            (whole.bytes, whole.area, whole.worst),
            (8, 40, Span::from_ps(5))
        );
        lag.copied(at(12), first, 8);
        whole.merge(&lag.end_interval(at(20)));
        assert_eq!((whole.bytes, whole.most_bytes), (0, 8));
        assert_eq!((whole.area, whole.worst), (lag.area(), lag.worst()));
    }

    #[test]
    fn lost_writes_grow_old() {
        let mut lag = Lag::default();
        let first = lag.acknowledge(at(1), 8);
        let second = lag.acknowledge(at(2), 8);
        lag.lose(second);
        lag.acknowledge_lost(at(3), 4);
        lag.copied(at(4), first, 8);
        assert_eq!((lag.bytes(), lag.age(at(100))), (12, Span::from_ps(98)));
    }
}

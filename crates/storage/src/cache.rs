//! A simple cache: a share of reads hits, writes are acknowledged from it while there is room.

use std::collections::VecDeque;

use sanlab_kernel::{Id, Instant, RandomStream, Span};

use crate::cache_meter::{CacheCounts, CacheMeter};
use crate::elsewhere::Exchange;

/// The cache of an array.
#[derive(Clone, Debug)]
pub struct Cache {
    read_hit_ppm: u32,
    access: Span,
    dirty_limit: u64,
    dirty: u64,
    /// Room of writes whose data are on their way.
    reserved: u64,
    /// It keeps no writes for now: it is alone, without a partner.
    pub writes_through: bool,
    /// Writes that wait for room, with their size.
    waiting: VecDeque<(Id<Exchange>, u64)>,
    draws: RandomStream,
    /// What it has done.
    pub counts: CacheCounts,
    /// What it has held.
    pub meter: CacheMeter,
}

/// What becomes of a write that asks for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheWrite {
    /// It has room for its data: they will be acknowledged from the cache.
    Taken,
    /// The cache is full; the write is notified when it has room.
    Waits,
    /// The cache keeps no such writes.
    Through,
}

impl Cache {
    /// A cache that answers this share of reads, keeps this much that is not on disk yet, and takes
    /// this long for an access.
    pub fn new(read_hit_ppm: u32, access: Span, dirty_limit: u64, draws: RandomStream) -> Self {
        Self {
            read_hit_ppm,
            access,
            dirty_limit,
            dirty: 0,
            reserved: 0,
            writes_through: false,
            waiting: VecDeque::new(),
            draws,
            counts: CacheCounts::default(),
            meter: CacheMeter::default(),
        }
    }

    /// Time of an access.
    pub fn access(&self) -> Span {
        self.access
    }

    /// Does this read find its data?
    pub fn reads_hit(&mut self) -> bool {
        let is_hit = self.draws.chance_ppm(self.read_hit_ppm);
        self.counts.hits += u64::from(is_hit);
        self.counts.misses += u64::from(!is_hit);
        is_hit
    }

    /// A write asks for room, named by its exchange.
    pub fn reserve(&mut self, write: Id<Exchange>, bytes: u64) -> CacheWrite {
        if bytes > self.dirty_limit || self.writes_through {
            return CacheWrite::Through;
        }
        if !self.waiting.is_empty() || !self.has_room(bytes) {
            self.waiting.push_back((write, bytes));
            self.meter.wait();
            return CacheWrite::Waits;
        }
        self.reserved += bytes;
        CacheWrite::Taken
    }

    fn has_room(&self, bytes: u64) -> bool {
        self.dirty + self.reserved + bytes <= self.dirty_limit
    }

    /// The data of a write that has room are here. False if the cache keeps no writes any more.
    pub fn store(&mut self, bytes: u64) -> bool {
        self.unreserve(bytes);
        if self.writes_through {
            return false;
        }
        self.dirty += bytes;
        self.counts.written += bytes;
        true
    }

    /// A write that had room is given up, or goes through.
    pub fn unreserve(&mut self, bytes: u64) {
        self.reserved -= bytes;
    }

    /// A write that waits for room is given up.
    pub fn forget(&mut self, write: Id<Exchange>) {
        self.waiting.retain(|&(waiting, _)| waiting != write);
    }

    /// These bytes are on disk now.
    pub fn destaged(&mut self, bytes: u64) {
        self.dirty -= bytes;
        self.counts.destaged += bytes;
        self.counts.destages += 1;
    }

    /// The next write that waited and has room now.
    pub fn admit_waiting(&mut self) -> Option<Id<Exchange>> {
        let &(write, bytes) = self.waiting.front()?;
        if !self.has_room(bytes) {
            return None;
        }
        self.waiting.pop_front();
        self.reserved += bytes;
        Some(write)
    }

    /// The meter takes in what has changed.
    pub fn observe(&mut self, now: Instant) {
        self.meter.observe(now, self.dirty, self.waiting.len());
    }

    /// Bytes written are those destaged and those still here; the error is what is missing.
    pub fn check(&self) -> Result<(), i128> {
        match i128::from(self.counts.written) - i128::from(self.counts.destaged + self.dirty) {
            0 => Ok(()),
            missing => Err(missing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(number: u32) -> Id<Exchange> {
        Id::new(number)
    }

    fn cache(limit: u64) -> Cache {
        Cache::new(0, Span::from_ps(5), limit, RandomStream::new(1, "cache"))
    }

    #[test]
    fn writes_wait_in_order_even_if_a_later_one_would_fit() {
        let mut cache = cache(100);
        assert_eq!(cache.reserve(write(1), 60), CacheWrite::Taken);
        assert_eq!(cache.reserve(write(2), 50), CacheWrite::Waits);
        assert_eq!(cache.reserve(write(3), 10), CacheWrite::Waits);
        assert!(cache.store(60));
        assert_eq!(cache.admit_waiting(), None);
        cache.destaged(60);
        assert_eq!(cache.admit_waiting(), Some(write(2)));
        assert_eq!(cache.admit_waiting(), Some(write(3)));
        assert_eq!((cache.admit_waiting(), cache.reserved), (None, 60));
        assert_eq!(cache.check(), Ok(()));
    }

    #[test]
    fn a_write_above_the_limit_goes_through_and_holds_nobody_up() {
        let mut cache = cache(100);
        assert_eq!(cache.reserve(write(1), 100), CacheWrite::Taken);
        assert_eq!(cache.reserve(write(2), 1), CacheWrite::Waits);
        assert_eq!(cache.reserve(write(3), 101), CacheWrite::Through);
        assert_eq!((cache.dirty, cache.reserved), (0, 100));
    }

    #[test]
    fn a_write_that_is_given_up_leaves_its_room() {
        let mut cache = cache(100);
        for (number, bytes) in [(1, 60), (2, 60), (3, 60)] {
            cache.reserve(write(number), bytes);
        }
        cache.forget(write(2));
        assert_eq!(cache.admit_waiting(), None);
        cache.unreserve(60);
        assert_eq!(cache.admit_waiting(), Some(write(3)));
    }
}

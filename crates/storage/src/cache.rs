//! A simple cache: a share of reads hits, writes are acknowledged from it while there is room.

use std::collections::VecDeque;

use sanlab_kernel::{Id, RandomStream, Span};

use crate::elsewhere::Task;

/// The cache of an array.
#[derive(Clone, Debug)]
pub struct Cache {
    read_hit_ppm: u32,
    access: Span,
    dirty_limit: u64,
    dirty: u64,
    most_dirty: u64,
    /// It keeps no writes for now: it is alone, without a partner.
    pub writes_through: bool,
    /// Writes that wait for room, with their size.
    waiting: VecDeque<(Id<Task>, u64)>,
    draws: RandomStream,
}

/// What becomes of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheWrite {
    /// In the cache: acknowledged after the access time, on disk later.
    Taken,
    /// The cache has no space; the task is notified when it has.
    Waits,
    /// The cache keeps no writes of this size.
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
            most_dirty: 0,
            writes_through: false,
            waiting: VecDeque::new(),
            draws,
        }
    }

    /// Time of an access.
    pub fn access(&self) -> Span {
        self.access
    }

    /// Does this read find its data?
    pub fn reads_hit(&mut self) -> bool {
        self.draws.chance_ppm(self.read_hit_ppm)
    }

    /// A write comes, named by its task.
    pub fn write(&mut self, task: Id<Task>, bytes: u64) -> CacheWrite {
        if bytes > self.dirty_limit || self.writes_through {
            return CacheWrite::Through;
        }
        if !self.waiting.is_empty() || self.dirty + bytes > self.dirty_limit {
            self.waiting.push_back((task, bytes));
            return CacheWrite::Waits;
        }
        self.take(bytes);
        CacheWrite::Taken
    }

    /// These bytes are on disk now.
    pub fn destaged(&mut self, bytes: u64) {
        self.dirty -= bytes;
    }

    /// The next write that waited and has room now.
    pub fn admit_waiting(&mut self) -> Option<Id<Task>> {
        let &(task, bytes) = self.waiting.front()?;
        if self.dirty + bytes > self.dirty_limit {
            return None;
        }
        self.waiting.pop_front();
        self.take(bytes);
        Some(task)
    }

    /// Bytes not on disk yet.
    pub fn dirty(&self) -> u64 {
        self.dirty
    }

    fn take(&mut self, bytes: u64) {
        self.dirty += bytes;
        self.most_dirty = self.most_dirty.max(self.dirty);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(number: u32) -> Id<Task> {
        Id::new(number)
    }

    fn cache(limit: u64) -> Cache {
        Cache::new(0, Span::from_ps(5), limit, RandomStream::new(1, "cache"))
    }

    #[test]
    fn writes_wait_in_order_even_if_a_later_one_would_fit() {
        let mut cache = cache(100);
        assert_eq!(cache.write(task(1), 60), CacheWrite::Taken);
        assert_eq!(cache.write(task(2), 50), CacheWrite::Waits);
        assert_eq!(cache.write(task(3), 10), CacheWrite::Waits);
        assert_eq!(cache.admit_waiting(), None);
        cache.destaged(60);
        assert_eq!(cache.admit_waiting(), Some(task(2)));
        assert_eq!(cache.admit_waiting(), Some(task(3)));
        assert_eq!((cache.admit_waiting(), cache.dirty()), (None, 60));
    }

    #[test]
    fn a_write_above_the_limit_goes_through_and_holds_nobody_up() {
        let mut cache = cache(100);
        assert_eq!(cache.write(task(1), 100), CacheWrite::Taken);
        assert_eq!(cache.write(task(2), 1), CacheWrite::Waits);
        assert_eq!(cache.write(task(3), 101), CacheWrite::Through);
        assert_eq!(cache.dirty(), 100);
    }
}
